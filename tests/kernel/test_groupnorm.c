/* Group norm with its residual and activation, against the same formulas in double. */
#include "kernel/groupnorm.h"

#include "kernel/buffers.h"
#include "kernel/ref/ref_groupnorm.h"

// B P C G
static const int shapes[][4] = {{2, 9, 16, 16}, {1, 64, 32, 16}, {3, 4, 48, 16},
                                {2, 1, 32, 4},  {1, 25, 7, 1},   {2, 16, 128, 16}};

typedef struct {
    bex_groupnorm_dims d;
    int rows;
    bex_real *x, *w, *b, *r, *dy;
} norm;

static norm make_norm(int k, int option) {
    norm m = {.d = {shapes[k][0], shapes[k][1], shapes[k][2], shapes[k][3], option & 1, R(1e-5)}};
    int offset = option >> 2 & 1;
    m.rows = m.d.B * m.d.P;
    size_t n = (size_t)(m.rows * m.d.C), c = (size_t)m.d.C;
    m.x = input(n, offset), m.dy = input(n, offset), m.w = input(c, 0), m.b = input(c, offset);
    m.r = option & 2 ? input(n, offset) : NULL;
    for (size_t i = 0; i < n; i++) m.x[i] = m.x[i] * R(3) + R(1.5);
    return m;
}

static void forward_equals_the_twin(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(shapes); k++)
        for (int option = 0; option < 8; option++) {
            norm m = make_norm(k, option);
            int C = m.d.C;
            matrix y = output(m.rows, C, C, option >> 2), want = copy_of(y, 0);
            matrix mean = output(m.d.B, m.d.G, m.d.G, 0), rstd = output(m.d.B, m.d.G, m.d.G, 0);
            matrix scratch = output(1, 2 * C, 2 * C, 0);
            bex_groupnorm_fwd(y.p, mean.p, rstd.p, m.x, m.w, m.b, m.r, &m.d, scratch.p);
            bex_ref_groupnorm_fwd(want.p, m.x, m.w, m.b, m.r, &m.d);
            assert_close(y, want, 400 * EPS, "y");
            guards_intact(mean), guards_intact(rstd), guards_intact(scratch);
            bex_groupnorm_fwd(m.x, NULL, NULL, m.x, m.w, m.b, m.r, &m.d, scratch.p);
            assert_same_bits(m.x, y.p, (size_t)(m.rows * C), "y is x");
            release_all();
        }
}

static void backward_equals_the_twin(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(shapes); k++)
        for (int option = 0; option < 16; option++) {
            norm m = make_norm(k, option & 7);
            int C = m.d.C, add = option >> 3;
            matrix got[4] = {output(m.rows, C, C, 0), output(m.rows, C, C, 0), output(1, C, C, 0),
                             output(1, C, C, 0)};
            matrix want[4], before[2] = {copy_of(got[0], 0), copy_of(got[1], 0)};
            for (int i = 0; i < 4; i++) want[i] = copy_of(got[i], 0);
            matrix y = output(m.rows, C, C, 0), scratch = output(1, 7 * C, 7 * C, 0);
            bex_real *mean = input((size_t)(m.d.B * m.d.G), 0);
            bex_real *rstd = input((size_t)(m.d.B * m.d.G), 0);
            bex_groupnorm_fwd(y.p, mean, rstd, m.x, m.w, m.b, m.r, &m.d, scratch.p);
            bex_groupnorm_bwd(
                (bex_groupnorm_gradients){got[0].p, got[1].p, got[2].p, got[3].p, add, add}, m.dy,
                y.p, m.x, mean, rstd, m.w, &m.d, scratch.p);
            bex_ref_groupnorm_bwd(
                (bex_groupnorm_gradients){want[0].p, want[1].p, want[2].p, want[3].p, 0, 0}, m.dy,
                y.p, m.x, m.w, &m.d);
            double largest = 1;
            for (int i = 0; i < m.d.B * m.d.G; i++) largest = fmax(largest, (double)rstd[i]);
            static const char *const names[] = {"dx", "dr", "dw", "db"};
            for (int i = 0; i < 4; i++) {
                for (int j = 0; add && i < 2 && j < m.rows * C; j++) want[i].p[j] += before[i].p[j];
                assert_close(got[i], want[i], 400 * EPS * largest, names[i]);
            }
            guards_intact(scratch);
            release_all();
        }
}

static void backward_without_some_and_in_place(void **state) {
    (void)state;
    norm m = make_norm(1, 1);
    size_t n = (size_t)(m.rows * m.d.C);
    bex_real *y = input(n, 0), *dx = input(n, 0), *mean = input(16, 0), *rstd = input(16, 0);
    bex_real *scratch = input(7 * (size_t)m.d.C, 0);
    bex_groupnorm_fwd(y, mean, rstd, m.x, m.w, m.b, m.r, &m.d, scratch);
    bex_groupnorm_bwd((bex_groupnorm_gradients){.dx = dx}, m.dy, y, m.x, mean, rstd, m.w, &m.d,
                      scratch);
    bex_groupnorm_bwd((bex_groupnorm_gradients){.dx = m.dy}, m.dy, y, m.x, mean, rstd, m.w, &m.d,
                      scratch);
    assert_same_bits(m.dy, dx, n, "dx is dy");
    release_all();
}

static void pictures_are_independent(void **state) {
    (void)state;
    norm m = make_norm(2, 3);
    size_t n = (size_t)(m.d.P * m.d.C);
    bex_real *y = input(3 * n, 0), *one = input(n, 1), *scratch = input(2 * (size_t)m.d.C, 0);
    bex_groupnorm_fwd(y, NULL, NULL, m.x, m.w, m.b, m.r, &m.d, scratch);
    bex_groupnorm_dims d = m.d;
    d.B = 1;
    bex_groupnorm_fwd(one, NULL, NULL, m.x + 2 * n, m.w, m.b, m.r + 2 * n, &d, scratch);
    assert_same_bits(one, y + 2 * n, n, "one picture");
    release_all();
}

int main(void) {
    source = bex_rng_seed(12);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_equals_the_twin),
        cmocka_unit_test(backward_equals_the_twin),
        cmocka_unit_test(backward_without_some_and_in_place),
        cmocka_unit_test(pictures_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
