#include "explore/store.h"

#include "base/error.h"
#include "base/path.h"
#include "data/hdf5.h"
#include "data/writer.h"
#include "host/folder.h"
#include "host/lock.h"
#include "host/nofollow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REAL (sizeof(bex_real) == 8 ? BEX_COLUMN_FLOAT64 : BEX_COLUMN_FLOAT32)

struct bex_explore_store {
    char folder[BEX_PATH_SIZE];
    json_t *request;
    int lock;
    int parts;  // files so far
    int *saved; // (trials) episodes in them
    int trials;
};

static const char REQUEST[] = "request.json", LOCK[] = "lock";

static int part_of(char path[BEX_PATH_SIZE], const char *folder, int part) {
    return bex_path_join(path, folder, "%06d.hdf5", part);
}

int bex_explore_store_learner(char path[BEX_PATH_SIZE], const bex_explore_store *s, int trial) {
    return bex_path_join(path, s->folder, "trial-%06d.safetensors", trial);
}

bool bex_explore_store_exists(const char *folder) {
    char path[BEX_PATH_SIZE];
    return bex_path_join(path, folder, "%s", REQUEST) == 0 && access(path, F_OK) == 0;
}

// first what makes it count, so that half of it is none
static int drop_request(const char *folder) {
    char path[BEX_PATH_SIZE];
    if (bex_folder_nofollow(folder) < 0 || bex_path_join(path, folder, "%s", REQUEST) < 0)
        return -1;
    if (unlink(path) == 0 || errno == ENOENT) return 0;
    return bex_fail("cannot remove '%s': %s", path, strerror(errno));
}

int bex_explore_store_remove(const char *folder) {
    return drop_request(folder) < 0 ? -1 : bex_folder_remove(folder);
}

void bex_explore_store_free(bex_explore_store *s) {
    if (!s) return;
    if (s->lock >= 0) close(s->lock);
    json_decref(s->request);
    free(s->saved);
    free(s);
}

static bex_explore_store *make(const char *folder) {
    bex_explore_store *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory"), NULL;
    s->lock = -1;
    if (bex_path_print(s->folder, "%s", folder) == 0 && bex_folder_nofollow(folder) == 0) return s;
    return free(s), NULL;
}

static int take_lock(bex_explore_store *s) {
    s->lock = bex_lock_take(s->folder, "exploration");
    return s->lock < 0 ? -1 : 0;
}

// an older one may be somebody's who is at work. Its lock stays: removed, it would guard nothing
static int clear(bex_explore_store *s) {
    char path[BEX_PATH_SIZE], **names;
    if (bex_folder_make(s->folder) < 0 || take_lock(s) < 0 || drop_request(s->folder) < 0)
        return -1;
    int count = bex_folder_list(&names, s->folder), bad = count < 0;
    for (int i = 0; i < count && !bad; i++)
        if (strcmp(names[i], LOCK) != 0)
            bad = bex_path_join(path, s->folder, "%s", names[i]) < 0 || bex_folder_remove(path) < 0;
    free(names);
    return bad ? -1 : 0;
}

bex_explore_store *bex_explore_store_new(const char *folder, const json_t *request) {
    char path[BEX_PATH_SIZE];
    bex_explore_store *s = make(folder);
    if (!s) return NULL;
    s->request = json_deep_copy(request);
    if (!s->request)
        bex_fail("out of memory");
    else if (bex_path_join(path, folder, "%s", REQUEST) == 0 && clear(s) == 0 &&
             bex_json_save(s->request, path) == 0)
        return s;
    return bex_explore_store_free(s), NULL;
}

bex_explore_store *bex_explore_store_open(const char *folder) {
    char path[BEX_PATH_SIZE];
    bex_explore_store *s = make(folder);
    if (!s) return NULL;
    if (bex_path_join(path, folder, "%s", REQUEST) == 0 && take_lock(s) == 0 &&
        bex_folder_tidy(folder) == 0)
        s->request = bex_json_load(path);
    if (s->request) return s;
    return bex_explore_store_free(s), NULL;
}

const json_t *bex_explore_store_request(const bex_explore_store *s) {
    return s->request;
}

// from here on the record's trials are counted
static int count_trials(bex_explore_store *s, const bex_explored *e) {
    if (s->saved) return 0;
    s->saved = calloc((size_t)e->trials, sizeof *s->saved);
    s->trials = e->trials;
    return s->saved ? 0 : bex_fail("out of memory");
}

// ---- saving ----

static int append_episode(bex_writer *w, const bex_explored *e, int trial, int k) {
    const bex_trial *t = &e->trial[trial];
    size_t at = (size_t)t->start[k], O = (size_t)e->O, A = (size_t)e->A;
    int rows = t->start[k + 1] - t->start[k];
    int *number = malloc((size_t)(rows + 1) * sizeof *number);
    unsigned char *final = calloc((size_t)rows + 1, 1);
    bex_real *nothing = calloc(A + 1, sizeof *nothing);
    int code = number && final && nothing ? 0 : bex_fail("out of memory");
    for (int i = 0; code == 0 && i <= rows; i++) number[i] = trial;
    if (code == 0) {
        const void *blocks[] = {t->obs + at * O, t->act + at * A, t->reward + at, t->terminal + at,
                                t->timeout + at, number,          final};
        code = bex_writer_append(w, rows, blocks);
        final[0] = 1;
    }
    if (code == 0) {
        static const unsigned char no = 0;
        const void *blocks[] = {
            t->final_obs + (size_t)k * O, nothing, nothing, &no, &no, number, final};
        code = bex_writer_append(w, 1, blocks);
    }
    free(number);
    free(final);
    free(nothing);
    return code;
}

int bex_explore_store_save(bex_explore_store *s, const bex_explored *e) {
    const bex_column columns[] = {
        {"observations", REAL, e->O},
        {"actions", REAL, e->A},
        {"rewards", REAL, 0},
        {"terminals", BEX_COLUMN_FLAG, 0},
        {"timeouts", BEX_COLUMN_FLAG, 0},
        {"infos/trial", BEX_COLUMN_INT32, 0},
        {"infos/final", BEX_COLUMN_FLAG, 0},
    };
    char path[BEX_PATH_SIZE];
    bool any = false;
    if (count_trials(s, e) < 0) return -1;
    for (int i = 0; i < e->trials; i++) any = any || e->trial[i].episodes > s->saved[i];
    if (!any) return 0;
    bex_writer *w = NULL;
    int code = part_of(path, s->folder, s->parts + 1);
    if (code == 0) code = bex_writer_open(&w, path, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < e->trials; i++)
        for (int k = s->saved[i]; code == 0 && k < e->trial[i].episodes; k++)
            code = append_episode(w, e, i, k);
    if (code == 0) code = bex_writer_commit(w);
    bex_writer_free(w);
    if (code < 0) return -1;
    s->parts++;
    for (int i = 0; i < e->trials; i++) s->saved[i] = e->trial[i].episodes;
    return 0;
}

// ---- restoring ----

typedef struct part {
    int rows;
    bex_real *obs, *act, *reward; // (rows, O), (rows, A), (rows)
    unsigned char *terminal, *timeout, *final;
    int *trial;
} part;

static void part_fini(part *p) {
    free(p->obs), free(p->act), free(p->reward);
    free(p->terminal), free(p->timeout), free(p->final);
    free(p->trial);
}

static int read_reals(bex_h5 *f, const char *key, bex_real **out, int rows, int width) {
    bex_h5_shape shape;
    int bad; // recorded as it was
    if (bex_h5_measure(f, key, &shape) < 0) return -1;
    if (shape.rows != (unsigned)rows || shape.columns != (unsigned)width)
        return bex_fail("'%s' is %llu x %llu, not %d x %d", key, shape.rows, shape.columns, rows,
                        width);
    *out = malloc((size_t)rows * (size_t)width * sizeof **out);
    if (!*out) return bex_fail("out of memory");
    return bex_h5_read(f, key, 0, rows, *out, width, &bad);
}

static int read_flags(bex_h5 *f, const char *key, unsigned char **out, int rows) {
    *out = malloc((size_t)rows);
    return *out ? bex_h5_read_flags(f, key, 0, rows, *out) : bex_fail("out of memory");
}

static int read_part(part *p, bex_h5 *f, const bex_explored *e) {
    bex_h5_shape shape;
    if (bex_h5_measure(f, "observations", &shape) < 0) return -1;
    if (shape.rows < 1 || shape.rows > 1 << 30) return bex_fail("%llu rows", shape.rows);
    p->rows = (int)shape.rows;
    p->trial = malloc((size_t)p->rows * sizeof *p->trial);
    if (!p->trial) return bex_fail("out of memory");
    if (read_reals(f, "observations", &p->obs, p->rows, e->O) < 0 ||
        read_reals(f, "actions", &p->act, p->rows, e->A) < 0 ||
        read_reals(f, "rewards", &p->reward, p->rows, 1) < 0 ||
        read_flags(f, "terminals", &p->terminal, p->rows) < 0 ||
        read_flags(f, "timeouts", &p->timeout, p->rows) < 0 ||
        read_flags(f, "infos/final", &p->final, p->rows) < 0)
        return -1;
    return bex_h5_read_integers(f, "infos/trial", 0, p->rows, p->trial);
}

// one episode from row `first` on; returns the row after it
static int take_episode(bex_explored *e, const part *p, int first) {
    int trial = p->trial[first], row = first;
    bool over = false;
    if (trial < 0 || trial >= e->trials || p->final[first] || bex_explored_complete(e, trial))
        return bex_fail("row %d belongs to no episode of this exploration", first);
    if (bex_explored_begin(e, trial) < 0) return -1;
    for (; row < p->rows && !p->final[row]; row++) {
        size_t at = (size_t)row;
        bex_step r = {.obs.state = p->obs + at * (size_t)e->O,
                      .act = p->act + at * (size_t)e->A,
                      .reward = p->reward[at],
                      .terminal = p->terminal[at],
                      .timeout = p->timeout[at]};
        if (over || p->trial[row] != trial || e->trial[trial].steps >= e->room)
            return bex_fail("row %d belongs to no episode of this exploration", row);
        over = bex_explored_step(e, trial, &r);
    }
    if (!over || row == p->rows) return bex_fail("the episode from row %d on has no end", first);
    bex_explored_end(e, trial, p->obs + (size_t)row * (size_t)e->O);
    return row + 1;
}

static int take_part(const char *path, bex_explored *e) {
    part p = {0};
    bex_h5 *f = NULL;
    int code = bex_h5_open(&f, path);
    if (code == 0) code = read_part(&p, f, e);
    for (int row = 0; code == 0 && row < p.rows;) {
        int next = take_episode(e, &p, row);
        if (next < 0) code = -1;
        row = next;
    }
    bex_h5_close(f);
    part_fini(&p);
    return code < 0 ? bex_fail_in("%s", path) : 0;
}

int bex_explore_store_restore(bex_explore_store *s, bex_explored *e) {
    char path[BEX_PATH_SIZE];
    if (count_trials(s, e) < 0) return -1;
    for (s->parts = 0;; s->parts++) {
        if (part_of(path, s->folder, s->parts + 1) < 0) return -1;
        if (access(path, F_OK) != 0) break;
        if (take_part(path, e) < 0) return -1;
    }
    for (int i = 0; i < e->trials; i++) s->saved[i] = e->trial[i].episodes;
    return 0;
}
