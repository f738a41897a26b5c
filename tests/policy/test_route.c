/* A chosen future, told again from where the body has come to, leads to the same places. */
#include "policy/route.h"

#include "policy/tiny_policy.h"

#include <math.h>

enum { WIDE = TINY_A + 2, CHUNK = TINY_K * WIDE };

static const char *const settings[] = {"model.waypoints=true", "model.reach=0.5",
                                       "diffusion.predicts=chunk", "diffusion.show_waypoints=0.5",
                                       NULL};

// a told chunk, far enough from the ends that ways from nearby are told too
static void told_chunk(bex_real *told) {
    bex_rng g = bex_rng_seed(6);
    for (int i = 0; i < CHUNK; i++) told[i] = R(0.4 * bex_rng_uniform(&g) - 0.2);
}

// where waypoint k of x leads from `state`, dim i
static bex_real leads(const bex_policy *p, const bex_real *x, int k, int i, const bex_real *state) {
    return bex_waypoint_decode(&p->chunk, &p->normaliser, k, i, x[k * WIDE + TINY_A + i], state[i]);
}

static void the_places_stay(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(settings, 0, 1);
    bex_route *l = bex_route_new(p);
    bex_real told[CHUNK], x[CHUNK], at[TINY_O], later[TINY_O];
    double gap = (double)p->config.coverage.future / TINY_K; // steps between waypoints
    told_chunk(told);
    tiny_state(at, 0, 0);
    memcpy(later, at, sizeof at);
    for (int i = 0; i < 2; i++) later[i] += R(0.03) * p->normaliser.std[i];
    bex_route_set(l, told, at);
    for (int i = 0; i < CHUNK; i++) x[i] = R(9);
    bex_route_show(l, 0, at, x);
    for (int i = 0; i < CHUNK; i++)
        assert_true(i % WIDE < TINY_A ? x[i] == R(9) : fabs((double)(x[i] - told[i])) < 1e-5);
    for (int half = 0; half <= 2 * TINY_K; half++) { // so many half waypoints later
        bex_route_show(l, half * gap / 2, later, x);
        for (int k = 0; k < TINY_K; k++)
            for (int i = 0; i < 2; i++) {
                int a = k + half / 2, b = k + (half + 1) / 2, last = TINY_K - 1;
                double want = ((double)leads(p, told, a < last ? a : last, i, at) +
                               (double)leads(p, told, b < last ? b : last, i, at)) /
                              2;
                assert_true(fabs((double)leads(p, x, k, i, later) - want) < 1e-5);
            }
    }
    bex_route_free(l);
    bex_policy_free(p);
}

// 1 is as far as a way is told
static void far_places_are_clipped(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(settings, 0, 1);
    bex_route *l = bex_route_new(p);
    bex_real told[CHUNK], x[CHUNK], at[TINY_O];
    told_chunk(told);
    tiny_state(at, 0, 0);
    bex_route_set(l, told, at);
    at[0] += R(1e4), at[1] -= R(1e4);
    bex_route_show(l, 3, at, x);
    for (int k = 0; k < TINY_K; k++) {
        assert_true(x[k * WIDE + TINY_A] == R(-1));
        assert_true(x[k * WIDE + TINY_A + 1] == R(1));
    }
    bex_route_free(l);
    bex_policy_free(p);
}

static void needs_ways(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *some[4] = {0};
        for (int k = 0, n = 0; k < 4; k++)
            if (k != i) some[n++] = settings[k];
        bex_policy_config c = tiny_config((const char *[]){some[0], some[1], some[2], NULL});
        assert_null(bex_policy_new(&c, TINY_O, TINY_A, 0, 0, 0, 1));
        assert_message("diffusion.show_waypoints needs");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_places_stay),
        cmocka_unit_test(far_places_are_clipped),
        cmocka_unit_test(needs_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
