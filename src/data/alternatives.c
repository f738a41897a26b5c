/* data/alternatives.c - nearest rows, thinned to one a pass. */
#include "data/alternatives.h"

#include "base/error.h"
#include "data/neighbours.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOKS = 25,
    MORE = 64
}; // rows looked at per `apart`; rows asked for per alternative at most

struct bex_alternatives {
    const bex_windows *windows;
    bex_neighbours *near;
    int *start; // (points) which start of the windows each point is
    int points, apart;
};

// the first start of each episode and every `stride`-th row behind it
static int choose_starts(bex_alternatives *a, int stride) {
    long long starts = bex_windows_starts(a->windows);
    bex_window last = {.episode = -1};
    for (long long j = 0; j < starts; j++) {
        bex_window w = bex_windows_at(a->windows, j);
        if (w.episode == last.episode && w.row < last.row + stride) continue;
        a->start[a->points++] = (int)j;
        last = w;
    }
    return a->points;
}

static int make(bex_alternatives *a, const bex_real *points, int D) {
    long long starts = bex_windows_starts(a->windows);
    size_t row = (size_t)D;
    a->start = malloc((size_t)starts * sizeof *a->start);
    if (!a->start) return bex_fail("out of memory: %lld states", starts);
    size_t n = (size_t)choose_starts(a, a->apart / LOOKS > 1 ? a->apart / LOOKS : 1);
    bex_real *some = malloc(n * row * sizeof *some);
    if (!some) return bex_fail("out of memory: %zu states", n);
    for (size_t i = 0; i < n; i++)
        memcpy(some + i * row, points + (size_t)a->start[i] * row, row * sizeof *some);
    a->near = bex_neighbours_new(some, (int)n, D);
    free(some);
    return a->near ? 0 : -1;
}

bex_alternatives *bex_alternatives_new(const bex_windows *windows, const bex_real *points, int D,
                                       int apart) {
    bex_alternatives *a = calloc(1, sizeof *a);
    if (!a) return bex_fail("out of memory"), NULL;
    a->windows = windows, a->apart = apart;
    if (make(a, points, D) == 0) return a;
    bex_alternatives_free(a);
    return NULL;
}

void bex_alternatives_free(bex_alternatives *a) {
    if (!a) return;
    bex_neighbours_free(a->near);
    free(a->start);
    free(a);
}

static bool same_pass(const bex_alternatives *a, const bex_window *w, int episode, int row) {
    return w->episode == episode && row > w->row - a->apart && row < w->row + a->apart;
}

// of `asked` neighbours, one a pass
static int thin(const bex_alternatives *a, const bex_neighbour *near, int asked, int row, int k,
                bex_window *found) {
    int n = 0, episode = row >= 0 ? bex_windows_episode(a->windows, row) : -1;
    for (int i = 0; i < asked && n < k; i++) {
        bex_window w = bex_windows_at(a->windows, a->start[near[i].point]);
        bool had = same_pass(a, &w, episode, row);
        for (int j = 0; j < n && !had; j++) had = same_pass(a, &w, found[j].episode, found[j].row);
        if (!had) found[n++] = w;
    }
    return n;
}

int bex_alternatives_find(const bex_alternatives *a, const bex_real *query, int row, int k,
                          bex_window *found) {
    BEX_CHECK(k >= 1 && k <= BEX_ALTERNATIVES_MOST, "%d alternatives", k);
    bex_neighbour near[BEX_ALTERNATIVES_MOST * MORE];
    int n = 0, most = k * MORE < a->points ? k * MORE : a->points;
    for (int ask = 4 * k; n < k; ask *= 4) {
        if (ask > most) ask = most;
        bex_neighbours_find(a->near, query, ask, near);
        n = thin(a, near, ask, row, k, found);
        if (ask == most) break;
    }
    return n;
}
