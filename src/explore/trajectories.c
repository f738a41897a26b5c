/* explore/trajectories.c - written trial by trial; read back with episodes cut where trial or episode
 * changes. */
#include "explore/trajectories.h"

#include "base/error.h"
#include "data/hdf5.h"
#include "data/writer.h"

#include <stdlib.h>

static int append_trial(bex_writer *w, const bex_explored *e, int i, int *trial, int *episode) {
    const bex_trial *t = &e->trial[i];
    for (int k = 0; k < t->episodes; k++)
        for (int row = t->start[k]; row < t->start[k + 1]; row++) trial[row] = i, episode[row] = k;
    const void *blocks[] = {t->obs, t->act, t->reward, t->terminal, t->timeout, trial, episode};
    return bex_writer_append(w, t->steps, blocks);
}

int bex_trajectories_save(const bex_explored *e, const char *command, const char *path) {
    const bex_column columns[] = {
        {"observations", BEX_COLUMN_FLOAT32, e->O}, {"actions", BEX_COLUMN_FLOAT32, e->A},
        {"rewards", BEX_COLUMN_FLOAT32, 0},         {"terminals", BEX_COLUMN_FLAG, 0},
        {"timeouts", BEX_COLUMN_FLAG, 0},           {"infos/trial", BEX_COLUMN_INT32, 0},
        {"infos/episode", BEX_COLUMN_INT32, 0},
    };
    int *labels = malloc(2 * (size_t)e->room * sizeof *labels);
    bex_writer *w = NULL;
    int code = labels ? bex_writer_open(&w, path, columns, sizeof columns / sizeof *columns)
                      : bex_fail("out of memory");
    if (code == 0) code = bex_writer_text(w, "metadata/command", command);
    for (int i = 0; code == 0 && i < e->trials; i++)
        code = append_trial(w, e, i, labels, labels + e->room);
    if (code == 0) code = bex_writer_commit(w);
    bex_writer_free(w);
    free(labels);
    return code;
}

// ---- loading ----

static int read_reals(bex_h5 *f, const char *key, bex_real **out, int *rows, int *width) {
    bex_h5_shape shape;
    int bad;
    if (bex_h5_measure(f, key, &shape) < 0) return -1;
    if (shape.rows < 1 || shape.rows > 1 << 30 || shape.columns < 1 || shape.columns > 1 << 16 ||
        (*rows && shape.rows != (unsigned)*rows))
        return bex_fail("'%s' is %llu x %llu", key, shape.rows, shape.columns);
    *rows = (int)shape.rows, *width = (int)shape.columns;
    *out = malloc((size_t)*rows * (size_t)*width * sizeof **out);
    if (!*out) return bex_fail("out of memory: %d rows of '%s'", *rows, key);
    if (bex_h5_read(f, key, 0, *rows, *out, *width, &bad) < 0) return -1;
    return bad < 0 ? 0 : bex_fail("'%s' is not finite in row %d", key, bad);
}

// labels (2, rows): trial and episode; episode k of a trial begins where both say so
static int find_episodes(bex_trajectories *t, const int *labels) {
    const int *trial = labels, *episode = labels + t->rows;
    for (int row = 0; row < t->rows; row++) {
        bool first = row == 0, same = !first && trial[row] == trial[row - 1];
        if (same && episode[row] == episode[row - 1]) continue;
        bool next = same ? episode[row] == episode[row - 1] + 1
                         : episode[row] == 0 && trial[row] == (first ? 0 : trial[row - 1] + 1);
        if (!next)
            return bex_fail("row %d begins episode %d of trial %d, out of order", row, episode[row],
                            trial[row]);
        t->start[t->episodes] = row;
        t->trial[t->episodes++] = trial[row];
    }
    t->start[t->episodes] = t->rows;
    t->trials = trial[t->rows - 1] + 1;
    return 0;
}

static int read_labels(bex_trajectories *t, bex_h5 *f) {
    size_t rows = (size_t)t->rows;
    int *labels = malloc(2 * rows * sizeof *labels);
    t->start = malloc((rows + 1) * sizeof *t->start);
    t->trial = malloc(rows * sizeof *t->trial);
    int code = labels && t->start && t->trial ? 0 : bex_fail("out of memory");
    if (!code) code = bex_h5_read_integers(f, "infos/trial", 0, t->rows, labels);
    if (!code) code = bex_h5_read_integers(f, "infos/episode", 0, t->rows, labels + rows);
    if (!code) code = find_episodes(t, labels);
    free(labels);
    return code;
}

int bex_trajectories_load(bex_trajectories *t, const char *path) {
    *t = (bex_trajectories){0};
    bex_h5 *f = NULL;
    int code = bex_h5_open(&f, path);
    if (!code) code = read_reals(f, "observations", &t->obs, &t->rows, &t->O);
    if (!code) code = read_reals(f, "actions", &t->act, &t->rows, &t->A);
    if (!code) code = read_labels(t, f);
    bex_h5_close(f);
    return code < 0 ? bex_fail_in("%s", path) : 0;
}

void bex_trajectories_fini(bex_trajectories *t) {
    free(t->obs);
    free(t->act);
    free(t->start);
    free(t->trial);
}
