#include "policy/support.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 100000 }; // that places are chosen among, about, of longer demonstrations

struct bex_support {
    int W, places;
    int *dim;         // (W)
    bex_real *scale;  // (W) 1 / std; 0 for a constant dim
    bex_real *place;  // (places,W) times scale
    bex_real radius2; // squared
};

static bex_support *allocate(const bex_normaliser *n, const int *dim, int W, int places) {
    bex_support *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory"), NULL;
    s->W = W, s->places = places;
    s->dim = malloc((size_t)W * sizeof *s->dim);
    s->scale = malloc((size_t)W * sizeof *s->scale);
    s->place = malloc((size_t)places * (size_t)W * sizeof *s->place);
    if (!s->dim || !s->scale || !s->place) {
        bex_support_free(s);
        return bex_fail("out of memory: %d places", places), NULL;
    }
    memcpy(s->dim, dim, (size_t)W * sizeof *dim);
    for (int i = 0; i < W; i++) s->scale[i] = n->std[dim[i]] > 0 ? R(1) / n->std[dim[i]] : R(0);
    return s;
}

void bex_support_free(bex_support *s) {
    if (!s) return;
    free(s->dim);
    free(s->scale);
    free(s->place);
    free(s);
}

static bex_real nearest2(const bex_support *s, const bex_real *state) {
    bex_real best = INFINITY;
    for (int p = 0; p < s->places; p++) {
        bex_real sum = 0;
        for (int i = 0; i < s->W; i++) {
            bex_real d = state[s->dim[i]] * s->scale[i] - s->place[p * s->W + i];
            sum += d * d;
        }
        best = sum < best ? sum : best;
    }
    return best;
}

// squared distance (n) of x (n,W) to the nearest place, now that there is place p; the furthest of them
static int64_t approach(const bex_support *s, int p, const bex_real *x, int64_t n,
                        bex_real *distance) {
    int64_t furthest = 0;
    for (int64_t j = 0; j < n; j++) {
        bex_real sum = 0;
        for (int i = 0; i < s->W; i++) {
            bex_real d = x[j * s->W + i] - s->place[p * s->W + i];
            sum += d * d;
        }
        distance[j] = sum < distance[j] ? sum : distance[j];
        if (distance[j] > distance[furthest]) furthest = j;
    }
    return furthest;
}

/* Farthest first: every next place is the state furthest from those there are, so that what one demonstration
 * in a thousand came to is a place like any other. (With places drawn at random the rarest hundredth of the
 * demonstrated states counted as unsupported: in AntMaze, the cell trials start in.) Places are chosen among
 * one row of every `step`; another of each tells how near a demonstrator is. */
static int choose(bex_support *s, const bex_real *states, int64_t rows, int O, bex_rng rng) {
    int64_t step = rows / ROWS > 2 ? rows / ROWS : 2, n = rows / step;
    if (n && s->places > n)
        return bex_fail("coverage.support %d: the demonstrations have %lld states to choose among",
                        s->places, (long long)n);
    size_t size = (size_t)n * (size_t)s->W;
    bex_real *mine = malloc(2 * (size + (size_t)n) * sizeof *mine + 1);
    if (!mine) return bex_fail("out of memory");
    bex_real *other = mine + size, *distance = other + size, *near = distance + n;
    for (int64_t j = 0; j < n; j++) {
        int64_t r = (int64_t)bex_rng_below(&rng, (uint64_t)step);
        const bex_real *a = states + (j * step + r) * O,
                       *b = states + (j * step + (r + 1) % step) * O;
        for (int i = 0; i < s->W; i++) {
            mine[j * s->W + i] = a[s->dim[i]] * s->scale[i];
            other[j * s->W + i] = b[s->dim[i]] * s->scale[i];
        }
        distance[j] = near[j] = INFINITY;
    }
    s->radius2 = 0;
    for (int64_t p = 0, at = 0; n && p < s->places; p++) {
        memcpy(s->place + p * s->W, mine + at * s->W, (size_t)s->W * sizeof *mine);
        at = approach(s, (int)p, mine, n, distance);
        s->radius2 = near[approach(s, (int)p, other, n, near)];
    }
    free(mine);
    if (s->radius2 > 0) return 0;
    return bex_fail("coverage.support: all demonstrations are at the same few places");
}

bex_support *bex_support_fit(const bex_normaliser *n, const bex_real *states, int64_t rows,
                             const int *dim, int W, int places, bex_rng rng) {
    bex_support *s = allocate(n, dim, W, places);
    if (!s || choose(s, states, rows, n->O, rng) == 0) return s;
    bex_support_free(s);
    return NULL;
}

double bex_support_off(const bex_support *s, const bex_real *state) {
    return sqrt((double)(nearest2(s, state) / s->radius2));
}

void bex_support_save(const bex_support *s, bex_st_writer *w) {
    int64_t one = 1, place[] = {s->places, s->W};
    bex_st_add_real(w, "support.place", 2, place, s->place);
    bex_st_add_real(w, "support.radius2", 1, &one, &s->radius2);
}

bex_support *bex_support_load(const bex_st_file *f, const bex_normaliser *n, const int *dim, int W,
                              int places) {
    bex_support *s = allocate(n, dim, W, places);
    if (!s) return NULL;
    int64_t one = 1, place[] = {places, W};
    int code = bex_st_read_real(f, "support.place", s->place, 2, place);
    if (!code) code = bex_st_read_real(f, "support.radius2", &s->radius2, 1, &one);
    if (!code && !(s->radius2 > 0)) code = bex_fail("tensor 'support.radius2' is not above 0");
    if (!code) return s;
    bex_support_free(s);
    return NULL;
}
