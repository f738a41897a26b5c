/* nn/op_gaussian.c - diagonal Gaussians by mean and log standard deviation: density and sample.
 *
 *   u = (a - mean) e^{-log_std}      log N = sum( -u^2/2 - log_std - log(2 pi)/2 )
 *   z = mean + e^{log_std} noise     the reparameterised sample */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/reduce.h"
#include "kernel/vmath.h"

typedef struct {
    bex_tensor *a, *mean, *log_std, *y;
} logp_context;

static void logp_backward(bex_tape *tape, void *payload) {
    logp_context *c = payload;
    if (!c->y->grad) return;
    int M = bex_rows(c->a), A = bex_width(c->a);
    bex_real *da = bex_grad_sum(tape, c->a), *dm = bex_grad_sum(tape, c->mean),
             *ds = bex_grad_sum(tape, c->log_std);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < A; j++) {
            size_t k = (size_t)i * (size_t)A + (size_t)j;
            bex_real r = bex_exp(-c->log_std->data[k]), g = c->y->grad[i];
            bex_real u = (c->a->data[k] - c->mean->data[k]) * r;
            if (da) da[k] -= g * u * r;
            if (dm) dm[k] += g * u * r;
            if (ds) ds[k] += g * (u * u - R(1));
        }
}

bex_tensor *bex_gaussian_logp(bex_tape *tape, bex_tensor *a, bex_tensor *mean,
                              bex_tensor *log_std) {
    BEX_CHECK(a->rank >= 1 && bex_same_shape(a, mean) && bex_same_shape(a, log_std),
              "gaussian density: a %s, mean %s, log std %s", bex_shape(a), bex_shape(mean),
              bex_shape(log_std));
    int M = bex_rows(a), A = bex_width(a);
    bex_tensor *y = bex_tensor_new(tape, a->rank - 1, a->dim,
                                   a->needs_grad || mean->needs_grad || log_std->needs_grad);
    size_t mark = bex_arena_mark(tape->arena);
    bex_real *term = bex_scratch(tape, (size_t)A);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < A; j++) {
            size_t k = (size_t)i * (size_t)A + (size_t)j;
            bex_real s = log_std->data[k], u = (a->data[k] - mean->data[k]) * bex_exp(-s);
            term[j] = R(-0.5) * u * u - s - R(0.91893853320467274); // log(2 pi) / 2
        }
        y->data[i] = bex_sum(term, (size_t)A);
    }
    bex_arena_release(tape->arena, mark);
    if (y->needs_grad)
        *(logp_context *)bex_record(tape, logp_backward, sizeof(logp_context)) =
            (logp_context){a, mean, log_std, y};
    return y;
}

typedef struct {
    bex_tensor *mean, *log_std, *z;
    const bex_tensor *noise;
} sample_context;

static void sample_backward(bex_tape *tape, void *payload) {
    sample_context *c = payload;
    if (!c->z->grad) return;
    bex_real *dm = bex_grad_sum(tape, c->mean), *ds = bex_grad_sum(tape, c->log_std);
    for (size_t i = 0; i < bex_count(c->z); i++) {
        if (dm) dm[i] += c->z->grad[i];
        if (ds) ds[i] += c->z->grad[i] * bex_exp(c->log_std->data[i]) * c->noise->data[i];
    }
}

bex_tensor *bex_gaussian_sample(bex_tape *tape, bex_tensor *mean, bex_tensor *log_std,
                                const bex_tensor *noise) {
    BEX_CHECK(bex_same_shape(mean, log_std) && bex_same_shape(mean, noise),
              "gaussian sample: mean %s, log std %s, noise %s", bex_shape(mean), bex_shape(log_std),
              bex_shape(noise));
    bex_tensor *z =
        bex_tensor_new(tape, mean->rank, mean->dim, mean->needs_grad || log_std->needs_grad);
    for (size_t i = 0; i < bex_count(z); i++)
        z->data[i] = mean->data[i] + bex_exp(log_std->data[i]) * noise->data[i];
    if (z->needs_grad)
        *(sample_context *)bex_record(tape, sample_backward, sizeof(sample_context)) =
            (sample_context){mean, log_std, z, noise};
    return z;
}
