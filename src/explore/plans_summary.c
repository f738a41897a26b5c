/* explore/plans_summary.c - what proposals differ in, what of them is made, and what knowing the past is
 * worth to the choice. */
#include "explore/plans.h"

#include "base/error.h"
#include "explore/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct book {
    const bex_plans *p;
    const bex_trajectories *t;
    const bex_world *world;
    int *visits;         // (regions) earlier episodes of the trial that were there
    unsigned char *seen; // (regions) by one episode
    bex_real *state;     // (O)
    double *mean;        // (W)
    long long rows, same, compared;
    bex_plans_summary *sums; // until they are divided
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
    b->sums->planned += sqrt(planned), b->sums->made += sqrt(made), b->sums->missed += sqrt(missed);
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
    b->sums->possible += (double)possible / p->n;
    b->sums->apart += sqrt(apart / n);
    b->sums->coverage.chosen +=
        (double)t->coverage[(size_t)c * (size_t)p->n + (size_t)t->chosen[c]];
    b->sums->coverage.mean += sum / n;
    b->sums->coverage.spread += sqrt(fmax(0, squares / n - sum / n * (sum / n)));
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
static bex_plans_ends end_at(book *b, const bex_plans_trial *t, int c, int i) {
    const bex_plans *p = b->p;
    memcpy(b->state, t->from + (size_t)c * (size_t)p->O, (size_t)p->O * sizeof *b->state);
    for (int w = 0; w < p->W; w++) b->state[p->policy->chunk.dim[w]] = end_of(p, t, c, i)[w];
    int region = b->world->class->region(b->world, b->state);
    if (region < 0) return (bex_plans_ends){.nowhere = 1};
    return (bex_plans_ends){.fresh = b->visits[region] == 0,
                            .known = b->visits[region] / (double)t->episode[c]};
}

static void add_ends(bex_plans_ends *to, bex_plans_ends e, double weight) {
    to->nowhere += weight * e.nowhere;
    to->fresh += weight * e.fresh;
    to->known += weight * e.known;
}

// visits hold the episodes before that of c, of which there are some
static void add_later(book *b, const bex_plans_trial *t, int c) {
    const bex_plans *p = b->p;
    bex_plans_summary *s = b->sums;
    bex_plans_ends newest = {.nowhere = 1, .known = 2};
    int n = 0;
    double r = alike(p, t, c);
    s->later.choices++;
    s->later.same_choice += t->chosen[c] == t->blind[c];
    if (!isnan(r)) s->later.alike += r, b->compared++;
    for (int i = 0; i < p->n; i++) n += counts(p, t, c, i);
    for (int i = 0; i < p->n; i++) {
        if (!counts(p, t, c, i)) continue;
        bex_plans_ends e = end_at(b, t, c, i);
        add_ends(&s->later.mean, e, 1.0 / n);
        if (!(e.nowhere > 0) && e.known < newest.known) newest = e;
    }
    if (newest.nowhere > 0) newest.known = 0;
    add_ends(&s->later.newest, newest, 1);
    add_ends(&s->later.chosen, end_at(b, t, c, t->chosen[c]), 1);
    add_ends(&s->later.blind, end_at(b, t, c, t->blind[c]), 1);
}

static void add_trial(book *b, int number) {
    const bex_plans_trial *t = &b->p->trial[number];
    const bex_trajectories *rows = b->t;
    int regions = b->world->regions, c = 0;
    memset(b->visits, 0, (size_t)regions * sizeof *b->visits);
    for (int k = 0, episode = 0; k < rows->episodes; k++) {
        if (rows->trial[k] != number) continue;
        for (; c < t->count && t->episode[c] == episode; c++) {
            add_way(b, t, c);
            add_spread(b, t, c);
            if (episode > 0) add_later(b, t, c);
        }
        memset(b->seen, 0, (size_t)regions);
        bex_regions_mark(b->seen, b->world, rows->obs + (size_t)rows->start[k] * (size_t)rows->O,
                         rows->start[k + 1] - rows->start[k]);
        for (int i = 0; i < regions; i++) b->visits[i] += b->seen[i];
        episode++;
    }
    b->sums->choices += t->count, b->rows += t->rows, b->same += t->same;
}

static void over(bex_plans_ends *e, double n) {
    e->nowhere /= n, e->fresh /= n, e->known /= n;
}

static void divide(bex_plans_summary *s, const book *b) {
    double n = s->choices ? (double)s->choices : 1;
    double later = s->later.choices ? (double)s->later.choices : 1;
    s->actions_as_recorded = b->rows ? (double)b->same / (double)b->rows : 0;
    s->possible /= n, s->apart /= n, s->planned /= n, s->made /= n, s->missed /= n;
    s->coverage.chosen /= n, s->coverage.mean /= n, s->coverage.spread /= n;
    s->later.same_choice /= later;
    s->later.alike /= b->compared ? (double)b->compared : 1;
    over(&s->later.chosen, later), over(&s->later.blind, later);
    over(&s->later.mean, later), over(&s->later.newest, later);
}

int bex_plans_summarise(bex_plans_summary *out, const bex_plans *p, const bex_trajectories *t,
                        const bex_world *world) {
    size_t regions = (size_t)world->regions + 1;
    book b = {.p = p, .t = t, .world = world, .sums = out};
    *out = (bex_plans_summary){.trials = p->trials, .proposals = p->n};
    b.visits = malloc(regions * sizeof *b.visits);
    b.seen = malloc(regions);
    b.state = malloc((size_t)p->O * sizeof *b.state);
    b.mean = malloc((size_t)p->W * sizeof *b.mean);
    bool room = b.visits && b.seen && b.state && b.mean;
    for (int i = 0; room && i < p->trials; i++) add_trial(&b, i);
    divide(out, &b);
    free(b.visits);
    free(b.seen);
    free(b.state);
    free(b.mean);
    return room ? 0 : bex_fail("out of memory");
}

static json_t *ends_json(const bex_plans_ends *e) {
    return json_pack("{s:f, s:f, s:f}", "nowhere", e->nowhere, "fresh", e->fresh, "known",
                     e->known);
}

json_t *bex_plans_summary_json(const bex_plans_summary *s) {
    json_t *ends = json_pack("{s:o, s:o, s:o, s:o}", "chosen", ends_json(&s->later.chosen), "blind",
                             ends_json(&s->later.blind), "mean", ends_json(&s->later.mean),
                             "newest", ends_json(&s->later.newest));
    json_t *later =
        json_pack("{s:I, s:f, s:f, s:o}", "choices", (json_int_t)s->later.choices, "same_choice",
                  s->later.same_choice, "alike", s->later.alike, "ends", ends);
    json_t *out = json_pack("{s:i, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:{s:f, s:f, s:f}, s:o}",
                            "trials", s->trials, "choices", (json_int_t)s->choices, "proposals",
                            s->proposals, "actions_as_recorded", s->actions_as_recorded, "possible",
                            s->possible, "apart", s->apart, "planned", s->planned, "made", s->made,
                            "missed", s->missed, "coverage", "chosen", s->coverage.chosen, "mean",
                            s->coverage.mean, "spread", s->coverage.spread, "later", later);
    if (!out) bex_fail("out of memory");
    return out;
}
