/* cov_beta: eigenvectors, the whole space, and directions the data never takes. */
#include "coverage/coverage.h"
#include "theory/span.h"

#include "coverage/sample.h"

static void eigenvectors_diagonalise(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 5, 16, 33, 64};
    for (int t = 0; t < 6; t++) {
        int n = sizes[t];
        size_t square = (size_t)(n * n);
        bex_real *x = normals((size_t)(3 * n * n), 41);
        double *a = need(calloc(square, sizeof *a)), *work = need(malloc(square * sizeof *a));
        double *values = need(malloc((size_t)n * sizeof *a));
        double *vectors = need(malloc(square * sizeof *a));
        for (int k = 0; k < 3 * n; k++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    a[i * n + j] += (double)x[k * n + i] * (double)x[k * n + j];
        memcpy(work, a, square * sizeof *a);
        bex_eigen_symmetric(values, vectors, work, n);
        for (int v = 0; v < n; v++) {
            assert_true(v == 0 || values[v] <= values[v - 1]);
            for (int i = 0; i < n; i++) {
                double av = 0;
                for (int j = 0; j < n; j++) av += a[i * n + j] * vectors[j * n + v];
                assert_true(fabs(av - values[v] * vectors[i * n + v]) < 1e-12 * values[0]);
            }
            for (int w = 0; w < n; w++) {
                double dot = 0;
                for (int i = 0; i < n; i++) dot += vectors[i * n + v] * vectors[i * n + w];
                assert_true(fabs(dot - (v == w)) < 1e-13);
            }
        }
        free(x), free(a), free(work), free(values), free(vectors);
    }
}

static void whole_space_is_plain_coverage(void **state) {
    (void)state;
    enum { D = 22 };
    bex_gram_shape shape = {D, false};
    bex_real *x = normals(100 * D, 42), *h = normals(15 * D, 43);
    double *beta = empty_sum(shape), *g = empty_sum(shape);
    bex_gram_rows(shape, beta, x, 100, BEX_GRAM_ADD);
    bex_gram_rows(shape, g, h, 15, BEX_GRAM_ADD);
    static const double epsilons[] = {0, 1e-3};
    for (int i = 0; i < 2; i++) {
        bex_span *s = need(bex_span_new(shape, beta, epsilons[i]));
        assert_int_equal(bex_span_rank(s), D);
        assert_close(bex_span_coverage(s, g, 0.01), bex_coverage(shape, g, 0.01), 1e-10);
        bex_span_free(s);
    }
    free(x), free(h), free(beta), free(g);
}

// data in a rank-5 subspace: cov stays at the floor of the missing directions, cov_beta does not
static void missing_directions_do_not_count(void **state) {
    (void)state;
    enum { D = 12, RANK = 5, N = 200 };
    bex_gram_shape shape = {D, false}, small = {RANK, false};
    bex_real *z = normals(N * RANK, 44), *x = need(calloc(N * D, sizeof *x));
    for (int k = 0; k < N; k++)
        for (int r = 0; r < RANK; r++) { // two orthogonal features for each coordinate
            x[k * D + 2 * r] = R(0.6) * z[k * RANK + r];
            x[k * D + 2 * r + 1] = R(0.8) * z[k * RANK + r];
        }
    double *g = empty_sum(shape), *reduced = empty_sum(small);
    bex_gram_rows(shape, g, x, N, BEX_GRAM_ADD);
    bex_gram_rows(small, reduced, z, N, BEX_GRAM_ADD);
    bex_span *s = need(bex_span_new(shape, g, 1e-3));
    assert_int_equal(bex_span_rank(s), RANK);
    assert_int_equal(bex_span_shape(s).d, RANK);
    assert_true(bex_span_eigenvalues(s)[RANK - 1] > 1 && bex_span_eigenvalues(s)[RANK] < 1e-4);
    assert_close(bex_span_coverage(s, g, 0.01), bex_coverage(small, reduced, 0.01), 1e-6);
    assert_true(bex_coverage(shape, g, 0.01) < 0.01 / (D - RANK) * 1.001);
    bex_span_free(s);
    free(z), free(x), free(g), free(reduced);
}

static void from_a_dataset_it_is_the_mean_trajectory(void **state) {
    (void)state;
    // three trajectories of four states over five cells: visits 6, 4, 1, 1, 0
    static const bex_real visited[] = {0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 1, 3};
    bex_feature *f =
        need(bex_feature_new(&(bex_feature_options){.kind = "onehot", .input = 1, .out = 5}));
    bex_prefix *p = need(bex_prefix_new(f, visited, 12, NULL));
    static const struct {
        double epsilon;
        int rank;
    } cases[] = {{0, 5}, {0.3, 4}, {0.5, 2}, {1.5, 1}};
    for (int i = 0; i < 4; i++) {
        bex_span *s = need(bex_span_from(p, 3, cases[i].epsilon));
        assert_int_equal(bex_span_rank(s), cases[i].rank);
        static const double h[] = {2, 0, 7, 0, 0};
        double sum = 0;
        for (int c = 0; c < cases[i].rank; c++) sum += 1 / (h[c] + 0.01);
        assert_close(bex_span_coverage(s, h, 0.01), 1 / sum, 1e-14);
        assert_close(bex_span_eigenvalues(s)[0], 2, 1e-15);
        bex_span_free(s);
    }
    assert_null(bex_span_from(p, 3, 2.5));
    assert_message("no direction of the data reaches epsilon 2.5 (the largest has 2)");
    assert_null(bex_span_from(p, 3, -1));
    assert_message("negative");
    bex_prefix_free(p), bex_feature_free(f);

    f = need(bex_feature_new(&(bex_feature_options){.kind = "cosine_relative", .input = 1}));
    p = need(bex_prefix_new(f, visited, 12, NULL));
    assert_null(bex_span_from(p, 3, 0.1));
    assert_message("relative features");
    bex_prefix_free(p), bex_feature_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvectors_diagonalise),
        cmocka_unit_test(whole_space_is_plain_coverage),
        cmocka_unit_test(missing_directions_do_not_count),
        cmocka_unit_test(from_a_dataset_it_is_the_mean_trajectory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
