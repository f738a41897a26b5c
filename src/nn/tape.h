/* nn/tape.h - eager reverse-mode differentiation.
 *
 * An operation (op_<name>.c) runs forward at once and, if the tape records and an input needs a
 * gradient, pushes one record holding its backward function. bex_backward walks the records in
 * reverse. A tape that does not record is inference: the same code, nothing kept.
 *
 *     bex_tensor *loss = model(tape, batch);
 *     bex_backward(tape, loss);            gradients of parameters go to the lane's block
 *     bex_tape_reset(tape);                every tensor of the pass is gone
 *
 * One tape belongs to one lane and one thread at a time. */
#ifndef BEX_NN_TAPE_H
#define BEX_NN_TAPE_H

#include "base/arena.h"
#include "base/rng.h"
#include "nn/param.h"
#include "nn/tensor.h"

enum { BEX_TAPE_BLOCKS = 4 };

typedef struct bex_tape_record bex_tape_record;

typedef struct bex_tape {
    bex_arena *arena;
    int block;                                // of gradients, where those of parameters go
    bool recording;                           // keep what a backward pass needs
    bool training;                            // dropout is active
    bex_rng rng;                              // dropout masks; advanced by each use
    const bex_params *train[BEX_TAPE_BLOCKS]; // blocks that get gradients while recording
    bex_tape_record *last;
} bex_tape;

/* An inference tape over `arena`; set recording, training, rng and train[] for learning. */
void bex_tape_init(bex_tape *tape, bex_arena *arena);

/* Record, with gradients for the parameters of `params` (added to those already named). */
void bex_tape_train(bex_tape *tape, const bex_params *params);

/* Forget all tensors and records; the arena keeps its memory. */
void bex_tape_reset(bex_tape *tape);

/* d(sum of root)/d(everything upstream). root is usually a scalar. */
void bex_backward(bex_tape *tape, bex_tensor *root);

/* ---- tensors ---- */

/* Uninitialised, in the arena. needs_grad is taken as given only while the tape records. */
bex_tensor *bex_tensor_new(bex_tape *tape, int rank, const int *dim, bool needs_grad);

/* Like `shape_of`, needing a gradient if it does. */
bex_tensor *bex_tensor_like(bex_tape *tape, const bex_tensor *shape_of);

/* For the result of `operation` on a and b, whose shape is a's or that of a's last dimensions (it is then
 * repeated over the leading ones); otherwise a bug. Needs a gradient if a or b does. */
bex_tensor *bex_tensor_repeating(bex_tape *tape, const bex_tensor *a, const bex_tensor *b,
                                 const char *operation);

/* The caller's memory as a tensor without gradient; it must outlive the pass. */
bex_tensor *bex_constant(bex_tape *tape, const bex_real *data, int rank, const int *dim);

/* A parameter as a tensor. */
bex_tensor *bex_use(bex_tape *tape, const bex_param *param);

#define BEX_DIMS(...) ((const int[]){__VA_ARGS__})

/* ---- for operations ---- */

typedef void bex_backward_fn(bex_tape *tape, void *context);

/* Push a record; returns `size` bytes of context for the backward function to find its inputs. */
void *bex_record(bex_tape *tape, bex_backward_fn *backward, size_t size);

/* Where to put the gradient of t: NULL if it needs none; *add says whether to add or to set.
 * The caller must then write every element. */
bex_real *bex_grad(bex_tape *tape, bex_tensor *t, int *add);

/* The same for callers that can only add: zero-filled on first use. */
bex_real *bex_grad_sum(bex_tape *tape, bex_tensor *t);

/* Whether the gradient of t has begun. */
static inline bool *bex_grad_started(bex_tensor *t) {
    return t->kept ? t->kept : &t->grad_started;
}

bex_real *bex_scratch(bex_tape *tape, size_t count); // uninitialised reals, gone at reset

#endif
