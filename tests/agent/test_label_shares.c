/* Shares of the coverage input's variance: of labels made to have one part only, and of an agent's. */
#include "agent/learner.h"

#include "agent/imitation/label_shares.h"

#include <math.h>

enum { H = 4, G = 3, FUTURES = 5 };

// parts with mean 0 over each of their indices
static double of_place(int p) {
    return p - (G - 1) / 2.0;
}
static double of_history(int h) {
    return h - (H - 1) / 2.0;
}
static double of_future(int i) {
    return i - (FUTURES - 1) / 2.0;
}

static bex_label_shares split(double state, double history, double both, double future,
                              double news) {
    bex_real c[H * G * FUTURES];
    bex_label_shares s;
    for (int h = 0; h < H; h++)
        for (int p = 0; p < G; p++)
            for (int i = 0; i < FUTURES; i++)
                c[(h * G + p) * FUTURES + i] =
                    (bex_real)(7 + state * of_place(p) + history * of_history(h) +
                               both * of_place(p) * of_history(h) + future * of_future(i) +
                               news * of_future(i) * of_history(h));
    assert_int_equal(bex_label_shares_split(c, H, G, FUTURES, &s), 0);
    return s;
}

static void check(double value, double expected) {
    if (!(fabs(value - expected) < 1e-6)) fail_msg("%g, expected %g", value, expected);
}

static void each_part_is_told_apart(void **state) {
    (void)state;
    check(split(2, 0, 0, 0, 0).state, 1);
    check(split(0, 2, 0, 0, 0).history, 1);
    check(split(0, 0, 2, 0, 0).both, 1);
    bex_label_shares same = split(0, 0, 0, 2, 0), turned = split(0, 0, 0, 0, 2);
    check(same.future, 1);
    check(same.agree, 1); // the best future is the same whatever the past
    check(same.decisions, 0);
    check(turned.news, 1);
    check(turned.agree, 0.5); // half of the histories turn the order round
    check(turned.decisions, 1);
}

// variances of the parts: (G^2-1)/12 and so on for evenly spaced values
static void shares_are_of_the_variance(void **state) {
    (void)state;
    bex_label_shares s = split(1, 2, 0, 3, 0);
    double place = (G * G - 1) / 12.0, past = 4 * (H * H - 1) / 12.0,
           way = 9 * (FUTURES * FUTURES - 1) / 12.0, all = place + past + way;
    check(s.state, place / all);
    check(s.history, past / all);
    check(s.future, way / all);
    check(s.news, 0);
    bex_label_shares none = split(0, 0, 0, 0, 0);
    check(none.state + none.history + none.both + none.future + none.news, 0);
}

// of the same walks: ranks leave nothing of the state alone; coverage as it is is mostly where one is
static void ranks_take_out_the_state(void **state) {
    (void)state;
    bex_label_shares rank, plain, again;
    bex_agent *a = agent_of("coverage.normalise=rank coverage.alternatives=16");
    assert_int_equal(bex_label_shares_of((bex_imitation *)a, &rank), 0);
    assert_int_equal(bex_label_shares_of((bex_imitation *)a, &again), 0);
    assert_memory_equal(&rank, &again, sizeof rank);
    a->class->free(a);
    a = agent_of("coverage.normalise=global");
    assert_int_equal(bex_label_shares_of((bex_imitation *)a, &plain), 0);
    a->class->free(a);
    assert_true(rank.places >= 8 && rank.futures == plain.futures);
    assert_true(rank.state + rank.history + rank.both <
                0.5 * (plain.state + plain.history + plain.both));
    assert_true(rank.agree > 1.0 / rank.futures && rank.agree <= 1);
}

static void what_has_no_coverage_is_refused(void **state) {
    (void)state;
    bex_label_shares s;
    bex_agent *a = agent_of("train.agent=bc");
    assert_true(bex_label_shares_of((bex_imitation *)a, &s) < 0);
    assert_string_equal(bex_error(), "no coverage is learned here");
    a->class->free(a);
}

int main(void) {
    walks = walks_new(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_is_told_apart),
        cmocka_unit_test(shares_are_of_the_variance),
        cmocka_unit_test(ranks_take_out_the_state),
        cmocka_unit_test(what_has_no_coverage_is_refused),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_dataset_free(walks);
    return code;
}
