/* Labels of many windows against one-by-one sums in 113-bit arithmetic; any number of threads. */
#include "coverage/coverage.h"
#include "coverage/label.h"

#include "malloc_count.h"
#include "sample.h"

enum { O = 6, ROWS = 6000, B = 37, N = 100, F = 201 };

typedef struct world {
    bex_real *states;
    bex_feature *feature;
    bex_prefix *prefix;
    bex_condition *condition;
    int rows[B * N], first[B * 3];
    int count[B * 3];
} world;

static world *make(const char *kind) {
    static const int dims[] = {0, 1}, bins[] = {7, 7};
    static const bex_real low[] = {-3, -3}, bin[] = {1, 1};
    world *w = need(calloc(1, sizeof *w));
    w->states = normals(ROWS * O, 51);
    for (int i = O; i < ROWS * O; i++)
        if (i / O % 600) w->states[i] = w->states[i - O] + w->states[i] / 8;
    bool onehot = !strcmp(kind, "onehot");
    w->feature = need(bex_feature_new(&(bex_feature_options){.kind = kind,
                                                             .input = O,
                                                             .dims = onehot ? dims : NULL,
                                                             .dims_count = onehot ? 2 : 0,
                                                             .seed = 52,
                                                             .low = low,
                                                             .bin = bin,
                                                             .bins = onehot ? bins : NULL}));
    w->prefix = need(bex_prefix_new(w->feature, w->states, ROWS, NULL));
    bex_rng rng = bex_rng_seed(53);
    for (int i = 0; i < B * N; i++) w->rows[i] = (int)bex_rng_below(&rng, ROWS);
    for (int i = 0; i < B * 3; i++) {
        w->count[i] = i % 5 ? F : 1 + (int)bex_rng_below(&rng, F);
        w->first[i] = (int)bex_rng_below(&rng, (uint64_t)(ROWS - w->count[i]));
    }
    bex_gram_shape shape = bex_feature_shape(w->feature);
    double *bank = need(calloc(9 * bex_gram_size(shape), sizeof *bank));
    bex_label_bank(bank, w->prefix, w->first, w->count, 9);
    w->condition = need(bex_condition_new(BEX_NORMALISE_HISTORY, shape, 0.01, bank, 9));
    free(bank);
    return w;
}

static void drop(world *w) {
    bex_condition_free(w->condition), bex_prefix_free(w->prefix), bex_feature_free(w->feature);
    free(w->states), free(w);
}

static bex_label_query query(const world *w, int windows) {
    return (bex_label_query){B, N, windows, w->rows, w->first, w->count};
}

static void labels_are_log_coverage_of_the_union(void **state) {
    (void)state;
    world *w = make("mlp");
    bex_real *phi = need(malloc(ROWS * 32 * sizeof *phi));
    assert_int_equal(bex_feature_eval(w->feature, phi, w->states, ROWS, NULL, 0), 0);
    double x[B * 3];
    for (int windows = 1; windows <= 3; windows += 2) {
        bex_label_query q = query(w, windows);
        assert_int_equal(bex_label(x, NULL, w->prefix, w->condition, &q, 1), 0);
        for (int i = 0; i < B * windows; i += 4) {
            int all[N + F];
            memcpy(all, w->rows + i / windows * N, N * sizeof *all);
            for (int k = 0; k < w->count[i]; k++) all[N + k] = w->first[i] + k;
            double cov = quad_coverage_of(phi, all, (size_t)(N + w->count[i]), 32, 0.01);
            assert_close(exp(x[i]), cov, 1e-10);
        }
    }
    free(phi), drop(w);
}

static void relative_labels_look_from_the_first_state(void **state) {
    (void)state;
    world *w = make("cosine_relative");
    bex_gram_shape shape = bex_feature_shape(w->feature);
    double x[B * 3], *g = empty_sum(shape);
    bex_moments moments[B * 3];
    bex_label_query q = query(w, 3);
    assert_int_equal(bex_label(x, moments, w->prefix, w->condition, &q, 2), 0);
    for (int i = 0; i < B * 3; i++) {
        const bex_real *from = w->states + w->first[i] * O;
        bex_real phi[(N + F) * 16];
        for (int k = 0; k < N; k++) {
            const bex_real *s = w->states + w->rows[i / 3 * N + k] * O;
            assert_int_equal(bex_feature_eval(w->feature, phi + k * 16, s, 1, from, 1), 0);
        }
        assert_int_equal(
            bex_feature_eval(w->feature, phi + N * 16, from, (size_t)w->count[i], from, 1), 0);
        bex_gram_zero(shape, g);
        bex_gram_rows(shape, g, phi, N, BEX_GRAM_ADD);
        bex_moments m = bex_condition_moments(w->condition, g);
        assert_close(moments[i].mean, m.mean, 1e-4);
        assert_close(moments[i].std, m.std, 1e-3);
        bex_gram_rows(shape, g, phi + N * 16, (size_t)w->count[i], BEX_GRAM_ADD);
        assert_close(exp(x[i]), bex_coverage(shape, g, 0.01), 1e-4);
    }
    free(g), drop(w);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    static const char *const kinds[] = {"mlp", "cosine_relative", "onehot"};
    for (int k = 0; k < 3; k++) {
        world *w = make(kinds[k]);
        for (int windows = 1; windows <= 3; windows++) {
            double x[B * 3], y[B * 3];
            bex_moments a[B * 3], b[B * 3];
            bex_label_query q = query(w, windows);
            size_t n = (size_t)(B * windows);
            assert_int_equal(bex_label(x, a, w->prefix, w->condition, &q, 1), 0);
            for (int threads = 2; threads < 6; threads++) {
                assert_int_equal(bex_label(y, b, w->prefix, w->condition, &q, threads), 0);
                assert_memory_equal(x, y, n * sizeof *x);
                assert_memory_equal(a, b, n * sizeof *a);
            }
        }
        drop(w);
    }
}

static void one_hot_labels_count_visits(void **state) {
    (void)state;
    world *w = make("onehot");
    int32_t *cells = need(malloc(ROWS * sizeof *cells));
    double x[B];
    bex_moments moments[B];
    bex_label_query q = query(w, 1);
    assert_int_equal(bex_feature_cells(w->feature, cells, w->states, ROWS, 1), 0);
    assert_int_equal(bex_label(x, moments, w->prefix, w->condition, &q, 2), 0);
    for (int i = 0; i < B; i++) {
        double visits[49] = {0}, sum = 0;
        for (int k = 0; k < N; k++) visits[cells[w->rows[i * N + k]]] += 1;
        for (int k = 0; k < w->count[i]; k++) visits[cells[w->first[i] + k]] += 1;
        for (int c = 0; c < 49; c++) sum += 1 / (visits[c] + 0.01);
        assert_close(exp(x[i]), 1 / sum, 1e-12);
    }
    // the whole chain: a fit on these labels gives values around zero
    assert_int_equal(bex_condition_fit(w->condition, x, moments, B), 0);
    assert_true(bex_condition_quantile(w->condition, 0) < 0);
    assert_true(bex_condition_quantile(w->condition, 1) > 0);
    free(cells), drop(w);
}

static void labelling_allocates_nothing(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    world *w = make("mlp");
    double x[B * 3];
    bex_moments moments[B * 3];
    bex_label_query q = query(w, 3);
    assert_int_equal(bex_label(x, moments, w->prefix, w->condition, &q, 2), 0);
    long before = malloc_calls();
    for (int i = 0; i < 3; i++)
        assert_int_equal(bex_label(x, moments, w->prefix, w->condition, &q, 2), 0);
    assert_int_equal(malloc_calls(), before);
    drop(w);
}

static void too_large_features_are_an_error(void **state) {
    (void)state;
    world *w = make("mlp");
    for (int i = 0; i < ROWS * O; i++) w->states[i] *= R(1e12);
    bex_prefix_free(w->prefix);
    w->prefix = need(bex_prefix_new(w->feature, w->states, ROWS, NULL));
    double x[B];
    bex_label_query q = query(w, 1);
    // one state, many times: nothing but lambda holds the other directions up
    for (int i = 0; i < B * N; i++) w->rows[i] = 7;
    for (int i = 0; i < B; i++) w->first[i] = 7, w->count[i] = 1;
    assert_int_equal(bex_label(x, NULL, w->prefix, w->condition, &q, 2), -1);
    assert_message("not positive definite");
    drop(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_log_coverage_of_the_union),
        cmocka_unit_test(relative_labels_look_from_the_first_state),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(one_hot_labels_count_visits),
        cmocka_unit_test(labelling_allocates_nothing),
        cmocka_unit_test(too_large_features_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
