/* agent/sight/pixels.h - pictures of demonstrations as the network takes them, a little changed each time.
 *
 * Augmentation, as dit-policy's: a random part of the picture (its area share and shape drawn), a random
 * blur,
 * random colours. Each camera of a window has its own draw, from (rng, number of the window, camera): the
 * same
 * whatever the threads, the lanes or the micro-batches. */
#ifndef BEX_AGENT_SIGHT_PIXELS_H
#define BEX_AGENT_SIGHT_PIXELS_H

#include "base/arena.h"
#include "base/rng.h"
#include "data/pictures.h"
#include "model/vision.h"

typedef struct bex_augmentation {
    double crop;   // smallest share of the area that is kept; 1: all of it, always
    double blur;   // largest deviation of the blur, in pixels; 0: none
    double colour; // brightness, contrast, saturation times 1 - colour .. 1 + colour; 0: none
} bex_augmentation;

typedef struct bex_pixels_request {
    bex_pictures *pictures;
    const int *frames; // (B)
    const int *number; // (B) of each window: for its draws
    int B;
    const unsigned char *ready; // (B,cameras,height,width,3) read before; NULL: they are read here
    const bex_augmentation *augment; // NULL: none
    bex_rng rng;
} bex_pixels_request;

/* out (cameras,B,height,width,3). Scratch from the arena. Negative with a message: a picture cannot be
 * read. */
int bex_pixels_gather(bex_real *out, bex_arena *arena, const bex_pixels_request *q);

#endif
