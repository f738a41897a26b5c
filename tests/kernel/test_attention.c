/* Attention over packed projections against one query at a time in double. */
#include "kernel/attention.h"

#include "kernel/buffers.h"
#include "kernel/ref/ref_attention.h"

static const bex_attention_dims shapes[] = {
    // strides are filled in by make_case
    {.B = 1, .Tq = 1, .Tk = 1, .H = 1, .D = 1},     {.B = 2, .Tq = 7, .Tk = 7, .H = 3, .D = 5},
    {.B = 3, .Tq = 5, .Tk = 19, .H = 2, .D = 16},   {.B = 2, .Tq = 102, .Tk = 102, .H = 2, .D = 32},
    {.B = 1, .Tq = 49, .Tk = 3, .H = 1, .D = 64},   {.B = 2, .Tq = 10, .Tk = 102, .H = 8, .D = 32},
    {.B = 1, .Tq = 97, .Tk = 1, .H = 2, .D = 8},    {.B = 1, .Tq = 3, .Tk = 300, .H = 1, .D = 9},
    {.B = 2, .Tq = 230, .Tk = 33, .H = 2, .D = 32}, // three blocks of queries in the backward pass
};

enum { PACKED, CROSS, LAYOUTS };

/* PACKED: one (B,T,3C) array holds q, k, v, where Tq == Tk. CROSS: q (B,Tq,C + 3), and k, v side by
 * side in (B,Tk,2C). Gradients are laid out like their values, in guarded arrays. */
typedef struct {
    bex_attention_dims d;
    int C, packed;
    matrix q, kv, dq, dkv; // packed: kv and dkv are unused
    matrix o, do_, lse;
    bex_real *scratch;
} attention_case;

static attention_case make_case(bex_attention_dims d, int layout, int offset) {
    attention_case a = {.C = d.H * d.D, .packed = layout == PACKED && d.Tq == d.Tk};
    int C = a.C, q_width = a.packed ? 3 * C : C;
    d.q_stride = a.packed ? 3 * C : C + 3;
    d.k_stride = d.v_stride = a.packed ? 3 * C : 2 * C;
    d.o_stride = C + (a.packed ? 0 : 2);
    a.d = d;
    a.q = output(d.B * d.Tq, q_width, d.q_stride, offset), a.dq = copy_of(a.q, offset);
    a.kv = output(d.B * d.Tk, 2 * C, 2 * C, offset), a.dkv = copy_of(a.kv, offset);
    a.o = output(d.B * d.Tq, C, d.o_stride, offset), a.do_ = output(d.B * d.Tq, C, d.o_stride, 0);
    a.lse = output(d.B * d.H, d.Tq, d.Tq, offset);
    // sharpen the weights
    for (int i = 0; i < a.q.rows; i++)
        for (int j = 0; j < C; j++) *at(a.q, i, j) *= R(3);
    size_t n = bex_attention_scratch(d);
    a.scratch = input(n, offset);
    return a;
}

static const bex_real *keys(const attention_case *a) {
    return a->packed ? a->q.p + a->C : a->kv.p;
}

static void forward_case(bex_attention_dims d, int layout, int offset) {
    attention_case a = make_case(d, layout, offset);
    matrix want = copy_of(a.o, 0);
    const bex_real *k = keys(&a), *v = k + a.C;
    bex_attention_fwd(a.o.p, a.lse.p, a.q.p, k, v, a.d, a.scratch);
    bex_ref_attention_fwd(want.p, a.q.p, k, v, a.d);
    assert_close(a.o, want, 100 * EPS, "o");
    guards_intact(a.lse);
    for (int b = 0; b < d.B; b++)
        for (int h = 0; h < d.H; h++)
            for (int t = 0; t < d.Tq; t++) {
                double sum = 0;
                for (int u = 0; u < d.Tk; u++) {
                    double s = 0;
                    for (int j = 0; j < d.D; j++)
                        s += (double)*at(a.q, b * d.Tq + t, h * d.D + j) *
                             (double)k[(b * d.Tk + u) * a.d.k_stride + h * d.D + j];
                    sum += exp(s / sqrt(d.D));
                }
                assert_true(close_to((double)*at(a.lse, b * d.H + h, t), log(sum), 100 * EPS));
            }
    // inference gives the same bits
    matrix again = copy_of(a.o, 0);
    bex_attention_fwd(again.p, NULL, a.q.p, k, v, a.d, a.scratch);
    assert_same_bits(again.p, a.o.p, span(a.o), "without lse");
    release_all();
}

static void backward_case(bex_attention_dims d, int layout, int offset) {
    attention_case a = make_case(d, layout, offset);
    const bex_real *k = keys(&a), *v = k + a.C;
    bex_real *dk = a.packed ? a.dq.p + a.C : a.dkv.p;
    matrix want_q = copy_of(a.dq, 0), want_kv = copy_of(a.dkv, 0);
    for (int i = 0; i < want_q.rows; i++)
        for (int j = 0; j < want_q.columns; j++) *at(want_q, i, j) = 0;
    memset(want_kv.p, 0, a.packed ? 0 : span(want_kv) * sizeof *want_kv.p);
    bex_real *want_k = a.packed ? want_q.p + a.C : want_kv.p;
    bex_attention_fwd(a.o.p, a.lse.p, a.q.p, k, v, a.d, a.scratch);
    bex_attention_bwd(a.dq.p, dk, dk + a.C, a.do_.p, a.q.p, k, v, a.o.p, a.lse.p, a.d, a.scratch);
    bex_ref_attention_bwd(want_q.p, want_k, want_k + a.C, a.do_.p, a.q.p, k, v, a.d);
    double tolerance = 100 * EPS * sqrt(fmax(d.Tq, d.Tk));
    assert_close(a.dq, want_q, tolerance, "dq");
    assert_close(a.dkv, want_kv, tolerance, "dk, dv");
    release_all();
}

static void each_case(void (*run)(bex_attention_dims, int, int)) {
    for (int s = 0; s < COUNT(shapes); s++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int offset = 0; offset < 2; offset++) run(shapes[s], layout, offset);
}

static void forward_equals_the_twin(void **state) {
    (void)state;
    each_case(forward_case);
}

static void backward_equals_the_twin(void **state) {
    (void)state;
    each_case(backward_case);
}

// prefix mode and chunked inference rely on it: a query's bits do not depend on the other queries
static void queries_and_samples_are_independent(void **state) {
    (void)state;
    attention_case a = make_case(shapes[3], PACKED, 0);
    bex_attention_dims d = a.d, one = a.d;
    const bex_real *k = keys(&a), *v = k + a.C;
    bex_attention_fwd(a.o.p, NULL, a.q.p, k, v, d, a.scratch);
    one.B = one.Tq = 1;
    bex_real *row = input((size_t)a.C, 1);
    for (int b = 0; b < d.B; b++)
        for (int t = 0; t < d.Tq; t += 5) {
            const bex_real *kb = k + b * d.Tk * d.k_stride;
            bex_attention_fwd(row, NULL, at(a.q, b * d.Tq + t, 0), kb, kb + a.C, one, a.scratch);
            assert_same_bits(row, at(a.o, b * d.Tq + t, 0), (size_t)a.C, "one query");
        }
    release_all();
}

static void large_scores_do_not_overflow(void **state) {
    (void)state;
    attention_case a = make_case(shapes[2], CROSS, 0);
    for (size_t i = 0; i < span(a.q); i++) a.q.p[i] *= R(1e4);
    const bex_real *k = keys(&a), *v = k + a.C;
    bex_attention_fwd(a.o.p, a.lse.p, a.q.p, k, v, a.d, a.scratch);
    bex_attention_bwd(a.dq.p, a.dkv.p, a.dkv.p + a.C, a.do_.p, a.q.p, k, v, a.o.p, a.lse.p, a.d,
                      a.scratch);
    for (int i = 0; i < a.o.rows; i++)
        for (int j = 0; j < a.C; j++)
            assert_true(isfinite(*at(a.o, i, j)) && isfinite(*at(a.dq, i, j)));
    release_all();
}

static void nan_stays_in_its_sample_and_head(void **state) {
    (void)state;
    attention_case a = make_case(shapes[2], CROSS, 0); // B 3, Tq 5, Tk 19, H 2, D 16
    *at(a.kv, 19 + 4, 16 + 2) = R(NAN);                // key 4 of sample 1, head 1
    bex_attention_fwd(a.o.p, NULL, a.q.p, a.kv.p, a.kv.p + a.C, a.d, a.scratch);
    for (int i = 0; i < a.o.rows; i++)
        for (int j = 0; j < a.C; j++)
            assert_true(!!isnan(*at(a.o, i, j)) == (i / 5 == 1 && j >= 16));
    release_all();
}

int main(void) {
    source = bex_rng_seed(5);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_equals_the_twin),
        cmocka_unit_test(backward_equals_the_twin),
        cmocka_unit_test(queries_and_samples_are_independent),
        cmocka_unit_test(large_scores_do_not_overflow),
        cmocka_unit_test(nan_stays_in_its_sample_and_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
