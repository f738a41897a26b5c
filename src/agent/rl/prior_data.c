#include "agent/rl/prior_data.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 512 }; // chunks that are read at once

// the row that holds the state after a chunk; -1: none does
static int row_after(const bex_prior_data *p, int episode, int row) {
    const bex_dataset *d = p->data;
    if (row + p->H < d->start[episode + 1]) return row + p->H;
    return p->H == 1 && d->terminals[row] ? row : -1;
}

static int find_chunks(bex_prior_data *p) {
    const bex_dataset *d = p->data;
    size_t bytes = (size_t)d->rows * sizeof(int);
    p->row = malloc(bytes), p->next = malloc(bytes);
    if (!p->row || !p->next) return bex_fail("out of memory: %d rows", d->rows);
    for (int e = 0; e < d->episodes; e++)
        for (int row = d->start[e]; row < d->start[e + 1]; row++) {
            int next = row_after(p, e, row);
            if (next >= 0) p->row[p->n] = row, p->next[p->n++] = next;
        }
    return p->n ? 0 : bex_fail("no episode of the demonstrations has %d rows", p->H + 1);
}

typedef struct {
    bex_prior_data *p;
    bex_prior_read_fn *read;
    const void *payload;
    bex_arena **arena; // of each worker
} job;

static int read_piece(long piece, int worker, void *payload) {
    const job *j = payload;
    int first = (int)piece * PIECE, n = j->p->n - first < PIECE ? j->p->n - first : PIECE;
    j->read(j->payload, j->arena[worker], j->p->data, j->p->row + first, j->p->next + first, n,
            j->p->act + (size_t)first * (size_t)j->p->U);
    return 0;
}

static int read_all(bex_prior_data *p, bex_prior_read_fn *read, const void *payload) {
    int threads = bex_parallel_threads(), code = 0;
    bex_arena **arena = calloc((size_t)threads, sizeof *arena);
    if (!arena) return bex_fail("out of memory");
    for (int i = 0; i < threads && code == 0; i++)
        if (!(arena[i] = bex_arena_new())) code = -1;
    job j = {p, read, payload, arena};
    if (code == 0) code = bex_try_parallel(threads, (p->n + PIECE - 1) / PIECE, read_piece, &j);
    for (int i = 0; i < threads; i++) bex_arena_free(arena[i]);
    free(arena);
    return code;
}

int bex_prior_data_init(bex_prior_data *p, const bex_dataset *data, int S, int U, int H,
                        bex_prior_read_fn *read, const void *payload) {
    *p = (bex_prior_data){.data = data, .S = S, .U = U, .H = H};
    if (find_chunks(p) < 0) return -1;
    p->act = malloc((size_t)p->n * (size_t)U * sizeof *p->act);
    if (!p->act) return bex_fail("out of memory: %d chunks of %d reals", p->n, U);
    return read_all(p, read, payload);
}

void bex_prior_data_fini(bex_prior_data *p) {
    free(p->row);
    free(p->next);
    free(p->act);
    *p = (bex_prior_data){0};
}

// of a table with open addressing, a power of two
int bex_prior_seen(int count) {
    int size = 16;
    while (size < 2 * count) size *= 2;
    return size;
}

// adds to the table; false: was there
static bool add(int *seen, int size, int chunk) {
    unsigned at = ((unsigned)chunk * 2654435769u) & (unsigned)(size - 1);
    while (seen[at] && seen[at] != chunk + 1) at = (at + 1) & (unsigned)(size - 1);
    if (seen[at]) return false;
    seen[at] = chunk + 1;
    return true;
}

void bex_prior_data_draw(const bex_prior_data *p, bex_rng *rng, int *seen, int *out, int count) {
    int size = bex_prior_seen(count);
    BEX_CHECK(!seen || count <= p->n, "%d different chunks of %d", count, p->n);
    if (seen) memset(seen, 0, (size_t)size * sizeof *seen);
    for (int i = 0; i < count; i++) {
        do out[i] = (int)bex_rng_below(rng, (uint64_t)p->n);
        while (seen && !add(seen, size, out[i]));
    }
}

void bex_prior_data_put(const bex_prior_data *p, int chunk, bex_transitions *to, int i) {
    size_t S = (size_t)p->S, O = (size_t)p->data->O, U = (size_t)p->U, at = (size_t)i;
    size_t row = (size_t)p->row[chunk], next = (size_t)p->next[chunk];
    memcpy(to->obs + at * S, p->data->observations + row * O, S * sizeof *to->obs);
    memcpy(to->next + at * S, p->data->observations + next * O, S * sizeof *to->next);
    memcpy(to->act + at * U, p->act + (size_t)chunk * U, U * sizeof *to->act);
}
