/* model/mlp.c - layers registered and applied in one order; members add a leading dimension. */
#include "model/mlp.h"

#include "base/error.h"

static const bex_param *layer_param(bex_params *p, bex_init init, int members, int rows,
                                    int columns, const char *prefix, int layer, const char *what) {
    int dim[3], rank = 0;
    if (members) dim[rank++] = members;
    dim[rank++] = rows;
    if (columns) dim[rank++] = columns;
    return bex_param_add(p, init, rank, dim, "%s.%d.%s", prefix, layer, what);
}

bex_mlp bex_mlp_add(bex_params *p, const char *prefix, bex_mlp_options o) {
    bex_mlp m = {.options = o};
    int in = o.in;
    for (int i = 0;; i++) {
        BEX_CHECK(i < BEX_MLP_LAYERS, "mlp '%s' has more than %d layers", prefix, BEX_MLP_LAYERS);
        bool last = i == BEX_MLP_LAYERS - 1 || o.hidden[i] == 0;
        int out = last ? o.out : o.hidden[i];
        bex_init w = o.xavier ? BEX_INIT_XAVIER : BEX_INIT_UNIFORM(in);
        bex_init b = o.xavier ? BEX_INIT_ZERO : BEX_INIT_UNIFORM(in);
        m.weight[i] = layer_param(p, w, o.members, out, in, prefix, i, "weight");
        m.bias[i] = layer_param(p, b, o.members, out, 0, prefix, i, "bias");
        if (o.layernorm && !last) {
            m.norm_weight[i] =
                layer_param(p, BEX_INIT_ONE, o.members, out, 0, prefix, i, "norm.weight");
            m.norm_bias[i] =
                layer_param(p, BEX_INIT_ZERO, o.members, out, 0, prefix, i, "norm.bias");
        }
        m.layers = i + 1;
        if (last) return m;
        in = out;
    }
}

// an ensemble's norm is a plain norm modulated per member: x (E,M,N), weight and bias (E,N)
static bex_tensor *norm(bex_tape *tape, const bex_mlp *m, int i, bex_tensor *x) {
    const bex_param *w = m->norm_weight[i], *b = m->norm_bias[i];
    double eps = m->options.eps;
    if (!m->options.members) return bex_layernorm(tape, x, w, b, eps);
    return bex_layernorm_modulated(tape, x, NULL, NULL, bex_use(tape, w), bex_use(tape, b), eps);
}

bex_tensor *bex_mlp_run(bex_tape *tape, const bex_mlp *m, bex_tensor *x) {
    const bex_mlp_options *o = &m->options;
    for (int i = 0; i < m->layers; i++) {
        bool last = i == m->layers - 1;
        bool later = last || (o->layernorm && !o->norm_last);
        x = bex_linear(tape, x, m->weight[i], m->bias[i], later ? BEX_ACTIVATION_ID : o->act);
        if (o->layernorm && !last) x = norm(tape, m, i, x);
        if (later && !last) x = bex_activate(tape, x, o->act);
    }
    return x;
}

static const bex_param *member_of(bex_param *view, const bex_param *p, int e) {
    if (!p) return NULL;
    *view = bex_param_member(p, e);
    return view;
}

const bex_mlp *bex_mlp_take_member(bex_mlp_member *out, const bex_mlp *m, int e) {
    BEX_CHECK(e >= 0 && e < m->options.members, "member %d of %d", e, m->options.members);
    out->mlp = (bex_mlp){.options = m->options, .layers = m->layers};
    out->mlp.options.members = 0;
    for (int i = 0; i < m->layers; i++) {
        out->mlp.weight[i] = member_of(&out->view[0][i], m->weight[i], e);
        out->mlp.bias[i] = member_of(&out->view[1][i], m->bias[i], e);
        out->mlp.norm_weight[i] = member_of(&out->view[2][i], m->norm_weight[i], e);
        out->mlp.norm_bias[i] = member_of(&out->view[3][i], m->norm_bias[i], e);
    }
    return &out->mlp;
}
