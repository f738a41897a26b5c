/* What demonstrators did is told from what nobody did. */
#include "base/error.h"
#include "policy/choice.h"
#include "policy/control.h"
#include "policy/support.h"
#include "policy/tiny_policy.h"

#include "malloc_count.h"

#include <math.h>
#include <unistd.h>

enum { O = 3, ROWS = 5000, PLACES = 400 };

// a ring of radius 2 in dims 0 and 2, at (10, -3); dim 1 is noise
static void ring(bex_real *states, bex_rng *g) {
    for (int i = 0; i < ROWS; i++) {
        double at = 2 * M_PI * bex_rng_uniform(g), wide = 2 + 0.02 * bex_rng_normal(g);
        states[i * O] = R(10 + wide * cos(at));
        states[i * O + 1] = R(100 * bex_rng_normal(g));
        states[i * O + 2] = R(-3 + wide * sin(at));
    }
}

static bex_support *support_of(const bex_real *states, bex_normaliser *n) {
    bex_real actions[ROWS];
    for (int i = 0; i < ROWS; i++) actions[i] = R(i % 2);
    assert_int_equal(bex_normaliser_fit(n, states, actions, ROWS, O, 1, false), 0);
    bex_support *s =
        bex_support_fit(n, states, ROWS, (const int[]){0, 2}, 2, PLACES, bex_rng_seed(7));
    if (!s) fail_msg("%s", bex_error());
    return s;
}

static void a_ring_is_told_from_its_middle(void **state) {
    (void)state;
    static bex_real states[ROWS * O], others[ROWS * O];
    bex_rng g = bex_rng_seed(1);
    bex_normaliser n;
    ring(states, &g);
    ring(others, &g);
    bex_support *s = support_of(states, &n);
    int off = 0;
    long before = malloc_calls();
    for (int i = 0; i < ROWS; i++) off += bex_support_off(s, others + i * O) > 1;
    assert_int_equal(malloc_calls() - before, 0);
    assert_in_range(off, 0, ROWS / 200); // further out than any of the first
    for (int i = 0; i < 8; i++) {
        double at = 2 * M_PI * i / 8;
        for (double r = 0; r < 4; r += 0.5) {
            bex_real x[O] = {R(10 + r * cos(at)), R(1e6), R(-3 + r * sin(at))};
            if (r != 2) assert_true(bex_support_off(s, x) > 1);
        }
    }
    bex_support_free(s);
    bex_normaliser_fini(&n);
}

// two rows of 5000 are enough: demonstrators were there
static void rare_places_are_places(void **state) {
    (void)state;
    static bex_real states[ROWS * O];
    bex_rng g = bex_rng_seed(3);
    bex_normaliser n;
    ring(states, &g);
    for (int i = 0; i < 2; i++)
        states[(3000 + i) * O] = R(14 + 0.01 * i), states[(3000 + i) * O + 2] = R(-3);
    bex_support *s = support_of(states, &n);
    for (int i = 0; i < 2; i++) assert_true(bex_support_off(s, states + (3000 + i) * O) <= 1);
    const bex_real between[O] = {R(13), 0, R(-3)}, beyond[O] = {R(15), 0, R(-3)};
    assert_true(bex_support_off(s, between) > 1 && bex_support_off(s, beyond) > 1);
    bex_support_free(s);
    bex_normaliser_fini(&n);
}

static void a_file_keeps_it(void **state) {
    (void)state;
    static bex_real states[ROWS * O];
    bex_rng g = bex_rng_seed(2);
    bex_normaliser n;
    ring(states, &g);
    bex_support *s = support_of(states, &n);
    const char *path = scratch_path("support");
    bex_st_writer *w = bex_st_writer_new();
    bex_support_save(s, w);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *f = bex_st_load(path);
    bex_support *again = bex_support_load(f, &n, (const int[]){0, 2}, 2, PLACES);
    if (!again) fail_msg("%s", bex_error());
    for (int i = 0; i < ROWS; i++)
        assert_true(bex_support_off(s, states + i * O) == bex_support_off(again, states + i * O));
    assert_null(bex_support_load(f, &n, (const int[]){0, 2}, 2, PLACES + 1));
    assert_message("support.place");
    bex_st_free(f);
    unlink(path);
    bex_support_free(again);
    bex_support_free(s);
    bex_normaliser_fini(&n);
}

static void one_place_is_no_support(void **state) {
    (void)state;
    static bex_real states[ROWS * O];
    bex_real actions[2] = {0, 1}, ends[2 * O] = {0, 0, 0, 1, 1, 1};
    bex_normaliser n;
    assert_int_equal(bex_normaliser_fit(&n, ends, actions, 2, O, 1, false), 0);
    assert_null(bex_support_fit(&n, states, ROWS, (const int[]){0, 2}, 2, 9, bex_rng_seed(1)));
    assert_message("the same few places");
    assert_null(bex_support_fit(&n, states, 20, (const int[]){0, 2}, 2, 11, bex_rng_seed(1)));
    assert_message("coverage.support 11: the demonstrations have 10 states to choose among");
    bex_normaliser_fini(&n);
}

/* Demonstrators were only where proposal `at` leads: asked for the most covering or the least, that one is
 * taken, and without support another. */
static void what_nobody_did_is_left_out(void **state) {
    (void)state;
    enum { N = 9, WIDE = TINY_A + 2, CHUNK = TINY_K * WIDE };
    static const char *const setting[] = {"model.waypoints=true", NULL};
    bex_policy *p = tiny_policy(setting, 0, 1);
    bex_choice *c = bex_choice_new(p, N);
    bex_rng g = bex_rng_seed(3);
    bex_real x[N * CHUNK], now[TINY_O];
    double history[BEX_GRAM_MOST];
    tiny_state(now, 0, 0);
    for (int i = 0; i < N * CHUNK; i++) x[i] = R(2 * bex_rng_uniform(&g) - 1);
    bex_gram_zero(bex_feature_shape(p->phi), history);
    assert_int_equal(bex_choice_history(c, history), 0);
    for (int at = 0; at < N; at++) {
        static bex_real states[ROWS * TINY_O];
        for (int i = 0; i < ROWS; i++)
            for (int d = 0; d < 2; d++) {
                bex_real to = x[at * CHUNK + i % TINY_K * WIDE + TINY_A + d];
                states[i * TINY_O + d] = R((double)bex_waypoint_decode(&p->chunk, &p->normaliser,
                                                                       i % TINY_K, d, to, now[d]) +
                                           0.01 * bex_rng_normal(&g));
            }
        const double ask[] = {1e3, -1e3};
        int plain[2] = {-1, -1};
        for (int k = 0; k < 2; k++)
            assert_int_equal(bex_choice_make(c, x, N, now, ask[k], &plain[k]), 0);
        assert_int_not_equal(plain[0], plain[1]);
        p->support =
            bex_support_fit(&p->normaliser, states, ROWS, p->chunk.dim, 2, 100, bex_rng_seed(4));
        for (int k = 0; k < 2; k++) {
            int best = -1;
            assert_int_equal(bex_choice_make(c, x, N, now, ask[k], &best), 0);
            assert_int_equal(best, at);
        }
        bex_support_free(p->support);
        p->support = NULL;
    }
    bex_choice_free(c);
    bex_policy_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_is_told_from_its_middle),
        cmocka_unit_test(rare_places_are_places),
        cmocka_unit_test(a_file_keeps_it),
        cmocka_unit_test(one_place_is_no_support),
        cmocka_unit_test(what_nobody_did_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
