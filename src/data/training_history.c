/* data/training_history.c - episodes, their union, rows of it. */
#include "data/training_history.h"

#include "base/error.h"

enum { MOST_TRAJECTORIES = 64 };

int bex_training_history_check(const bex_training_history *h) {
    if (h->N < 0) return bex_fail("a history of %d states", h->N);
    if (h->trajectories < 1 || h->trajectories > MOST_TRAJECTORIES)
        return bex_fail("a history takes 1 to %d trajectories, not %d", MOST_TRAJECTORIES,
                        h->trajectories);
    if (!(h->repeat_probability >= 0 && h->repeat_probability <= 1) || h->repeat_most < 1 ||
        h->repeat_most > MOST_TRAJECTORIES)
        return bex_fail(
            "repeated states: a probability in [0, 1] and 1 to %d states, not %g and %d",
            MOST_TRAJECTORIES, h->repeat_probability, h->repeat_most);
    return 0;
}

// m distinct episodes; before[k] = rows in those ahead of the k-th
static void draw_union(const bex_dataset *d, bex_rng *g, int m, int *episode, int *before) {
    before[0] = 0;
    for (int k = 0; k < m; k++) {
        int again;
        do {
            episode[k] = (int)bex_rng_below(g, (uint64_t)d->episodes);
            again = 0;
            for (int l = 0; l < k; l++) again |= episode[l] == episode[k];
        } while (again);
        before[k + 1] = before[k] + bex_dataset_length(d, episode[k]);
    }
}

static int union_row(const bex_dataset *d, const int *episode, const int *before, int at) {
    int k = 0;
    while (before[k + 1] <= at) k++;
    return d->start[episode[k]] + at - before[k];
}

// the first few rows distinct, the others those again
static void draw_few(const bex_training_history *h, bex_rng *g, const int *episode,
                     const int *before, uint64_t all, int *rows) {
    uint64_t limit = (uint64_t)h->repeat_most < all ? (uint64_t)h->repeat_most : all;
    int distinct = 1 + (int)bex_rng_below(g, limit);
    for (int i = 0; i < distinct && i < h->N; i++) {
        int again;
        do {
            rows[i] = union_row(h->data, episode, before, (int)bex_rng_below(g, all));
            again = 0;
            for (int l = 0; l < i; l++) again |= rows[l] == rows[i];
        } while (again);
    }
    for (int i = distinct; i < h->N; i++) rows[i] = rows[i % distinct];
}

void bex_training_history_draw(const bex_training_history *h, uint64_t t, int j, int *rows) {
    const bex_dataset *d = h->data;
    bex_rng step = bex_rng_split(bex_rng_seed(h->seed), "window", t);
    bex_rng g = bex_rng_split(step, "history", (uint64_t)j);
    int episode[MOST_TRAJECTORIES], before[MOST_TRAJECTORIES + 1];
    int most = h->trajectories < d->episodes ? h->trajectories : d->episodes;
    int m = 1 + (int)bex_rng_below(&g, (uint64_t)most);
    draw_union(d, &g, m, episode, before);
    uint64_t all = (uint64_t)before[m];
    if (bex_rng_uniform(&g) < h->repeat_probability) {
        draw_few(h, &g, episode, before, all, rows);
        return;
    }
    for (int i = 0; i < h->N; i++)
        rows[i] = union_row(d, episode, before, (int)bex_rng_below(&g, all));
}
