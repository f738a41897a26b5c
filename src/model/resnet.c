/* model/resnet.c - the layers in torchvision's order and names. */
#include "model/resnet.h"

#include "base/error.h"
#include "kernel/pool2d.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double EPS = 1e-5;
enum { STEM = 7, NAME = 80 };

static const int *blocks_of(int depth) {
    static const int small[BEX_RESNET_STAGES] = {2, 2, 2, 2},
                     large[BEX_RESNET_STAGES] = {3, 4, 6, 3};
    return depth == 34 ? large : small;
}

/* ---- parameters ---- */

// `conv` and `norm` are torchvision's names of the two behind the prefix
static bex_resnet_layer layer_add(bex_params *p, const char *prefix, const char *conv,
                                  const char *norm, int N, int C, int k) {
    bex_resnet_layer l;
    bex_init init = BEX_INIT_KAIMING(N * k * k);
    l.conv = bex_param_add(p, init, 4, BEX_DIMS(N, k, k, C), "%s%s.weight", prefix, conv);
    l.w = bex_param_add(p, BEX_INIT_ONE, 1, BEX_DIMS(N), "%s%s.weight", prefix, norm);
    l.b = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(N), "%s%s.bias", prefix, norm);
    return l;
}

bex_resnet bex_resnet_add(bex_params *p, const char *prefix, bex_resnet_options o) {
    bex_resnet net = {.o = o};
    BEX_CHECK((o.depth == 18 || o.depth == 34) && o.groups > 0 && o.width > 0 &&
                  o.width % o.groups == 0,
              "ResNet-%d of width %d in %d groups", o.depth, o.width, o.groups);
    net.stem = layer_add(p, prefix, "conv1", "bn1", o.width, 3, STEM);
    int C = o.width;
    for (int s = 0; s < BEX_RESNET_STAGES; s++)
        for (int i = 0; i < blocks_of(o.depth)[s]; i++) {
            char inside[NAME];
            bex_resnet_block *b = &net.block[net.blocks++];
            int N = o.width << s;
            snprintf(inside, sizeof inside, "%slayer%d.%d.", prefix, s + 1, i);
            b->stride = s && !i ? 2 : 1;
            b->first = layer_add(p, inside, "conv1", "bn1", N, C, 3);
            b->second = layer_add(p, inside, "conv2", "bn2", N, N, 3);
            if (N != C) b->skip = layer_add(p, inside, "downsample.0", "downsample.1", N, C, 1);
            C = N;
        }
    return net;
}

/* ---- sizes ---- */

// of a picture's side after a layer of 3x3 or 7x7 with stride 2
static int half(int size) {
    return (size + 1) / 2;
}

static int last_side(int size) {
    size = half(half(size)); // stem and pool
    for (int s = 1; s < BEX_RESNET_STAGES; s++) size = half(size);
    return size;
}

int bex_resnet_places(const bex_resnet_options *o, int height, int width) {
    return o->pool == BEX_RESNET_PLACES ? last_side(height) * last_side(width) : 1;
}

int bex_resnet_features(const bex_resnet_options *o) {
    int channels = o->width << (BEX_RESNET_STAGES - 1);
    return o->pool == BEX_RESNET_KEYPOINTS ? 2 * channels : channels;
}

double bex_resnet_flops(const bex_resnet_options *o, int height, int width) {
    double h = half(height), w = half(width), sum = h * w * STEM * STEM * 3 * o->width;
    h = half((int)h), w = half((int)w);
    double C = o->width;
    for (int s = 0; s < BEX_RESNET_STAGES; s++)
        for (int i = 0; i < blocks_of(o->depth)[s]; i++) {
            double N = o->width << s;
            if (s && !i) h = half((int)h), w = half((int)w);
            sum += h * w * (9 * C * N + 9 * N * N + (N != C ? C * N : 0));
            C = N;
        }
    return 2 * sum;
}

/* ---- forward ---- */

static bex_tensor *layer_run(bex_tape *tape, const bex_resnet *net, const bex_resnet_layer *l,
                             bex_tensor *x, int stride, bex_tensor *residual, bool relu) {
    int k = l->conv->dim[1];
    bex_tensor *y = bex_conv2d(tape, x, l->conv, NULL, stride, k / 2);
    return bex_groupnorm(tape, y, l->w, l->b, net->o.groups, EPS, residual, relu);
}

static bex_tensor *block_run(bex_tape *tape, const bex_resnet *net, const bex_resnet_block *b,
                             bex_tensor *x) {
    bex_tensor *h = layer_run(tape, net, &b->first, x, b->stride, NULL, true);
    bex_tensor *skip = b->skip.conv ? layer_run(tape, net, &b->skip, x, b->stride, NULL, false) : x;
    return layer_run(tape, net, &b->second, h, 1, skip, true);
}

bex_tensor *bex_resnet_run(bex_tape *tape, const bex_resnet *net, bex_tensor *x) {
    x = layer_run(tape, net, &net->stem, x, 2, NULL, true);
    x = bex_max_pool(tape, x, 3, 2, 1);
    for (int i = 0; i < net->blocks; i++) x = block_run(tape, net, &net->block[i], x);
    int B = x->dim[0], P = x->dim[1] * x->dim[2], C = x->dim[3];
    if (net->o.pool == BEX_RESNET_KEYPOINTS)
        return bex_reshape(tape, bex_spatial_softmax(tape, x), 3, BEX_DIMS(B, 1, 2 * C));
    x = bex_reshape(tape, x, 3, BEX_DIMS(B, P, C));
    if (net->o.pool == BEX_RESNET_PLACES) return x;
    return bex_reshape(tape, bex_mean_tokens(tape, x, 0, P), 3, BEX_DIMS(B, 1, C));
}

/* ---- weights of others ---- */

// (N,C,kh,kw), as others store it, to (N,kh,kw,C)
static int read_convolution(const bex_st_file *f, const char *name, const bex_param *q) {
    int N = q->dim[0], kh = q->dim[1], kw = q->dim[2], C = q->dim[3];
    const int64_t dim[4] = {N, C, kh, kw};
    bex_real *value = bex_param_edit(q), *turned = malloc(q->count * sizeof *turned);
    if (!turned) return bex_fail("out of memory: '%s'", name);
    int code = bex_st_read_real(f, name, turned, 4, dim);
    const bex_real *from = turned;
    for (int n = 0; code == 0 && n < N; n++)
        for (int c = 0; c < C; c++)
            for (int t = 0; t < kh * kw; t++) value[(n * kh * kw + t) * C + c] = *from++;
    free(turned);
    return code;
}

int bex_resnet_import(bex_params *p, const char *prefix, const bex_st_file *f, const char *from) {
    char name[2 * NAME];
    size_t n = strlen(prefix);
    for (int i = 0; i < p->params; i++) {
        const bex_param *q = p->param[i];
        if (strncmp(q->name, prefix, n) != 0) continue;
        snprintf(name, sizeof name, "%s%s", from, q->name + n);
        const int64_t dim[1] = {q->dim[0]};
        int code = q->rank == 4 ? read_convolution(f, name, q)
                                : bex_st_read_real(f, name, bex_param_edit(q), 1, dim);
        if (code < 0) return -1;
    }
    return 0;
}
