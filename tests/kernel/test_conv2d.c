/* Convolution, forward and both gradients, against the sum as it is written, in double. */
#include "kernel/conv2d.h"

#include "kernel/buffers.h"
#include "kernel/ref/ref_conv2d.h"

// B H W C, N kh kw, stride pad: the layers of a residual network, RGB, odd sizes, one pixel, no border
static const bex_conv2d_dims cases[] = {
    {2, 13, 11, 3, 16, 7, 7, 2, 3}, {2, 8, 8, 16, 16, 3, 3, 1, 1}, {3, 7, 5, 32, 48, 3, 3, 2, 1},
    {2, 6, 6, 32, 64, 1, 1, 2, 0},  {1, 1, 1, 16, 33, 3, 3, 1, 1}, {9, 2, 2, 64, 32, 3, 3, 1, 1},
    {1, 9, 10, 5, 7, 3, 2, 3, 1},   {2, 5, 4, 16, 1, 5, 3, 1, 0},  {1, 4, 6, 48, 31, 2, 4, 2, 1},
    {1, 16, 16, 1, 20, 3, 3, 1, 2}, {1, 3, 3, 80, 5, 3, 3, 1, 2},  {0, 4, 4, 16, 16, 3, 3, 1, 1},
};

typedef struct {
    bex_conv2d_dims d;
    int pixels, in, width; // of y; of x; of a row of W
    bex_real *x, *W, *dy, *packed, *packed_dx, *scratch;
} problem;

static bex_real *packed_room(size_t n) {
    return input(n, 0);
}

static problem problem_of(int k, int offset) {
    problem p = {.d = cases[k]};
    const bex_conv2d_dims *d = &p.d;
    p.pixels = d->B * bex_conv2d_height(d) * bex_conv2d_width(d);
    p.in = d->B * d->H * d->W, p.width = d->kh * d->kw * d->C;
    p.x = input((size_t)(p.in * d->C), offset);
    p.W = input((size_t)(d->N * p.width), offset);
    p.dy = input((size_t)(p.pixels * d->N), offset);
    p.packed = packed_room(bex_conv2d_pack_size(d->N, d->kh * d->kw, d->C));
    p.packed_dx = packed_room(bex_conv2d_pack_dx_size(d->N, d->kh * d->kw, d->C));
    p.scratch = input(bex_conv2d_scratch(d), 0);
    bex_conv2d_pack(p.packed, p.W, d->N, d->kh * d->kw, d->C);
    bex_conv2d_pack_dx(p.packed_dx, p.W, d->N, d->kh * d->kw, d->C);
    return p;
}

static matrix sum_of(matrix a, matrix b) {
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.columns; j++) *at(a, i, j) += *at(b, i, j);
    return a;
}

static void forward_equals_the_twin(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(cases); k++)
        for (int option = 0; option < 4; option++) {
            problem p = problem_of(k, option & 1);
            bex_real *bias = option & 2 ? input((size_t)p.d.N, 0) : NULL;
            matrix y = output(p.pixels, p.d.N, p.d.N, option & 1), want = copy_of(y, 0);
            bex_conv2d_fwd(y.p, p.x, p.packed, bias, &p.d, p.scratch);
            bex_ref_conv2d_fwd(want.p, p.x, p.W, bias, &p.d);
            assert_close(y, want, 4 * sqrt(p.width) * EPS * 4, "y");
            release_all();
        }
}

static void gradients_equal_the_twin(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(cases); k++)
        for (int option = 0; option < 4; option++) {
            problem p = problem_of(k, option & 1);
            int add = option >> 1;
            matrix dx = output(p.in, p.d.C, p.d.C, option & 1), dx0 = copy_of(dx, 0);
            matrix dW = output(p.d.N, p.width, p.width, option & 1), dW0 = copy_of(dW, 0);
            matrix dx1 = copy_of(dx, 0), dW1 = copy_of(dW, 0);
            bex_conv2d_bwd_x(dx.p, p.dy, p.packed_dx, &p.d, add);
            bex_conv2d_bwd_w(dW.p, p.dy, p.x, &p.d, add, p.scratch);
            bex_ref_conv2d_bwd_x(dx1.p, p.dy, p.W, &p.d);
            bex_ref_conv2d_bwd_w(dW1.p, p.dy, p.x, &p.d);
            assert_close(dx, add ? sum_of(dx1, dx0) : dx1, 16 * sqrt(p.width + 64) * EPS, "dx");
            assert_close(dW, add ? sum_of(dW1, dW0) : dW1, 16 * sqrt(p.pixels + 64) * EPS, "dW");
            release_all();
        }
}

// what a picture gives does not depend on the batch around it
static void pictures_are_independent(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(cases); k++) {
        problem p = problem_of(k, 0);
        if (p.d.B < 2) {
            release_all();
            continue;
        }
        size_t out = (size_t)(p.pixels / p.d.B * p.d.N), in = (size_t)(p.in / p.d.B * p.d.C);
        size_t last = (size_t)p.d.B - 1;
        bex_real *y = input((size_t)p.d.B * out, 0), *one = input(out, 0);
        bex_real *dx = input((size_t)p.d.B * in, 0), *dx1 = input(in, 0);
        bex_conv2d_fwd(y, p.x, p.packed, NULL, &p.d, p.scratch);
        bex_conv2d_bwd_x(dx, p.dy, p.packed_dx, &p.d, 0);
        bex_conv2d_dims d = p.d;
        d.B = 1;
        bex_conv2d_fwd(one, p.x + last * in, p.packed, NULL, &d, p.scratch);
        bex_conv2d_bwd_x(dx1, p.dy + last * out, p.packed_dx, &d, 0);
        assert_same_bits(one, y + last * out, out, "y of one picture");
        assert_same_bits(dx1, dx + last * in, in, "dx of one picture");
        release_all();
    }
}

static void nan_stays_in_its_picture(void **state) {
    (void)state;
    problem p = problem_of(1, 0);
    int out = p.pixels / 2 * p.d.N;
    bex_real *y = input((size_t)(2 * out), 0);
    p.x[5] = R(NAN);
    bex_conv2d_fwd(y, p.x, p.packed, NULL, &p.d, p.scratch);
    assert_true(isnan(y[0]));
    for (int i = out; i < 2 * out; i++) assert_true(isfinite(y[i]));
    release_all();
}

int main(void) {
    source = bex_rng_seed(11);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_equals_the_twin),
        cmocka_unit_test(gradients_equal_the_twin),
        cmocka_unit_test(pictures_are_independent),
        cmocka_unit_test(nan_stays_in_its_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
