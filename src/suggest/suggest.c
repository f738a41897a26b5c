/* suggest/suggest.c - what demonstrations say of settings.
 *
 * The rules are those by which the presets in configs/ were tuned, said as rules: docs/your-robot.md has
 * them in
 * words. */
#include "suggest/suggest.h"

#include "base/error.h"
#include "policy/policy.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What the rows of the table go by. */
typedef struct {
    const bex_dataset *data;
    int median, shortest, longest;    // rows of an episode
    int live, constant;               // columns that change, that do not
    int W;                            // columns that count; all that change, if none were chosen
    double still;                     // share of futures in which those hardly move
    const bex_column_choice *columns; // NULL: they were given
} facts;

typedef struct {
    const facts *f;
    const bex_train_config *c;
    bex_suggestion *s;
} question;

static void answer(const question *q, const char *value, const char *fmt, ...) BEX_PRINTF(3, 4);
static void answer(const question *q, const char *value, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(q->s->reason, sizeof q->s->reason, fmt, args);
    va_end(args);
    snprintf(q->s->value, sizeof q->s->value, "%s", value);
}

static void answer_number(const question *q, double value, const char *reason) {
    char text[40];
    snprintf(text, sizeof text, "%.4g", value);
    answer(q, text, "%s", reason);
}

/* ---- what the data are like ---- */

// do episodes end where the demonstrator was done, rather than where a clock ran out?
static bool ends_matter(const facts *f) {
    return f->longest - f->shortest > f->median / 20;
}

// much of the state is posture: more than the columns that count and a rate of each
static bool has_posture(const facts *f) {
    return f->live - 2 * f->W > 2 * f->W;
}

// a body that travels: posture carries it, and it seldom stays where it is
static bool travels(const facts *f) {
    return has_posture(f) && f->still < 0.5;
}

/* ---- the rows ---- */

static void dims(const question *q) {
    const bex_column_set *s = bex_column_choice_best(q->f->columns);
    char numbers[BEX_CONFIG_TEXT_SIZE];
    bex_columns_describe(numbers, sizeof numbers, s->dims, s->n, NULL);
    answer(q, numbers,
           "%s: %.0f %% of what differs between futures and lasts, told by %d of %d columns%s",
           s->name, 100 * s->explained, s->n, q->f->data->O,
           q->f->columns->doubtful ? "; DOUBTFUL, nothing lasts: look at bex data suggest" : "");
}

static void drop_constant(const question *q) {
    answer(q, q->f->constant ? "true" : "false", "%d of %d columns never change", q->f->constant,
           q->f->data->O);
}

static void held_out(const question *q) {
    int n = q->f->data->episodes;
    if (n < 4)
        answer(q, "0", "%d episode%s: none to spare, so nothing will judge the policy", n,
               n == 1 ? "" : "s");
    else
        answer(q, "0.05", "of %d episodes", n);
}

static void future(const question *q) {
    const facts *f = q->f;
    int F = ends_matter(f) ? f->median / 4 : f->median / 3;
    char text[16];
    if (F > 20) F -= F % 5;
    snprintf(text, sizeof text, "%d", F > 200 ? 200 : F < 4 ? 4 : F);
    answer(q, text, "%s of the median episode (%d rows), 200 at most",
           ends_matter(f) ? "a quarter" : "a third", f->median);
}

static void truncate_ends(const question *q) {
    const facts *f = q->f;
    bool needed = ends_matter(f) || f->longest <= q->c->policy.coverage.future;
    answer(
        q, needed ? "true" : "false",
        needed
            ? "episodes of %d to %d rows end where something was done: their ends are futures too"
            : "episodes of %d to %d rows are cut by a clock: whole futures only",
        f->shortest, f->longest);
}

static void chunk(const question *q) {
    long long K = q->c->policy.coverage.future / 10;
    answer_number(q,
                  (double)(K > 10  ? 10
                           : K < 4 ? 4
                                   : K),
                  "a tenth of the future, 4 to 10 actions");
}

static void history(const question *q) {
    int n = q->f->median / 6;
    answer_number(q, n > 50 ? 50 : n < 32 ? 32 : n, "a sixth of an episode's states, 32 to 50");
}

static void waypoints(const question *q) {
    answer(q, "true", "futures can be compared, and the one that adds most be chosen");
}

static void features(const question *q) {
    bool few = q->f->W <= 3;
    answer(q, few ? "true" : "false",
           few ? "%d columns that count: phi tells places apart"
               : "%d columns that count: too many for phi to tell places apart",
           q->f->W);
}

static void bandwidth(const question *q) {
    char text[24];
    snprintf(text, sizeof text, "%.2g", fmax(0.5, 2 * sqrt(2.0 / q->f->W)));
    answer(q, text, "2 for a plane; distances grow with the root of the columns (%d)", q->f->W);
}

static void reach(const question *q) {
    const facts *f = q->f;
    if (!q->c->policy.model.waypoints)
        answer(q, "0", "no waypoints");
    else if (travels(f))
        answer(
            q, "2",
            "%d of %d columns are posture, and %.0f %% of futures lead on: waypoints as displacements",
            f->live - 2 * f->W, f->live, 100 * (1 - f->still));
    else
        answer(q, "0",
               has_posture(f)
                   ? "%.0f %% of futures move nothing that counts: waypoints as positions"
                   : "little posture (%.0f %% of futures stay): waypoints as positions",
               100 * f->still);
}

static void predicts(const question *q) {
    bool chunks = q->c->policy.model.reach > 0;
    answer(q, chunks ? "chunk" : "noise", "%s",
           chunks ? "chosen futures are followed by actions that were learned for them"
                  : "as the paper");
}

static void show_waypoints(const question *q) {
    const bex_policy_config *p = &q->c->policy;
    bool follows =
        p->model.waypoints && p->model.reach > 0 && p->diffusion.predicts == BEX_PREDICTS_CHUNK;
    answer(q, follows ? "0.5" : "0", "%s",
           follows ? "half of the windows teach actions that follow a chosen future"
                   : "needs displacements (model.reach) and diffusion.predicts = chunk");
}

static void support(const question *q) {
    int places = 2048;
    while (places > 64 && places > q->f->data->rows / 16) places /= 2;
    if (!q->c->policy.model.waypoints || !(q->c->policy.model.reach > 0))
        answer(q, "0", "waypoints as positions stay near what was seen");
    else if (q->f->data->rows < 16 * places)
        answer(q, "0", "%d rows are too few to say what is possible", q->f->data->rows);
    else
        answer_number(q, places,
                      "demonstrated states: a future far from all of them is not chosen");
}

static void hide(const question *q) {
    bool often = q->c->policy.coverage.truncate;
    answer(q, often ? "0.5" : "0.15", "%s",
           often ? "futures are proposed without the coverage (guidance 0), so learned so"
                 : "enough to learn both, with and without the coverage");
}

static void exp_of(const question *q) {
    answer(q, "q:1", "as exploratory as the demonstrators ever were");
}

static void guidance(const question *q) {
    const bex_policy_config *p = &q->c->policy;
    if (p->coverage.truncate)
        answer(q, "0",
               "episodes start alike: futures as demonstrators have them, the choice explores");
    else if (p->model.reach > 0)
        answer(q, "1", "as trained");
    else
        answer(q, "2", "proposals lean to the new");
}

static void candidates(const question *q) {
    const bex_policy_config *p = &q->c->policy;
    if (!p->model.waypoints || !p->model.coverage)
        answer(q, "1", "no waypoints to choose by");
    else if (p->diffusion.show_waypoints > 0)
        answer(q, "64", "rare futures are found among many; one choice is followed for long");
    else
        answer(q, "8", "a choice at every plan, whose better half is kept for the next");
}

static void commit(const question *q) {
    const bex_policy_config *p = &q->c->policy;
    bool follows = p->diffusion.show_waypoints > 0 && p->deploy.candidates > 1;
    if (follows)
        answer_number(q, (double)(p->coverage.future / 2 > 1 ? p->coverage.future / 2 : 1),
                      "half of a future");
    else
        answer(q, "0", "every plan chooses");
}

static void action_steps(const question *q) {
    const bex_policy_config *p = &q->c->policy;
    bool follows = p->diffusion.show_waypoints > 0;
    answer(q, follows && p->model.chunk > 4 ? "2" : "0", "%s",
           follows && p->model.chunk > 4 ? "plans that continue a future are cheap: react soon"
                                         : "all of a chunk");
}

static void temperature(const question *q) {
    bool calm = q->f->data->A > 2;
    answer(q, calm ? "0.5" : "1",
           calm ? "%d actions at once: likelier ones; the choice of future stays as it is"
                : "%d actions: as demonstrated",
           q->f->data->A);
}

static void warmup(const question *q) {
    long long n = q->c->train.steps / 20;
    answer_number(q, (double)(n > 500 ? 500 : n), "a twentieth of the updates, 500 at most");
}

/* ---- the table: in the order they are answered; later ones see earlier ones ---- */

enum { ALL = 0, HISTORY = 1, COVERAGE = 2 }; // what the policy must have for it to mean something

static const struct {
    const char *key;
    int needs;
    void (*choose)(const question *q);
} table[] = {
    {"data.held_out", ALL, held_out},
    {"data.drop_constant", ALL, drop_constant},
    {"coverage.dims", COVERAGE, dims},
    {"coverage.future", COVERAGE, future},
    {"coverage.truncate", COVERAGE, truncate_ends},
    {"coverage.bandwidth", COVERAGE, bandwidth},
    {"model.chunk", ALL, chunk},
    {"model.history", HISTORY, history},
    {"model.features", COVERAGE, features},
    {"model.waypoints", COVERAGE, waypoints},
    {"model.reach", COVERAGE, reach},
    {"diffusion.predicts", COVERAGE, predicts},
    {"diffusion.show_waypoints", COVERAGE, show_waypoints},
    {"coverage.support", COVERAGE, support},
    {"train.coverage_dropout", COVERAGE, hide},
    {"train.warmup", ALL, warmup},
    {"deploy.exp", COVERAGE, exp_of},
    {"deploy.guidance", COVERAGE, guidance},
    {"deploy.candidates", COVERAGE, candidates},
    {"deploy.commit", COVERAGE, commit},
    {"deploy.action_steps", COVERAGE, action_steps},
    {"deploy.temperature", COVERAGE, temperature},
};
enum { ROWS = sizeof table / sizeof *table };
_Static_assert((int)ROWS <= (int)BEX_SUGGESTIONS, "room for every setting");

/* ---- settling ---- */

static int by_size(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static int find_lengths(facts *f, const bex_dataset *d) {
    int *length = malloc((size_t)d->episodes * sizeof *length);
    if (!length) return bex_fail("out of memory");
    for (int e = 0; e < d->episodes; e++) length[e] = bex_dataset_length(d, e);
    qsort(length, (size_t)d->episodes, sizeof *length, by_size);
    f->median = length[d->episodes / 2];
    // the last episode of a file is often cut short: it says nothing
    f->shortest = length[d->episodes > 20 ? d->episodes / 20 : 0];
    f->longest = length[d->episodes - 1 - (d->episodes > 20 ? d->episodes / 20 : 0)];
    free(length);
    return 0;
}

// the last `later` columns, of what will be seen, are not there yet
static void find_live(facts *f, const bex_dataset *d, int later) {
    for (int j = 0; j < d->O - later; j++) {
        bex_real first = d->observations[j];
        int r = 1;
        while (r < d->rows && d->observations[(size_t)r * (size_t)d->O + (size_t)j] == first) r++;
        f->live += r < d->rows, f->constant += r == d->rows;
    }
}

// deviation of a column over all rows
static double deviation(const bex_dataset *d, int j) {
    double mean = 0, v = 0;
    for (int r = 0; r < d->rows; r++)
        mean += (double)d->observations[(size_t)r * (size_t)d->O + (size_t)j] / d->rows;
    for (int r = 0; r < d->rows; r++)
        v += pow((double)d->observations[(size_t)r * (size_t)d->O + (size_t)j] - mean, 2) / d->rows;
    return sqrt(v);
}

// futures in which no column that counts moves a tenth of its deviation
static void find_still(facts *f, const bex_dataset *d, const int *dims, int n, int F) {
    double unit[BEX_FEATURE_DIMS], futures = 0;
    bool known = false; // columns of what will be seen are not there yet
    for (int i = 0; i < n; i++) known |= (unit[i] = deviation(d, dims[i])) > 0;
    if (n && !known) return;
    for (int e = 0; e < d->episodes; e++)
        for (int t = d->start[e]; t + F < d->start[e + 1]; t += F) {
            const bex_real *a = d->observations + (size_t)t * (size_t)d->O,
                           *b = a + (size_t)F * (size_t)d->O;
            bool moves = false;
            for (int i = 0; i < n; i++)
                moves |= fabs((double)(b[dims[i]] - a[dims[i]])) > 0.1 * unit[i];
            f->still += !moves, futures++;
        }
    f->still = futures > 0 ? f->still / futures : 0;
}

static int look_at(facts *f, const bex_dataset *d, const int *dims, int n, int later) {
    f->data = d;
    if (find_lengths(f, d) < 0) return -1;
    f->live = f->constant = 0;
    find_live(f, d, later);
    f->W = n ? n : f->live;
    find_still(f, d, dims, n, f->median / 4 > 1 ? f->median / 4 : 1);
    return 0;
}

static bool wanted(const bex_train_config *c, int row) {
    const bex_model_config *m = &c->policy.model;
    if (!bex_config_is_auto(&bex_train_schema, c, table[row].key)) return false;
    return table[row].needs == ALL || (table[row].needs == HISTORY && m->history > 0) ||
           (table[row].needs == COVERAGE && m->coverage);
}

static int apply(bex_train_config *c, const bex_suggestion *s) {
    char text[2 * BEX_CONFIG_TEXT_SIZE];
    snprintf(text, sizeof text, "%s=%s", s->key, s->value);
    return bex_config_set(&bex_train_schema, c, text);
}

// names of columns to their numbers
static int number_dims(bex_train_config *c, const bex_dataset *d, int *dims) {
    char *text = c->policy.coverage.dims, numbers[BEX_CONFIG_TEXT_SIZE];
    int n = bex_columns_select(dims, BEX_FEATURE_DIMS, text, &d->columns, d->O);
    if (n < 0) return bex_fail_in("coverage.dims");
    bex_columns_describe(numbers, sizeof numbers, dims, n, NULL);
    if (strstr(numbers, "..."))
        return bex_fail("coverage.dims: %d columns are too many to be written down", n);
    memset(text, 0, sizeof c->policy.coverage.dims);
    memcpy(text, numbers, strlen(numbers));
    return n;
}

static int settle(bex_train_config *c, const bex_dataset *d, bex_suggestions *out) {
    facts f = {0};
    int dims[BEX_FEATURE_DIMS], n = 0, dims_row = 0;
    while (strcmp(table[dims_row].key, "coverage.dims") != 0) dims_row++;
    bool choose = wanted(c, dims_row);
    if (choose && bex_column_choice_make(&out->columns, d) < 0)
        return bex_fail_in("coverage.dims = auto");
    if (choose) {
        const bex_column_set *s = bex_column_choice_best(&out->columns);
        memcpy(dims, s->dims,
               (size_t)(n = s->n < BEX_FEATURE_DIMS ? s->n : BEX_FEATURE_DIMS) * sizeof *dims);
        f.columns = &out->columns;
    } else if (c->policy.model.coverage && (n = number_dims(c, d, dims)) < 0) {
        return -1;
    }
    bex_columns_describe(out->dims, sizeof out->dims, dims, n, &d->columns);
    if (look_at(&f, d, dims, n, (int)c->policy.vision.columns) < 0) return -1;
    for (int i = 0; i < ROWS; i++) {
        if (!wanted(c, i)) continue;
        bex_suggestion *s = &out->row[out->count++];
        s->key = table[i].key;
        table[i].choose(&(question){&f, c, s});
        if (apply(c, s) < 0) return -1;
    }
    return 0;
}

void bex_suggestions_print(const bex_suggestions *s, FILE *out) {
    if (s->count) fprintf(out, "chosen from the data; any can be set (--section.key=value):\n");
    for (int i = 0; i < s->count; i++) {
        bool dims = !strcmp(s->row[i].key, "coverage.dims");
        fprintf(out, "  %-24s %-8s %s\n", s->row[i].key, dims ? s->dims : s->row[i].value,
                s->row[i].reason);
    }
}

int bex_suggest_settle(bex_train_config *c, const bex_dataset *data, bex_suggestions *out) {
    *out = (bex_suggestions){0};
    int code = data ? settle(c, data, out) : 0;
    if (code == 0) memset(c->marks, 0, sizeof c->marks);
    return code;
}

void bex_suggestions_fini(bex_suggestions *s) {
    bex_column_choice_fini(&s->columns);
}
