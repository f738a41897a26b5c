/* model/vision.h - what a policy sees: pictures of its cameras to features, by one network for all cameras or
 * one for each.
 *
 *   pixels (cameras,B,H,W,3), as kernel/picture.h gives them -> seen[c] (B,P,F), c < cameras
 *
 * Parameters: vision.conv1.weight, ... (shared), or vision.0.conv1.weight, ..., vision.1. ... */
#ifndef BEX_MODEL_VISION_H
#define BEX_MODEL_VISION_H

#include "base/observation.h"
#include "model/resnet.h"

typedef struct bex_vision_options {
    int cameras, height, width; // 0 cameras: none of this
    bool shared;
    bex_resnet_options net;
} bex_vision_options;

typedef struct bex_vision {
    bex_vision_options o;
    bex_resnet net[BEX_CAMERAS];
    int places, features; // P, F
} bex_vision;

/* Register all parameters in a block that is not built yet. */
bex_vision bex_vision_add(bex_params *params, bex_vision_options options);

void bex_vision_run(bex_tape *tape, const bex_vision *v, const bex_real *pixels, int B,
                    bex_tensor **seen);

/* Reals of one camera's picture. */
static inline size_t bex_vision_picture(const bex_vision *v) {
    return bex_picture_bytes(v->o.height, v->o.width);
}

/* Values from a file: of a policy or an encoder of ours ("vision." names; a shared network fills separate
 * ones too), or torchvision's names alone. Negative with a message. */
int bex_vision_import(bex_params *params, const bex_vision *v, const bex_st_file *file);

/* Multiply-adds x 2 of one forward pass, all cameras. */
double bex_vision_flops(const bex_vision *v);

#endif
