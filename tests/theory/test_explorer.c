/* The explorer against its definition by brute force: enumerate every trajectory of beta, keep those
 * of greatest coverage, condition. And the corners: ties, vanishing probabilities. */
#include "theory/explorer.h"

#include "base/error.h"

#include "test.h"

#include <math.h>

// cmocka compares in float
#define assert_close(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { MOST_STATES = 128, MOST_DEPTH = 8 };

static int compare_ints(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// sum of 1 / (N + lambda) over sorted counts: equal multisets give equal bits
static double trace(const bex_mdp *w, const int *visits, bex_finite_feature feature,
                    double lambda) {
    int counts[MOST_STATES], n = 0;
    for (int s = 0; s < w->states; s++)
        if (feature == BEX_FEATURE_STATE || w->terminal[s]) counts[n++] = visits[s];
    qsort(counts, (size_t)n, sizeof *counts, compare_ints);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += 1 / (counts[i] + lambda);
    return sum;
}

typedef struct brute {
    const bex_mdp *w;
    bex_finite_feature feature;
    double lambda;
    int visits[MOST_STATES];
    int path[MOST_DEPTH], actions[MOST_DEPTH];
    double least;                    // smallest trace = greatest coverage
    double mass[MOST_STATES][2 * 8]; // P_beta[pass s, take a, E]
} brute;

// pass 0 finds the least trace, pass 1 gathers the trajectories that attain it
static void enumerate(brute *b, int s, int depth, double p, int pass) {
    const bex_mdp *w = b->w;
    bool counts = b->feature == BEX_FEATURE_STATE || w->terminal[s];
    b->path[depth] = s;
    b->visits[s] += counts;
    if (w->terminal[s]) {
        double t = trace(w, b->visits, b->feature, b->lambda);
        if (pass == 0) b->least = fmin(b->least, t);
        if (pass == 1 && t <= b->least * (1 + 1e-13))
            for (int k = 0; k < depth; k++) b->mass[b->path[k]][b->actions[k]] += p;
    } else {
        for (int a = 0; a < w->actions; a++) {
            double q = w->beta[s * w->actions + a];
            b->actions[depth] = a;
            if (q > 0) enumerate(b, w->next[s * w->actions + a], depth + 1, p * q, pass);
        }
    }
    b->visits[s] -= counts;
}

static void check_policy(const bex_mdp *w, const bex_explorer *e, brute *b) {
    b->least = INFINITY;
    memset(b->mass, 0, sizeof b->mass);
    enumerate(b, w->start, 0, 1, 0);
    enumerate(b, w->start, 0, 1, 1);
    for (int i = 0; i < w->reachable; i++) {
        int s = w->order[i];
        double total = 0, p[8];
        for (int a = 0; a < w->actions; a++) total += b->mass[s][a];
        if (w->terminal[s] || total == 0) continue;
        bex_explorer_policy(e, s, p);
        for (int a = 0; a < w->actions; a++) {
            double want = b->mass[s][a] / total;
            if (fabs(p[a] - want) > 1e-11 || (want == 0) != (p[a] == 0))
                fail_msg("state %d action %d: %.17g, by definition %.17g", s, a, p[a], want);
        }
    }
}

static void policy_equals_its_definition(void **state) {
    (void)state;
    static brute b;
    for (int feature = BEX_FEATURE_TERMINAL; feature <= BEX_FEATURE_STATE; feature++)
        for (uint64_t i = 0; i < 150; i++) {
            bex_rng rng = bex_rng_split(bex_rng_seed(21), "world", i);
            bex_mdp *w = bex_mdp_random(rng);
            assert_true(w->states <= MOST_STATES && w->actions <= 8);
            b = (brute){.w = w, .feature = (bex_finite_feature)feature, .lambda = 0.01};
            bex_explorer *e = bex_explorer_new(w, b.feature, b.lambda, BEX_AIM_MOST);
            for (int t = 0; t < 4; t++) {
                check_policy(w, e, &b);
                bex_explorer_episode(e, &rng);
                for (int s = 0; s < w->states; s++) b.visits[s] = bex_explorer_visits(e, s);
                double cov = 1 / trace(w, b.visits, b.feature, b.lambda);
                assert_close(bex_explorer_coverage(e), cov, 1e-12 * cov);
            }
            bex_explorer_free(e);
            bex_mdp_free(w);
        }
}

static void with_all_equal_it_is_beta(void **state) {
    (void)state;
    bex_mdp *w = bex_mdp_load(BEX_SOURCE_DIR "/examples/worlds/corridors.txt");
    assert_non_null(w);
    bex_explorer *e = bex_explorer_new(w, BEX_FEATURE_TERMINAL, 0.01, BEX_AIM_MOST);
    double p[3];
    // nothing seen: every terminal ties, the event is certain
    for (int s = 0; s < w->states; s++) {
        if (w->terminal[s]) continue;
        bex_explorer_policy(e, s, p);
        for (int a = 0; a < 3; a++) assert_close(p[a], w->beta[s * 3 + a], 1e-15);
    }
    assert_close(bex_explorer_coverage(e), 0.01 / 6, 1e-15); // lambda / d
    bex_explorer_free(e);
    bex_mdp_free(w);
}

// 1000 steps, each taken with probability p: P_beta of the far end is p^1000
static void check_far_end(double p_step) {
    enum { N = 1000, NEAR = N, FAR = N + 1 };
    bex_mdp *w = bex_mdp_new(N + 2, 2, N, 0);
    int s, a;
    w->terminal[NEAR] = w->terminal[FAR] = true;
    for (int i = 0; i < N; i++) {
        bex_mdp_set(w, i, 0, NEAR, 1 - p_step);
        bex_mdp_set(w, i, 1, i + 1 < N ? i + 1 : FAR, p_step);
    }
    assert_int_equal(bex_mdp_seal(w, &s, &a), 0);
    bex_explorer *e = bex_explorer_new(w, BEX_FEATURE_TERMINAL, 0.01, BEX_AIM_MOST);
    bex_rng rng = bex_rng_seed(1);
    double p[2], ends[2];
    assert_int_equal(bex_explorer_episode(e, &rng), NEAR);
    bex_explorer_policy(e, 0, p);
    assert_true(p[0] == 0);
    assert_close(p[1], 1, 1e-12);
    bex_explorer_terminals(e, ends);
    assert_true(ends[0] == 0 && fabs(ends[1] - 1) < 1e-9);
    assert_int_equal(bex_explorer_episode(e, &rng), FAR);
    bex_explorer_free(e);
    bex_mdp_free(w);
}

static void vanishing_probability_is_still_chosen(void **state) {
    (void)state;
    check_far_end(1e-6);
    check_far_end(5e-324); // the smallest double
}

static void terminals_match_play(void **state) {
    (void)state;
    bex_mdp *w = bex_mdp_load(BEX_SOURCE_DIR "/examples/worlds/corridors.txt");
    enum { PLAYS = 20000 };
    double p[8];
    int count[8] = {0};
    bex_rng rng = bex_rng_seed(3);
    for (int i = 0; i < PLAYS; i++) {
        bex_explorer *e = bex_explorer_new(w, BEX_FEATURE_TERMINAL, 0.01, BEX_AIM_MOST);
        if (i == 0) bex_explorer_terminals(e, p);
        int end = bex_explorer_episode(e, &rng);
        for (int k = 0; k < w->n_beta; k++) count[k] += w->omega[k] == end;
        bex_explorer_free(e);
    }
    double sum = 0;
    for (int k = 0; k < w->n_beta; k++) {
        sum += p[k];
        assert_close((double)count[k] / PLAYS, p[k], 5 * sqrt(p[k] / PLAYS) + 1e-9);
    }
    assert_close(sum, 1, 1e-12);
    bex_mdp_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policy_equals_its_definition),
        cmocka_unit_test(with_all_equal_it_is_beta),
        cmocka_unit_test(vanishing_probability_is_still_chosen),
        cmocka_unit_test(terminals_match_play),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
