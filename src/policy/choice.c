/* policy/choice.c - coverage of candidate futures together with the past. */
#include "policy/choice.h"

#include "base/error.h"
#include "coverage/coverage.h"
#include "coverage/state_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double UNSUPPORTED =
    1e6; // distance per unsupported waypoint: more than coverages differ

struct bex_choice {
    const bex_policy *policy;
    int most;
    bool relative;        // moments of the history are needed
    double weight;        // of a waypoint, in states
    double *history;      // (shape) Lambda(h)
    bex_moments moments;  // given h
    double *grams, *wide; // (most, shape), (wide shape) Lambda(tau)
    double *value;        // (most)
    double *distance;     // (most) to the target
    int *off;             // (most) unsupported waypoints
    bex_real *positions;  // (K,W)
    bex_real *states;     // (K,O)
    bex_real *reference;  // (wide d) where phi is relative
};

bex_choice *bex_choice_new(const bex_policy *p, int most) {
    if (!p->chunk.W || !p->condition)
        return bex_fail("choosing among candidates needs a be policy with model.waypoints"), NULL;
    if (p->config.coverage.novelty)
        return bex_fail("choosing among candidates does not go with coverage.novelty"), NULL;
    bex_choice *c = calloc(1, sizeof *c);
    if (!c) return bex_fail("out of memory"), NULL;
    bex_gram_shape shape = bex_feature_shape(p->phi), wide = bex_feature_wide(p->phi);
    int K = p->chunk.K;
    c->policy = p, c->most = most;
    c->relative = bex_condition_normalise(p->condition) == BEX_NORMALISE_HISTORY;
    c->weight = (double)(p->config.coverage.future + 1) / K;
    c->history = calloc(bex_gram_size(shape), sizeof *c->history);
    c->grams = calloc((size_t)most * bex_gram_size(shape), sizeof *c->grams);
    c->wide = calloc(bex_gram_size(wide), sizeof *c->wide);
    c->value = calloc((size_t)most, sizeof *c->value);
    c->distance = calloc((size_t)most, sizeof *c->distance);
    c->off = calloc((size_t)most, sizeof *c->off);
    c->positions = calloc((size_t)K * (size_t)p->chunk.W, sizeof *c->positions);
    c->states = calloc((size_t)K * (size_t)p->O, sizeof *c->states);
    c->reference = calloc((size_t)wide.d, sizeof *c->reference);
    if (c->history && c->grams && c->wide && c->value && c->distance && c->off && c->positions &&
        c->states && c->reference)
        return c;
    bex_choice_free(c);
    return bex_fail("out of memory: %d candidates", most), NULL;
}

void bex_choice_free(bex_choice *c) {
    if (!c) return;
    free(c->history);
    free(c->grams);
    free(c->wide);
    free(c->value);
    free(c->distance);
    free(c->off);
    free(c->positions);
    free(c->states);
    free(c->reference);
    free(c);
}

int bex_choice_history(bex_choice *c, const double *gram) {
    const bex_policy *p = c->policy;
    memcpy(c->history, gram, bex_gram_size(bex_feature_shape(p->phi)) * sizeof *gram);
    if (bex_condition_normalise(p->condition) == BEX_NORMALISE_RANK)
        bex_gram_scale(bex_feature_shape(p->phi), c->history, p->config.coverage.past_weight);
    if (!c->relative) return 0;
    c->moments = bex_condition_moments(p->condition, c->history);
    return isfinite(c->moments.std) ? 0 : bex_coverage_fail(bex_condition_lambda(p->condition));
}

// waypoints of one candidate from `now` as states; phi reads only the dims that are set
static void states_of(bex_choice *c, const bex_real *x, const bex_real *now) {
    const bex_policy *p = c->policy;
    const bex_chunk_shape *s = &p->chunk;
    bex_chunk_positions(s, &p->normaliser, x, now, c->positions);
    for (int k = 0; k < s->K; k++)
        for (int i = 0; i < s->W; i++) c->states[k * p->O + s->dim[i]] = c->positions[k * s->W + i];
}

// of the waypoints in c->states
static int count_unsupported(const bex_choice *c) {
    const bex_policy *p = c->policy;
    int off = 0;
    for (int k = 0; p->support && k < p->chunk.K; k++)
        off += bex_support_off(p->support, c->states + (size_t)k * (size_t)p->O) > 1;
    return off;
}

static int sum_of(bex_choice *c, const bex_real *x, const bex_real *now, double *gram) {
    const bex_feature *phi = c->policy->phi;
    bex_gram_shape shape = bex_feature_shape(phi);
    states_of(c, x, now);
    bex_gram_zero(bex_feature_wide(phi), c->wide);
    if (bex_state_sum_add(phi, c->wide, c->states, (size_t)c->policy->chunk.K) < 0) return -1;
    if (bex_feature_relative(phi))
        bex_feature_contract(phi, gram, c->wide, c->reference);
    else
        memcpy(gram, c->wide, bex_gram_size(shape) * sizeof *gram);
    bex_gram_scale(shape, gram, c->weight);
    return 0;
}

// unsupported waypoints beyond those that are let pass
static int too_many(const bex_choice *c, int i) {
    int many = c->off[i] - c->policy->chunk.K / 10;
    return many > 0 ? many : 0;
}

// coverages in c->value to coverage inputs: ranks are those among the candidates
static void inputs_of(bex_choice *c, int n) {
    const bex_condition *condition = c->policy->condition;
    double cov[BEX_CANDIDATES_MOST];
    memcpy(cov, c->value, (size_t)n * sizeof *cov);
    for (int i = 0; i < n; i++) {
        if (bex_condition_normalise(condition) != BEX_NORMALISE_RANK) {
            c->value[i] =
                bex_condition_value(condition, log(cov[i]), c->relative ? &c->moments : NULL);
            continue;
        }
        double below = -0.5; // itself
        for (int j = 0; j < n; j++) below += cov[j] < cov[i] ? 1 : cov[j] == cov[i] ? 0.5 : 0;
        c->value[i] = bex_condition_of_rank(below, n);
    }
}

int bex_choice_make(bex_choice *c, const bex_real *x, int n, const bex_real *state, double target,
                    int *best) {
    const bex_policy *p = c->policy;
    bex_gram_shape shape = bex_feature_shape(p->phi);
    size_t size = bex_gram_size(shape), chunk = bex_chunk_size(&p->chunk);
    double lambda = bex_condition_lambda(p->condition), nearest = INFINITY;
    BEX_CHECK(n >= 1 && n <= c->most, "%d candidates of at most %d", n, c->most);
    if (bex_feature_relative(p->phi) &&
        bex_feature_eval_wide(p->phi, c->reference, state, 1, 1) < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        if (sum_of(c, x + (size_t)i * chunk, state, c->grams + (size_t)i * size) < 0) return -1;
        c->off[i] = count_unsupported(c);
    }
    bex_coverage_batch(c->value, shape, c->history, c->grams, (size_t)n, lambda);
    for (int i = 0; i < n; i++)
        if (!isfinite(c->value[i])) return bex_coverage_fail(lambda);
    inputs_of(c, n);
    for (int i = 0; i < n; i++) {
        c->distance[i] = fabs(c->value[i] - target) + UNSUPPORTED * too_many(c, i);
        if (c->distance[i] < nearest) nearest = c->distance[i], *best = i;
    }
    return 0;
}

double bex_choice_value_of(bex_choice *c, const bex_real *states, int n, const bex_real *from) {
    const bex_policy *p = c->policy;
    const bex_feature *phi = p->phi;
    bex_gram_shape shape = bex_feature_shape(phi);
    double *gram = c->grams; // scratch of make, which is over
    if (n < 1) return (double)NAN;
    bex_gram_zero(bex_feature_wide(phi), c->wide);
    if (bex_state_sum_add(phi, c->wide, states, (size_t)n) < 0) return (double)NAN;
    if (bex_feature_relative(phi)) {
        if (bex_feature_eval_wide(phi, c->reference, from, 1, 1) < 0) return (double)NAN;
        bex_feature_contract(phi, gram, c->wide, c->reference);
    } else {
        memcpy(gram, c->wide, bex_gram_size(shape) * sizeof *gram);
    }
    bex_gram_scale(shape, gram, (double)(p->config.coverage.future + 1) / n);
    double value;
    bex_coverage_batch(&value, shape, c->history, gram, 1, bex_condition_lambda(p->condition));
    return bex_condition_value(p->condition, log(value), c->relative ? &c->moments : NULL);
}

double bex_choice_value(const bex_choice *c, int i) {
    return c->value[i];
}

bool bex_choice_possible(const bex_choice *c, int i) {
    return too_many(c, i) == 0;
}

const double *bex_choice_distances(const bex_choice *c) {
    return c->distance;
}
