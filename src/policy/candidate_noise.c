/* policy/candidate_noise.c - draws, and a ranking by insertion. */
#include "policy/candidate_noise.h"

#include "base/error.h"
#include "kernel/random.h"

#include <stdlib.h>
#include <string.h>

struct bex_candidate_noise {
    int n, kept; // kept: candidates the next draw takes over
    size_t rows, columns, from, size;
    bex_real *noise, *next; // (n,size) of the last draw; of the next one, kept of them
    int *order;             // (n) nearest first
};

bex_candidate_noise *bex_candidate_noise_new(int n, int rows, int columns, int from) {
    bex_candidate_noise *p = calloc(1, sizeof *p);
    if (!p) return bex_fail("out of memory"), NULL;
    size_t size = (size_t)rows * (size_t)columns;
    p->n = n, p->size = size;
    p->rows = (size_t)rows, p->columns = (size_t)columns, p->from = (size_t)from;
    p->noise = calloc((size_t)n * size, sizeof *p->noise);
    p->next = calloc((size_t)n * size, sizeof *p->next);
    p->order = calloc((size_t)n, sizeof *p->order);
    if (p->noise && p->next && p->order) return p;
    bex_candidate_noise_free(p);
    return bex_fail("out of memory: %d candidates", n), NULL;
}

void bex_candidate_noise_free(bex_candidate_noise *p) {
    if (!p) return;
    free(p->noise);
    free(p->next);
    free(p->order);
    free(p);
}

void bex_candidate_noise_forget(bex_candidate_noise *p) {
    p->kept = 0;
}

// n of what is kept, the columns before `from` drawn anew
static void take_over(const bex_candidate_noise *p, bex_real *x, int n, bex_rng *rng) {
    if (p->from) bex_random_normal(x, (size_t)n * p->size, rng);
    for (size_t i = 0; i < (size_t)n * p->rows; i++)
        memcpy(x + i * p->columns + p->from, p->next + i * p->columns + p->from,
               (p->columns - p->from) * sizeof *x);
}

void bex_candidate_noise_draw(bex_candidate_noise *p, bex_real *x, bex_rng *rng) {
    size_t kept = (size_t)p->kept * p->size, all = (size_t)p->n * p->size;
    take_over(p, x, p->kept, rng);
    bex_random_normal(x + kept, all - kept, rng);
    memcpy(p->noise, x, all * sizeof *x);
}

bool bex_candidate_noise_continue(const bex_candidate_noise *p, bex_real *x, bex_rng *rng) {
    if (p->kept) take_over(p, x, 1, rng);
    return p->kept > 0;
}

void bex_candidate_noise_keep(bex_candidate_noise *p, const double *distance, int made) {
    for (int i = 0; i < made; i++) {
        int at = i;
        for (; at > 0 && distance[i] < distance[p->order[at - 1]]; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = i;
    }
    p->kept = made < p->n / 2 ? made : p->n / 2;
    for (int i = 0; i < p->kept; i++)
        memcpy(p->next + (size_t)i * p->size, p->noise + (size_t)p->order[i] * p->size,
               p->size * sizeof *p->next);
}
