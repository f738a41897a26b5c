/* nn/param.h - parameters of a model: registered once by name and shape, stored in one block.
 *
 *     bex_params *p = bex_params_new();
 *     const bex_param *w = bex_param_add(p, BEX_INIT_XAVIER, 2, BEX_DIMS(N, K), "head.%d.weight", i);
 *     bex_params_build(p, 1, rng);
 *
 * Values, gradients (of several lanes at a time: nn/lanes.h), Adam's moments and the running average are
 * blocks of equal layout, so the optimiser is one loop and a checkpoint follows from the names. Offset,
 * initial value, checkpoint key and printout all come from the one registration.
 *
 * Beside the values there may be a packed copy of the matrices (bex_params_pack) that products read faster.
 * Whoever writes values says so, bex_params_changed; then it is not read until it is packed again. */
#ifndef BEX_NN_PARAM_H
#define BEX_NN_PARAM_H

#include "base/error.h"
#include "base/real.h"
#include "base/rng.h"
#include "nn/init.h"

#include <stdbool.h>

typedef struct bex_params bex_params;

/* The two forms of a packed matrix W (N,K): for y = x W^T, and for dx = dy W (blocks with gradients only). */
typedef enum { BEX_PANELS_Y, BEX_PANELS_DX } bex_panels;

typedef struct bex_param {
    char name[96];
    bex_params *block;
    bex_init init;
    int index; // in its block
    int rank, dim[4];
    size_t offset, count; // reals; offsets are multiples of 16
    size_t packed[2];     // offsets of its packed copies, by bex_panels
} bex_param;

struct bex_params {
    bex_param **param;
    int params, capacity;
    size_t count;        // reals in a block, padding included; padding is 0 everywhere
    int blocks;          // of gradients
    bex_real *value;     // (count)
    bex_real *grad;      // (blocks, count)
    bool *started;       // (blocks, params) the gradient holds a sum; else it holds nothing
    bex_real *m, *v;     // Adam's moments, NULL until bex_params_moments
    bex_real *ema;       // NULL until bex_params_ema
    long step;           // updates done
    bex_real *packed;    // NULL until bex_params_pack
    size_t packed_count; // reals
    bool packed_holds;   // packed is of these values
    bool failed;         // memory ran out at a registration
    const char *scope;   // names registered now begin with it; NULL: with nothing
};

/* NULL with a message: out of memory. Registration goes on all the same and build tells of it. */
bex_params *bex_params_new(void);
void bex_params_free(bex_params *params); // NULL is fine

/* Names registered from here on begin with `scope`, which is borrowed until the next call; NULL: no more. */
void bex_params_scope(bex_params *params, const char *scope);

/* Register; a name used twice is a bug. The handle lives as long as the block, and is never NULL: where
 * memory ran out (params NULL, too) it is of no use but as a handle, and build fails. */
const bex_param *bex_param_add(bex_params *params, bex_init init, int rank, const int *dim,
                               const char *name, ...) BEX_PRINTF(5, 6);

/* Allocate values and `blocks` gradient blocks (0 for inference only), initialise each parameter from
 * the stream named after it: values do not depend on the order of registration. 0, or negative with a
 * message: no memory, now or at a registration; the block is then as before. */
int bex_params_build(bex_params *params, int blocks, bex_rng rng);

/* The same without initial values, zeros: for values read from a file, all of them. */
int bex_params_allocate(bex_params *params, int blocks);

const bex_param *bex_param_find(const bex_params *params, const char *name); // NULL if none
size_t bex_params_total(const bex_params *params); // reals without padding: the parameter count

/* Allocate m and v, zero; allocate ema, a copy of the values. 0, or negative with a message: no memory. */
int bex_params_moments(bex_params *params);
int bex_params_ema(bex_params *params);

void bex_params_zero_grad(bex_params *params);                // of all blocks
void bex_params_copy(bex_params *to, const bex_params *from); // values

/* Gradients of a block that are set by whoever comes first, not cleared before: begin, passes (nn/tape.h),
 * end.
 * Zeros are what no pass has reached. */
void bex_params_begin(bex_params *params, int block);
void bex_params_end(bex_params *params, int block);

/* Where it is kept whether the gradient has begun. Part of a parameter: the whole begins here, as zeros. */
bool *bex_param_started(const bex_param *param, int block);

/* to += tau (from - to), values. `threads` changes nothing but speed. */
void bex_params_polyak(bex_params *to, const bex_params *from, bex_real tau, int threads);

/* Pack every matrix (rank 2, 3 for an ensemble, 4 for a convolution) for the products of op_linear.c and
 * op_conv2d.c, unless that holds already. The first call allocates; between updates, never while lanes run.
 * Negative with a message if there is no memory: products then read the values themselves, slower and to the
 * same bits. */
int bex_params_pack(bex_params *params, int threads);
void bex_params_changed(bex_params *params); // values were written

/* Matrix `member` of a packed parameter: panels of kernel/gemm.h. NULL: not packed, or not of these
 * values. */
const bex_real *bex_param_panels(const bex_param *param, bex_panels form, int member);

/* Member e of an ensemble's parameter, (E,..), as a parameter of its own over the same block, which is
 * built. */
bex_param bex_param_member(const bex_param *param, int e);

static inline const bex_real *bex_param_value(const bex_param *p) {
    return p->block->value + p->offset;
}

/* The same to write to. */
static inline bex_real *bex_param_edit(const bex_param *p) {
    bex_params_changed(p->block);
    return p->block->value + p->offset;
}

static inline bex_real *bex_param_grad(const bex_param *p, int block) {
    return p->block->grad + (size_t)block * p->block->count + p->offset;
}

#endif
