/* theory/proposition.c - trials of the proposition. */
#include "theory/proposition.h"

#include "base/error.h"
#include "theory/cloned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bex_mdp *bex_trials_world(uint64_t seed, long long trial) {
    return bex_mdp_random(bex_rng_split(bex_rng_seed(seed), "world", (uint64_t)trial));
}

// what one thread adds up, and its scratch for the world at hand
typedef struct tally {
    long long *explorer, *cloned, *cloned_square, *ideal; // (episodes + 1)
    long long violations, first;
    int episode;
    bool failed;
} tally;

// episode at which the claim breaks, 0 if it holds; distinct (n_beta + 1) counts after t episodes
static int play_explorer(const bex_mdp *w, const bex_trials_setup *u, bex_rng rng, double *p,
                         int *distinct) {
    bex_explorer *e = bex_explorer_new(w, u->feature, u->lambda, u->aim);
    int broken = 0;
    if (!e) return -1;
    distinct[0] = 0;
    for (int t = 1; t <= w->n_beta; t++) {
        bool may_repeat = false;
        bex_explorer_terminals(e, p);
        for (int i = 0; i < w->n_beta; i++)
            may_repeat |= p[i] > 0 && bex_explorer_visits(e, w->omega[i]) > 0;
        int end = bex_explorer_episode(e, &rng);
        bool fresh = bex_explorer_visits(e, end) == 1;
        distinct[t] = distinct[t - 1] + fresh;
        if (!broken && (may_repeat || !fresh)) broken = t;
    }
    bex_explorer_free(e);
    return broken;
}

// distinct (episodes + 1); *after: at n_beta episodes; returns episodes until all were seen if asked
static long long play_cloned(const bex_mdp *w, const bex_trials_setup *u, bex_rng rng, char *seen,
                             int *distinct, int *after) {
    int found = 0;
    long long all = 0;
    memset(seen, 0, (size_t)w->states);
    distinct[0] = 0;
    for (long long t = 1; t <= u->episodes || t <= w->n_beta || (u->count_episodes && !all); t++) {
        int end = bex_cloned_episode(w, &rng);
        found += !seen[end];
        seen[end] = 1;
        if (t <= u->episodes) distinct[t] = found;
        if (t == w->n_beta) *after = found;
        if (!all && found == w->n_beta) all = t;
    }
    return all;
}

static void add_curves(tally *sum, int episodes, int n_beta, const int *explored,
                       const int *cloned) {
    for (int t = 0; t <= episodes; t++) {
        int k = t < n_beta ? t : n_beta;
        sum->ideal[t] += k;
        sum->explorer[t] += explored[k];
        sum->cloned[t] += cloned[t];
        sum->cloned_square[t] += (long long)cloned[t] * cloned[t];
    }
}

static int run_trial(bex_trials *r, const bex_trials_setup *u, const bex_mdp *w, long long i,
                     tally *sum) {
    int n = w->n_beta, episodes = u->episodes, code = -1;
    bex_rng rng = bex_rng_split(bex_rng_seed(u->seed), "play", (uint64_t)i);
    int *counts = malloc((size_t)(n + episodes + 2) * sizeof *counts);
    double *p = malloc((size_t)n * sizeof *p);
    char *seen = malloc((size_t)w->states);
    if (!counts || !p || !seen) goto done;
    int *explored = counts, *cloned = counts + n + 1;
    int broken = play_explorer(w, u, bex_rng_split(rng, "explorer", 0), p, explored);
    if (broken < 0 || bex_cloned_terminals(w, p) < 0) goto done;
    r->n_beta[i] = n;
    for (int s = 0; s < w->states; s++) r->terminals[i] += w->terminal[s];
    r->explored[i] = explored[n];
    r->seen_exact[i] = bex_cloned_distinct(p, n, n);
    r->needed_exact[i] = bex_cloned_episodes(p, n);
    long long all = play_cloned(w, u, bex_rng_split(rng, "cloned", 0), seen, cloned, &r->seen[i]);
    if (r->needed) r->needed[i] = (double)all;
    add_curves(sum, episodes, n, explored, cloned);
    if (broken) {
        sum->violations++;
        if (sum->first < 0 || i < sum->first) sum->first = i, sum->episode = broken;
    }
    code = 0;
done:
    free(counts), free(p), free(seen);
    return code;
}

static int tally_init(tally *y, int episodes) {
    *y = (tally){.first = -1};
    y->explorer = calloc(4 * ((size_t)episodes + 1), sizeof *y->explorer);
    y->failed = !y->explorer;
    if (y->failed) return -1;
    y->cloned = y->explorer + episodes + 1;
    y->cloned_square = y->cloned + episodes + 1;
    y->ideal = y->cloned_square + episodes + 1;
    return 0;
}

static void merge(bex_trials *r, const tally *y) {
    for (int t = 0; t <= r->episodes; t++) {
        r->explorer[t] += y->explorer[t];
        r->cloned[t] += y->cloned[t];
        r->cloned_square[t] += y->cloned_square[t];
        r->ideal[t] += y->ideal[t];
    }
    r->violations += y->violations;
    if (y->first >= 0 && (r->first_violation < 0 || y->first < r->first_violation))
        r->first_violation = y->first, r->violation_episode = y->episode;
}

static int result_init(bex_trials *r, const bex_trials_setup *u) {
    size_t points = (size_t)u->episodes + 1, trials = (size_t)u->trials;
    *r = (bex_trials){.trials = u->trials, .first_violation = -1, .episodes = u->episodes};
    r->explorer = calloc(points, sizeof *r->explorer);
    r->cloned = calloc(points, sizeof *r->cloned);
    r->cloned_square = calloc(points, sizeof *r->cloned_square);
    r->ideal = calloc(points, sizeof *r->ideal);
    r->n_beta = calloc(trials, sizeof *r->n_beta);
    r->terminals = calloc(trials, sizeof *r->terminals);
    r->explored = calloc(trials, sizeof *r->explored);
    r->seen = calloc(trials, sizeof *r->seen);
    r->seen_exact = calloc(trials, sizeof *r->seen_exact);
    r->needed_exact = calloc(trials, sizeof *r->needed_exact);
    if (u->count_episodes) r->needed = calloc(trials, sizeof *r->needed);
    bool whole = r->explorer && r->cloned && r->cloned_square && r->ideal && r->n_beta &&
                 r->terminals && r->explored && r->seen && r->seen_exact && r->needed_exact &&
                 (r->needed || !u->count_episodes);
    return whole ? 0 : bex_fail("out of memory for %lld trials", u->trials);
}

int bex_trials_run(bex_trials *r, const bex_trials_setup *u, const bex_mdp *world) {
    BEX_CHECK(u->trials > 0 && u->episodes > 0, "%lld trials, %d episodes", u->trials, u->episodes);
    if (result_init(r, u) < 0) return -1;
    bool failed = false;
#pragma omp parallel
    {
        tally mine;
        tally_init(&mine, u->episodes);
#pragma omp for schedule(dynamic, 16)
        for (long long i = 0; i < u->trials; i++) {
            if (mine.failed) continue;
            bex_mdp *drawn = world ? NULL : bex_trials_world(u->seed, i);
            const bex_mdp *w = world ? world : drawn;
            if (!w || run_trial(r, u, w, i, &mine) < 0) mine.failed = true;
            bex_mdp_free(drawn);
        }
#pragma omp critical
        {
            if (mine.failed)
                failed = true;
            else
                merge(r, &mine);
        }
        free(mine.explorer);
    }
    return failed ? bex_fail("out of memory after starting %lld trials", u->trials) : 0;
}

void bex_trials_fini(bex_trials *r) {
    free(r->explorer), free(r->cloned), free(r->cloned_square), free(r->ideal);
    free(r->n_beta), free(r->terminals), free(r->explored), free(r->seen);
    free(r->seen_exact), free(r->needed_exact), free(r->needed);
    *r = (bex_trials){0};
}
