/* nn/param.h - parameters of a model: registered once by name and shape, stored in one block.
 *
 *     bex_params *p = bex_params_new();
 *     const bex_param *w = bex_param_add(p, BEX_INIT_XAVIER, 2, BEX_DIMS(N, K), "head.%d.weight", i);
 *     bex_params_build(p, lanes, rng);
 *
 * Values, each lane's gradients, Adam's moments and the running average are blocks of equal layout, so
 * the optimiser is one loop and a checkpoint follows from the names. Offset, initial value,
 * checkpoint key and printout all come from the one registration. */
#ifndef BEX_NN_PARAM_H
#define BEX_NN_PARAM_H

#include "base/error.h"
#include "base/real.h"
#include "base/rng.h"
#include "nn/init.h"

typedef struct bex_params bex_params;

typedef struct bex_param {
    char name[96];
    bex_params *block;
    bex_init init;
    int rank, dim[4];
    size_t offset, count; // reals; offsets are multiples of 16
} bex_param;

struct bex_params {
    bex_param **param;
    int params, capacity;
    size_t count;    // reals in a block, padding included; padding is 0 everywhere
    int lanes;       // gradient blocks
    bex_real *value; // (count)
    bex_real *grad;  // (lanes, count)
    bex_real *m, *v; // Adam's moments, NULL until bex_params_moments
    bex_real *ema;   // NULL until bex_params_ema
    long step;       // updates done
};

bex_params *bex_params_new(void);
void bex_params_free(bex_params *params);

/* Register; a name used twice is a bug. The handle lives as long as the block. */
const bex_param *bex_param_add(bex_params *params, bex_init init, int rank, const int *dim,
                               const char *name, ...) BEX_PRINTF(5, 6);

/* Allocate values and `lanes` gradient blocks (0 for inference only), initialise each parameter from
 * the stream named after it: values do not depend on the order of registration. */
void bex_params_build(bex_params *params, int lanes, bex_rng rng);

const bex_param *bex_param_find(const bex_params *params, const char *name); // NULL if none
size_t bex_params_total(const bex_params *params); // reals without padding: the parameter count

void bex_params_moments(bex_params *params); // allocate m and v, zero
void bex_params_ema(bex_params *params);     // allocate ema, a copy of the values
void bex_params_zero_grad(bex_params *params);
void bex_params_copy(bex_params *to, const bex_params *from); // values
void bex_params_polyak(bex_params *to, const bex_params *from,
                       bex_real tau); // to += tau (from - to)

static inline bex_real *bex_param_value(const bex_param *p) {
    return p->block->value + p->offset;
}

static inline bex_real *bex_param_grad(const bex_param *p, int lane) {
    return p->block->grad + (size_t)lane * p->block->count + p->offset;
}

#endif
