/* agent/imitation/label_shares.c - places, futures, histories, labels, sums of squares. */
#include "agent/imitation/label_shares.h"

#include "agent/imitation/here.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 64, FUTURES = 17, HISTORIES = 16, DRAWS = 16 * PLACES, PLACES_LEAST = 8 };
static const uint64_t step_of_draws = UINT64_MAX - 3; // not one of training's

// windows (G,n) of one history: places that have n futures
static int find_places(const bex_imitation *a, const bex_here *here, bex_window *window) {
    const bex_imitation_part *part = &a->train;
    int G = 0;
    for (int i = 0; i < DRAWS && G < PLACES; i++) {
        bex_window *at = window + G * FUTURES;
        at[0] = bex_windows_draw(part->windows, step_of_draws, i);
        if (bex_here_find(here, part, at[0].row, FUTURES - 1, at + 1) == FUTURES - 1) G++;
    }
    return G;
}

static double square(double x) {
    return x * x;
}

// means of c (H,G,n) over what is not named
typedef struct {
    double all, *place, *history, *both, *future; // (G), (H), (G,H), (G,n)
} means;

static void find_means(const bex_real *c, int H, int G, int n, means *m) {
    for (int h = 0; h < H; h++)
        for (int p = 0; p < G; p++)
            for (int i = 0; i < n; i++) {
                double v = (double)c[(h * G + p) * n + i];
                m->all += v / (G * H * n);
                m->place[p] += v / (H * n);
                m->history[h] += v / (G * n);
                m->both[p * H + h] += v / n;
                m->future[p * n + i] += v / H;
            }
}

static void add_squares(const bex_real *c, int H, int G, int n, const means *m,
                        bex_label_shares *out) {
    double total = 0, rounding = 1e-20 * H * G * n * square(m->all);
    for (int k = 0; k < H * G * n; k++) total += square((double)c[k] - m->all);
    if (total <= rounding) return; // all the same: no part has a share
    for (int p = 0; p < G; p++) {
        out->state += H * n * square(m->place[p] - m->all);
        for (int h = 0; h < H; h++)
            out->both += n * square(m->both[p * H + h] - m->place[p] - m->history[h] + m->all);
        for (int i = 0; i < n; i++) out->future += H * square(m->future[p * n + i] - m->place[p]);
    }
    for (int h = 0; h < H; h++) out->history += G * n * square(m->history[h] - m->all);
    out->state /= total, out->history /= total, out->both /= total, out->future /= total;
    out->news = 1 - out->state - out->history - out->both - out->future;
}

// how often the best future of a place is its most common one; times (n) is scratch
static void find_agreement(const bex_real *c, int H, int G, int n, int *times,
                           bex_label_shares *out) {
    for (int p = 0; p < G; p++) {
        int most = 0;
        memset(times, 0, (size_t)n * sizeof *times);
        for (int h = 0; h < H; h++) {
            const bex_real *at = c + (h * G + p) * n;
            int best = 0;
            for (int i = 1; i < n; i++)
                if (at[i] > at[best]) best = i;
            if (++times[best] > most) most = times[best];
        }
        out->agree += (double)most / H / G;
        out->decisions += most < H ? 1.0 / G : 0;
    }
}

int bex_label_shares_split(const bex_real *c, int H, int G, int n, bex_label_shares *out) {
    size_t rows = (size_t)G + (size_t)H + (size_t)G * (size_t)H + (size_t)G * (size_t)n;
    double *sums = calloc(rows, sizeof *sums);
    int *times = malloc((size_t)n * sizeof *times);
    *out = (bex_label_shares){.places = G, .futures = n, .histories = H};
    int code = sums && times ? 0 : bex_fail("out of memory");
    if (!code) {
        means m = {0, sums, sums + G, sums + G + H, sums + G + H + G * H};
        find_means(c, H, G, n, &m);
        add_squares(c, H, G, n, &m, out);
        find_agreement(c, H, G, n, times, out);
    }
    free(times);
    free(sums);
    return code;
}

static int label(const bex_imitation *a, bex_arena *arena, const bex_window *window, int G,
                 bex_real *c) {
    const bex_imitation_part *part = &a->train;
    int N = a->policy->dit.o.N, S = G * FUTURES;
    int *history = bex_arena_alloc(arena, (size_t)(HISTORIES * N) * sizeof *history);
    bex_window *each = bex_arena_alloc(arena, (size_t)(HISTORIES * S) * sizeof *each);
    for (int h = 0; h < HISTORIES; h++) {
        bex_training_history_draw(&part->history, step_of_draws, h, history + h * N);
        memcpy(each + h * S, window, (size_t)S * sizeof *each);
    }
    bex_window_groups groups = {
        .groups = HISTORIES, .S = S, .N = N, .history = history, .window = each};
    return part->labeller->label(part->labeller, arena, &groups, c);
}

int bex_label_shares_of(const bex_imitation *a, bex_label_shares *out) {
    if (!a->train.labeller) return bex_fail("no coverage is learned here");
    bex_here here;
    if (bex_here_init(&here, a, &a->train) < 0) return -1;
    bex_arena *arena = bex_arena_new();
    bex_window *window = malloc(PLACES * FUTURES * sizeof *window);
    bex_real *c = malloc((size_t)HISTORIES * PLACES * FUTURES * sizeof *c);
    int code = arena && window && c ? 0 : bex_fail("out of memory");
    int G = code ? 0 : find_places(a, &here, window);
    if (!code && G < PLACES_LEAST)
        code =
            bex_fail("only %d of %d places have %d futures of other passes", G, DRAWS, FUTURES - 1);
    if (!code) code = label(a, arena, window, G, c);
    if (!code) code = bex_label_shares_split(c, HISTORIES, G, FUTURES, out);
    free(c);
    free(window);
    bex_arena_free(arena);
    bex_here_fini(&here);
    return code;
}
