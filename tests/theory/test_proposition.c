/* The proposition holds in random worlds; the checker catches what breaks it; BC's exact numbers
 * agree with play; results do not depend on threads. */
#include "theory/proposition.h"

#include "base/error.h"
#include "theory/cloned.h"

#include "test.h"

#include <math.h>
#include <omp.h>

// cmocka compares in float
#define assert_close(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const bex_trials_setup SETUP = {.trials = 1500, .seed = 1, .episodes = 30, .lambda = 0.01};

static void holds_in_random_worlds(void **state) {
    (void)state;
    bex_trials r;
    assert_int_equal(bex_trials_run(&r, &SETUP, NULL), 0);
    assert_int_equal(r.violations, 0);
    assert_int_equal(r.first_violation, -1);
    double measured = 0, exact = 0, square = 0;
    for (int i = 0; i < r.trials; i++) {
        assert_int_equal(r.explored[i], r.n_beta[i]);
        double d = r.seen[i] - r.seen_exact[i];
        measured += r.seen[i], exact += r.seen_exact[i], square += d * d;
        assert_true(r.needed_exact[i] > r.n_beta[i] * (1 - 1e-9));
    }
    assert_true(fabs(measured - exact) < 5 * sqrt(square));
    for (int t = 0; t <= r.episodes; t++) {
        assert_int_equal(r.explorer[t], r.ideal[t]);
        assert_true(r.cloned[t] <= r.ideal[t]);
    }
    bex_trials_fini(&r);
}

static void a_broken_explorer_is_caught(void **state) {
    (void)state;
    bex_trials r;
    bex_trials_setup broken = SETUP;
    broken.aim = BEX_AIM_LEAST; // goes where it has been
    assert_int_equal(bex_trials_run(&r, &broken, NULL), 0);
    int several = 0;
    for (int i = 0; i < r.trials; i++) several += r.n_beta[i] > 1;
    assert_int_equal(r.violations, several); // nothing to get wrong where n_beta is 1
    assert_true(several > 500 && r.first_violation >= 0 && r.violation_episode == 2);
    bex_trials_fini(&r);
}

static void other_features_do_not_have_the_property(void **state) {
    (void)state;
    bex_trials r;
    bex_trials_setup other = SETUP;
    other.feature = BEX_FEATURE_STATE;
    assert_int_equal(bex_trials_run(&r, &other, NULL), 0);
    assert_true(r.violations > 0 && r.violations < r.trials / 2);
    // the world it names violates on its own, too
    bex_mdp *w = bex_trials_world(other.seed, r.first_violation);
    bex_trials_fini(&r);
    other.trials = 20;
    assert_int_equal(bex_trials_run(&r, &other, w), 0);
    assert_true(r.violations > 0);
    bex_trials_fini(&r);
    bex_mdp_free(w);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    bex_trials r[2];
    int usual = omp_get_max_threads();
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k ? 4 : 1);
        assert_int_equal(bex_trials_run(&r[k], &SETUP, NULL), 0);
    }
    omp_set_num_threads(usual);
    size_t T = (size_t)SETUP.episodes + 1, N = (size_t)SETUP.trials;
    assert_memory_equal(r[0].cloned, r[1].cloned, T * sizeof *r->cloned);
    assert_memory_equal(r[0].cloned_square, r[1].cloned_square, T * sizeof *r->cloned);
    assert_memory_equal(r[0].explorer, r[1].explorer, T * sizeof *r->explorer);
    assert_memory_equal(r[0].seen, r[1].seen, N * sizeof *r->seen);
    assert_memory_equal(r[0].needed_exact, r[1].needed_exact, N * sizeof *r->needed_exact);
    bex_trials_fini(&r[0]), bex_trials_fini(&r[1]);
}

static void two_goals_take_two_episodes(void **state) {
    (void)state;
    static const double ps[] = {0.05, 0.3, 0.5, 0.99};
    for (int k = 0; k < 4; k++) {
        double p = ps[k], closed = 1 / p + 1 / (1 - p) - 1;
        bex_mdp *w = bex_mdp_two_goals(p);
        bex_trials_setup setup = SETUP;
        setup.count_episodes = true;
        bex_trials r;
        assert_int_equal(bex_trials_run(&r, &setup, w), 0);
        assert_int_equal(r.violations, 0);
        assert_close(r.needed_exact[0], closed, 1e-9 * closed);
        assert_close(r.seen_exact[0], 2 - p * p - (1 - p) * (1 - p), 1e-12);
        double mean = 0, square = 0, n = (double)r.trials;
        for (int i = 0; i < r.trials; i++) mean += r.needed[i] / n;
        for (int i = 0; i < r.trials; i++) square += pow(r.needed[i] - mean, 2);
        assert_true(fabs(mean - closed) < 5 * sqrt(square) / n);
        assert_true(r.explorer[2] == 2 * r.trials);
        bex_trials_fini(&r);
        bex_mdp_free(w);
    }
}

static void coupon_collector_known_values(void **state) {
    (void)state;
    double w[20], harmonic = 0;
    for (int n = 1; n <= 20; n++) {
        harmonic += 1.0 / n;
        for (int i = 0; i < n; i++) w[i] = 1.0 / n;
        assert_close(bex_cloned_episodes(w, n), n * harmonic, 1e-9 * n * harmonic);
    }
    const double rare[] = {1e-12, 1 - 1e-12};
    assert_close(bex_cloned_episodes(rare, 2) * 1e-12, 1, 1e-9);
    assert_true(isinf(bex_cloned_episodes((double[]){0, 1}, 2)));
    assert_close(bex_cloned_distinct((double[]){1}, 1, 7), 1, 0);
    assert_close(bex_cloned_distinct(w, 20, 1), 1, 1e-12);
    assert_close(bex_cloned_distinct(w, 20, 0), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_in_random_worlds),
        cmocka_unit_test(a_broken_explorer_is_caught),
        cmocka_unit_test(other_features_do_not_have_the_property),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(two_goals_take_two_episodes),
        cmocka_unit_test(coupon_collector_known_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
