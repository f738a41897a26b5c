/* model/resnet.h - a residual network of pictures: ResNet-18 and -34 with group norm in place of batch norm
 * (dit-policy's encoder), of any width.
 *
 *   x (B,H,W,3) -> conv 7x7/2, norm, relu, max pool 3x3/2            width
 *               -> 4 stages of 2 2 2 2 (18) or 3 4 6 3 (34) blocks    width, 2, 4, 8 width; halved from the
 *                                                                     second stage on
 *               -> pooled: (B,P,F)
 *   block: relu(x + norm(conv3x3(relu(norm(conv3x3(x))))));  where sizes change, norm(conv1x1/2(x)) for x
 *
 *   token      P = 1, F = 8 width: the mean over places (dit-policy's resnet_gn)
 *   places     P = places, F = 8 width: one token a place (resnet_gn_nopool)
 *   keypoints  P = 1, F = 16 width: where each channel is largest (spatial softmax)
 *
 * Parameters have torchvision's names (conv1.weight, bn1.weight, layer1.0.conv1.weight, ...), behind a
 * prefix.
 * Convolutions lie as (N,kh,kw,C), torchvision's as (N,C,kh,kw): bex_resnet_import turns them. */
#ifndef BEX_MODEL_RESNET_H
#define BEX_MODEL_RESNET_H

#include "nn/ops.h"
#include "nn/safetensors.h"

typedef enum { BEX_RESNET_TOKEN, BEX_RESNET_PLACES, BEX_RESNET_KEYPOINTS } bex_resnet_pool;

enum { BEX_RESNET_BLOCKS = 16, BEX_RESNET_STAGES = 4 };

typedef struct bex_resnet_options {
    int depth;  // 18 or 34
    int width;  // of the first stage; a multiple of groups. torchvision: 64
    int groups; // of the norms; dit-policy: 16
    bex_resnet_pool pool;
} bex_resnet_options;

typedef struct bex_resnet_layer {
    const bex_param *conv, *w, *b;
} bex_resnet_layer;

typedef struct bex_resnet_block {
    bex_resnet_layer first, second, skip; // skip.conv NULL: x itself
    int stride;
} bex_resnet_block;

typedef struct bex_resnet {
    bex_resnet_options o;
    bex_resnet_layer stem;
    bex_resnet_block block[BEX_RESNET_BLOCKS];
    int blocks;
} bex_resnet;

bex_resnet bex_resnet_add(bex_params *params, const char *prefix, bex_resnet_options options);

/* P places and F features of pictures of this size; the smallest is 1 x 1. */
int bex_resnet_places(const bex_resnet_options *o, int height, int width);
int bex_resnet_features(const bex_resnet_options *o);

/* x (B,H,W,3) -> (B,P,F). */
bex_tensor *bex_resnet_run(bex_tape *tape, const bex_resnet *net, bex_tensor *x);

/* Multiply-adds x 2 of one forward pass of one picture. */
double bex_resnet_flops(const bex_resnet_options *o, int height, int width);

/* Values of a network with this prefix from tensors with torchvision's names behind `from` ("" for a file of
 * torchvision's own). Running statistics of batch norm and the classifier are left. Negative with a message:
 * one is missing or has another size; values may then be changed. */
int bex_resnet_import(bex_params *params, const char *prefix, const bex_st_file *file,
                      const char *from);

#endif
