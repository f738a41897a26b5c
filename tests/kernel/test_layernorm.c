/* Layer norm, plain and modulated, against the same formulas in double. */
#include "kernel/layernorm.h"

#include "kernel/buffers.h"
#include "kernel/ref/ref_layernorm.h"

static const int widths[] = {1, 2, 7, 31, 32, 33, 100, 256}, rows[][2] = {{1, 1}, {6, 3}, {12, 1}};

typedef struct {
    bex_layernorm_dims d;
    bex_real *x, *dy, *w, *b, *scale, *shift; // pairs may be NULL
    size_t n;                                 // elements of x
    int groups;                               // rows of scale and shift
} norm;

static norm make_norm(int C, const int row[2], int option, int offset) {
    norm m = {.d = {.M = row[0], .C = C, .T = row[1], .eps = R(1e-5)}, .groups = row[0] / row[1]};
    m.n = (size_t)row[0] * (size_t)C;
    size_t c = (size_t)C, g = (size_t)m.groups * c;
    m.x = input(m.n, offset), m.dy = input(m.n, offset);
    for (size_t i = 0; i < m.n; i++) m.x[i] = m.x[i] * R(3) + R(1.5);
    if (option & 1) m.w = input(c, offset), m.b = input(c, offset);
    if (option & 2) m.scale = input(g, offset), m.shift = input(g, offset);
    return m;
}

// a width of 2 can have a small variance: its rstd magnifies the rounding of the mean
static double tolerance(const norm *m) {
    return (m->d.C == 2 ? 4000 : 200) * EPS;
}

static void forward_equals_the_twin(void **state) {
    (void)state;
    for (int c = 0; c < COUNT(widths); c++)
        for (int r = 0; r < COUNT(rows); r++)
            for (int option = 0; option < 16; option++) {
                norm m = make_norm(widths[c], rows[r], option, option >> 2 & 1);
                matrix y = output(m.d.M, m.d.C, m.d.C, option >> 2 & 1), want = copy_of(y, 0);
                matrix mean = output(1, m.d.M, m.d.M, 0), rstd = output(1, m.d.M, m.d.M, 0);
                int keep = option & 8;
                bex_layernorm_fwd(y.p, keep ? mean.p : NULL, keep ? rstd.p : NULL, m.x, m.w, m.b,
                                  m.scale, m.shift, m.d);
                bex_ref_layernorm_fwd(want.p, m.x, m.w, m.b, m.scale, m.shift, m.d);
                assert_close(y, want, tolerance(&m), "y");
                guards_intact(mean), guards_intact(rstd);
                // in place, the same bits
                bex_layernorm_fwd(m.x, NULL, NULL, m.x, m.w, m.b, m.scale, m.shift, m.d);
                assert_same_bits(m.x, y.p, m.n, "y is x");
                release_all();
            }
}

static void backward_case(int C, const int row[2], int option, int null, int add, int offset) {
    norm m = make_norm(C, row, option, offset);
    int M = m.d.M, G = m.groups;
    matrix got[5] = {output(M, C, C, offset), output(1, C, C, offset), output(1, C, C, offset),
                     output(G, C, C, offset), output(G, C, C, offset)};
    bex_real *g[5], *t[5], *mean = input((size_t)M, 0), *rstd = input((size_t)M, 0);
    matrix want[5], dx0 = copy_of(got[0], 0);
    for (int i = 0; i < 5; i++) {
        int wanted = !(null >> i & 1) && (i < 1 || (i < 3 ? m.w : m.scale));
        want[i] = copy_of(got[i], 0);
        g[i] = wanted ? got[i].p : NULL, t[i] = wanted ? want[i].p : NULL;
    }
    matrix y = output(M, C, C, 0), scratch = output(1, 2 * C, 2 * C, offset);
    bex_layernorm_fwd(y.p, mean, rstd, m.x, m.w, m.b, m.scale, m.shift, m.d);
    bex_layernorm_bwd(g[0], g[1], g[2], g[3], g[4], m.dy, m.x, mean, rstd, m.w, m.b, m.scale, m.d,
                      add, scratch.p);
    bex_ref_layernorm_bwd(t[0], t[1], t[2], t[3], t[4], m.dy, m.x, m.w, m.b, m.scale, m.d);
    for (size_t i = 0; i < m.n && add && t[0]; i++) want[0].p[i] += dx0.p[i];
    static const char *const names[] = {"dx", "dw", "db", "dscale", "dshift"};
    double largest = 1;
    for (int i = 0; i < M; i++) largest = fmax(largest, (double)rstd[i]);
    for (int i = 0; i < 5; i++) assert_close(got[i], want[i], tolerance(&m) * largest, names[i]);
    guards_intact(scratch);
    release_all();
}

static void backward_equals_the_twin(void **state) {
    (void)state;
    for (int c = 0; c < COUNT(widths); c++)
        for (int r = 0; r < COUNT(rows); r++)
            for (int option = 0; option < 4; option++)
                for (int null = 0; null < 32; null++)
                    backward_case(widths[c], rows[r], option, null, (null + option) & 1,
                                  (c + r) & 1);
}

static void backward_in_place(void **state) {
    (void)state;
    static const int row[] = {6, 3};
    for (int option = 0; option < 4; option++) {
        norm m = make_norm(37, row, option, 1);
        bex_real *mean = input(6, 0), *rstd = input(6, 0), *scratch = input(74, 0);
        bex_real *dx = input(m.n, 0);
        bex_layernorm_fwd(dx, mean, rstd, m.x, m.w, m.b, m.scale, m.shift, m.d);
        bex_layernorm_bwd(dx, NULL, NULL, NULL, NULL, m.dy, m.x, mean, rstd, m.w, m.b, m.scale, m.d,
                          0, scratch);
        bex_layernorm_bwd(m.dy, NULL, NULL, NULL, NULL, m.dy, m.x, mean, rstd, m.w, m.b, m.scale,
                          m.d, 0, scratch);
        assert_same_bits(m.dy, dx, m.n, "dx is dy");
        release_all();
    }
}

// a row's bits do not depend on the batch around it, nor on alignment
static void rows_are_independent(void **state) {
    (void)state;
    static const int row[] = {12, 1};
    norm m = make_norm(77, row, 3, 0);
    bex_real *y = input(m.n, 0), *one = input(77, 1);
    bex_layernorm_fwd(y, NULL, NULL, m.x, m.w, m.b, m.scale, m.shift, m.d);
    bex_layernorm_dims d = m.d;
    d.M = 1;
    for (int i = 0; i < 12; i++) {
        bex_layernorm_fwd(one, NULL, NULL, input_copy(m.x + i * 77, 77, 1), m.w, m.b,
                          m.scale + i * 77, m.shift + i * 77, d);
        assert_same_bits(one, y + i * 77, 77, "one row");
    }
    release_all();
}

static void nan_and_inf_spoil_their_row_only(void **state) {
    (void)state;
    static const int row[] = {3, 1};
    norm m = make_norm(40, row, 0, 0);
    m.x[39] = R(NAN), m.x[85] = R(INFINITY);
    bex_real *y = input(m.n, 0);
    bex_layernorm_fwd(y, NULL, NULL, m.x, NULL, NULL, NULL, NULL, m.d);
    for (int j = 0; j < 40; j++) {
        assert_true(isnan(y[j]));
        assert_true(isfinite(y[40 + j]));
    }
    assert_true(isnan(y[85]));
    release_all();
}

int main(void) {
    source = bex_rng_seed(3);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_equals_the_twin),
        cmocka_unit_test(backward_equals_the_twin),
        cmocka_unit_test(backward_in_place),
        cmocka_unit_test(rows_are_independent),
        cmocka_unit_test(nan_and_inf_spoil_their_row_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
