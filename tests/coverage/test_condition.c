/* Statistics for conditioning: both normalisations, the quantile table, files. */
#include "coverage/condition.h"
#include "coverage/coverage.h"

#include "sample.h"

enum { D = 10, M = 70 };
static const bex_gram_shape shape = {D, false};

static double *random_sums(int n, int rows, uint64_t seed) {
    size_t size = bex_gram_size(shape);
    double *g = need(calloc((size_t)n * size, sizeof *g));
    for (int m = 0; m < n; m++) {
        bex_real *x = normals((size_t)(rows * D), seed + (uint64_t)m);
        bex_gram_rows(shape, g + (size_t)m * size, x, (size_t)(rows - m % 7), BEX_GRAM_ADD);
        free(x);
    }
    return g;
}

static bex_condition *through_file(const bex_condition *c) {
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("condition"));
    bex_st_writer *w = need(bex_st_writer_new());
    bex_condition_save(c, w);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *file = need(bex_st_load(path));
    unlink(path);
    bex_condition *back = need(bex_condition_load(file));
    bex_st_free(file);
    return back;
}

static void names(void **state) {
    (void)state;
    bex_normalise n;
    assert_int_equal(bex_normalise_parse(&n, "history"), 0);
    assert_int_equal(n, BEX_NORMALISE_HISTORY);
    assert_string_equal(bex_normalise_name(BEX_NORMALISE_GLOBAL), "global");
    assert_int_equal(bex_normalise_parse(&n, "histroy"), -1);
    assert_message("did you mean history?");
}

static void global_is_a_z_score(void **state) {
    (void)state;
    enum { N = 1001 };
    double x[N];
    bex_condition *c = need(bex_condition_new(BEX_NORMALISE_GLOBAL, shape, 0.01, NULL, 0));
    for (int i = 0; i < N; i++) x[i] = -4 + 0.001 * ((i * 5) % N); // -4 .. -3, shuffled
    assert_int_equal(bex_condition_fit(c, x, NULL, N), 0);
    double std = 0.001 * sqrt((N * (double)N - 1) / 12);
    assert_close(bex_condition_training(c).mean, -3.5, 1e-12);
    assert_close(bex_condition_training(c).std, std, 1e-12);
    assert_close(bex_condition_value(c, -3, NULL), 0.5 / std, 1e-12);
    // quantiles of the values, linear between the 101 points
    assert_close(bex_condition_quantile(c, 0), -0.5 / std, 1e-12);
    assert_close(bex_condition_quantile(c, 1), 0.5 / std, 1e-12);
    assert_close(bex_condition_quantile(c, 0.95), 0.45 / std, 1e-9);
    assert_close(bex_condition_quantile(c, 0.333), (0.333 - 0.5) / std, 1e-9);
    bex_condition *back = through_file(c);
    for (double q = 0; q <= 1; q += 0.0625)
        assert_true(bex_condition_quantile(back, q) == bex_condition_quantile(c, q));
    assert_true(bex_condition_value(back, -3.3, NULL) == bex_condition_value(c, -3.3, NULL));
    bex_condition_free(back), bex_condition_free(c);
}

static void history_is_relative_to_the_bank(void **state) {
    (void)state;
    enum { N = 40 };
    double *bank = random_sums(M, 30, 100), *histories = random_sums(N, 12, 500);
    size_t size = bex_gram_size(shape);
    bex_condition *c = need(bex_condition_new(BEX_NORMALISE_HISTORY, shape, 0.01, bank, M));
    double x[N];
    bex_moments moments[N];
    for (int n = 0; n < N; n++) {
        const double *h = histories + (size_t)n * size;
        double all[M], mean = 0, square = 0, g[BEX_GRAM_MOST];
        for (int m = 0; m < M; m++) {
            memcpy(g, h, size * sizeof *g);
            bex_gram_union(shape, g, bank + (size_t)m * size);
            all[m] = log(bex_coverage(shape, g, 0.01)), mean += all[m] / M;
        }
        for (int m = 0; m < M; m++) square += (all[m] - mean) * (all[m] - mean) / M;
        moments[n] = bex_condition_moments(c, h);
        assert_close(moments[n].mean, mean, 1e-12);
        assert_close(moments[n].std, sqrt(square), 1e-10);
        x[n] = all[n % M]; // a future of the bank
    }
    assert_int_equal(bex_condition_fit(c, x, moments, N), 0);
    assert_close(bex_condition_value(c, x[3], &moments[3]),
                 (x[3] - moments[3].mean) / moments[3].std, 1e-12);
    // a history that leaves nothing to choose: divided by the floor, not by zero
    bex_moments flat = {-4, 0};
    assert_true(fabs(bex_condition_value(c, -4.001, &flat)) < 1);
    bex_condition *back = through_file(c);
    assert_int_equal(bex_condition_bank(back), M);
    assert_int_equal(bex_condition_normalise(back), BEX_NORMALISE_HISTORY);
    bex_moments again = bex_condition_moments(back, histories);
    assert_true(again.mean == moments[0].mean && again.std == moments[0].std);
    assert_true(bex_condition_value(back, -4.001, &flat) == bex_condition_value(c, -4.001, &flat));
    bex_condition_free(back), bex_condition_free(c), free(bank), free(histories);
}

static void one_hot_statistics_survive_a_file(void **state) {
    (void)state;
    static const bex_gram_shape cells = {300, true};
    double bank[2 * 300] = {0}, h[300] = {0};
    for (int i = 0; i < 300; i++) bank[i] = i % 3, bank[300 + i] = i % 2, h[i] = i % 5;
    bex_condition *c = need(bex_condition_new(BEX_NORMALISE_HISTORY, cells, 0.01, bank, 2));
    bex_moments m = bex_condition_moments(c, h), both[2] = {m, m};
    assert_true(m.std > 0);
    assert_int_equal(bex_condition_fit(c, (double[]){m.mean, m.mean + 1}, both, 2), 0);
    bex_condition *back = through_file(c);
    bex_moments again = bex_condition_moments(back, h);
    assert_true(again.mean == m.mean && again.std == m.std);
    assert_true(bex_condition_shape(back).diagonal && bex_condition_shape(back).d == 300);
    bex_condition_free(back), bex_condition_free(c);
}

static void errors_are_explained(void **state) {
    (void)state;
    assert_null(bex_condition_new(BEX_NORMALISE_GLOBAL, shape, 0, NULL, 0));
    assert_message("lambda 0 is not positive");
    double *bank = random_sums(2, 30, 900);
    assert_null(bex_condition_new(BEX_NORMALISE_HISTORY, shape, 0.01, bank, 1));
    assert_message("at least 2 futures, not 1");
    bex_condition *c = need(bex_condition_new(BEX_NORMALISE_GLOBAL, shape, 0.01, NULL, 0));
    assert_int_equal(bex_condition_fit(c, (double[]){1}, NULL, 1), -1);
    assert_message("at least 2 windows");
    assert_int_equal(bex_condition_fit(c, (double[]){1, 1, 1}, NULL, 3), -1);
    assert_message("the same for all 3 training windows");
    assert_int_equal(bex_condition_fit(c, (double[]){1, (double)NAN}, NULL, 2), -1);
    assert_message("not positive definite");
    bex_condition_free(c);
    // a sum no lambda saves
    c = need(bex_condition_new(BEX_NORMALISE_HISTORY, shape, 0.01, bank, 2));
    bank[0] = -1e9;
    assert_true(isnan(bex_condition_moments(c, bank).std));
    bex_condition_free(c), free(bank);
}

static void damaged_files_are_explained(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("damaged"));
    static double quantiles[BEX_QUANTILES], unsorted[BEX_QUANTILES] = {0, 1, 0.5}, bank[2 * 55];
    static const struct {
        int64_t head[3];
        double stats[4];
        const double *quantiles;
        int bank, columns;
        const char *message;
    } cases[] = {
        {{0, D, 0}, {0, 1, 0, 0.01}, quantiles, 0, 0, NULL},
        {{1, D, 0}, {0, 1, 1, 0.01}, quantiles, 2, 55, NULL},
        {{2, D, 0}, {0, 1, 0, 0.01}, quantiles, 0, 0, NULL},
        {{3, D, 0}, {0, 1, 0, 0.01}, quantiles, 0, 0, "coverage.head"},
        {{0, 129, 0}, {0, 1, 0, 0.01}, quantiles, 0, 0, "coverage.head"},
        {{0, D, 0}, {0, 0, 0, 0.01}, quantiles, 0, 0, "not positive"},
        {{0, D, 0}, {0, 1, 0, -1}, quantiles, 0, 0, "lambda"},
        {{0, D, 0}, {0, 1, 0, 0.01}, unsorted, 0, 0, "not sorted"},
        {{1, D, 0}, {0, 1, 1, 0.01}, quantiles, 0, 0, "at least 2 futures"},
        {{1, D, 0}, {0, 1, 1, 0.01}, quantiles, 2, 54, "coverage.bank"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_st_writer *w = need(bex_st_writer_new());
        bex_st_add(w, "coverage.head", BEX_ST_I64, 1, (int64_t[]){3}, cases[i].head);
        bex_st_add(w, "coverage.stats", BEX_ST_F64, 1, (int64_t[]){4}, cases[i].stats);
        bex_st_add(w, "coverage.quantiles", BEX_ST_F64, 1, (int64_t[]){BEX_QUANTILES},
                   cases[i].quantiles);
        if (cases[i].bank)
            bex_st_add(w, "coverage.bank", BEX_ST_F64, 2,
                       (int64_t[]){cases[i].bank, cases[i].columns}, bank);
        assert_int_equal(bex_st_save(w, path), 0);
        bex_st_writer_free(w);
        bex_st_file *file = need(bex_st_load(path));
        bex_condition *c = bex_condition_load(file);
        assert_true(!c == !!cases[i].message);
        if (!c) assert_message(cases[i].message);
        bex_condition_free(c), bex_st_free(file);
    }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(global_is_a_z_score),
        cmocka_unit_test(history_is_relative_to_the_bank),
        cmocka_unit_test(one_hot_statistics_survive_a_file),
        cmocka_unit_test(errors_are_explained),
        cmocka_unit_test(damaged_files_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
