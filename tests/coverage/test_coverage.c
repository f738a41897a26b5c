/* The paper's properties of cov, and agreement with 113-bit arithmetic. */
#include "coverage/coverage.h"

#include "sample.h"

static const int sizes[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 128};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void empty_set_is_lambda_over_d(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++)
        for (int diagonal = 0; diagonal < 2; diagonal++) {
            bex_gram_shape shape = {sizes[s], diagonal};
            double *g = empty_sum(shape);
            assert_close(bex_coverage(shape, g, 0.01), 0.01 / sizes[s], 1e-13);
            free(g);
        }
}

static void never_falls_when_states_are_added(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        int d = sizes[s];
        bex_gram_shape shape = {d, false};
        bex_real *x = normals((size_t)(100 * d), 11);
        double *g = empty_sum(shape), last = 0;
        for (int k = 0; k < 100; k++) {
            // every third state is a repeat: the flattest case there is
            bex_gram_rows(shape, g, x + (k - k % 3) * d, 1, BEX_GRAM_ADD);
            double cov = bex_coverage(shape, g, 0.01);
            assert_true(cov >= last * (1 - 1e-12));
            last = cov;
        }
        free(g), free(x);
    }
}

static void order_does_not_matter(void **state) {
    (void)state;
    enum { D = 32, N = 200 };
    bex_gram_shape shape = {D, false};
    bex_real *x = normals(N * D, 12);
    int order[N];
    double cov[5];
    bex_rng rng = bex_rng_seed(13);
    for (int i = 0; i < N; i++) order[i] = i;
    for (int t = 0; t < 5; t++) {
        double *g = empty_sum(shape);
        bex_rng_shuffle(&rng, order, N);
        bex_gram_gather(shape, g, x, order, N, BEX_GRAM_ADD);
        cov[t] = bex_coverage(shape, g, 0.01);
        assert_close(cov[t], cov[0], 1e-12);
        free(g);
    }
    free(x);
}

static void one_hot_counts_visits(void **state) {
    (void)state;
    enum { D = 23, N = 90 };
    bex_gram_shape dense = {D, false}, diagonal = {D, true};
    double *g = empty_sum(dense), *counts = empty_sum(diagonal), sum = 0;
    bex_rng rng = bex_rng_seed(14);
    for (int k = 0; k < N; k++) {
        bex_real x[D] = {0};
        uint64_t s = bex_rng_below(&rng, D - 3); // three states are never seen
        x[s] = 1, counts[s] += 1;
        bex_gram_rows(dense, g, x, 1, BEX_GRAM_ADD);
    }
    for (int s = 0; s < D; s++) sum += 1 / (counts[s] + 0.01);
    assert_close(bex_coverage(dense, g, 0.01), 1 / sum, 1e-14);
    assert_close(bex_coverage(diagonal, counts, 0.01), 1 / sum, 1e-14);
    free(g), free(counts);
}

// rows whose directions shrink geometrically down to `least`: condition about least^-2 / lambda
static void check_reference(int d, int n, double scale, double least, double lambda) {
    bex_gram_shape shape = {d, false};
    bex_real *x = normals((size_t)(n * d), (uint64_t)(d + n));
    double *g = empty_sum(shape);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < d; i++) x[k * d + i] *= R(scale * pow(least, (double)i / d));
    bex_gram_rows(shape, g, x, (size_t)n, BEX_GRAM_ADD);
    assert_close(bex_coverage(shape, g, lambda), quad_coverage_of(x, NULL, (size_t)n, d, lambda),
                 1e-10);
    free(g), free(x);
}

static void agrees_with_high_precision(void **state) {
    (void)state;
    for (int s = 0; s < SIZES && sizes[s] <= 64; s++) {
        check_reference(sizes[s], 300, 1, 1, 0.01);              // well conditioned
        check_reference(sizes[s], 300, 1, 1e-3, 0.01);           // some directions below lambda
        check_reference(sizes[s], sizes[s] / 2 + 1, 1, 1, 0.01); // fewer states than features
        check_reference(sizes[s], 300, 10, 1e-2, 1e-2);          // condition about 3e6
        check_reference(sizes[s], 300, 30, 1e-6, 1e-2);          // about 3e7
    }
}

// no axis is special: correlated features from a random mixing, a third of the directions missing
static void agrees_when_features_are_correlated(void **state) {
    (void)state;
    enum { D = 32, RANK = 20, N = 301 };
    bex_gram_shape shape = {D, false};
    bex_real *z = normals(N * RANK, 15), *mix = normals(RANK * D, 16);
    bex_real *x = need(calloc(N * D, sizeof *x));
    double *g = empty_sum(shape);
    for (int k = 0; k < N; k++)
        for (int r = 0; r < RANK; r++)
            for (int i = 0; i < D; i++) x[k * D + i] += z[k * RANK + r] * mix[r * D + i];
    bex_gram_rows(shape, g, x, N, BEX_GRAM_ADD);
    // lambda 0.01 against eigenvalues up to about 3e4: condition 3e6
    assert_close(bex_coverage(shape, g, 0.01), quad_coverage_of(x, NULL, N, D, 0.01), 1e-10);
    free(z), free(mix), free(x), free(g);
}

static void company_does_not_change_a_bit(void **state) {
    (void)state;
    enum { D = 19, M = 11 };
    bex_gram_shape shape = {D, false};
    size_t size = bex_gram_size(shape);
    bex_real *x = normals(M * 40 * D, 17);
    double *g = need(calloc(M * size, sizeof *g)), *base = empty_sum(shape), cov[M];
    for (int m = 0; m < M; m++)
        bex_gram_rows(shape, g + (size_t)m * size, x + m * 40 * D, 40, BEX_GRAM_ADD);
    bex_coverage_batch(cov, shape, NULL, g, M, 0.01);
    for (int m = 0; m < M; m++)
        assert_true(cov[m] == bex_coverage(shape, g + (size_t)m * size, 0.01));
    // a base is a union
    bex_gram_rows(shape, base, x, 7, BEX_GRAM_ADD);
    bex_coverage_batch(cov, shape, base, g, M, 0.01);
    for (int m = 0; m < M; m++) {
        bex_gram_union(shape, g + (size_t)m * size, base);
        assert_true(cov[m] == bex_coverage(shape, g + (size_t)m * size, 0.01));
    }
    free(x), free(g), free(base);
}

static void a_broken_matrix_is_nan_and_stays_alone(void **state) {
    (void)state;
    enum { D = 9 };
    bex_gram_shape shape = {D, false};
    size_t size = bex_gram_size(shape);
    double *g = need(calloc(4 * size, sizeof *g)), cov[4];
    g[1 * size + bex_gram_index(shape, 4, 4)] = -1;
    g[2 * size + bex_gram_index(shape, 2, 5)] = (double)NAN;
    g[3 * size + bex_gram_index(shape, 0, 0)] = 1e20; // large and fine: the others are separate
    bex_coverage_batch(cov, shape, NULL, g, 4, 0.01);
    assert_close(cov[0], 0.01 / D, 1e-14);
    assert_true(isnan(cov[1]));
    assert_true(isnan(cov[2]));
    assert_close(cov[3], 0.01 / (D - 1), 1e-14);
    // lambda lost in rounding is an error, not a number without digits
    bex_real x[D];
    for (int i = 0; i < D; i++) x[i] = R(1e7 + 1e5 * i);
    bex_gram_zero(shape, g);
    bex_gram_rows(shape, g, x, 1, BEX_GRAM_ADD);
    assert_true(isnan(bex_coverage(shape, g, 0.01)));
    assert_int_equal(bex_coverage_fail(0.01), -1);
    assert_message("lambda 0.01");
    free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_set_is_lambda_over_d),
        cmocka_unit_test(never_falls_when_states_are_added),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(one_hot_counts_visits),
        cmocka_unit_test(agrees_with_high_precision),
        cmocka_unit_test(agrees_when_features_are_correlated),
        cmocka_unit_test(company_does_not_change_a_bit),
        cmocka_unit_test(a_broken_matrix_is_nan_and_stays_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
