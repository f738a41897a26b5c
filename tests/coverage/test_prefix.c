/* Windows from prefix sums against direct sums, at every stride and place. */
#include "coverage/coverage.h"
#include "coverage/prefix.h"

#include "sample.h"

enum { O = 4 };

// random walks, restarted every 500 rows: states as a robot has them
static bex_real *walk(int n) {
    bex_real *s = normals((size_t)(n * O), 31);
    for (int r = 1; r < n; r++)
        for (int i = 0; i < O && r % 500; i++)
            s[r * O + i] = s[(r - 1) * O + i] + s[r * O + i] / 10;
    return s;
}

static bex_feature *feature(const char *kind, int out) {
    static const bex_real low[O] = {-4, -4, -4, -4}, bin[O] = {4, 4, 4, 4};
    static const int bins[O] = {2, 2, 2, 2};
    return need(bex_feature_new(&(bex_feature_options){
        .kind = kind, .input = O, .out = out, .seed = 32, .low = low, .bin = bin, .bins = bins}));
}

static void windows_equal_direct_sums(void **state) {
    (void)state;
    enum { ROWS = 5003 };
    bex_real *s = walk(ROWS);
    bex_feature *f = feature("mlp", 12);
    bex_gram_shape shape = bex_feature_shape(f);
    bex_real *phi = need(malloc(ROWS * 12 * sizeof *phi));
    assert_int_equal(bex_feature_eval(f, phi, s, ROWS, NULL, 0), 0);
    double *window = empty_sum(shape), *direct = empty_sum(shape);
    for (int stride = 1; stride <= 1024; stride *= 4) {
        bex_prefix *p = need(bex_prefix_new(f, s, ROWS, &(bex_prefix_options){.stride = stride}));
        assert_int_equal(bex_prefix_stride(p), stride);
        bex_rng rng = bex_rng_seed(33);
        for (int t = 0; t < 300; t++) {
            int64_t count = (int64_t)bex_rng_below(&rng, t % 3 ? 260 : ROWS);
            int64_t first = (int64_t)bex_rng_below(&rng, (uint64_t)(ROWS - count + 1));
            if (t == 0) first = 0, count = ROWS;
            if (t == 1) first = ROWS - 1, count = 1;
            if (t == 2) first = ROWS, count = 0;
            if (t == 3) first = 1020, count = 9; // across a restart
            bex_gram_zero(shape, window), bex_gram_zero(shape, direct);
            bex_prefix_add_window(p, window, first, count);
            bex_gram_rows(shape, direct, phi + first * 12, (size_t)count, BEX_GRAM_ADD);
            assert_close(bex_coverage(shape, window, 0.01), bex_coverage(shape, direct, 0.01),
                         1e-10);
        }
        bex_prefix_free(p);
    }
    free(window), free(direct), free(phi), free(s), bex_feature_free(f);
}

// rounding must not grow with the data: the last windows of a long run, large raw states
static void precision_does_not_drift(void **state) {
    (void)state;
    enum { ROWS = 300000, D = 16 };
    bex_real *s = walk(ROWS);
    for (int i = 0; i < ROWS * O; i++) s[i] *= R(20);
    bex_feature *f = feature("mlp", D);
    bex_gram_shape shape = bex_feature_shape(f);
    bex_prefix *p = need(bex_prefix_new(f, s, ROWS, NULL));
    double *g = empty_sum(shape);
    bex_real *phi = need(malloc(201 * D * sizeof *phi));
    for (int64_t first = ROWS - 3000; first + 201 <= ROWS; first += 111) {
        assert_int_equal(bex_feature_eval(f, phi, s + first * O, 201, NULL, 1), 0);
        bex_gram_zero(shape, g);
        bex_prefix_add_window(p, g, first, 201);
        assert_close(bex_coverage(shape, g, 0.01), quad_coverage_of(phi, NULL, 201, D, 0.01),
                     1e-10);
    }
    free(g), free(phi), free(s), bex_prefix_free(p), bex_feature_free(f);
}

static void cells_are_counted_exactly(void **state) {
    (void)state;
    enum { ROWS = 3000 };
    bex_real *s = walk(ROWS);
    bex_feature *f = feature("onehot", 0);
    bex_prefix *p = need(bex_prefix_new(f, s, ROWS, &(bex_prefix_options){.stride = 64}));
    int32_t *cells = need(malloc(ROWS * sizeof *cells));
    assert_int_equal(bex_feature_cells(f, cells, s, ROWS, 1), 0);
    bex_gram_shape shape = bex_feature_shape(f);
    for (int64_t first = 0; first < 2000; first += 37) {
        double window[16] = {0}, direct[16] = {0};
        bex_prefix_add_window(p, window, first, 777);
        bex_prefix_add_rows(p, window, (int[]){5, 5, 2999}, 3);
        for (int64_t r = first; r < first + 777; r++) direct[cells[r]] += 1;
        direct[cells[5]] += 2, direct[cells[2999]] += 1;
        assert_memory_equal(window, direct, sizeof window);
        assert_int_equal(shape.d, 16);
    }
    free(cells), free(s), bex_prefix_free(p), bex_feature_free(f);
}

static void rows_and_contraction(void **state) {
    (void)state;
    enum { ROWS = 400 };
    bex_real *s = walk(ROWS);
    bex_feature *f = feature("cosine_relative", 7);
    bex_prefix *p = need(bex_prefix_new(f, s, ROWS, NULL));
    bex_gram_shape shape = bex_feature_shape(f), wide = bex_feature_wide(f);
    double *g = empty_sum(wide), *seen = empty_sum(shape), *direct = empty_sum(shape);
    bex_real phi[100 * 7];
    bex_prefix_add_window(p, g, 200, 100);
    bex_prefix_contract(p, seen, g, 37);
    assert_int_equal(bex_feature_eval(f, phi, s + 200 * O, 100, s + 37 * O, 1), 0);
    bex_gram_rows(shape, direct, phi, 100, BEX_GRAM_ADD);
    assert_close(bex_coverage(shape, seen, 0.01), bex_coverage(shape, direct, 0.01), 1e-3);
    free(g), free(seen), free(direct), free(s), bex_prefix_free(p), bex_feature_free(f);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    enum { ROWS = 4000 };
    bex_real *s = walk(ROWS);
    bex_feature *f = feature("cosine", 16);
    bex_gram_shape shape = bex_feature_shape(f);
    double *first = empty_sum(shape), *g = empty_sum(shape);
    for (int threads = 1; threads < 5; threads++) {
        bex_prefix *p = need(bex_prefix_new(f, s, ROWS, &(bex_prefix_options){.threads = threads}));
        bex_gram_zero(shape, g);
        bex_prefix_add_window(p, g, 333, 3210);
        if (threads == 1) memcpy(first, g, bex_gram_size(shape) * sizeof *g);
        assert_memory_equal(g, first, bex_gram_size(shape) * sizeof *g);
        bex_prefix_free(p);
    }
    free(first), free(g), free(s), bex_feature_free(f);
}

static void budget_chooses_the_stride(void **state) {
    (void)state;
    enum { ROWS = 50000 };
    bex_real *s = walk(ROWS);
    bex_feature *f = feature("cosine", 16);
    size_t features = (size_t)ROWS * 16 * sizeof(bex_real), last = 0;
    static const int expected[] = {16, 64, 512};
    static const double megabytes[] = {100, 1.2, 0.2};
    for (int i = 0; i < 3; i++) {
        size_t budget = features + (size_t)(megabytes[i] * 1e6);
        bex_prefix *p = need(bex_prefix_new(f, s, ROWS, &(bex_prefix_options){.budget = budget}));
        assert_int_equal(bex_prefix_stride(p), expected[i]);
        assert_true(bex_prefix_bytes(p) <= budget && bex_prefix_bytes(p) > features);
        assert_true(!last || bex_prefix_bytes(p) < last);
        last = bex_prefix_bytes(p);
        bex_prefix_free(p);
    }
    assert_null(bex_prefix_new(f, s, ROWS, &(bex_prefix_options){.budget = 1000000}));
    assert_message("of 50000 states need");
    assert_null(bex_prefix_new(f, s, ROWS, &(bex_prefix_options){.stride = 48}));
    assert_message("power of two");
    assert_null(bex_prefix_new(f, s, 0, NULL));
    assert_message("no states");
    s[7 * O] = R(NAN);
    assert_null(bex_prefix_new(f, s, ROWS, NULL));
    assert_message("state 7: dim 0 is not finite");
    free(s), bex_feature_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_equal_direct_sums),   cmocka_unit_test(precision_does_not_drift),
        cmocka_unit_test(cells_are_counted_exactly),   cmocka_unit_test(rows_and_contraction),
        cmocka_unit_test(threads_do_not_change_a_bit), cmocka_unit_test(budget_chooses_the_stride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
