/* data/window.c - draw windows; see the drawing in window.h. */
#include "data/window.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRAJECTORIES = 64 };

struct bex_windows {
    const bex_dataset *data;
    bex_window_options o;
    long long *before; // (episodes + 1): starts in the episodes before
    int too_short;
};

// rows of an episode of `length` that may start a window
static int starts_in(const bex_window_options *o, int length) {
    if (length < o->chunk) return 0;
    if (o->truncate) return length;
    return length > o->future ? length - o->future : 0;
}

static int check_options(const bex_window_options *o) {
    if (o->chunk < 1 || o->history < 0 || o->future < 0 || o->samples_per_history < 1)
        return bex_fail("a window needs chunk >= 1, history and future >= 0, samples_per_history "
                        ">= 1, not %d, %d, %d, %d",
                        o->chunk, o->history, o->future, o->samples_per_history);
    if (o->trajectories < 1 || o->trajectories > MOST_TRAJECTORIES)
        return bex_fail("a history takes 1 to %d trajectories, not %d", MOST_TRAJECTORIES,
                        o->trajectories);
    if (!(o->repeat_probability >= 0 && o->repeat_probability <= 1) || o->repeat_most < 1 ||
        o->repeat_most > MOST_TRAJECTORIES)
        return bex_fail(
            "repeated states: a probability in [0, 1] and 1 to %d states, not %g and %d",
            MOST_TRAJECTORIES, o->repeat_probability, o->repeat_most);
    return 0;
}

static int no_start(const bex_dataset *d, const bex_window_options *o) {
    int longest = 0;
    for (int e = 0; e < d->episodes; e++)
        if (bex_dataset_length(d, e) > longest) longest = bex_dataset_length(d, e);
    if (longest < o->chunk)
        return bex_fail("every episode is shorter than a chunk of %d actions (%d episodes, the "
                        "longest has %d rows)",
                        o->chunk, d->episodes, longest);
    bex_fail("no episode holds a whole future of %d + 1 states (the longest has %d rows)",
             o->future, longest);
    return bex_fail_hint("a shorter future, or allow truncated ones");
}

bex_windows *bex_windows_new(const bex_dataset *d, const bex_window_options *o) {
    if (check_options(o) < 0) return NULL;
    bex_windows *w = calloc(1, sizeof *w);
    long long *before = malloc(((size_t)d->episodes + 1) * sizeof *before);
    if (!w || !before) {
        bex_fail("out of memory: %d episodes", d->episodes);
        goto failed;
    }
    *w = (bex_windows){.data = d, .o = *o, .before = before};
    before[0] = 0;
    for (int e = 0; e < d->episodes; e++) {
        int starts = starts_in(o, bex_dataset_length(d, e));
        before[e + 1] = before[e] + starts;
        w->too_short += !starts;
    }
    if (before[d->episodes]) return w;
    no_start(d, o);
failed:
    free(before);
    free(w);
    return NULL;
}

void bex_windows_free(bex_windows *w) {
    if (!w) return;
    free(w->before);
    free(w);
}

long long bex_windows_starts(const bex_windows *w) {
    return w->before[w->data->episodes];
}

int bex_windows_short(const bex_windows *w) {
    return w->too_short;
}

bex_window bex_windows_at(const bex_windows *w, long long j) {
    const bex_dataset *d = w->data;
    BEX_CHECK(j >= 0 && j < bex_windows_starts(w), "start %lld of %lld", j, bex_windows_starts(w));
    // the last episode whose starts begin at or before j
    int low = 0, high = d->episodes;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (w->before[middle] <= j)
            low = middle;
        else
            high = middle;
    }
    int row = d->start[low] + (int)(j - w->before[low]), left = d->start[low + 1] - row;
    return (bex_window){.episode = low,
                        .row = row,
                        .future_rows = left < w->o.future + 1 ? left : w->o.future + 1,
                        .actions = left < w->o.chunk ? left : w->o.chunk};
}

static bex_rng stream(const bex_windows *w, uint64_t t, const char *label, int i) {
    return bex_rng_split(bex_rng_split(bex_rng_seed(w->o.seed), "window", t), label, (uint64_t)i);
}

bex_window bex_windows_draw(const bex_windows *w, uint64_t t, int i) {
    bex_rng g = stream(w, t, "start", i);
    return bex_windows_at(w, (long long)bex_rng_below(&g, (uint64_t)bex_windows_starts(w)));
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

void bex_windows_history(const bex_windows *w, uint64_t t, int j, int *rows) {
    const bex_dataset *d = w->data;
    bex_rng g = stream(w, t, "history", j);
    int episode[MOST_TRAJECTORIES], before[MOST_TRAJECTORIES + 1], H = w->o.history;
    int most = w->o.trajectories < d->episodes ? w->o.trajectories : d->episodes;
    int m = 1 + (int)bex_rng_below(&g, (uint64_t)most);
    draw_union(d, &g, m, episode, before);
    uint64_t all = (uint64_t)before[m];
    if (bex_rng_uniform(&g) >= w->o.repeat_probability) {
        for (int i = 0; i < H; i++)
            rows[i] = union_row(d, episode, before, (int)bex_rng_below(&g, all));
        return;
    }
    uint64_t limit = (uint64_t)w->o.repeat_most < all ? (uint64_t)w->o.repeat_most : all;
    int distinct = 1 + (int)bex_rng_below(&g, limit);
    for (int i = 0; i < distinct && i < H; i++) {
        int again;
        do {
            rows[i] = union_row(d, episode, before, (int)bex_rng_below(&g, all));
            again = 0;
            for (int l = 0; l < i; l++) again |= rows[l] == rows[i];
        } while (again);
    }
    for (int i = distinct; i < H; i++) rows[i] = rows[i % distinct];
}

void bex_windows_chunk(const bex_windows *w, const bex_window *at, bex_real *actions,
                       bex_real *mask) {
    const bex_dataset *d = w->data;
    const size_t A = (size_t)d->A;
    const bex_real *source = d->actions + (size_t)at->row * A;
    memcpy(actions, source, (size_t)at->actions * A * sizeof *actions);
    for (int k = at->actions; k < w->o.chunk; k++)
        memcpy(actions + (size_t)k * A, source + (size_t)(at->actions - 1) * A,
               A * sizeof *actions);
    for (int k = 0; k < w->o.chunk && mask; k++) mask[k] = k < at->actions ? R(1) : R(0);
}
