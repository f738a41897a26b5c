/* Sums over loose states equal those over the rows of a data set, for every kind of phi. */
#include "coverage/prefix.h"
#include "coverage/state_sum.h"

#include "coverage/sample.h"

static void equals_the_rows_of_a_data_set(void **state) {
    (void)state;
    enum { N = 53, O = 3 };
    static const char *const kinds[] = {"cosine", "mlp", "cosine_relative", "onehot"};
    bex_real *states = normals(N * O, 1), low[O] = {-3, -3, -3}, bin[O] = {2, 2, 2};
    int bins[O] = {3, 3, 3};
    for (int kind = 0; kind < 4; kind++) {
        bex_feature *f =
            need(bex_feature_new(&(bex_feature_options){.kind = kinds[kind],
                                                        .input = O,
                                                        .low = kind == 3 ? low : NULL,
                                                        .bin = kind == 3 ? bin : NULL,
                                                        .bins = kind == 3 ? bins : NULL,
                                                        .dims = (int[]){0, 1, 2},
                                                        .dims_count = 3}));
        bex_prefix *p = need(bex_prefix_new(f, states, N, NULL));
        bex_gram_shape wide = bex_feature_wide(f);
        double *a = empty_sum(wide), *b = empty_sum(wide);
        assert_int_equal(bex_state_sum_add(f, a, states + 5 * O, 40), 0);
        bex_prefix_add_window(p, b, 5, 40);
        for (size_t i = 0; i < bex_gram_size(wide); i++) assert_true(fabs(a[i] - b[i]) < 1e-10);
        free(a), free(b);
        bex_prefix_free(p), bex_feature_free(f);
    }
    free(states);
}

static void a_value_that_is_not_finite_is_refused(void **state) {
    (void)state;
    bex_feature *f = need(bex_feature_new(&(bex_feature_options){.kind = "cosine", .input = 2}));
    bex_real states[4] = {0, 1, R(NAN), 3};
    double *g = empty_sum(bex_feature_wide(f));
    assert_true(bex_state_sum_add(f, g, states, 2) < 0);
    assert_message("not finite");
    free(g);
    bex_feature_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_rows_of_a_data_set),
        cmocka_unit_test(a_value_that_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
