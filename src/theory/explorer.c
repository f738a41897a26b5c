/* theory/explorer.c - dynamic programming over the reachable states, once an episode. */
#include "theory/explorer.h"

#include "base/error.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

// a probability as value x 2^power: products over long episodes must not underflow
typedef struct scaled {
    double value; // in [0.5, 1)
    int power;
} scaled;

struct bex_explorer {
    const bex_mdp *world;
    bex_finite_feature feature;
    bex_explorer_aim aim;
    double lambda;
    int *visits;     // (S)
    long long *best; // (S) gain of the best continuation, own state included
    scaled *q;       // (S) P_beta[E | s]
    double *flow;    // (S) probability of passing through, for terminals()
    int *choice;     // (S) action of the running episode
};

static bool counted(const bex_explorer *e, int s) {
    return e->feature == BEX_FEATURE_STATE || e->world->terminal[s];
}

// what passing through s adds to coverage, in integers that compare as the real gains do
static long long gain(const bex_explorer *e, int s) {
    double n = e->visits[s], l = e->lambda;
    if (!counted(e, s)) return 0;
    if (e->feature == BEX_FEATURE_TERMINAL) return -e->visits[s];
    return llround(ldexp(l * (1 + l) / ((n + l) * (n + 1 + l)), 46)); // g(n) / g(0)
}

static bool better(const bex_explorer *e, long long a, long long b) {
    return e->aim == BEX_AIM_MOST ? a > b : a < b;
}

// a keeps to the event: beta takes it and it leads to the best continuation of s
static bool keeps(const bex_explorer *e, int s, int a) {
    const bex_mdp *w = e->world;
    int i = s * w->actions + a;
    return w->beta[i] > 0 && e->best[w->next[i]] == e->best[s] - gain(e, s);
}

// the best of what beta can continue with from s
static long long best_next(const bex_explorer *e, int s) {
    const bex_mdp *w = e->world;
    long long most = 0;
    bool found = false;
    for (int i = s * w->actions; i < (s + 1) * w->actions; i++) {
        if (!(w->beta[i] > 0)) continue;
        long long b = e->best[w->next[i]];
        if (!found || better(e, b, most)) most = b, found = true;
    }
    return most;
}

// beta(a|s) q(s')
static scaled share(const bex_explorer *e, int s, int a) {
    const bex_mdp *w = e->world;
    scaled q = e->q[w->next[s * w->actions + a]];
    int beta_power, product_power;
    double beta = frexp(w->beta[s * w->actions + a], &beta_power);
    q.value = frexp(beta * q.value, &product_power);
    q.power += beta_power + product_power;
    return q;
}

static scaled event_probability(const bex_explorer *e, int s) {
    int top = INT_MIN;
    for (int a = 0; a < e->world->actions; a++)
        if (keeps(e, s, a) && share(e, s, a).power > top) top = share(e, s, a).power;
    double sum = 0;
    for (int a = 0; a < e->world->actions; a++) {
        if (!keeps(e, s, a)) continue;
        scaled q = share(e, s, a);
        sum += ldexp(q.value, q.power - top);
    }
    scaled q;
    q.value = frexp(sum, &q.power);
    q.power += top;
    return q;
}

// from the ends of episodes back to the start
static void plan(bex_explorer *e) {
    const bex_mdp *w = e->world;
    for (int i = w->reachable - 1; i >= 0; i--) {
        int s = w->order[i];
        e->best[s] = gain(e, s) + (w->terminal[s] ? 0 : best_next(e, s));
        e->q[s] = w->terminal[s] ? (scaled){0.5, 1} : event_probability(e, s);
    }
}

bex_explorer *bex_explorer_new(const bex_mdp *world, bex_finite_feature feature, double lambda,
                               bex_explorer_aim aim) {
    BEX_CHECK(lambda >= 1e-6 && lambda <= 1e6, "lambda %g", lambda);
    size_t S = (size_t)world->states;
    bex_explorer *e = calloc(1, sizeof *e);
    if (!e) return bex_fail("out of memory"), NULL;
    e->world = world, e->feature = feature, e->aim = aim, e->lambda = lambda;
    e->visits = calloc(S, sizeof *e->visits);
    e->best = malloc(S * sizeof *e->best);
    e->q = malloc(S * sizeof *e->q);
    e->flow = malloc(S * sizeof *e->flow);
    e->choice = malloc(S * sizeof *e->choice);
    if (!e->visits || !e->best || !e->q || !e->flow || !e->choice) {
        bex_explorer_free(e);
        return bex_fail("out of memory for %zu states", S), NULL;
    }
    plan(e);
    return e;
}

void bex_explorer_free(bex_explorer *e) {
    if (!e) return;
    free(e->visits), free(e->best), free(e->q), free(e->flow), free(e->choice);
    free(e);
}

// beta(a|s) q(s') / q(s)
static double chance(const bex_explorer *e, int s, int a) {
    scaled q = share(e, s, a);
    return ldexp(q.value / e->q[s].value, q.power - e->q[s].power);
}

void bex_explorer_policy(const bex_explorer *e, int s, double *p) {
    for (int a = 0; a < e->world->actions; a++) p[a] = keeps(e, s, a) ? chance(e, s, a) : 0;
}

void bex_explorer_terminals(bex_explorer *e, double *p) {
    const bex_mdp *w = e->world;
    for (int i = 0; i < w->reachable; i++) e->flow[w->order[i]] = 0;
    e->flow[w->start] = 1;
    for (int i = 0; i < w->reachable; i++) {
        int s = w->order[i];
        if (w->terminal[s] || !(e->flow[s] > 0)) continue;
        // never rounded to 0: a possible terminal must show
        for (int a = 0; a < w->actions; a++)
            if (keeps(e, s, a))
                e->flow[w->next[s * w->actions + a]] += fmax(e->flow[s] * chance(e, s, a), DBL_MIN);
    }
    for (int i = 0; i < w->n_beta; i++) p[i] = e->flow[w->omega[i]];
}

static int choose(const bex_explorer *e, int s, bex_rng *rng) {
    double u = bex_rng_uniform(rng);
    int chosen = -1;
    // rounding may leave u past the last: then the last action that keeps to the event
    for (int a = 0; a < e->world->actions && (chosen < 0 || u >= 0); a++)
        if (keeps(e, s, a)) chosen = a, u -= chance(e, s, a);
    return chosen;
}

int bex_explorer_episode(bex_explorer *e, bex_rng *rng) {
    const bex_mdp *w = e->world;
    int s = w->start;
    while (!w->terminal[s]) {
        e->choice[s] = choose(e, s, rng);
        s = w->next[s * w->actions + e->choice[s]];
    }
    // the plan rests on the visits: they change only now
    int end = s;
    for (s = w->start; s != end; s = w->next[s * w->actions + e->choice[s]])
        e->visits[s] += counted(e, s);
    e->visits[end]++;
    plan(e);
    return end;
}

int bex_explorer_visits(const bex_explorer *e, int s) {
    return e->visits[s];
}

double bex_explorer_coverage(const bex_explorer *e) {
    double sum = 0;
    for (int s = 0; s < e->world->states; s++)
        if (counted(e, s)) sum += 1 / (e->visits[s] + e->lambda);
    return 1 / sum;
}
