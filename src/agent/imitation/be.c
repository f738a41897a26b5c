/* agent/imitation/be.c - Behavioral Exploration: imitation conditioned on history and on cov(history u
 * future).
 *
 * Peculiar to it: phi over all demonstration states with prefix sums, a bank of dataset futures, the
 * statistics that make coverage a network input, and the label of each training window.
 *
 * coverage.novelty: the label z(h,tau) is mostly the future's own reach. own(tau), its mean over a sample
 * of histories, is taken out; what is left says which futures are new to this history.
 * Equations and choices: docs/agents/be.md. Results: docs/experiments. */
#include "agent/imitation/be.h"

#include "agent/imitation/imitation.h"
#include "agent/imitation/rank_labels.h"
#include "base/error.h"
#include "coverage/label.h"
#include "coverage/prefix.h"

#include <stdlib.h>

enum { FIT_WINDOWS = 4096, OWN_HISTORIES = 24, OWN_WINDOWS = 4096 };

// the labels of one part of the demonstrations
typedef struct {
    bex_labeller base;
    const bex_policy *policy; // its condition
    bex_prefix *prefix;
    bex_real *own; // (rows) with coverage.novelty: what a future has by itself; else NULL
} coverage_labels;

static void free_labels(bex_labeller *labeller) {
    coverage_labels *l = (coverage_labels *)labeller;
    bex_prefix_free(l->prefix);
    free(l->own);
    free(l);
}

// z = (log_cov - mean_h) / std_h becomes z - own(tau)
static void take_out_own(const coverage_labels *l, const int *first, double *log_cov,
                         const bex_moments *moments, size_t n) {
    for (size_t i = 0; l->own && i < n; i++)
        log_cov[i] -= (double)l->own[first[i]] * moments[i].std;
}

static int label(const bex_labeller *labeller, bex_arena *arena, const bex_window_groups *g,
                 bex_real *value) {
    const coverage_labels *l = (const coverage_labels *)labeller;
    const bex_condition *c = l->policy->condition;
    size_t B = (size_t)g->groups * (size_t)g->S;
    bool relative = bex_condition_normalise(c) == BEX_NORMALISE_HISTORY;
    int *first = bex_arena_alloc(arena, B * sizeof *first);
    int *count = bex_arena_alloc(arena, B * sizeof *count);
    double *log_cov = bex_arena_alloc(arena, B * sizeof *log_cov);
    bex_moments *moments = relative ? bex_arena_alloc(arena, B * sizeof *moments) : NULL;
    for (size_t i = 0; i < B; i++) first[i] = g->window[i].row, count[i] = g->window[i].future_rows;
    bex_label_query q = {g->groups, g->N, g->S, g->history, first, count};
    if (bex_label(log_cov, moments, l->prefix, c, &q, 1) < 0) return -1;
    take_out_own(l, first, log_cov, moments, B);
    for (size_t i = 0; i < B; i++)
        value[i] = (bex_real)bex_condition_value(c, log_cov[i], moments ? &moments[i] : NULL);
    return 0;
}

static int add_labels(bex_imitation_part *part, const bex_imitation *a) {
    if (!part->data) return 0;
    coverage_labels *l = calloc(1, sizeof *l);
    if (!l) return bex_fail("out of memory");
    *l = (coverage_labels){.base = {.label = label, .free = free_labels}, .policy = a->policy};
    part->labeller = &l->base;
    l->prefix = bex_prefix_new(a->policy->phi, part->data->observations, part->data->rows,
                               &(bex_prefix_options){.threads = (int)a->config.train.threads});
    if (!l->prefix) return -1;
    l->base.bytes = bex_prefix_bytes(l->prefix);
    return 0;
}

static coverage_labels *labels_of(const bex_imitation_part *part) {
    return (coverage_labels *)part->labeller;
}

// the bank: futures of windows drawn as in training
static bex_condition *condition_of(const bex_imitation *a) {
    const bex_coverage_config *c = &a->config.policy.coverage;
    bex_gram_shape shape = bex_feature_shape(a->policy->phi);
    int M = (int)c->bank;
    double *bank = malloc((size_t)M * bex_gram_size(shape) * sizeof *bank);
    int *first = malloc((size_t)M * sizeof *first);
    int *count = malloc((size_t)M * sizeof *count);
    bex_condition *result = NULL;
    if (bank && first && count) {
        for (int i = 0; i < M; i++) {
            bex_window w = bex_windows_draw(a->train.windows, UINT64_MAX, i);
            first[i] = w.row, count[i] = w.future_rows;
        }
        bex_label_bank(bank, labels_of(&a->train)->prefix, first, count, M);
        result = bex_condition_new((bex_normalise)c->normalise, shape, c->lambda, bank, M);
    } else {
        bex_fail("out of memory: %d futures", M);
    }
    free(bank);
    free(first);
    free(count);
    return result;
}

// statistics of the network's input over training windows, one window a history
static int fit(bex_imitation *a) {
    const coverage_labels *l = labels_of(&a->train);
    int N = a->policy->dit.o.N, code = -1;
    int *history = malloc((size_t)FIT_WINDOWS * (size_t)N * sizeof *history);
    int *first = malloc(FIT_WINDOWS * sizeof *first);
    int *count = malloc(FIT_WINDOWS * sizeof *count);
    double *log_cov = malloc(FIT_WINDOWS * sizeof *log_cov);
    bex_moments *moments = malloc(FIT_WINDOWS * sizeof *moments);
    bool relative = bex_condition_normalise(a->policy->condition) == BEX_NORMALISE_HISTORY;
    if (!history || !first || !count || !log_cov || !moments) {
        bex_fail("out of memory");
        goto done;
    }
    for (int i = 0; i < FIT_WINDOWS; i++) {
        bex_window w = bex_windows_draw(a->train.windows, UINT64_MAX - 1, i);
        bex_training_history_draw(&a->train.history, UINT64_MAX - 1, i,
                                  history + (size_t)i * (size_t)N);
        first[i] = w.row, count[i] = w.future_rows;
    }
    bex_label_query q = {FIT_WINDOWS, N, 1, history, first, count};
    code = bex_label(log_cov, relative ? moments : NULL, l->prefix, a->policy->condition, &q,
                     (int)a->config.train.threads);
    if (!code) take_out_own(l, first, log_cov, moments, FIT_WINDOWS);
    if (!code)
        code = bex_condition_fit(a->policy->condition, log_cov, relative ? moments : NULL,
                                 FIT_WINDOWS);
done:
    free(history);
    free(first);
    free(count);
    free(log_cov);
    free(moments);
    return code;
}

static int no_novelty(void) {
    return bex_fail("coverage.novelty needs coverage.normalise = history");
}

typedef struct {
    int *rows, *first, *count; // (OWN_HISTORIES,N), (OWN_HISTORIES,OWN_WINDOWS) twice
    double *log_cov;
    bex_moments *moments;
} own_scratch;

// own(tau) of windows low .. low + n - 1: mean of z over the histories
static int own_of(const bex_imitation *a, const bex_imitation_part *part, own_scratch *s,
                  long long low, int n) {
    coverage_labels *l = labels_of(part);
    for (int i = 0; i < n; i++) {
        bex_window w = bex_windows_at(part->windows, low + i);
        for (int b = 0; b < OWN_HISTORIES; b++)
            s->first[b * n + i] = w.row, s->count[b * n + i] = w.future_rows;
    }
    bex_label_query q = {OWN_HISTORIES, a->policy->dit.o.N, n, s->rows, s->first, s->count};
    if (bex_label(s->log_cov, s->moments, l->prefix, a->policy->condition, &q,
                  (int)a->config.train.threads) < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int b = 0; b < OWN_HISTORIES; b++) {
            bex_moments m = s->moments[b * n + i];
            sum += (s->log_cov[b * n + i] - m.mean) / m.std;
        }
        l->own[s->first[i]] = (bex_real)(sum / OWN_HISTORIES);
    }
    return 0;
}

// own(tau) of every window, over histories drawn as in training
static int find_own(const bex_imitation *a, const bex_imitation_part *part) {
    if (!part->data || !a->config.policy.coverage.novelty) return 0;
    if (a->config.policy.coverage.normalise != BEX_NORMALISE_HISTORY) return no_novelty();
    int N = a->policy->dit.o.N, code = 0;
    size_t most = (size_t)OWN_HISTORIES * OWN_WINDOWS;
    coverage_labels *l = labels_of(part);
    own_scratch s = {malloc((size_t)OWN_HISTORIES * (size_t)N * sizeof *s.rows),
                     malloc(most * sizeof *s.first), malloc(most * sizeof *s.count),
                     malloc(most * sizeof *s.log_cov), malloc(most * sizeof *s.moments)};
    l->own = calloc((size_t)part->data->rows, sizeof *l->own);
    if (!s.rows || !s.first || !s.count || !s.log_cov || !s.moments || !l->own)
        code = bex_fail("out of memory");
    for (int b = 0; !code && b < OWN_HISTORIES; b++)
        bex_training_history_draw(&part->history, UINT64_MAX - 2, b, s.rows + b * N);
    long long all = bex_windows_starts(part->windows);
    for (long long low = 0; !code && low < all; low += OWN_WINDOWS)
        code = own_of(a, part, &s, low, all - low < OWN_WINDOWS ? (int)(all - low) : OWN_WINDOWS);
    free(s.rows);
    free(s.first);
    free(s.count);
    free(s.log_cov);
    free(s.moments);
    return code;
}

// the states that tell what a future can be
static int find_support(bex_imitation *a) {
    bex_policy *p = a->policy;
    const bex_dataset *d = a->train.data;
    int places = (int)a->config.policy.coverage.support;
    if (!places) return 0;
    bex_rng g = bex_rng_split(bex_rng_seed((uint64_t)a->config.train.seed), "places", 0);
    p->support = bex_support_fit(&p->normaliser, d->observations, d->rows, p->chunk.dim, p->chunk.W,
                                 places, g);
    return p->support ? 0 : -1;
}

static int prepare_ranks(bex_imitation *a) {
    if (a->config.policy.coverage.novelty) return no_novelty();
    if (bex_rank_labels_add(&a->train, a) < 0 || bex_rank_labels_add(&a->held, a) < 0) return -1;
    a->policy->condition = bex_rank_labels_condition(a);
    return a->policy->condition ? find_support(a) : -1;
}

int bex_be_label_held(bex_imitation *a) {
    if (a->config.policy.coverage.normalise == BEX_NORMALISE_RANK)
        return bex_rank_labels_add(&a->held, a);
    return add_labels(&a->held, a) < 0 ? -1 : find_own(a, &a->held);
}

// while rows are in the world's units
static int prepare(bex_imitation *a) {
    if (a->config.policy.coverage.normalise == BEX_NORMALISE_RANK) return prepare_ranks(a);
    if (add_labels(&a->train, a) < 0 || add_labels(&a->held, a) < 0) return -1;
    a->policy->condition = condition_of(a);
    if (!a->policy->condition) return -1;
    if (find_own(a, &a->train) < 0 || find_own(a, &a->held) < 0) return -1;
    return fit(a) < 0 ? -1 : find_support(a);
}

static bex_agent *make(const bex_train_config *config, bex_sources *sources) {
    return bex_imitation_new(&bex_agent_be, config, sources, prepare);
}

const bex_agent_class bex_agent_be = {.new = make, BEX_IMITATION_FUNCTIONS};
