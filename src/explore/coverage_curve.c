/* explore/coverage_curve.c - sums of phi, trial by trial, episode by episode. */
#include "explore/coverage_curve.h"

#include "base/error.h"
#include "coverage/coverage.h"
#include "coverage/state_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const bex_policy *policy;
    const bex_recording *r;
    bex_gram_shape shape, wide;
    double *all, *history, *scratch; // (wide) sums: of a trial so far, scaled, of one future
    long long states;                // in all
    const bex_real *first;           // state of the trial
} curve;

static const bex_real *row(const curve *c, int t) {
    return c->r->obs + (size_t)t * (size_t)c->r->O;
}

static void copy(const curve *c, double *to, const double *from) {
    memcpy(to, from, bex_gram_size(c->wide) * sizeof *to);
}

// log cov of a wide sum as seen from `state`; NaN with a message
static double log_coverage(curve *c, const double *sum, const bex_real *state, double *scratch) {
    double lambda = bex_condition_lambda(c->policy->condition);
    copy(c, scratch, sum);
    if (bex_state_sum_from(c->policy->phi, scratch, state) < 0) return (double)NAN;
    double value = bex_coverage(c->shape, scratch, lambda);
    if (!isfinite(value)) bex_coverage_fail(lambda);
    return log(value);
}

// quantile of the future of n states from t on, given the trial before its episode; NaN with a message
static double quantile_of(curve *c, int begin, int t, int n) {
    const bex_policy *p = c->policy;
    const bex_feature *phi = p->phi;
    bex_gram_zero(c->wide, c->history);
    if (c->states) {
        bex_gram_union(c->wide, c->history, c->all);
        bex_gram_scale(c->wide, c->history, (double)p->dit.o.N / (double)c->states);
    } else {
        if (bex_state_sum_add(phi, c->history, row(c, begin), 1) < 0) return (double)NAN;
        bex_gram_scale(c->wide, c->history, p->dit.o.N);
    }
    bex_moments m = {0};
    bool relative = bex_condition_normalise(p->condition) == BEX_NORMALISE_HISTORY;
    if (relative) {
        copy(c, c->scratch, c->history);
        if (bex_state_sum_from(phi, c->scratch, row(c, t)) < 0) return (double)NAN;
        m = bex_condition_moments(p->condition, c->scratch);
        if (!isfinite(m.std))
            return bex_coverage_fail(bex_condition_lambda(p->condition)), (double)NAN;
    }
    bex_gram_zero(c->wide, c->scratch);
    if (bex_state_sum_add(phi, c->scratch, row(c, t), (size_t)n) < 0) return (double)NAN;
    // a future that the end cut short counts as a whole one, as windows of demonstrations do
    bex_gram_scale(c->wide, c->scratch, (double)(p->config.coverage.future + 1) / n);
    bex_gram_union(c->wide, c->history, c->scratch);
    double z = log_coverage(c, c->history, row(c, t), c->scratch);
    return isnan(z) ? z
                    : bex_condition_rank(
                          p->condition, bex_condition_value(p->condition, z, relative ? &m : NULL));
}

static int judge(curve *c, int e, bex_coverage_point *out) {
    int begin = c->r->start[e], end = c->r->start[e + 1],
        F = (int)c->policy->config.coverage.future, n = 0;
    if (!c->states) c->first = row(c, begin);
    out->rows = end - begin;
    for (int t = begin; t == begin || t + F / 2 < end; t += F + 1, n++) {
        double q = quantile_of(c, begin, t, end - t < F + 1 ? end - t : F + 1);
        if (isnan(q)) return -1;
        out->quantile += q;
        out->best = fmax(out->best, q);
    }
    out->quantile /= n;
    double before = c->states ? log_coverage(c, c->all, c->first, c->scratch) : (double)NAN;
    if (bex_state_sum_add(c->policy->phi, c->all, row(c, begin), (size_t)(end - begin)) < 0)
        return -1;
    c->states += end - begin;
    out->coverage = log_coverage(c, c->all, c->first, c->scratch);
    out->novelty = out->coverage - before;
    return isnan(out->coverage) ? -1 : 0;
}

static int run(curve *c, bex_coverage_point *point) {
    for (int e = 0, number = 0; e < c->r->episodes; e++) {
        bool another = e && c->r->trial[e] != c->r->trial[e - 1];
        if (!e || another) bex_gram_zero(c->wide, c->all), c->states = 0, number = 0;
        point[e] = (bex_coverage_point){.trial = c->r->trial[e], .episode = number++};
        if (judge(c, e, &point[e]) < 0) return bex_fail_in("episode %d", e);
    }
    return 0;
}

int bex_coverage_curve(bex_coverage_point *point, const bex_policy *p, const bex_recording *r) {
    if (!p->phi || !p->condition) {
        bex_fail("policies of %s have no coverage to judge by", bex_model_name(&p->config.model));
        return bex_fail_hint("a be policy of the same states is needed");
    }
    if (p->O != r->O) return bex_fail("states of %d values, the policy has %d", r->O, p->O);
    curve c = {
        .policy = p, .r = r, .shape = bex_feature_shape(p->phi), .wide = bex_feature_wide(p->phi)};
    size_t size = bex_gram_size(c.wide);
    double *memory = calloc(3 * size, sizeof *memory);
    if (!memory) return bex_fail("out of memory");
    c.all = memory, c.history = memory + size, c.scratch = c.history + size;
    int code = run(&c, point);
    free(memory);
    return code;
}
