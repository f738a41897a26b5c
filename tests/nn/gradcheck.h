/* tests/nn/gradcheck.h - analytic against numeric derivatives, signed, in random directions.
 *
 * All inputs are parameters of one block. The objective is f(x) = sum(w y(x)) with fixed random w. For a
 * random direction d the analytic <grad f, d> is compared with a five-point difference of f(x + h d): in
 * double both agree to about 1e-10, so a bound of 1e-6 sees a gradient that is 0.02 % off, of the
 * wrong sign, or missing a term. Not sums of |.|: those hide signs. */
#ifndef BEX_TESTS_NN_GRADCHECK_H
#define BEX_TESTS_NN_GRADCHECK_H

#include "nn/ops.h"
#include "test.h"

#include <math.h>

enum { GRAD_INPUTS = 6, GRAD_DIRECTIONS = 6 };

typedef bex_tensor *grad_fn(bex_tape *tape, const bex_param **in);

typedef struct grad_case {
    const char *name;
    grad_fn *run;
    struct {
        int rank, dim[BEX_RANK];
    } in[GRAD_INPUTS]; // ends at the first with dim[0] == 0
} grad_case;

static inline bex_tensor *grad_objective(bex_tape *tape, grad_fn *run, const bex_param **in) {
    bex_tensor *y = run(tape, in);
    bex_real *w = bex_scratch(tape, bex_count(y));
    bex_rng g = bex_rng_seed(99);
    for (size_t i = 0; i < bex_count(y); i++) w[i] = (bex_real)bex_rng_normal(&g);
    return bex_sum_all(tape, bex_mul(tape, y, bex_constant(tape, w, y->rank, y->dim)), 1);
}

// f(x + t d); the block's values are restored
static inline double grad_value_at(bex_params *p, bex_arena *arena, grad_fn *run,
                                   const bex_param **in, const double *x, const double *d,
                                   double t) {
    for (size_t i = 0; i < p->count; i++) p->value[i] = (bex_real)(x[i] + t * d[i]);
    bex_tape tape;
    bex_tape_init(&tape, arena);
    tape.training = true;
    bex_tape_reset(&tape);
    double f = (double)grad_objective(&tape, run, in)->data[0];
    for (size_t i = 0; i < p->count; i++) p->value[i] = (bex_real)x[i];
    return f;
}

// two equal passes, of which the first meets garbage and sets, the second adds
static inline void grad_twice(bex_params *p, bex_arena *arena, grad_fn *run, const bex_param **in) {
    for (int q = 0; q < p->params; q++)
        for (size_t i = 0; i < p->param[q]->count; i++)
            bex_param_grad(p->param[q], 0)[i] = (bex_real)NAN;
    bex_params_begin(p, 0);
    for (int pass = 0; pass < 2; pass++) {
        bex_tape tape;
        bex_tape_init(&tape, arena);
        bex_tape_train(&tape, p);
        bex_tape_reset(&tape);
        bex_backward(&tape, grad_objective(&tape, run, in));
    }
    bex_params_end(p, 0);
}

/* Largest relative error over directions and all inputs. */
static inline double grad_error(const grad_case *c) {
    bex_params *p = bex_params_new();
    const bex_param *in[GRAD_INPUTS] = {NULL};
    for (int i = 0; i < GRAD_INPUTS && c->in[i].dim[0]; i++)
        in[i] = bex_param_add(p, BEX_INIT_NORMAL, c->in[i].rank, c->in[i].dim, "in.%d", i);
    bex_params_build(p, 1, bex_rng_seed(5));
    bex_arena *arena = bex_arena_new();
    grad_twice(p, arena, c->run, in);

    double worst = 0, *x = calloc(p->count, sizeof *x), *d = calloc(p->count, sizeof *d);
    double norm = 0;
    for (size_t i = 0; i < p->count; i++) x[i] = (double)p->value[i];
    for (size_t i = 0; i < p->count; i++) norm += (double)p->grad[i] * (double)p->grad[i];
    bex_rng g = bex_rng_seed(17);
    for (int k = 0; k < GRAD_DIRECTIONS; k++) {
        double analytic = 0, h = 1e-3;
        // the padding between parameters is no input
        for (int q = 0; q < p->params; q++)
            for (size_t i = 0; i < p->param[q]->count; i++) {
                size_t at = p->param[q]->offset + i;
                d[at] = bex_rng_normal(&g);
                analytic += d[at] * (double)p->grad[at] / 2;
            }
#define AT(t) grad_value_at(p, arena, c->run, in, x, d, (t)*h)
        double numeric = (AT(-2) - 8 * AT(-1) + 8 * AT(1) - AT(2)) / (12 * h);
#undef AT
        // a direction that happens to be nearly flat is judged against the size of the gradient
        double scale = fmax(fmax(fabs(numeric), fabs(analytic)), 1e-2 * sqrt(norm));
        worst = fmax(worst, fabs(numeric - analytic) / (scale > 0 ? scale : 1));
        if (!isfinite(numeric) || !isfinite(analytic)) worst = INFINITY;
    }
    free(x);
    free(d);
    bex_arena_free(arena);
    bex_params_free(p);
    return worst;
}

#endif
