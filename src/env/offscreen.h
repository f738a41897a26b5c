/* env/offscreen.h - what a camera sees in any world with MuJoCo inside, without a screen.
 *
 *     bex_offscreen *o;  bex_offscreen_open(&o, model, 640, 480);
 *     bex_offscreen_draw(o, sim, &camera, rgb);               rgb (height, width, 3), top row first
 *     bex_offscreen_close(o);
 *
 * MuJoCo's own renderer on EGL, Mesa's software rasteriser where there is no GPU. The simulation is only
 * read: positions are copied into one of the renderer's own, so that a picture never changes a motion.
 * One thread, and one renderer at a time: OpenGL contexts belong to threads. A build without EGL or
 * MuJoCo says so in bex_offscreen_open. */
#ifndef BEX_ENV_OFFSCREEN_H
#define BEX_ENV_OFFSCREEN_H

#include "env/env.h"
#include "env/mj.h"

typedef struct bex_offscreen bex_offscreen;

/* Pictures of width x height, each 16 to 4096. Negative with a message, e.g. no EGL on this machine. */
int bex_offscreen_open(bex_offscreen **out, const bex_mj_model *model, int width, int height);
void bex_offscreen_close(bex_offscreen *o); // NULL is fine

/* camera NULL: the whole model from its middle. */
int bex_offscreen_draw(bex_offscreen *o, const bex_mj_sim *sim, const bex_camera *camera,
                       unsigned char *rgb);

#endif
