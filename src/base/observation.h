/* base/observation.h - what is seen at one moment: a state, and pictures of up to BEX_CAMERAS cameras.
 *
 *     state    (state) reals, in the units of the world or of the demonstrations
 *     image[c] (height, width, 3) bytes of camera c, row by row, RGB; NULL: no such camera
 *
 * Two forms of the same: bex_observation is read, bex_frame is written. Both only point: whoever made the
 * arrays owns them, and a callee has them until it returns. The sizes are said once, by the
 * bex_observation_spec of a world; all pictures have one size. A world's pictures, those it writes into files
 * and those a policy is given when acting lie the same way; a policy turns them itself, as data.flip said
 * (LIBERO's files hold them bottom row first). */
#ifndef BEX_BASE_OBSERVATION_H
#define BEX_BASE_OBSERVATION_H

#include "base/real.h"

enum { BEX_CAMERAS = 4 };

typedef struct bex_observation_spec {
    int state;                  // reals
    int cameras, height, width; // pictures, 0..BEX_CAMERAS, and their size in pixels
} bex_observation_spec;

typedef struct bex_observation {
    const bex_real *state;
    const unsigned char *image[BEX_CAMERAS];
    int height,
        width; // of the pictures, where they are not those of the spec or the policy; 0: they are
} bex_observation;

typedef struct bex_frame {
    bex_real *state;
    unsigned char *image[BEX_CAMERAS];
    int height, width; // of the pictures; 0 without
} bex_frame;

/* A state without pictures. */
static inline bex_observation bex_observation_of(const bex_real *state) {
    return (bex_observation){.state = state};
}

/* What a frame holds, to be read. */
static inline bex_observation bex_frame_seen(const bex_frame *f) {
    bex_observation o = {.state = f->state, .height = f->height, .width = f->width};
    for (int c = 0; c < BEX_CAMERAS; c++) o.image[c] = f->image[c];
    return o;
}

/* Bytes of one picture. */
static inline size_t bex_picture_bytes(int height, int width) {
    return (size_t)height * (size_t)width * 3;
}

/* Pictures of exactly the cameras 0..cameras-1, or negative with a message: the caller's fault. */
int bex_observation_check(const bex_observation *o, int cameras);

/* Arrays for one observation, zero. 0, or negative with a message and nothing to free; fini of a zero frame
 * is fine. */
int bex_frame_init(bex_frame *f, const bex_observation_spec *spec);
void bex_frame_fini(bex_frame *f);

#endif
