/* agent/imitation/here.c - columns that make states nearly the same; windows' starts as points. */
#include "agent/imitation/here.h"

#include "base/error.h"

#include <stdlib.h>

#define APART R(1000) // of two scenes, in deviations: further than states of one ever are

static int find_columns(bex_here *h, const bex_imitation *a) {
    const bex_coverage_config *c = &a->config.policy.coverage;
    const char *text = c->here[0] ? c->here : c->dims;
    const bex_names *scenes = &h->part->data->scenes;
    int O = a->policy->O,
        n = bex_columns_select(h->column, BEX_FEATURE_DIMS, text, &h->part->data->columns, O);
    if (n < 0) return bex_fail_in("coverage.here");
    for (int i = 0; !n && i < O; i++) h->column[i] = i;
    h->columns = n ? n : O;
    h->D = h->columns + (scenes->count > 1);
    return 0;
}

static int scene_of(const bex_imitation_part *of, int row) {
    return of->data->scene[bex_windows_episode(of->windows, row)];
}

// row: of the part whose state it is
static void take_point(const bex_here *h, const bex_imitation_part *of, int row,
                       const bex_real *state, bex_real *point) {
    for (int i = 0; i < h->columns; i++) point[i] = state[h->column[i]];
    if (h->D > h->columns) point[h->columns] = APART * (bex_real)scene_of(of, row);
}

// starts of windows (starts,D); state: room for one
static void take_points(const bex_here *h, const bex_imitation *a, bex_real *points,
                        bex_real *state) {
    const bex_imitation_part *part = h->part;
    for (long long j = 0; j < bex_windows_starts(part->windows); j++) {
        size_t row = (size_t)bex_windows_at(part->windows, j).row;
        const bex_real *at = part->states ? part->states + row * (size_t)h->stride : state;
        if (!part->states)
            bex_normalise_states(&a->policy->normaliser, state,
                                 part->data->observations + row * (size_t)part->data->O, 1);
        take_point(h, part, (int)row, at, points + (size_t)j * (size_t)h->D);
    }
}

int bex_here_init(bex_here *h, const bex_imitation *a, const bex_imitation_part *part) {
    *h = (bex_here){.part = part, .stride = a->policy->dit.o.O};
    if (find_columns(h, a) < 0) return -1;
    long long starts = bex_windows_starts(part->windows);
    bex_real *points = malloc((size_t)starts * (size_t)h->D * sizeof *points);
    bex_real *state = malloc((size_t)a->policy->O * sizeof *state);
    if (points && state) {
        take_points(h, a, points, state);
        h->alternatives = bex_alternatives_new(part->windows, points, h->D,
                                               (int)a->config.policy.coverage.future);
    } else {
        bex_fail("out of memory: %lld states", starts);
    }
    free(points);
    free(state);
    return h->alternatives ? 0 : -1;
}

void bex_here_fini(bex_here *h) {
    bex_alternatives_free(h->alternatives);
    h->alternatives = NULL;
}

int bex_here_find(const bex_here *h, const bex_imitation_part *of, int row, int k,
                  bex_window *found) {
    bex_real query[BEX_FEATURE_DIMS + 1];
    take_point(h, of, row, of->states + (size_t)row * (size_t)h->stride, query);
    int n = bex_alternatives_find(h->alternatives, query, of == h->part ? row : -1, k, found);
    // a scene with fewer passes has fewer alternatives; those of others are the last
    while (n && scene_of(h->part, found[n - 1].row) != scene_of(of, row)) n--;
    return n;
}
