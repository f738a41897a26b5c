/* suggest/column_choice.c - columns judged, sets of them made and judged. */
#include "suggest/column_choice.h"

#include "base/error.h"
#include "suggest/directions.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUATERNION = 4, ROWS = 20000, FUTURE_MOST = 200, FUTURE_LEAST = 4 };
static const double CONSTANT = 1e-6;  // of the largest value, as policy/normaliser.c has it
static const double GIVEN = 0.03;     // moves less than this, and hardly varies within an episode
static const double RATE = 0.95;      // correlation with the change of another column
static const double COPY = 0.999;     // with another column
static const double ENOUGH = 0.5;     // of the best column's worth
static const double REDUNDANT = 0.98; // explained by those chosen before
static const double SMALL = 0.05;     // of the largest deviation within a key
static const double LASTS = 0.25;     // the least worth that says where a robot is

/* ---- words ---- */

// what a part of a name says; the least of those that occur
static const struct {
    const char *word;
    double worth;
} words[] = {{"vel", 0.1},    {"velocity", 0.1}, {"qvel", 0.1},    {"speed", 0.1}, {"force", 0.1},
             {"torque", 0.1}, {"acc", 0.1},      {"sin", 0.2},     {"cos", 0.2},   {"quat", 0.4},
             {"rot", 0.4},    {"orn", 0.4},      {"orient", 0.4},  {"orien", 0.4}, {"euler", 0.4},
             {"angle", 0.4},  {"joint", 0.4},    {"joints", 0.4},  {"qpos", 0.4},  {"gripper", 0.4},
             {"finger", 0.4}, {"time", 0},       {"desired", 0.1}, {"goal", 0.1},  {"pos", 1},
             {"position", 1}, {"xpos", 1},       {"xy", 1},        {"xyz", 1},     {"x", 1},
             {"y", 1},        {"z", 1},          {"object", 1},    {"objects", 1}, {"obj", 1},
             {"place", 1},    {"achieved", 1}};
static const double ORIENTATION = 0.4;
static const double UNKNOWN = 0.8; // a name that says nothing, beside names that do

// 1 without a name
static double word_of(const char *name) {
    double least = 2;
    for (const char *p = name; *p && *p != '[';) {
        char part[32];
        size_t n = strcspn(p, "_/.-[");
        snprintf(part, sizeof part, "%.*s", (int)(n < 31 ? n : 31), p);
        for (char *q = part; *q; q++) *q = (char)tolower((unsigned char)*q);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (!strcmp(words[i].word, part) && words[i].worth < least) least = words[i].worth;
        p += n + (p[n] != 0 && p[n] != '[');
    }
    return least > 1 ? UNKNOWN : least;
}

/* ---- columns ---- */

// the episodes that are looked at: every `step`th
static int episodes_apart(const bex_dataset *d) {
    int step = d->rows / ROWS;
    if (step > d->episodes / 4) step = d->episodes / 4;
    return step < 1 ? 1 : step;
}

static const bex_real *row_at(const bex_dataset *d, int row) {
    return d->observations + (size_t)row * (size_t)d->O;
}

static void find_moments(bex_column_choice *c, double *mean, const bex_dataset *d, int step) {
    double n = 0;
    for (int e = 0; e < d->episodes; e += step) n += bex_dataset_length(d, e);
    for (int pass = 0; pass < 2; pass++)
        for (int e = 0; e < d->episodes; e += step)
            for (int t = d->start[e]; t < d->start[e + 1]; t++)
                for (int j = 0; j < d->O; j++) {
                    double x = (double)row_at(d, t)[j];
                    if (pass)
                        c->column[j].std += (x - mean[j]) * (x - mean[j]) / n;
                    else
                        mean[j] += x / n;
                }
    for (int j = 0; j < d->O; j++) {
        bex_column_judgement *q = &c->column[j];
        q->std = sqrt(q->std);
        q->of = -1, q->word = 1;
        // a column is told constant as the normaliser tells it, by its largest value
        double top = fabs(mean[j]) + 3 * q->std;
        if (q->std <= CONSTANT * fmax(top, 1e-3)) q->role = BEX_COLUMN_CONSTANT, q->std = 0;
    }
}

// four columns side by side whose squares add up to one are an orientation, whatever they are called
static void find_orientations(bex_column_choice *c, const bex_dataset *d) {
    int stride = d->rows / 2000 + 1;
    for (int j = 0; j + QUATERNION <= c->O; j++) {
        int rows = 0, unit = 0, live = 0;
        for (int k = j; k < j + QUATERNION; k++) live += c->column[k].role != BEX_COLUMN_CONSTANT;
        for (int r = 0; live > 1 && r < d->rows; r += stride, rows++) {
            double sum = 0;
            for (int k = j; k < j + QUATERNION; k++) sum += pow((double)row_at(d, r)[k], 2);
            unit += fabs(sum - 1) < 0.05;
        }
        if (!rows || 100 * unit < 98 * rows) continue;
        for (int k = j; k < j + QUATERNION; k++) c->column[k].word = ORIENTATION;
        j += QUATERNION - 1;
    }
}

typedef struct {
    double between, within, windows; // of futures: variance of means, mean variance
    double later, pairs;             // squared difference F / 4 rows on
    double moved, moves;             // F rows on
    double inside, rows;             // variance within episodes
} column_sums;

static void add_window(column_sums *s, const bex_dataset *d, int j, int from, int n, double mean) {
    double m = 0, v = 0;
    for (int t = from; t < from + n; t++) m += (double)row_at(d, t)[j] / n;
    for (int t = from; t < from + n; t++) v += pow((double)row_at(d, t)[j] - m, 2) / n;
    s->between += (m - mean) * (m - mean);
    s->within += v;
    s->windows++;
}

static void add_episode(column_sums *s, const bex_dataset *d, int j, int e, int F, double mean) {
    int begin = d->start[e], n = bex_dataset_length(d, e), lag = F / 4 > 1 ? F / 4 : 1;
    double own = 0;
    for (int t = 0; t < n; t++) own += (double)row_at(d, begin + t)[j] / n;
    for (int t = 0; t < n; t++) {
        double x = (double)row_at(d, begin + t)[j];
        s->inside += (x - own) * (x - own), s->rows++;
        if (t + lag < n) s->later += pow((double)row_at(d, begin + t + lag)[j] - x, 2), s->pairs++;
        if (t + F < n) s->moved += pow((double)row_at(d, begin + t + F)[j] - x, 2), s->moves++;
    }
    if (n <= F)
        s->moved += pow((double)row_at(d, begin + n - 1)[j] - (double)row_at(d, begin)[j], 2),
            s->moves++;
    for (int t = 0; t == 0 || t + F < n; t += F)
        add_window(s, d, j, begin + t, n - t < F + 1 ? n - t : F + 1, mean);
}

static void judge_column(bex_column_choice *c, const bex_dataset *d, int j, int step, double mean) {
    bex_column_judgement *q = &c->column[j];
    column_sums s = {0};
    if (q->role == BEX_COLUMN_CONSTANT) return;
    for (int e = 0; e < d->episodes; e += step) add_episode(&s, d, j, e, c->F, mean);
    double v = q->std * q->std;
    q->between = s.between / (s.between + s.within);
    q->lasting = s.pairs > 0 ? fmax(0, 1 - s.later / s.pairs / (2 * v)) : 0;
    q->moves = s.moved / s.moves / (2 * v);
    if (d->columns.count) q->word = fmin(q->word, word_of(d->columns.name[j]));
    q->worth = q->between * q->lasting * q->word;
    if (q->moves < GIVEN && s.inside / s.rows < GIVEN * v) q->role = BEX_COLUMN_GIVEN;
}

// the earlier or better column that j is a rate or a copy of
static void relate(bex_column_choice *c, const bex_sample *s) {
    for (int j = 0; j < c->O; j++) {
        bex_column_judgement *q = &c->column[j];
        for (int k = 0; k < c->O && q->role == BEX_COLUMN_FREE; k++) {
            if (k == j || c->column[k].role == BEX_COLUMN_CONSTANT) continue;
            bool first = c->column[k].worth > q->worth || (c->column[k].worth == q->worth && k < j);
            // of two columns of which each is the other's change, the quicker one
            if (fabs(bex_sample_rate(s, k, j)) > RATE && c->column[k].lasting > q->lasting)
                q->role = BEX_COLUMN_RATE, q->of = k;
            else if (first && fabs(bex_sample_correlation(s, k, j)) > COPY)
                q->role = BEX_COLUMN_COPY, q->of = k;
        }
    }
}

/* ---- sets ---- */

static bool has(const bex_column_set *s, int j) {
    for (int i = 0; i < s->n; i++)
        if (s->dims[i] == j) return true;
    return false;
}

static bex_column_set *new_set(bex_column_choice *c, const char *what, const char *name,
                               int length) {
    if (c->sets == BEX_COLUMN_SETS) return NULL;
    bex_column_set *s = &c->set[c->sets];
    s->dims = calloc((size_t)c->O, sizeof *s->dims);
    if (!s->dims) return bex_fail("out of memory"), NULL;
    c->sets++;
    snprintf(s->name, sizeof s->name, "%s%.*s", what, length, name);
    return s;
}

static double value_of(const bex_column_judgement *q, bool words_count) {
    return words_count ? q->worth : q->between * q->lasting;
}

// the rest of a key of which a column is chosen, if it is a place: x with y and z, as far as they move
static void complete_key(bex_column_choice *c, bex_column_set *s, const bex_sample *sample,
                         const bex_column_names *names, int chosen) {
    const char *name = names->name[chosen];
    int key = bex_column_key(name);
    double most = 0;
    if (c->column[chosen].word < 1 || name[key] != '[') return;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < c->O; j++) {
            const bex_column_judgement *q = &c->column[j];
            if (strncmp(names->name[j], name, (size_t)key + 1) != 0 || q->role != BEX_COLUMN_FREE)
                continue;
            if (!pass)
                most = fmax(most, q->std);
            else if (!has(s, j) && s->n < BEX_CHOSEN_MOST && q->std > SMALL * most &&
                     bex_sample_explained(sample, j, s->dims, s->n) < REDUNDANT)
                s->dims[s->n++] = j;
        }
}

static int increasing(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// the best columns: at least half as good as the best, nothing the others tell already
static int best_columns(bex_column_choice *c, const bex_sample *sample,
                        const bex_column_names *names, bool words_count) {
    const char *what = !words_count   ? "best by motion alone"
                       : names->count ? "places by name and motion"
                                      : "best columns";
    bex_column_set *s = new_set(c, what, "", 0);
    if (!s) return -1;
    double best = 0;
    for (int j = 0; j < c->O; j++)
        if (c->column[j].role == BEX_COLUMN_FREE)
            best = fmax(best, value_of(&c->column[j], words_count));
    unsigned char *passed = calloc((size_t)c->O, 1);
    if (!passed) return bex_fail("out of memory");
    while (s->n < BEX_CHOSEN_MOST) {
        int next = -1;
        for (int j = 0; j < c->O; j++) {
            const bex_column_judgement *q = &c->column[j];
            if (q->role != BEX_COLUMN_FREE || passed[j] || value_of(q, words_count) < ENOUGH * best)
                continue;
            if (next < 0 || value_of(q, words_count) > value_of(&c->column[next], words_count))
                next = j;
        }
        if (next < 0) break;
        passed[next] = 1;
        if (s->n && bex_sample_explained(sample, next, s->dims, s->n) > REDUNDANT) continue;
        s->dims[s->n++] = next;
    }
    free(passed);
    for (int i = 0, n = s->n; words_count && names->count && i < n; i++)
        complete_key(c, s, sample, names, s->dims[i]);
    qsort(s->dims, (size_t)s->n, sizeof *s->dims, increasing);
    return 0;
}

static int key_sets(bex_column_choice *c, const bex_column_names *names) {
    for (int j = 0, n; j < names->count && c->sets < BEX_COLUMN_SETS - 1; j += n) {
        int key = bex_column_key(names->name[j]);
        for (n = 1; j + n < names->count && bex_column_key(names->name[j + n]) == key &&
                    !strncmp(names->name[j], names->name[j + n], (size_t)key);
             n++) {
        }
        bex_column_set *s = new_set(c, "key ", names->name[j], key);
        if (!s) return -1;
        for (int i = j; i < j + n; i++)
            if (c->column[i].role == BEX_COLUMN_FREE) s->dims[s->n++] = i;
        if (!s->n || s->n == 1 || names->count == n)
            free(s->dims), *s = (bex_column_set){0}, c->sets--;
    }
    return 0;
}

static int all_columns(bex_column_choice *c) {
    bex_column_set *s = new_set(c, "all columns", "", 0);
    if (!s) return -1;
    for (int j = 0; j < c->O; j++)
        if (c->column[j].role != BEX_COLUMN_CONSTANT) s->dims[s->n++] = j;
    return 0;
}

static void judge_sets(bex_column_choice *c, const bex_sample *sample, const bex_directions *d) {
    for (int i = 0; i < c->sets; i++) {
        bex_column_set *s = &c->set[i];
        s->worth = 0;
        for (int k = 0; k < s->n; k++) s->worth += c->column[s->dims[k]].worth / s->n;
        s->explained = bex_directions_explained(d, sample, s->dims, s->n);
        s->score = s->worth * s->explained / (1 + s->n / 40.0);
        if (s->n && s->score > c->set[c->best].score) c->best = i;
    }
}

static int make_sets(bex_column_choice *c, const bex_dataset *data, const bex_sample *sample) {
    size_t O = c->O > 0 ? (size_t)c->O : 1;
    unsigned char *use = calloc(O, 1);
    if (!use) return bex_fail("out of memory");
    for (int j = 0; j < c->O; j++) use[j] = c->column[j].role == BEX_COLUMN_FREE;
    bex_directions d = {0};
    int code = bex_directions_find(&d, sample, use, c->F);
    free(use);
    if (code == 0) code = best_columns(c, sample, &data->columns, true);
    if (code == 0 && data->columns.count) code = best_columns(c, sample, &data->columns, false);
    if (code == 0) code = key_sets(c, &data->columns);
    if (code == 0 && c->sets < BEX_COLUMN_SETS) code = all_columns(c);
    if (code == 0) judge_sets(c, sample, &d);
    bex_directions_fini(&d);
    return code;
}

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// a third of the median episode
static int future_of(const bex_dataset *d) {
    size_t n = d->episodes > 0 ? (size_t)d->episodes : 1;
    int *length = calloc(n, sizeof *length);
    if (!length) return bex_fail("out of memory");
    for (int e = 0; e < d->episodes; e++) length[e] = bex_dataset_length(d, e);
    qsort(length, n, sizeof *length, ascending);
    int F = length[n / 2] / 3;
    free(length);
    return F > FUTURE_MOST ? FUTURE_MOST : F < FUTURE_LEAST ? FUTURE_LEAST : F;
}

int bex_column_choice_make(bex_column_choice *c, const bex_dataset *d) {
    *c = (bex_column_choice){.O = d->O, .F = future_of(d)};
    if (c->F < 0) return -1;
    int step = episodes_apart(d);
    double *mean = calloc((size_t)d->O, sizeof *mean);
    bex_sample sample = {0};
    c->column = calloc((size_t)d->O, sizeof *c->column);
    int code = mean && c->column ? 0 : bex_fail("out of memory: %d columns", d->O);
    if (code == 0) find_moments(c, mean, d, step);
    if (code == 0) find_orientations(c, d);
    for (int j = 0; code == 0 && j < d->O; j++) judge_column(c, d, j, step, mean[j]);
    if (code == 0) code = bex_sample_take(&sample, d, step);
    if (code == 0) relate(c, &sample), code = make_sets(c, d, &sample);
    free(mean);
    bex_sample_fini(&sample);
    if (code < 0) return -1;
    const bex_column_set *s = &c->set[c->best];
    if (!s->n) return bex_fail("no column of the states changes from future to future");
    // words rank columns; what lasts is told by motion: beside the best word there is
    double best = 0, word = 0;
    for (int i = 0; i < s->n; i++) best = fmax(best, c->column[s->dims[i]].worth);
    for (int j = 0; j < c->O; j++)
        if (c->column[j].role == BEX_COLUMN_FREE) word = fmax(word, c->column[j].word);
    c->doubtful = best < LASTS * word;
    return 0;
}

void bex_column_choice_fini(bex_column_choice *c) {
    for (int i = 0; i < c->sets; i++) free(c->set[i].dims);
    free(c->column);
    *c = (bex_column_choice){0};
}

const bex_column_set *bex_column_choice_best(const bex_column_choice *c) {
    return &c->set[c->best];
}

const char *bex_column_role_name(bex_column_role role) {
    static const char *const names[] = {"", "constant", "given: no episode changes it",
                                        "velocity of", "copy of"};
    return names[role];
}
