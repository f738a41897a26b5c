/* data/column_statistics.c - columns in two passes; equal rows and episodes by hash, then by value. */
#include "data/column_statistics.h"

#include "base/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void bex_statistics_columns(bex_column_statistics *out, const bex_real *values, int rows,
                            int columns) {
    for (int c = 0; c < columns; c++)
        out[c] = (bex_column_statistics){.least = HUGE_VAL, .most = -HUGE_VAL};
    const bex_real *v = values;
    for (int r = 0; r < rows; r++, v += columns)
        for (int c = 0; c < columns; c++) {
            double x = (double)v[c];
            bex_column_statistics *s = &out[c];
            if (!isfinite(x)) {
                s->bad++;
                continue;
            }
            if (x < s->least) s->least = x;
            if (x > s->most) s->most = x;
            s->mean += x;
            s->at_bounds += x <= -1 || x >= 1;
        }
    for (int c = 0; c < columns; c++) {
        int n = rows - out[c].bad;
        out[c].mean /= n ? n : 1;
        if (!n) out[c].least = out[c].most = 0;
        out[c].constant = out[c].least == out[c].most;
    }
    // squares about the mean: no cancellation
    v = values;
    for (int r = 0; r < rows; r++, v += columns)
        for (int c = 0; c < columns; c++) {
            double x = (double)v[c] - out[c].mean;
            if (isfinite(x)) out[c].deviation += x * x;
        }
    for (int c = 0; c < columns; c++) {
        int n = rows - out[c].bad;
        out[c].deviation = n ? sqrt(out[c].deviation / n) : 0;
    }
}

typedef struct hashed {
    uint64_t hash;
    int index;
} hashed;

static uint64_t hash_bytes(uint64_t h, const void *data, size_t bytes) {
    const unsigned char *p = data;
    for (; bytes >= 4; bytes -= 4, p += 4) {
        uint32_t word;
        memcpy(&word, p, 4);
        h = (h ^ word) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    for (; bytes; bytes--, p++) h = (h ^ *p) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

static int by_hash(const void *left, const void *right) {
    const hashed *a = left, *b = right;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int equal_rows(const bex_dataset *d, int a, int b, int rows) {
    const size_t O = (size_t)d->O, A = (size_t)d->A, n = (size_t)rows;
    return !memcmp(d->observations + (size_t)a * O, d->observations + (size_t)b * O,
                   n * O * sizeof(bex_real)) &&
           !memcmp(d->actions + (size_t)a * A, d->actions + (size_t)b * A,
                   n * A * sizeof(bex_real));
}

static uint64_t hash_rows(const bex_dataset *d, int first, int rows) {
    const size_t O = (size_t)d->O, A = (size_t)d->A, n = (size_t)rows;
    uint64_t h = hash_bytes(0, d->observations + (size_t)first * O, n * O * sizeof(bex_real));
    return hash_bytes(h, d->actions + (size_t)first * A, n * A * sizeof(bex_real));
}

// items equal to an earlier one; item i is rows first[i] .. first[i + 1] - 1, or row i if first is NULL
static int count_duplicates(const bex_dataset *d, const int *first, int items) {
    hashed *h = malloc((size_t)items * sizeof *h);
    if (!h) return bex_fail("out of memory: %d hashes", items);
    for (int i = 0; i < items; i++)
        h[i] = (hashed){
            first ? hash_rows(d, first[i], first[i + 1] - first[i]) : hash_rows(d, i, 1), i};
    qsort(h, (size_t)items, sizeof *h, by_hash);
    int equal = 0;
    for (int i = 1; i < items; i++) {
        if (h[i].hash != h[i - 1].hash) continue;
        int a = h[i - 1].index, b = h[i].index;
        int n = first ? first[a + 1] - first[a] : 1;
        if (first && first[b + 1] - first[b] != n) continue;
        equal += equal_rows(d, first ? first[a] : a, first ? first[b] : b, n);
    }
    free(h);
    return equal;
}

static int by_int(const void *a, const void *b) {
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int lengths(bex_dataset_statistics *out, const bex_dataset *d) {
    int *length = malloc((size_t)d->episodes * sizeof *length);
    if (!length) return bex_fail("out of memory: %d episodes", d->episodes);
    for (int e = 0; e < d->episodes; e++) length[e] = bex_dataset_length(d, e);
    qsort(length, (size_t)d->episodes, sizeof *length, by_int);
    out->shortest = length[0], out->longest = length[d->episodes - 1];
    int middle = d->episodes / 2;
    out->median_length =
        d->episodes % 2 ? length[middle] : 0.5 * (length[middle - 1] + length[middle]);
    out->mean_length = (double)d->rows / d->episodes;
    free(length);
    return 0;
}

int bex_statistics_dataset(bex_dataset_statistics *out, const bex_dataset *d) {
    *out = (bex_dataset_statistics){.best_return = -HUGE_VAL, .worst_return = HUGE_VAL};
    if (lengths(out, d) < 0) return -1;
    for (int e = 0; e < d->episodes; e++) {
        double sum = 0;
        for (int t = d->start[e]; t < d->start[e + 1]; t++) {
            if (d->rewards) sum += (double)d->rewards[t];
            if (t > d->start[e]) out->repeated_rows += equal_rows(d, t, t - 1, 1);
        }
        out->reward_sum += sum;
        out->best_return = fmax(out->best_return, sum);
        out->worst_return = fmin(out->worst_return, sum);
    }
    out->duplicate_rows = count_duplicates(d, NULL, d->rows);
    out->duplicate_episodes = count_duplicates(d, d->start, d->episodes);
    return out->duplicate_rows < 0 || out->duplicate_episodes < 0 ? -1 : 0;
}
