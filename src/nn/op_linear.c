/* nn/op_linear.c - y = act(x W^T + b), single or as an ensemble of E independent layers. From the packed
 * copy of W where there is one (bex_params_pack): the same bits. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/gemm.h"
#include "kernel/linear.h"

typedef struct {
    const bex_param *Wp;
    bex_tensor *x, *W, *b, *y; // b NULL for none
    bex_real *pre;             // x W^T + b where the activation needs it, else NULL
    bex_activation act;
    int E, M, N, K;
    int first;     // row of W and b where the layer begins
    size_t x_step; // reals between the inputs of two members; 0 when shared
} context;

// rows first.. of member e
static void forward_member(const context *c, int e) {
    size_t at = (size_t)e * (size_t)c->N + (size_t)c->first;
    size_t y_at = (size_t)e * (size_t)c->M * (size_t)c->N;
    bex_real *y = c->y->data + y_at, *pre = c->pre ? c->pre + y_at : NULL;
    const bex_real *x = c->x->data + (size_t)e * c->x_step, *b = c->b ? c->b->data + at : NULL;
    const bex_real *panels = bex_param_panels(c->Wp, BEX_PANELS_Y, e);
    if (panels) panels = bex_gemm_packed_at(panels, c->K, 0, c->first);
    if (panels)
        bex_linear_fwd_packed(y, pre, x, panels, b, c->M, c->N, c->K, c->act);
    else
        bex_linear_fwd(y, pre, x, c->W->data + at * (size_t)c->K, b, c->M, c->N, c->K, c->act);
}

static void backward_x(const context *c, bex_real *dx, const bex_real *dz, int e, int add) {
    int all = c->Wp->dim[c->Wp->rank - 2];
    size_t at = (size_t)e * (size_t)c->N + (size_t)c->first;
    const bex_real *panels = bex_param_panels(c->Wp, BEX_PANELS_DX, e);
    if (panels)
        bex_linear_bwd_x_packed(dx, dz, bex_gemm_packed_at(panels, all, c->first, 0), all, c->M,
                                c->N, c->K, add);
    else
        bex_linear_bwd_x(dx, dz, c->W->data + at * (size_t)c->K, c->M, c->N, c->K, add);
}

// of all of W, which may then be set, or of the rows in use
static bex_real *gradient_of_w(bex_tape *tape, const context *c, int *add) {
    if (c->N == c->Wp->dim[c->Wp->rank - 2]) return bex_grad(tape, c->W, add);
    *add = 1;
    return bex_grad_sum(tape, c->W);
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    int add, add_w;
    size_t y_step = (size_t)c->M * (size_t)c->N, w_step = (size_t)c->N * (size_t)c->K;
    // every user of y has been; its gradient may become that of x W^T + b
    bex_real *dz = c->y->grad;
    if (c->act != BEX_ACTIVATION_ID) bex_activation_bwd(dz, dz, c->pre, bex_count(c->y), c->act, 0);
    bex_real *dx = bex_grad(tape, c->x, &add), *dW = gradient_of_w(tape, c, &add_w);
    bex_real *db = c->b ? bex_grad_sum(tape, c->b) : NULL;
    for (int e = 0; e < c->E; e++) {
        const bex_real *de = dz + (size_t)e * y_step, *xe = c->x->data + (size_t)e * c->x_step;
        size_t w_at = (size_t)e * w_step + (size_t)c->first * (size_t)c->K;
        size_t b_at = (size_t)e * (size_t)c->N + (size_t)c->first;
        if (dx) backward_x(c, dx + (size_t)e * c->x_step, de, e, add || (e && !c->x_step));
        if (dW) bex_linear_bwd_w(dW + w_at, db ? db + b_at : NULL, de, xe, c->M, c->N, c->K, add_w);
    }
}

static bex_tensor *linear(bex_tape *tape, bex_tensor *x, const bex_param *Wp, const bex_param *bp,
                          int first, int count, bex_activation act) {
    bool ensemble = Wp->rank == 3;
    int E = ensemble ? Wp->dim[0] : 1, K = bex_width(x);
    bool shared = ensemble && x->rank == 2;
    BEX_CHECK(
        Wp->dim[Wp->rank - 1] == K && (!ensemble || shared || x->dim[0] == E) &&
            (!bp || (bp->rank == Wp->rank - 1 && bp->dim[bp->rank - 1] == Wp->dim[Wp->rank - 2])),
        "linear: x %s, W '%s' %s, b %s", bex_shape(x), Wp->name, bex_shape_text(Wp->rank, Wp->dim),
        bp ? bex_shape_text(bp->rank, bp->dim) : "none");
    // the output has x's shape with another width, and E in front where x is shared
    int dim[BEX_RANK], rank = 0;
    if (shared) dim[rank++] = E;
    for (int i = 0; i < x->rank - 1; i++) dim[rank++] = x->dim[i];
    dim[rank++] = count;
    bex_tensor *W = bex_use(tape, Wp), *b = bp ? bex_use(tape, bp) : NULL;
    bex_tensor *y = bex_tensor_new(tape, rank, dim, x->needs_grad || W->needs_grad);
    int M = ensemble && !shared ? bex_rows(x) / E : bex_rows(x);
    bex_real *pre =
        y->needs_grad && act != BEX_ACTIVATION_ID ? bex_scratch(tape, bex_count(y)) : NULL;
    context c = {Wp, x, W, b, y, pre, act, E, M, count, K, first, 0};
    if (ensemble && !shared) c.x_step = (size_t)M * (size_t)K;
    for (int e = 0; e < E; e++) forward_member(&c, e);
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return y;
}

bex_tensor *bex_linear(bex_tape *tape, bex_tensor *x, const bex_param *W, const bex_param *b,
                       bex_activation act) {
    BEX_CHECK(W->rank == 2 || W->rank == 3, "linear: W '%s' %s", W->name,
              bex_shape_text(W->rank, W->dim));
    return linear(tape, x, W, b, 0, W->dim[W->rank - 2], act);
}

bex_tensor *bex_linear_rows(bex_tape *tape, bex_tensor *x, const bex_param *W, const bex_param *b,
                            int first, int count, bex_activation act) {
    BEX_CHECK(W->rank == 2 && first >= 0 && count > 0 && first + count <= W->dim[0],
              "linear: rows %d..%d of W '%s' %s", first, first + count - 1, W->name,
              bex_shape_text(W->rank, W->dim));
    return linear(tape, x, W, b, first, count, act);
}
