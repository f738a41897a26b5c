/* data/window.c - draw windows; see the drawing in window.h. */
#include "data/window.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct bex_windows {
    const bex_dataset *data;
    bex_window_options o;
    int *before; // (episodes + 1): starts in the episodes before
    int too_short;
};

// rows of an episode of `length` that may start a window
static int starts_in(const bex_window_options *o, int length) {
    if (length < o->chunk) return 0;
    if (o->truncate) return length;
    return length > o->future ? length - o->future : 0;
}

static int check_options(const bex_window_options *o) {
    if (o->chunk >= 1 && o->future >= 0) return 0;
    return bex_fail("a window needs chunk >= 1 and future >= 0, not %d, %d", o->chunk, o->future);
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
    return bex_fail_hint(
        "a shorter coverage.future, or coverage.truncate=true; retrieval: --future");
}

bex_windows *bex_windows_new(const bex_dataset *d, const bex_window_options *o) {
    if (check_options(o) < 0) return NULL;
    bex_windows *w = calloc(1, sizeof *w);
    int *before = malloc(((size_t)d->episodes + 1) * sizeof *before);
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

// the last i < n with sorted[i] <= x
static int last_at_most(const int *sorted, int n, int x) {
    int low = 0, high = n;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bex_window window_of(const bex_windows *w, int episode, int row) {
    int left = w->data->start[episode + 1] - row;
    return (bex_window){.episode = episode,
                        .row = row,
                        .future_rows = left < w->o.future + 1 ? left : w->o.future + 1,
                        .actions = left < w->o.chunk ? left : w->o.chunk};
}

bex_window bex_windows_at(const bex_windows *w, long long j) {
    BEX_CHECK(j >= 0 && j < bex_windows_starts(w), "start %lld of %lld", j, bex_windows_starts(w));
    int e = last_at_most(w->before, w->data->episodes, (int)j);
    return window_of(w, e, w->data->start[e] + (int)j - w->before[e]);
}

int bex_windows_episode(const bex_windows *w, int row) {
    BEX_CHECK(row >= 0 && row < w->data->rows, "row %d of %d", row, w->data->rows);
    return last_at_most(w->data->start, w->data->episodes, row);
}

bool bex_windows_of_row(const bex_windows *w, int row, bex_window *window) {
    int e = bex_windows_episode(w, row);
    if (row - w->data->start[e] >= w->before[e + 1] - w->before[e]) return false;
    *window = window_of(w, e, row);
    return true;
}

bex_window bex_windows_draw(const bex_windows *w, uint64_t t, int i) {
    bex_rng step = bex_rng_split(bex_rng_seed(w->o.seed), "window", t);
    bex_rng g = bex_rng_split(step, "start", (uint64_t)i);
    return bex_windows_at(w, (long long)bex_rng_below(&g, (uint64_t)bex_windows_starts(w)));
}

int bex_window_action(const bex_window *w, int k, bex_real *mask) {
    bool inside = k < w->actions;
    if (mask) *mask = inside ? R(1) : R(0);
    return w->row + (inside ? k : w->actions - 1);
}

void bex_windows_chunk(const bex_windows *w, const bex_window *at, bex_real *actions,
                       bex_real *mask) {
    const bex_dataset *d = w->data;
    const size_t A = (size_t)d->A;
    for (int k = 0; k < w->o.chunk; k++) {
        int row = bex_window_action(at, k, mask ? mask + k : NULL);
        memcpy(actions + (size_t)k * A, d->actions + (size_t)row * A, A * sizeof *actions);
    }
}
