/* data/reader_d4rl.c - D4RL's flat HDF5, and what bex writes.
 *
 *   observations (n, O)   actions (n, A)   rewards (n)   terminals (n)   timeouts (n)
 *   infos/...  a group, or for Kitchen an array; metadata/...
 *
 * rewards may be 8-byte, flags one-byte enumerations, integers or absent. The first rows of infos/qpos and
 * infos/qvel, the coordinates of the simulation, name the columns that equal them (not in AntMaze v0, where
 * they are one step late); where episodes end is split.h's business. What bex itself adds when
 * converting is read back: infos/task, infos/scene (n) with metadata/tasks, metadata/scenes;
 * metadata/columns. */
#include "base/error.h"
#include "data/reader.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_CUT = 5 };       // rows that misplaced timeouts are off by, at most
enum { NAMING_ROWS = 1000 }; // that a column and a coordinate must have in common

static int recognise(bex_h5 *file) {
    return bex_h5_find(file, "observations") == BEX_H5_DATASET &&
           bex_h5_find(file, "actions") == BEX_H5_DATASET;
}

static int measure_table(bex_h5 *file, const char *key, bex_h5_shape *s) {
    if (bex_h5_measure(file, key, s) < 0) return -1;
    if (s->rank != 2) return bex_fail("'%s' has rank %d, expected 2 (rows, columns)", key, s->rank);
    if (s->content != BEX_H5_NUMBERS) return bex_fail("'%s' does not hold numbers", key);
    if (!s->columns) return bex_fail("'%s' has no columns", key);
    return 0;
}

// 1 present and well-formed, 0 absent, negative otherwise
static int measure_series(bex_h5 *file, const char *key, unsigned long long rows) {
    bex_h5_shape s;
    if (bex_h5_find(file, key) == BEX_H5_ABSENT) return 0;
    if (bex_h5_measure(file, key, &s) < 0) return -1;
    if (s.rank < 1 || s.rank > 2 || s.columns != 1)
        return bex_fail("'%s' has rank %d, expected 1 (one value a row)", key, s.rank);
    if (s.rows != rows)
        return bex_fail("'%s' has %llu rows, 'observations' has %llu", key, s.rows, rows);
    return 1;
}

static int read_table(bex_dataset *d, bex_h5 *file, const char *key, bex_real *out, int columns,
                      const bex_load_options *o) {
    int bad;
    if (bex_h5_read(file, key, 0, d->rows, out, columns, &bad) < 0) return -1;
    return bex_reader_check_finite(d, key, bad, o);
}

// a label a row; an episode takes that of its first row
static int read_labels(bex_dataset *d, bex_h5 *file, const char *key, const char *list, int *label,
                       bex_names *table) {
    if (bex_h5_find(file, list) != BEX_H5_DATASET) return 0;
    int present = measure_series(file, key, (unsigned long long)d->rows);
    if (present <= 0) return present;
    int *value = malloc((size_t)d->rows * sizeof *value);
    if (!value) return bex_fail("out of memory: %d labels", d->rows);
    int code = bex_h5_read_integers(file, key, 0, d->rows, value);
    if (code == 0) code = bex_h5_read_texts(file, list, table);
    for (int e = 0; e < d->episodes && code == 0; e++) {
        label[e] = value[d->start[e]];
        if (label[e] < -1 || label[e] >= table->count)
            code = bex_fail("'%s' has the value %d in row %d, '%s' has %d entries", key, label[e],
                            d->start[e], list, table->count);
    }
    free(value);
    return code;
}

// what whoever wrote the file calls the columns; ours is metadata/columns
static int read_columns(bex_dataset *d, bex_h5 *file) {
    static const char key[] = "metadata/columns";
    bex_names names = {0};
    if (bex_h5_find(file, key) != BEX_H5_DATASET) return 0;
    int code = bex_h5_read_texts(file, key, &names);
    if (code == 0 && names.count != d->O)
        code =
            bex_fail("'%s' has %d names, the observations have %d columns", key, names.count, d->O);
    for (int i = 0; i < names.count && code == 0; i++)
        code = bex_columns_add(&d->columns, names.text[i]);
    bex_names_fini(&names);
    return code;
}

static bool varies(const bex_dataset *d, int j, int rows) {
    for (int r = 1; r < rows; r++)
        if (d->observations[(size_t)r * (size_t)d->O + (size_t)j] != d->observations[j])
            return true;
    return false;
}

// the column of `table` (rows, columns) that column j of the observations equals; -1: none
static int equal_column(const bex_dataset *d, int j, const bex_real *table, int rows, int columns) {
    size_t O = (size_t)d->O, C = (size_t)columns;
    for (int c = 0; c < columns; c++) {
        int r = 0;
        for (; r < rows; r++) {
            double x = (double)d->observations[(size_t)r * O + (size_t)j];
            if (fabs((double)table[(size_t)r * C + (size_t)c] - x) > 1e-6 + 1e-5 * fabs(x)) break;
        }
        if (r == rows) return c;
    }
    return -1;
}

enum { TABLES = 2 };
static const char *const coordinate[TABLES] = {"qpos", "qvel"};

// of[j] = table, at[j] = its column that column j equals. Negative with a message: no memory
static int match_coordinates(const bex_dataset *d, bex_h5 *file, int rows, int *of, int *at) {
    for (int k = 0; k < TABLES; k++) {
        char key[32];
        bex_h5_shape s;
        int bad;
        snprintf(key, sizeof key, "infos/%s", coordinate[k]);
        if (bex_h5_find(file, key) != BEX_H5_DATASET) continue;
        if (bex_h5_measure(file, key, &s) < 0 || s.rank != 2 || s.content != BEX_H5_NUMBERS ||
            s.rows < (unsigned long long)rows || s.columns > (unsigned long long)d->O + 64) {
            bex_error_clear(); // whatever it is: no names
            continue;
        }
        bex_real *table = malloc((size_t)rows * (size_t)s.columns * sizeof *table);
        if (!table) return bex_fail("out of memory: '%s'", key);
        if (bex_h5_read(file, key, 0, rows, table, (int)s.columns, &bad) == 0) {
            for (int j = 0; j < d->O; j++) {
                int c = of[j] < 0 && varies(d, j, rows)
                            ? equal_column(d, j, table, rows, (int)s.columns)
                            : -1;
                if (c >= 0) of[j] = k, at[j] = c;
            }
        } else {
            bex_error_clear();
        }
        free(table);
    }
    return 0;
}

// observations that are coordinates of the simulation, joints and their rates, are named so where others are
// not: beside them somebody computed places. Where all are, that would tell nothing
static int name_coordinates(bex_dataset *d, bex_h5 *file) {
    int rows = d->rows < NAMING_ROWS ? d->rows : NAMING_ROWS, coordinates = 0, others = 0;
    int *of = malloc(2 * (size_t)d->O * sizeof *of), *at = of + d->O;
    if (!of) return bex_fail("out of memory: %d columns", d->O);
    for (int j = 0; j < d->O; j++) of[j] = -1;
    int code = match_coordinates(d, file, rows, of, at);
    for (int j = 0; j < d->O; j++)
        coordinates += of[j] >= 0, others += of[j] < 0 && varies(d, j, rows);
    for (int j = 0; j < d->O && coordinates && others && code == 0; j++) {
        char text[48];
        snprintf(text, sizeof text, "%s[%d]", of[j] < 0 ? "observations" : coordinate[of[j]],
                 of[j] < 0 ? j : at[j]);
        code = bex_columns_add(&d->columns, text);
    }
    free(of);
    return code;
}

// step lengths say whether the flags are where the resets are
static int note_jumps(bex_dataset *d, const bex_split *split, int has_timeouts) {
    double jump = split->jump > 0 ? split->jump
                                  : bex_split_jump(d->observations, d->rows, d->O, split->position);
    int inside = 0, near = 0, first = -1;
    for (int e = 0; e < d->episodes; e++)
        for (int t = d->start[e]; t + 1 < d->start[e + 1]; t++)
            if (bex_split_step(d->observations, d->O, split->position, t) > jump) {
                if (!inside++) first = t;
                near += t - d->start[e] < NEAR_CUT || d->start[e + 1] - 2 - t < NEAR_CUT;
            }
    // resets that the cuts miss by a few rows; elsewhere a column may just move fast now and then
    if (!inside || (has_timeouts && 2 * near < inside)) return 0;
    return bex_dataset_note(d,
                            "%d position jump%s inside episodes, the first after row %d (a step of "
                            "%.3g, over %.3g): misplaced timeouts? try --split-at jumps",
                            inside, inside == 1 ? "" : "s", first,
                            bex_split_step(d->observations, d->O, split->position, first), jump);
}

// does the state go on across nearly all cuts, by no more than it changes within episodes?
static int note_continuous(bex_dataset *d) {
    double within = 0;
    int goes_on = 0, cuts = d->episodes - 1, stride = d->rows / 100000 + 1;
    if (cuts < 3) return 0;
    long long steps = 0;
    for (int e = 0; e < d->episodes; e++)
        for (int t = d->start[e]; t + 1 < d->start[e + 1]; t += stride, steps++)
            within += bex_split_change(d->observations, d->O, t);
    if (!steps) return 0;
    for (int e = 1; e < d->episodes; e++)
        goes_on +=
            bex_split_change(d->observations, d->O, d->start[e] - 1) <= 2 * within / (double)steps;
    if (10 * (long long)goes_on < 9 * (long long)cuts) return 0;
    return bex_dataset_note(
        d,
        "the state goes on across %d of %d cuts: one continuous run (timeouts mark goal switches?)",
        goes_on, cuts);
}

static int note_defects(bex_dataset *d, const bex_load_options *o, int has_terminals,
                        int has_timeouts) {
    int flags = !o->split.rules || (o->split.rules & BEX_SPLIT_FLAGS);
    if (!has_timeouts &&
        bex_dataset_note(d, "'timeouts' is missing: split at terminals%s",
                         o->split.length ? " and by length"
                                         : " only (--episode-length N cuts too)") < 0)
        return -1;
    if (!has_terminals && bex_dataset_note(d, "'terminals' is missing") < 0) return -1;
    if (flags && bex_split_terminals_in_runs(d->terminals, d->rows) &&
        bex_dataset_note(d,
                         "terminals come in runs (rows near a goal), so they do not end episodes "
                         "(--split-at terminals,timeouts does)") < 0)
        return -1;
    return note_jumps(d, &o->split, has_timeouts) < 0 ? -1 : note_continuous(d);
}

// flags first: they say how many rows the wanted episodes take
static int split_flags(bex_dataset *d, const bex_load_options *o, const unsigned char *terminals,
                       const unsigned char *timeouts) {
    int *start, episodes;
    const bex_split *s = &o->split;
    if (bex_split_rows(&start, &episodes, s, terminals, timeouts, d->observations, d->rows, d->O) <
        0)
        return -1;
    if (bex_dataset_take_episodes(d, start, episodes) < 0) return -1;
    if (o->limit) bex_dataset_truncate(d, o->limit);
    return 0;
}

static int load(bex_dataset *d, bex_h5 *file, const char *path, const bex_load_options *o) {
    (void)path;
    bex_h5_shape obs, act;
    if (o->filter) return bex_fail("a filter key needs a robomimic file (this is d4rl)");
    if (o->images && strcmp(o->images, "all") != 0)
        return bex_fail("no camera '%s': files of d4rl hold no pictures", o->images);
    const char *observations = o->keys ? o->keys : "observations";
    if (measure_table(file, observations, &obs) < 0 || measure_table(file, "actions", &act) < 0)
        return -1;
    if (act.rows != obs.rows)
        return bex_fail("'actions' has %llu rows, '%s' has %llu", act.rows, observations, obs.rows);
    int rewards = measure_series(file, "rewards", obs.rows);
    int terminals = measure_series(file, "terminals", obs.rows);
    int timeouts = measure_series(file, "timeouts", obs.rows);
    if (rewards < 0 || terminals < 0 || timeouts < 0) return -1;
    if (bex_dataset_allocate(d, obs.rows, obs.columns, act.columns, rewards, o->most) < 0)
        return -1;
    if (bex_names_push(&d->keys, observations) < 0) return -1;
    d->key_width[0] = d->O;
    for (int i = 0; i < 2; i++)
        if ((o->split.rules & BEX_SPLIT_JUMPS) && o->split.position[i] >= d->O)
            return bex_fail("position column %d: '%s' has %d columns", o->split.position[i],
                            observations, d->O);

    if (terminals && bex_h5_read_flags(file, "terminals", 0, d->rows, d->terminals) < 0) return -1;
    if (timeouts && bex_h5_read_flags(file, "timeouts", 0, d->rows, d->timeouts) < 0) return -1;
    int by_jumps = (o->split.rules & BEX_SPLIT_JUMPS) != 0;
    const unsigned char *ends = terminals ? d->terminals : NULL,
                        *cuts = timeouts ? d->timeouts : NULL;
    if (!by_jumps && split_flags(d, o, ends, cuts) < 0) return -1;
    if (read_table(d, file, observations, d->observations, d->O, o) < 0) return -1;
    if (by_jumps && split_flags(d, o, ends, cuts) < 0) return -1;
    if (read_table(d, file, "actions", d->actions, d->A, o) < 0) return -1;
    if (rewards && read_table(d, file, "rewards", d->rewards, 1, o) < 0) return -1;
    if (read_labels(d, file, "infos/task", "metadata/tasks", d->task, &d->tasks) < 0 ||
        read_labels(d, file, "infos/scene", "metadata/scenes", d->scene, &d->scenes) < 0 ||
        read_columns(d, file) < 0)
        return -1;
    if (!o->keys && !d->columns.count && name_coordinates(d, file) < 0) return -1;
    return note_defects(d, o, terminals, timeouts);
}

const bex_reader bex_reader_d4rl = {"d4rl", recognise, load};
