/* env/offscreen.h - what a camera sees in any world with MuJoCo inside, without a screen.
 *
 *     bex_offscreen *o;  bex_offscreen_open(&o, model, 640, 480);
 *     bex_offscreen_draw(o, sim, &camera, rgb);               rgb (height, width, 3), top row first
 *     bex_offscreen_close(o);
 *
 * MuJoCo's own renderer on EGL, Mesa's software rasteriser where there is no GPU. The model is borrowed
 * until the renderer is closed. The simulation is only read: positions are copied into one of the
 * renderer's own, so that a picture never changes a motion. A drawing takes the renderer's OpenGL context
 * into the calling thread and gives it back: any thread may draw, one at a time in each renderer, several
 * renderers at once. Opening and closing are not for two threads at once. A build without EGL or MuJoCo
 * says so in bex_offscreen_open. */
#ifndef BEX_ENV_OFFSCREEN_H
#define BEX_ENV_OFFSCREEN_H

#include "env/env.h"
#include "env/mj.h"

typedef struct bex_offscreen bex_offscreen;

/* samples: a pixel, 0 the fastest, -1 as the model says. plain: no reflections. looks: geoms of group 1
 * alone, robosuite's visual ones. bare: no sites. */
typedef struct bex_offscreen_options {
    int width, height; // 16 to 4096
    int samples;
    bool plain, looks, bare;
} bex_offscreen_options;

/* Pictures of width x height, each 16 to 4096. Negative with a message, e.g. no EGL on this machine. */
int bex_offscreen_open_as(bex_offscreen **out, const bex_mj_model *model,
                          const bex_offscreen_options *options);
int bex_offscreen_open(bex_offscreen **out, const bex_mj_model *model, int width, int height);
void bex_offscreen_close(bex_offscreen *o); // NULL is fine

/* camera NULL: the whole model from its middle. */
int bex_offscreen_draw(bex_offscreen *o, const bex_mj_sim *sim, const bex_camera *camera,
                       unsigned char *rgb);

/* A camera of the model by its name; show[i] (sites): whether site i is drawn. Negative with a message. */
int bex_offscreen_draw_named(bex_offscreen *o, const bex_mj_sim *sim, const char *camera,
                             const bool *show, unsigned char *rgb);

#endif
