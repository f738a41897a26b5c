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
    int points, stride, apart;
};

bex_alternatives *bex_alternatives_new(const bex_windows *windows, const bex_real *points, int D,
                                       int apart) {
    long long starts = bex_windows_starts(windows);
    bex_alternatives *a = calloc(1, sizeof *a);
    int stride = apart / LOOKS > 1 ? apart / LOOKS : 1;
    int n = (int)((starts + stride - 1) / stride);
    bex_real *some = malloc((size_t)n * (size_t)D * sizeof *some);
    if (!a || !some) {
        free(a), free(some);
        return bex_fail("out of memory: %d rows", n), NULL;
    }
    for (size_t i = 0; i < (size_t)n; i++)
        memcpy(some + i * (size_t)D, points + i * (size_t)stride * (size_t)D,
               (size_t)D * sizeof *some);
    *a = (bex_alternatives){windows, bex_neighbours_new(some, n, D), n, stride, apart};
    free(some);
    if (a->near) return a;
    free(a);
    return NULL;
}

void bex_alternatives_free(bex_alternatives *a) {
    if (!a) return;
    bex_neighbours_free(a->near);
    free(a);
}

static bool same_pass(const bex_alternatives *a, const bex_window *w, int row) {
    return row > w->row - a->apart && row < w->row + a->apart;
}

// of `asked` neighbours, one a pass
static int thin(const bex_alternatives *a, const bex_neighbour *near, int asked, int row, int k,
                bex_window *found) {
    int n = 0;
    for (int i = 0; i < asked && n < k; i++) {
        bex_window w = bex_windows_at(a->windows, (long long)near[i].point * a->stride);
        bool had = row >= 0 && same_pass(a, &w, row);
        for (int j = 0; j < n && !had; j++)
            had = found[j].episode == w.episode && same_pass(a, &w, found[j].row);
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
