/* data/recording.c - tensors to episodes. */
#include "data/recording.h"

#include "base/error.h"
#include "nn/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1 << 30, MOST_COLUMNS = 1 << 16 };

bool bex_is_recording(const char *path) {
    static const char end[] = ".safetensors";
    size_t n = strlen(path);
    return n > sizeof end - 1 && !strcmp(path + n - (sizeof end - 1), end);
}

void bex_recording_fini(bex_recording *r) {
    free(r->obs), free(r->act), free(r->reward);
    free(r->start), free(r->trial), free(r->terminal);
    free(r->final);
    bex_columns_fini(&r->columns);
    *r = (bex_recording){0};
}

// a table of reals with `rows` rows (0: any); *out NULL if the file has none and it is optional
static int read_table(bex_real **out, int *columns, int *rows, const bex_st_file *f,
                      const char *name, bool optional) {
    const bex_st_tensor *t = bex_st_find(f, name);
    *out = NULL, *columns = 0;
    if (!t) return optional ? 0 : bex_fail("tensor '%s' is missing", name);
    int64_t width = t->rank == 2 ? t->dim[1] : 1;
    if (t->rank < 1 || t->rank > 2 || t->dim[0] < 1 || t->dim[0] > MOST_ROWS || width < 1 ||
        width > MOST_COLUMNS)
        return bex_fail("tensor '%s' is no table of rows", name);
    if (*rows && t->dim[0] != *rows)
        return bex_fail("tensor '%s' has %lld rows, not %d", name, (long long)t->dim[0], *rows);
    *rows = (int)t->dim[0], *columns = (int)width;
    *out = malloc((size_t)*rows * (size_t)width * sizeof **out);
    if (!*out) return bex_fail("out of memory: tensor '%s'", name);
    return bex_st_read_real(f, name, *out, t->rank, t->dim);
}

// n integers; absent: `otherwise` for each
static int read_integers(int **out, const bex_st_file *f, const char *name, int n, int otherwise) {
    const bex_st_tensor *t = bex_st_find(f, name);
    *out = malloc(((size_t)n + 1) * sizeof **out);
    if (!*out) return bex_fail("out of memory: %d episodes", n);
    for (int i = 0; i < n; i++) (*out)[i] = otherwise;
    if (!t) return 0;
    if (t->dtype != BEX_ST_I64 || t->rank != 1 || t->dim[0] != n)
        return bex_fail("tensor '%s' must be %d integers (I64)", name, n);
    for (int i = 0; i < n; i++) {
        int64_t v = ((const int64_t *)t->data)[i];
        if (v < 0 || v > MOST_ROWS)
            return bex_fail("tensor '%s': %lld in place %d", name, (long long)v, i);
        (*out)[i] = (int)v;
    }
    return 0;
}

static int read_episodes(bex_recording *r, const bex_st_file *f, const char *start) {
    const bex_st_tensor *t = bex_st_find(f, start);
    if (t && (t->rank != 1 || t->dim[0] < 2 || t->dim[0] > MOST_ROWS))
        return bex_fail("tensor '%s' must hold the first row of each episode, and their end",
                        start);
    r->episodes = t ? (int)t->dim[0] - 1 : 1;
    if (read_integers(&r->start, f, start, r->episodes + 1, 0) < 0) return -1;
    if (!t) r->start[1] = r->rows;
    for (int e = 0; e < r->episodes; e++)
        if (r->start[e + 1] <= r->start[e])
            return bex_fail("tensor '%s': episode %d has no rows", start, e);
    if (r->start[0] != 0 || r->start[r->episodes] != r->rows)
        return bex_fail("tensor '%s' runs from %d to %d, not from 0 to %d rows", start, r->start[0],
                        r->start[r->episodes], r->rows);
    if (read_integers(&r->trial, f, "episode.trial", r->episodes, 0) < 0 ||
        read_integers(&r->terminal, f, "episode.terminal", r->episodes, 0) < 0)
        return -1;
    for (int e = 0; e < r->episodes; e++) {
        int before = e ? r->trial[e - 1] : 0;
        if (r->trial[e] != before && r->trial[e] != before + (e > 0))
            return bex_fail("tensor 'episode.trial': trials are 0, 1 .. and follow each other");
    }
    r->trials = r->trial[r->episodes - 1] + 1;
    return 0;
}

static void take_text(char *out, size_t size, const bex_st_file *f, const char *key) {
    const char *text = bex_st_metadata(f, key);
    snprintf(out, size, "%s", text ? text : "");
}

static int read_file(bex_recording *r, const bex_st_file *f) {
    bool history = !bex_st_find(f, "observations") && bex_st_find(f, "history.states");
    int one, wide;
    if (read_table(&r->obs, &r->O, &r->rows, f, history ? "history.states" : "observations",
                   false) < 0) {
        if (bex_st_find(f, "normaliser.state.mean"))
            bex_fail_hint("this is a policy, not what one saw");
        return -1;
    }
    if (read_episodes(r, f, history ? "history.start" : "episode.start") < 0) return -1;
    if (read_table(&r->act, &r->A, &r->rows, f, "actions", true) < 0 ||
        read_table(&r->reward, &one, &r->rows, f, "rewards", true) < 0)
        return -1;
    if (one > 1) return bex_fail("tensor 'rewards' has %d values a row", one);
    int episodes = r->episodes;
    if (read_table(&r->final, &wide, &episodes, f, "episode.final", true) < 0) return -1;
    if (r->final && wide != r->O)
        return bex_fail("tensor 'episode.final' has %d columns, not %d", wide, r->O);
    take_text(r->environment, sizeof r->environment, f, "environment");
    take_text(r->agent, sizeof r->agent, f, "agent");
    take_text(r->command, sizeof r->command, f, "command");
    const char *columns = bex_st_metadata(f, "columns");
    return columns && *columns ? bex_columns_parse(&r->columns, columns, r->O) : 0;
}

int bex_recording_load(bex_recording *r, const char *path) {
    *r = (bex_recording){0};
    bex_st_file *f = bex_st_load(path);
    if (!f) return -1;
    int code = read_file(r, f);
    bex_st_free(f);
    return code < 0 ? bex_fail_in("'%s'", path) : 0;
}

bex_dataset *bex_recording_dataset(bex_recording *r) {
    if (!r->act) return bex_fail("no actions: states alone are no demonstrations"), NULL;
    bex_dataset *d = bex_dataset_new();
    if (!d) return NULL;
    int code = bex_dataset_allocate(d, (unsigned long long)r->rows, (unsigned long long)r->O,
                                    (unsigned long long)r->A, r->reward != NULL, 0);
    if (code == 0) {
        memcpy(d->observations, r->obs, (size_t)r->rows * (size_t)r->O * sizeof *r->obs);
        memcpy(d->actions, r->act, (size_t)r->rows * (size_t)r->A * sizeof *r->act);
        if (r->reward) memcpy(d->rewards, r->reward, (size_t)r->rows * sizeof *r->reward);
        for (int e = 0; e < r->episodes; e++) {
            int last = r->start[e + 1] - 1;
            d->terminals[last] = r->terminal[e] != 0, d->timeouts[last] = !r->terminal[e];
        }
        int *start = r->start;
        r->start = NULL;
        code = bex_dataset_take_episodes(d, start, r->episodes);
    }
    snprintf(d->kind, sizeof d->kind, "recording");
    if (code == 0) code = bex_columns_copy(&d->columns, &r->columns);
    if (code == 0 && bex_names_push(&d->keys, "observations") < 0) code = -1;
    d->key_width[0] = d->O;
    if (code == 0) return d;
    bex_dataset_free(d);
    return NULL;
}

static void *copy(const void *from, size_t bytes) {
    void *to = malloc(bytes ? bytes : 1);
    if (to) memcpy(to, from, bytes);
    return to;
}

int bex_recording_of(bex_recording *r, const bex_dataset *d) {
    size_t rows = (size_t)d->rows, episodes = (size_t)d->episodes;
    *r = (bex_recording){
        .rows = d->rows, .O = d->O, .A = d->A, .episodes = d->episodes, .trials = 1};
    r->obs = copy(d->observations, rows * (size_t)d->O * sizeof *r->obs);
    r->act = copy(d->actions, rows * (size_t)d->A * sizeof *r->act);
    if (d->rewards) r->reward = copy(d->rewards, rows * sizeof *r->reward);
    r->start = copy(d->start, (episodes + 1) * sizeof *r->start);
    r->trial = calloc(episodes + 1, sizeof *r->trial),
    r->terminal = calloc(episodes + 1, sizeof *r->terminal);
    if (!r->obs || !r->act || !r->start || !r->trial || !r->terminal || (d->rewards && !r->reward))
        return bex_fail("out of memory: %d rows", d->rows);
    for (int e = 0; e < d->episodes; e++) r->terminal[e] = d->terminals[d->start[e + 1] - 1];
    return bex_columns_copy(&r->columns, &d->columns);
}
