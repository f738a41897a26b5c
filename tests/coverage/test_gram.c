/* Sums against the textbook loop, at sizes that are and are not multiples of the vector. */
#include "coverage/gram.h"

#include "sample.h"

static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 127, 128};
enum { SIZES = sizeof sizes / sizeof *sizes, ROWS = 150 };

static void sums_are_sums_of_products(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        int d = sizes[s];
        bex_gram_shape shape = {d, false};
        size_t size = bex_gram_size(shape);
        bex_real *x = normals((size_t)(ROWS * d), 1);
        double *g = need(calloc(size + 2, sizeof *g));
        g[0] = g[size + 1] = 12345; // sentinels
        bex_gram_rows(shape, g + 1, x, ROWS, BEX_GRAM_ADD);
        bex_gram_rows(shape, g + 1, x, 3, BEX_GRAM_SUBTRACT);
        assert_true(g[0] == 12345 && g[size + 1] == 12345);
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++) {
                long double sum = 0;
                for (int k = 3; k < ROWS; k++)
                    sum += (long double)x[k * d + i] * (long double)x[k * d + j];
                assert_true(fabsl(sum - (long double)bex_gram_at(shape, g + 1, i, j)) < 1e-12L);
            }
        free(g), free(x);
    }
}

static void gathered_rows_are_those_rows(void **state) {
    (void)state;
    bex_gram_shape shape = {13, false};
    bex_real *x = normals(40 * 13, 2), *copy = normals(200 * 13, 3);
    int rows[200];
    bex_rng rng = bex_rng_seed(4);
    for (int k = 0; k < 200; k++) {
        rows[k] = (int)bex_rng_below(&rng, 40);
        memcpy(copy + 13 * k, x + 13 * rows[k], 13 * sizeof *x);
    }
    double *a = empty_sum(shape), *b = empty_sum(shape);
    bex_gram_gather(shape, a, x, rows, 200, BEX_GRAM_ADD);
    bex_gram_rows(shape, b, copy, 200, BEX_GRAM_ADD);
    assert_memory_equal(a, b, bex_gram_size(shape) * sizeof *a);
    free(a), free(b), free(x), free(copy);
}

static void union_and_without_undo_each_other(void **state) {
    (void)state;
    bex_gram_shape shape = {6, false};
    bex_real *x = normals(20 * 6, 5);
    double *a = empty_sum(shape), *b = empty_sum(shape), *c = empty_sum(shape);
    bex_gram_rows(shape, a, x, 12, BEX_GRAM_ADD);
    bex_gram_rows(shape, b, x + 12 * 6, 8, BEX_GRAM_ADD);
    bex_gram_rows(shape, c, x, 20, BEX_GRAM_ADD);
    bex_gram_union(shape, a, b);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            assert_true(fabs(bex_gram_at(shape, a, i, j) - bex_gram_at(shape, c, i, j)) < 1e-13);
    bex_gram_without(shape, a, c);
    bex_gram_scale(shape, a, 1e10);
    for (int i = 0; i < 6; i++) assert_true(fabs(bex_gram_at(shape, a, i, i)) < 1e-3);
    free(a), free(b), free(c), free(x);
}

static void packing_keeps_every_element(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++)
        for (int diagonal = 0; diagonal < 2; diagonal++) {
            bex_gram_shape shape = {sizes[s], diagonal};
            size_t n = bex_gram_packed_size(shape);
            double *g = empty_sum(shape), *back = empty_sum(shape);
            double *packed = need(malloc(n * sizeof *packed));
            bex_real *x = normals((size_t)(9 * sizes[s]), 6);
            if (diagonal)
                for (int i = 0; i < shape.d; i++) g[i] = i;
            else
                bex_gram_rows(shape, g, x, 9, BEX_GRAM_ADD);
            bex_gram_pack(shape, packed, g);
            if (!diagonal && shape.d > 1)
                assert_true(packed[1] == bex_gram_at(shape, g, 0, 1) &&
                            packed[shape.d] == bex_gram_at(shape, g, 1, 1));
            bex_gram_unpack(shape, back, packed);
            assert_memory_equal(g, back, bex_gram_size(shape) * sizeof *g);
            free(g), free(back), free(packed), free(x);
        }
}

static void the_largest_sums_fit_the_scratch(void **state) {
    (void)state;
    assert_true(bex_gram_size((bex_gram_shape){BEX_GRAM_WIDTH, false}) <= BEX_GRAM_MOST);
    assert_true(bex_gram_size((bex_gram_shape){BEX_GRAM_CELLS, true}) <= BEX_GRAM_MOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_sums_of_products),
        cmocka_unit_test(gathered_rows_are_those_rows),
        cmocka_unit_test(union_and_without_undo_each_other),
        cmocka_unit_test(packing_keeps_every_element),
        cmocka_unit_test(the_largest_sums_fit_the_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
