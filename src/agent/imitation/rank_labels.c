/* agent/imitation/rank_labels.c - places, the coverage of their futures, ranks. */
#include "agent/imitation/rank_labels.h"

#include "agent/imitation/here.h"
#include "base/error.h"
#include "coverage/coverage.h"
#include "coverage/prefix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bex_labeller base;
    const bex_imitation *a;
    const bex_imitation_part *part;
    bex_prefix *prefix; // of the part's rows
    bex_here here;      // among the part's windows
} rank_labels;

// the futures of a place
typedef struct {
    int n;
    bex_window window[BEX_ALTERNATIVES_MOST + 1];
    double cov[BEX_ALTERNATIVES_MOST + 1];
    double *grams; // (n, size), with room for all
    double *wide;  // of one, before it is seen from the place
} place;

static void free_labels(bex_labeller *labeller) {
    rank_labels *l = (rank_labels *)labeller;
    bex_here_fini(&l->here);
    bex_prefix_free(l->prefix);
    free(l);
}

static const rank_labels *labels_of(const bex_imitation_part *part) {
    return (const rank_labels *)part->labeller;
}

// whose windows are the alternatives: the training part's, or where there is none the part's own
static const rank_labels *alternatives_of(const rank_labels *l) {
    return l->a->train.labeller ? labels_of(&l->a->train) : l;
}

static void place_init(const rank_labels *l, bex_arena *arena, place *p) {
    size_t size = bex_gram_size(bex_feature_shape(l->a->policy->phi));
    size_t wide = bex_gram_size(bex_feature_wide(l->a->policy->phi));
    size_t most = (size_t)l->a->config.policy.coverage.alternatives + 1;
    p->grams = bex_arena_alloc(arena, most * size * sizeof *p->grams);
    p->wide = bex_arena_alloc(arena, wide * sizeof *p->wide);
}

// the training windows nearest to row of the part, behind those that the place has
static void add_alternatives(const rank_labels *l, int row, place *p) {
    p->n += bex_here_find(&alternatives_of(l)->here, l->part, row,
                          (int)l->a->config.policy.coverage.alternatives, p->window + p->n);
}

// Lambda of window i of the place, seen from row `from` of the part if phi is relative
static void sum_future(const rank_labels *of, const rank_labels *l, int from, place *p, int i) {
    const bex_feature *phi = l->a->policy->phi;
    bex_gram_zero(bex_feature_wide(phi), p->wide);
    bex_prefix_add_window(of->prefix, p->wide, p->window[i].row, p->window[i].future_rows);
    bex_prefix_contract(l->prefix, p->grams + (size_t)i * bex_gram_size(bex_feature_shape(phi)),
                        p->wide, from);
}

// cov(h u tau_i) for all of a place; history (wide) is Lambda(h)
static int cover(const rank_labels *l, const double *history, int from, place *p) {
    bex_gram_shape shape = bex_feature_shape(l->a->policy->phi);
    double lambda = bex_condition_lambda(l->a->policy->condition);
    _Alignas(64) double seen[BEX_GRAM_MOST];
    bex_prefix_contract(l->prefix, seen, history, from);
    bex_coverage_batch(p->cov, shape, seen, p->grams, (size_t)p->n, lambda);
    for (int i = 0; i < p->n; i++)
        if (!isfinite(p->cov[i])) return bex_coverage_fail(lambda);
    return 0;
}

static bex_real rank_of(const place *p, int i) {
    double below = 0;
    for (int j = 0; j < p->n; j++)
        if (j != i) below += p->cov[j] < p->cov[i] ? 1 : p->cov[j] == p->cov[i] ? 0.5 : 0;
    return (bex_real)bex_condition_of_rank(below, p->n);
}

static void sum_history(const rank_labels *l, const int *rows, int N, double *history) {
    bex_gram_zero(bex_feature_wide(l->a->policy->phi), history);
    bex_prefix_add_rows(l->prefix, history, rows, (size_t)N);
    bex_gram_scale(bex_feature_wide(l->a->policy->phi), history,
                   l->a->config.policy.coverage.past_weight);
}

/* given windows, of any part */
static int label(const bex_labeller *labeller, bex_arena *arena, const bex_window_groups *g,
                 bex_real *value) {
    const rank_labels *l = (const rank_labels *)labeller, *others = alternatives_of(l);
    _Alignas(64) double history[BEX_GRAM_MOST];
    place p;
    place_init(l, arena, &p);
    for (int b = 0; b < g->groups; b++) {
        sum_history(l, g->history + b * g->N, g->N, history);
        for (int s = 0; s < g->S; s++) {
            p.window[0] = g->window[b * g->S + s], p.n = 1;
            int row = p.window[0].row;
            add_alternatives(l, row, &p);
            for (int i = 0; i < p.n; i++) sum_future(i ? others : l, l, row, &p, i);
            if (cover(l, history, row, &p) < 0) return -1;
            value[b * g->S + s] = rank_of(&p, 0);
        }
    }
    return 0;
}

static int best_of(const place *p) {
    int best = 0;
    for (int i = 1; i < p->n; i++)
        if (p->cov[i] > p->cov[best]) best = i;
    return best;
}

// the place's own window and those near it; false if there is none at all
static bool draw_place(const rank_labels *l, const bex_window_draw *d, int group, bex_rng *g,
                       place *p, int *row) {
    const bex_optimiser_config *t = &l->a->config.train;
    long long starts = bex_windows_starts(l->part->windows);
    bool near = bex_rng_uniform(g) < t->near;
    p->n = 0;
    if (near)
        *row = d->history[group * d->N + (int)bex_rng_below(g, (uint64_t)d->N)];
    else
        *row = bex_windows_at(l->part->windows, (long long)bex_rng_below(g, (uint64_t)starts)).row;
    p->n = bex_windows_of_row(l->part->windows, *row, &p->window[0]);
    add_alternatives(l, *row, p);
    return p->n > 0;
}

static int draw(const bex_labeller *labeller, bex_arena *arena, const bex_window_draw *d,
                bex_window *window, bex_real *value, unsigned char *best) {
    const rank_labels *l = (const rank_labels *)labeller;
    const bex_optimiser_config *t = &l->a->config.train;
    int each = (int)t->samples_per_place < d->S ? (int)t->samples_per_place : d->S, row = 0;
    bex_rng step = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "place", d->t);
    _Alignas(64) double history[BEX_GRAM_MOST];
    place p;
    place_init(l, arena, &p);
    for (int b = 0; b < d->groups; b++) {
        sum_history(l, d->history + b * d->N, d->N, history);
        bex_rng g = bex_rng_split(step, "of group", (uint64_t)d->index[b]);
        for (int s = 0; s < d->S; s++) {
            int at = b * d->S + s;
            if (s % each == 0) {
                while (!draw_place(l, d, b, &g, &p, &row)) continue;
                for (int i = 0; i < p.n; i++) sum_future(l, l, row, &p, i);
                if (cover(l, history, row, &p) < 0) return -1;
            }
            best[at] = bex_rng_uniform(&g) < t->best;
            int i = best[at] ? best_of(&p) : (int)bex_rng_below(&g, (uint64_t)p.n);
            window[at] = p.window[i], value[at] = rank_of(&p, i);
        }
    }
    return 0;
}

// of the few windows nearest to a state of the history, one
static void draw_near(const bex_labeller *labeller, const bex_window_draw *d, bex_window *window) {
    enum { FEW = 4 };
    const rank_labels *l = (const rank_labels *)labeller;
    bex_rng step = bex_rng_split(bex_rng_seed((uint64_t)l->a->config.train.seed), "near", d->t);
    bex_window found[FEW];
    for (int i = 0; i < d->groups * d->S; i++) {
        int b = i / d->S, at = d->index[b] * d->S + i % d->S;
        bex_rng g = bex_rng_split(step, "window", (uint64_t)at);
        int row = d->history[b * d->N + (int)bex_rng_below(&g, (uint64_t)d->N)];
        int n = bex_here_find(&l->here, l->part, row, FEW, found);
        window[i] = n ? found[bex_rng_below(&g, (uint64_t)n)]
                      : bex_windows_draw(l->part->windows, d->t, at);
    }
}

/* ---- making ---- */

int bex_rank_labels_add(bex_imitation_part *part, const bex_imitation *a) {
    if (!part->data) return 0;
    rank_labels *l = calloc(1, sizeof *l);
    if (!l) return bex_fail("out of memory");
    *l = (rank_labels){.base = {.label = label, .draw_near = draw_near, .free = free_labels},
                       .a = a,
                       .part = part};
    part->labeller = &l->base;
    if (part == &a->train) l->base.draw = draw;
    l->prefix = bex_prefix_new(a->policy->phi, part->data->observations, part->data->rows,
                               &(bex_prefix_options){.threads = (int)a->config.train.threads});
    if (!l->prefix) return -1;
    l->base.bytes = bex_prefix_bytes(l->prefix);
    return bex_here_init(&l->here, a, part);
}

bex_condition *bex_rank_labels_condition(const bex_imitation *a) {
    const bex_coverage_config *c = &a->config.policy.coverage;
    double value[BEX_ALTERNATIVES_MOST + 1];
    int n = (int)c->alternatives + 1;
    bex_condition *condition = bex_condition_new(
        BEX_NORMALISE_RANK, bex_feature_shape(a->policy->phi), c->lambda, NULL, 0);
    for (int i = 0; i < n; i++) value[i] = bex_condition_of_rank(i, n);
    if (condition && bex_condition_fit(condition, value, NULL, (size_t)n) == 0) return condition;
    bex_condition_free(condition);
    return NULL;
}
