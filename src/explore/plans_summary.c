/* explore/plans_summary.c - what proposals differ in, what of them is made, and what knowing the past is
 * worth to the choice. */
#include "explore/plans.h"

#include "base/error.h"
#include "explore/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// of whose ends it is told where they are
enum { CHOSEN, BLIND, MEAN, NEWEST, WHO };
static const char *const who_names[WHO] = {"chosen", "blind", "mean", "newest"};

typedef struct ends { // sums over choices of shares
    double nowhere;   // in no region: a wall
    double fresh;     // in a region no earlier episode of the trial was in
    double known;     // share of the earlier episodes that were there
} ends;

typedef struct sums {
    long long choices, rows, same;
    double possible, apart, planned, made, missed;
    double coverage[3]; // chosen; mean and standard deviation of the possible ones
    long long later;    // choices in episodes after a trial's first
    long long compared; // of those, where coverages differ
    double agreed, alike;
    ends ends[WHO];
} sums;

typedef struct book {
    const bex_plans *p;
    const bex_trajectories *t;
    const bex_world *world;
    int *visits;         // (R) earlier episodes of the trial that were there
    unsigned char *seen; // (R) by one episode
    bex_real *state;     // (O)
    double *mean;        // (W)
    sums sums;
} book;

static const bex_real *places_of(const bex_plans *p, const bex_plans_trial *t, int c, int i) {
    return t->places + ((size_t)c * (size_t)p->n + (size_t)i) * (size_t)(p->K * p->W);
}

static const bex_real *end_of(const bex_plans *p, const bex_plans_trial *t, int c, int i) {
    return places_of(p, t, c, i) + (p->K - 1) * p->W;
}

// a possible one, or any where none is
static bool counts(const bex_plans *p, const bex_plans_trial *t, int c, int i) {
    const unsigned char *possible = t->possible + (size_t)c * (size_t)p->n;
    return possible[i] || !memchr(possible, 1, (size_t)p->n);
}

// where the chosen future is when it is left: on straight lines between its places
static double planned_at(const bex_plans *p, const bex_plans_trial *t, int c, int w) {
    const bex_real *place = places_of(p, t, c, t->chosen[c]);
    double now = (double)t->from[(size_t)c * (size_t)p->O + (size_t)p->policy->chunk.dim[w]];
    double later = t->length[c] * p->K / (double)p->policy->config.coverage.future;
    int whole = later < p->K ? (int)later : p->K;
    double a = whole ? (double)place[(whole - 1) * p->W + w] : now;
    return whole == p->K ? a : a + (later - whole) * ((double)place[whole * p->W + w] - a);
}

static void add_way(book *b, const bex_plans_trial *t, int c) {
    const bex_plans *p = b->p;
    double planned = 0, made = 0, missed = 0;
    for (int w = 0; w < p->W; w++) {
        size_t at = (size_t)c * (size_t)p->O + (size_t)p->policy->chunk.dim[w];
        double from = (double)t->from[at], to = (double)t->made[at], plan = planned_at(p, t, c, w);
        planned += (plan - from) * (plan - from);
        made += (to - from) * (to - from);
        missed += (to - plan) * (to - plan);
    }
    b->sums.planned += sqrt(planned), b->sums.made += sqrt(made), b->sums.missed += sqrt(missed);
}

static void add_spread(book *b, const bex_plans_trial *t, int c) {
    const bex_plans *p = b->p;
    double apart = 0, sum = 0, squares = 0;
    int n = 0, possible = 0;
    memset(b->mean, 0, (size_t)p->W * sizeof *b->mean);
    for (int i = 0; i < p->n; i++) {
        possible += t->possible[(size_t)c * (size_t)p->n + (size_t)i];
        if (!counts(p, t, c, i)) continue;
        double value = (double)t->coverage[(size_t)c * (size_t)p->n + (size_t)i];
        sum += value, squares += value * value, n++;
        for (int w = 0; w < p->W; w++) b->mean[w] += (double)end_of(p, t, c, i)[w];
    }
    for (int i = 0; i < p->n; i++)
        for (int w = 0; counts(p, t, c, i) && w < p->W; w++) {
            double d = (double)end_of(p, t, c, i)[w] - b->mean[w] / n;
            apart += d * d;
        }
    b->sums.possible += (double)possible / p->n;
    b->sums.apart += sqrt(apart / n);
    b->sums.coverage[0] += (double)t->coverage[(size_t)c * (size_t)p->n + (size_t)t->chosen[c]];
    b->sums.coverage[1] += sum / n;
    b->sums.coverage[2] += sqrt(fmax(0, squares / n - sum / n * (sum / n)));
}

// correlation of the coverages with and without the past, over the possible ones; NAN where one is constant
static double alike(const bex_plans *p, const bex_plans_trial *t, int c) {
    const bex_real *x = t->coverage + (size_t)c * (size_t)p->n;
    const bex_real *y = t->unaware + (size_t)c * (size_t)p->n;
    double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
    int n = 0;
    for (int i = 0; i < p->n; i++)
        if (counts(p, t, c, i)) sx += (double)x[i], sy += (double)y[i], n++;
    for (int i = 0; i < p->n; i++) {
        double dx = (double)x[i] - sx / n, dy = (double)y[i] - sy / n;
        if (counts(p, t, c, i)) xx += dx * dx, yy += dy * dy, xy += dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

// where one proposal ends
static ends end_at(book *b, const bex_plans_trial *t, int c, int i) {
    const bex_plans *p = b->p;
    memcpy(b->state, t->from + (size_t)c * (size_t)p->O, (size_t)p->O * sizeof *b->state);
    for (int w = 0; w < p->W; w++) b->state[p->policy->chunk.dim[w]] = end_of(p, t, c, i)[w];
    int region = b->world->class->region(b->world, b->state);
    if (region < 0) return (ends){.nowhere = 1};
    return (ends){.fresh = b->visits[region] == 0,
                  .known = b->visits[region] / (double)t->episode[c]};
}

static void add_ends(ends *to, ends e, double weight) {
    to->nowhere += weight * e.nowhere;
    to->fresh += weight * e.fresh;
    to->known += weight * e.known;
}

// visits hold the episodes before that of c, of which there are some
static void add_later(book *b, const bex_plans_trial *t, int c) {
    const bex_plans *p = b->p;
    sums *s = &b->sums;
    ends newest = {.nowhere = 1, .known = 2};
    int n = 0;
    double r = alike(p, t, c);
    s->later++;
    s->agreed += t->chosen[c] == t->blind[c];
    if (!isnan(r)) s->alike += r, s->compared++;
    for (int i = 0; i < p->n; i++) n += counts(p, t, c, i);
    for (int i = 0; i < p->n; i++) {
        if (!counts(p, t, c, i)) continue;
        ends e = end_at(b, t, c, i);
        add_ends(&s->ends[MEAN], e, 1.0 / n);
        if (!(e.nowhere > 0) && e.known < newest.known) newest = e;
    }
    if (newest.nowhere > 0) newest.known = 0;
    add_ends(&s->ends[NEWEST], newest, 1);
    add_ends(&s->ends[CHOSEN], end_at(b, t, c, t->chosen[c]), 1);
    add_ends(&s->ends[BLIND], end_at(b, t, c, t->blind[c]), 1);
}

static void add_trial(book *b, int number) {
    const bex_plans_trial *t = &b->p->trial[number];
    const bex_trajectories *rows = b->t;
    int R = b->world->regions, c = 0;
    memset(b->visits, 0, (size_t)R * sizeof *b->visits);
    for (int k = 0, episode = 0; k < rows->episodes; k++) {
        if (rows->trial[k] != number) continue;
        for (; c < t->count && t->episode[c] == episode; c++) {
            add_way(b, t, c);
            add_spread(b, t, c);
            if (episode > 0) add_later(b, t, c);
        }
        memset(b->seen, 0, (size_t)R);
        bex_regions_mark(b->seen, b->world, rows->obs + (size_t)rows->start[k] * (size_t)rows->O,
                         rows->start[k + 1] - rows->start[k]);
        for (int i = 0; i < R; i++) b->visits[i] += b->seen[i];
        episode++;
    }
    b->sums.choices += t->count, b->sums.rows += t->rows, b->sums.same += t->same;
}

static json_t *to_json(const book *b) {
    const sums *s = &b->sums;
    double n = s->choices ? (double)s->choices : 1, later = s->later ? (double)s->later : 1;
    json_t *where = json_object();
    for (int i = 0; i < WHO; i++)
        json_object_set_new(where, who_names[i],
                            json_pack("{s:f, s:f, s:f}", "nowhere", s->ends[i].nowhere / later,
                                      "fresh", s->ends[i].fresh / later, "known",
                                      s->ends[i].known / later));
    return json_pack(
        "{s:i, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:{s:f, s:f, s:f}, s:{s:I, s:f, s:f, s:o}}",
        "trials", b->p->trials, "choices", (json_int_t)s->choices, "proposals", b->p->n,
        "actions_as_recorded", s->rows ? (double)s->same / (double)s->rows : 0, "possible",
        s->possible / n, "apart", s->apart / n, "planned", s->planned / n, "made", s->made / n,
        "missed", s->missed / n, "coverage", "chosen", s->coverage[0] / n, "mean",
        s->coverage[1] / n, "spread", s->coverage[2] / n, "later", "choices", (json_int_t)s->later,
        "same_choice", s->agreed / later, "alike",
        s->alike / (s->compared ? (double)s->compared : 1), "ends", where);
}

json_t *bex_plans_summary(const bex_plans *p, const bex_trajectories *t, const bex_world *world) {
    size_t R = (size_t)world->regions + 1;
    book b = {.p = p, .t = t, .world = world};
    b.visits = malloc(R * sizeof *b.visits);
    b.seen = malloc(R);
    b.state = malloc((size_t)p->O * sizeof *b.state);
    b.mean = malloc((size_t)p->W * sizeof *b.mean);
    json_t *out = NULL;
    if (b.visits && b.seen && b.state && b.mean) {
        for (int i = 0; i < p->trials; i++) add_trial(&b, i);
        out = to_json(&b);
    }
    if (!out) bex_fail("out of memory");
    free(b.visits);
    free(b.seen);
    free(b.state);
    free(b.mean);
    return out;
}
