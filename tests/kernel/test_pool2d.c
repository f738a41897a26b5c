/* Pooling, forward and gradients, against the twins. */
#include "kernel/pool2d.h"

#include "kernel/buffers.h"
#include "kernel/ref/ref_pool2d.h"

static const bex_pool2d_dims cases[] = {{2, 9, 8, 16, 3, 2, 1},
                                        {1, 4, 4, 5, 2, 2, 0},
                                        {2, 1, 1, 7, 1, 1, 0},
                                        {1, 5, 6, 33, 5, 3, 2},
                                        {3, 2, 2, 32, 2, 1, 1}};

typedef struct {
    bex_pool2d_dims d;
    int out, in; // pixels
    bex_real *x, *dy;
} problem;

static problem problem_of(int k) {
    problem p = {.d = cases[k]};
    const bex_pool2d_dims *d = &p.d;
    p.out = d->B * bex_pool2d_size(d->H, d->k, d->stride, d->pad) *
            bex_pool2d_size(d->W, d->k, d->stride, d->pad);
    p.in = d->B * d->H * d->W;
    p.x = input((size_t)(p.in * d->C), 0), p.dy = input((size_t)(p.out * d->C), 0);
    // equal neighbours: the first is taken
    for (int i = 1; i < p.in * d->C; i += 3) p.x[i] = R(0.5);
    return p;
}

static void windows_equal_the_twin(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(cases); k++)
        for (int option = 0; option < 4; option++) {
            problem p = problem_of(k);
            int C = p.d.C, add = option & 1, mean = option >> 1;
            matrix y = output(p.out, C, C, 0), want = copy_of(y, 0), none = copy_of(y, 0);
            matrix dx = output(p.in, C, C, 0), before = copy_of(dx, 0), want_dx = copy_of(dx, 0);
            unsigned char *which = pool_take((size_t)(p.out * C));
            if (mean) {
                bex_meanpool_fwd(y.p, p.x, &p.d);
                bex_meanpool_bwd(dx.p, p.dy, &p.d, add);
                bex_ref_meanpool(want.p, want_dx.p, p.x, p.dy, &p.d);
            } else {
                bex_maxpool_fwd(y.p, which, p.x, &p.d);
                bex_maxpool_fwd(none.p, NULL, p.x, &p.d);
                assert_same_bits(none.p, y.p, (size_t)(p.out * C), "without `which`");
                bex_maxpool_bwd(dx.p, p.dy, which, &p.d, add);
                bex_ref_maxpool(want.p, want_dx.p, p.x, p.dy, &p.d);
            }
            for (int i = 0; add && i < p.in * C; i++) want_dx.p[i] += before.p[i];
            assert_close(y, want, 8 * EPS, "y");
            assert_close(dx, want_dx, 64 * EPS, "dx");
            release_all();
        }
}

static void places_equal_the_twin(void **state) {
    (void)state;
    static const int shapes[][4] = {{2, 3, 4, 16}, {1, 1, 1, 3}, {1, 7, 2, 40}};
    for (int k = 0; k < COUNT(shapes); k++)
        for (int add = 0; add < 2; add++) {
            int B = shapes[k][0], H = shapes[k][1], W = shapes[k][2], C = shapes[k][3];
            bex_real *x = input((size_t)(B * H * W * C), 0), *dy = input((size_t)(2 * B * C), 0);
            bex_real *p = input((size_t)(B * H * W * C), 0);
            for (int i = 0; i < B * H * W * C; i++) x[i] *= R(8);
            matrix y = output(B, 2 * C, 2 * C, 0), want = copy_of(y, 0);
            matrix dx = output(B * H * W, C, C, 0), before = copy_of(dx, 0),
                   want_dx = copy_of(dx, 0);
            bex_spatial_softmax_fwd(y.p, p, x, B, H, W, C);
            bex_spatial_softmax_bwd(dx.p, dy, y.p, p, B, H, W, C, add);
            bex_ref_spatial_softmax(want.p, want_dx.p, x, dy, B, H, W, C);
            for (int i = 0; add && i < B * H * W * C; i++) want_dx.p[i] += before.p[i];
            assert_close(y, want, 40 * EPS, "y");
            assert_close(dx, want_dx, 60 * EPS, "dx");
            release_all();
        }
}

static void nan_stays_nan(void **state) {
    (void)state;
    bex_pool2d_dims d = {1, 2, 2, 1, 2, 2, 0};
    for (int i = 0; i < 4; i++) {
        bex_real x[4] = {R(1), R(2), R(3), R(4)}, y;
        x[i] = R(NAN);
        bex_meanpool_fwd(&y, x, &d);
        assert_true(isnan(y));
        bex_maxpool_fwd(&y, NULL, x, &d);
        assert_true(isnan(y));
    }
}

int main(void) {
    source = bex_rng_seed(13);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_equal_the_twin),
        cmocka_unit_test(places_equal_the_twin),
        cmocka_unit_test(nan_stays_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
