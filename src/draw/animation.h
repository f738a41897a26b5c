/* draw/animation.h - figures as the frames of a GIF.
 *
 *     bex_animation *a;
 *     if (bex_animation_open(&a, "run.gif") < 0) ...
 *     for (...) { bex_figure *f = draw(t); bex_animation_add(a, f, 8); bex_figure_free(f); }
 *     if (bex_animation_commit(a) < 0) ...
 *     bex_animation_free(a);
 *
 * All frames have the size of the first. Needs cairo and giflib; without one of them adding the first
 * frame fails with a message. */
#ifndef BEX_DRAW_ANIMATION_H
#define BEX_DRAW_ANIMATION_H

#include "draw/figure.h"

typedef struct bex_animation bex_animation;

int bex_animation_open(bex_animation **out, const char *path);
int bex_animation_add(bex_animation *a, bex_figure *frame, int centiseconds);
int bex_animation_commit(bex_animation *a);
void bex_animation_free(bex_animation *a); // NULL is fine; before commit: discards

#endif
