/* policy/support.c */
#include "policy/support.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double QUANTILE = 0.99; // of a demonstrator's own distances

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

static int by_size(const void *a, const void *b) {
    bex_real x = *(const bex_real *)a, y = *(const bex_real *)b;
    return (x > y) - (x < y);
}

// the first half of the draws are the places, the others ask how near one is
static int measure(bex_support *s, const bex_real *states, int64_t rows, int O, bex_rng rng) {
    bex_real *distance = malloc((size_t)s->places * sizeof *distance);
    if (!distance) return bex_fail("out of memory");
    for (int p = 0; p < s->places; p++) {
        const bex_real *at = states + bex_rng_below(&rng, (uint64_t)rows) * (uint64_t)O;
        for (int i = 0; i < s->W; i++) s->place[p * s->W + i] = at[s->dim[i]] * s->scale[i];
    }
    for (int p = 0; p < s->places; p++)
        distance[p] = nearest2(s, states + bex_rng_below(&rng, (uint64_t)rows) * (uint64_t)O);
    qsort(distance, (size_t)s->places, sizeof *distance, by_size);
    s->radius2 = distance[(size_t)(QUANTILE * (s->places - 1))];
    free(distance);
    if (s->radius2 > 0) return 0;
    return bex_fail("coverage.places: all demonstrations are at the same few places");
}

bex_support *bex_support_fit(const bex_normaliser *n, const bex_real *states, int64_t rows,
                             const int *dim, int W, int places, bex_rng rng) {
    bex_support *s = allocate(n, dim, W, places);
    if (!s || measure(s, states, rows, n->O, rng) == 0) return s;
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
