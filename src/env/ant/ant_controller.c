#include "env/ant/ant_controller.h"

#include "base/error.h"
#include "env/ant/ant_body.h"
#include "kernel/linear.h"
#include "nn/safetensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 8, WIDEST = 4096 };
#define LOG_STD_LEAST -20
#define LOG_STD_MOST  2

typedef struct layer {
    int in, out;
    bex_real *weight, *bias;
} layer;

struct bex_ant_controller {
    int count, width; // hidden layers; the widest of them
    layer hidden[LAYERS], mean, log_std;
};

static void layer_free(layer *l) {
    free(l->weight);
    free(l->bias);
}

void bex_ant_controller_free(bex_ant_controller *c) {
    if (!c) return;
    for (int i = 0; i < LAYERS; i++) layer_free(&c->hidden[i]);
    layer_free(&c->mean);
    layer_free(&c->log_std);
    free(c);
}

static int read_layer(layer *l, const bex_st_file *file, const char *name, int in, int out) {
    char weight[32], bias[32];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    l->in = in, l->out = out;
    l->weight = malloc((size_t)in * (size_t)out * sizeof *l->weight);
    l->bias = malloc((size_t)out * sizeof *l->bias);
    if (!l->weight || !l->bias) return bex_fail("out of memory");
    if (bex_st_read_real(file, weight, l->weight, 2, (int64_t[]){out, in}) < 0) return -1;
    return bex_st_read_real(file, bias, l->bias, 1, (int64_t[]){out});
}

// fc0, fc1, .. as many as there are
static int read_all(bex_ant_controller *c, const bex_st_file *file) {
    int in = BEX_ANT_STATE;
    for (; c->count < LAYERS; c->count++) {
        char name[32];
        snprintf(name, sizeof name, "fc%d.weight", c->count);
        const bex_st_tensor *t = bex_st_find(file, name);
        if (!t && c->count) break;
        int out = t && t->rank == 2 && t->dim[0] > 0 && t->dim[0] <= WIDEST ? (int)t->dim[0] : 1;
        snprintf(name, sizeof name, "fc%d", c->count);
        if (read_layer(&c->hidden[c->count], file, name, in, out) < 0) return -1;
        if (out > c->width) c->width = out;
        in = out;
    }
    if (read_layer(&c->mean, file, "mean", in, BEX_ANT_ACTIONS) < 0) return -1;
    return read_layer(&c->log_std, file, "log_std", in, BEX_ANT_ACTIONS);
}

bex_ant_controller *bex_ant_controller_load(const char *path) {
    bex_st_file *file = bex_st_load(path);
    bex_ant_controller *c = calloc(1, sizeof *c);
    if (file && !c) bex_fail("out of memory");
    if (!file || !c || read_all(c, file) < 0) {
        bex_ant_controller_free(c);
        c = NULL;
    }
    bex_st_free(file);
    return c;
}

size_t bex_ant_controller_scratch(const bex_ant_controller *c, int M) {
    return 2 * (size_t)M * (size_t)c->width;
}

static void run_layer(bex_real *y, const bex_real *x, const layer *l, int M, bex_activation act) {
    bex_linear_fwd(y, NULL, x, l->weight, l->bias, M, l->out, l->in, act);
}

void bex_ant_controller_run(const bex_ant_controller *c, bex_real *mean, bex_real *deviation,
                            const bex_real *in, int M, bex_real *scratch) {
    bex_real *half[2] = {scratch, scratch + (size_t)M * (size_t)c->width};
    for (int i = 0; i < c->count; i++) {
        run_layer(half[i % 2], in, &c->hidden[i], M, BEX_ACTIVATION_RELU);
        in = half[i % 2];
    }
    run_layer(mean, in, &c->mean, M, BEX_ACTIVATION_ID);
    run_layer(deviation, in, &c->log_std, M, BEX_ACTIVATION_ID);
    for (int i = 0; i < M * BEX_ANT_ACTIONS; i++) {
        double s = (double)deviation[i];
        deviation[i] = R(exp(s < LOG_STD_LEAST  ? LOG_STD_LEAST
                             : s > LOG_STD_MOST ? LOG_STD_MOST
                                                : s));
    }
}

void bex_ant_controller_sample(bex_real *act, const bex_real *mean, const bex_real *deviation,
                               double noise, bex_rng *rng) {
    for (int i = 0; i < BEX_ANT_ACTIONS; i++) {
        double a = tanh((double)mean[i] + (double)deviation[i] * bex_rng_normal(rng));
        if (noise > 0) a += noise * bex_rng_normal(rng);
        act[i] = R(a > 1 ? 1 : a < -1 ? -1 : a);
    }
}
