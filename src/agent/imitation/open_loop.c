/* agent/imitation/open_loop.c - chunks drawn at held-out windows, their distances summed by lanes. */
#include "agent/imitation/open_loop.h"

#include "agent/imitation/minibatch.h"
#include "base/error.h"
#include "base/parallel.h"
#include "kernel/random.h"
#include "policy/deploy.h"
#include "policy/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const bex_open_loop_names[] = {"nothing", "one", "mean", "nearest", "spread"};

// of a chunk step, or of an episode, over windows and dims
typedef struct {
    double square[BEX_OPEN_LOOP_KINDS];
    double steps; // of chunks that were counted
} step_sums;

typedef struct {
    bex_imitation *a;
    const bex_policy *policy;
    bex_minibatch_draw draw;
    int chunks;
    bool led;
    const bex_deploy_config *deploy; // the policy's own, or the caller's
    const double *mean;              // (A) of the demonstrations
    const double *unit;              // (A) the world's units in one of the network's
    step_sums *sums;                 // (lanes,K+episodes)
} job;

// sums of a lane: K chunk steps, then episodes
static int sums_of_lane(const job *j) {
    return j->policy->dit.o.K + j->a->held.data->episodes;
}

// the demonstrator's row `own` (A), the same row of n chunks, `stride` apart: to the sums of its chunk step
// and of its episode
static void add_row(const job *j, step_sums *s, step_sums *episode, const bex_real *own,
                    const bex_real *drawn, size_t stride, const bex_real *nearest) {
    int n = j->chunks;
    for (int i = 0; i < j->policy->A; i++) {
        double to[BEX_OPEN_LOOP_KINDS], u = j->unit[i], y = (double)own[i], mean = 0;
        for (int c = 0; c < n; c++) mean += (double)drawn[(size_t)c * stride + (size_t)i] / n;
        to[BEX_OPEN_LOOP_NOTHING] = j->mean[i] - y;
        to[BEX_OPEN_LOOP_ONE] = (double)drawn[i] - y;
        to[BEX_OPEN_LOOP_MEAN] = mean - y;
        to[BEX_OPEN_LOOP_NEAREST] = (double)nearest[i] - y;
        to[BEX_OPEN_LOOP_SPREAD] = (double)(drawn[i] - drawn[stride + (size_t)i]);
        for (int kind = 0; kind < BEX_OPEN_LOOP_KINDS; kind++) {
            double square = u * u * to[kind] * to[kind];
            s->square[kind] += square, episode->square[kind] += square;
        }
    }
    s->steps++, episode->steps++;
}

// of n chunks, `stride` apart; over the steps the window has
static const bex_real *nearest_of(const job *j, const bex_real *own, const bex_real *mask,
                                  const bex_real *drawn, size_t stride) {
    const bex_real *best = drawn;
    double least = INFINITY;
    size_t wide = (size_t)j->policy->chunk.columns;
    for (int c = 0; c < j->chunks; c++) {
        const bex_real *x = drawn + (size_t)c * stride;
        double sum = 0;
        for (int k = 0; k < j->policy->dit.o.K; k++)
            for (size_t i = (size_t)k * wide; i < (size_t)k * wide + (size_t)j->policy->A; i++)
                sum += (double)mask[k] * pow(j->unit[i % wide] * (double)(x[i] - own[i]), 2);
        if (sum < least) least = sum, best = x;
    }
    return best;
}

static void add_window(const job *j, step_sums *s, int episode, const bex_real *own,
                       const bex_real *mask, const bex_real *drawn) {
    const bex_dit_options *o = &j->policy->dit.o;
    size_t wide = (size_t)j->policy->chunk.columns, stride = (size_t)o->K * wide;
    const bex_real *nearest = nearest_of(j, own, mask, drawn, stride);
    for (int k = 0; k < o->K && mask[k] > R(0); k++) {
        size_t at = (size_t)k * wide;
        add_row(j, &s[k], &s[o->K + episode], own + at, drawn + at, stride, nearest + at);
    }
}

static int group_work(bex_tape *tape, const job *j, step_sums *s, int group, bex_rng *rng) {
    const bex_policy *p = j->policy;
    size_t chunk = bex_chunk_size(&p->chunk), n = (size_t)j->chunks;
    bex_minibatch b;
    bex_tensor *pooled[BEX_ENCODER_BLOCKS];
    if (bex_minibatch_take(tape, &j->draw, group, 1, rng, &b) < 0) return -1;
    size_t B = (size_t)b.input.B;
    bex_minibatch_see(tape, p, &b);
    bex_dit_encode(tape, &p->dit, &b.input, pooled);
    bex_real *x = bex_scratch(tape, B * n * chunk);
    bex_random_normal(x, B * n * chunk, rng);
    bex_chunk_cool(&p->chunk, x, B * n, j->deploy->temperature);
    for (size_t i = 0; j->led && i < B * n; i++)
        bex_chunk_copy_columns(x + i * chunk, b.clean + i / n * chunk, (size_t)p->chunk.K,
                               p->chunk.columns, p->A);
    bex_sampler sampler = {.schedule = &p->schedule,
                           .steps = (int)j->deploy->denoising_steps,
                           .guidance = 1,
                           .given = j->led ? p->A : 0};
    if (!bex_policy_follows(p)) {
        bex_sample(tape, &p->dit, &sampler, x, (int)(B * n), pooled, NULL);
    } else {
        if (!j->led)
            bex_sample_waypoints(tape, &p->dit, &sampler, &p->chunk, x, (int)(B * n), pooled, NULL);
        sampler.given = p->A;
        b.input.G = b.input.B;
        bex_dit_encode(tape, &p->follower, &b.input, pooled);
        bex_sample(tape, &p->follower, &sampler, x, (int)(B * n), pooled, NULL);
    }
    for (size_t i = 0; i < B; i++)
        add_window(j, s, b.window[i].episode, b.clean + i * chunk, b.mask + i * (size_t)p->dit.o.K,
                   x + i * n * chunk);
    return 0;
}

static int lane_work(bex_tape *tape, int lane, void *payload, double *result) {
    const job *j = payload;
    step_sums *s = j->sums + (size_t)lane * (size_t)sums_of_lane(j);
    int first, count;
    bex_part(j->draw.what.windows / j->draw.what.S, bex_lanes_count(j->a->lanes), lane, &first,
             &count);
    bex_rng rng = tape->rng;
    *result = 0; // all it tells is in its sums
    for (int g = first; g < first + count; g++) {
        if (group_work(tape, j, s, g, &rng) < 0) return -1;
        bex_tape_reset(tape);
    }
    return 0;
}

// sum `which` of all lanes, in their order
static step_sums gather(const job *j, int which) {
    step_sums sum = {0};
    for (int i = 0; i < bex_lanes_count(j->a->lanes); i++) {
        const step_sums *of = &j->sums[(size_t)i * (size_t)sums_of_lane(j) + (size_t)which];
        sum.steps += of->steps;
        for (int kind = 0; kind < BEX_OPEN_LOOP_KINDS; kind++) sum.square[kind] += of->square[kind];
    }
    return sum;
}

static void to_rms(double *rms, const step_sums *s, int A) {
    for (int kind = 0; kind < BEX_OPEN_LOOP_KINDS; kind++)
        rms[kind] = sqrt(s->square[kind] / (s->steps * A));
}

static void conclude(bex_open_loop *out, const job *j) {
    int A = j->policy->A;
    step_sums all = {0};
    for (int k = 0; k < out->K; k++) {
        step_sums s = gather(j, k);
        to_rms(out->at[k], &s, A);
        all.steps += s.steps;
        for (int kind = 0; kind < BEX_OPEN_LOOP_KINDS; kind++) all.square[kind] += s.square[kind];
    }
    to_rms(out->all, &all, A);
    for (int e = 0; e < j->a->held.data->episodes; e++) {
        step_sums s = gather(j, out->K + e);
        if (s.steps == 0) continue;
        bex_open_loop_episode *of = &out->episode[out->episodes++];
        *of = (bex_open_loop_episode){.identity = j->a->held.identity[e], .steps = s.steps};
        to_rms(of->all, &s, A);
    }
}

static void mean_action(double *mean, const bex_imitation_part *part, int A) {
    memset(mean, 0, (size_t)A * sizeof *mean);
    for (size_t r = 0; r < (size_t)part->data->rows; r++)
        for (int i = 0; i < A; i++)
            mean[i] += (double)part->actions[r * (size_t)A + (size_t)i] / part->data->rows;
}

static int check(const bex_imitation *a, const bex_policy *p, const bex_open_loop_options *o) {
    const bex_dit_options *n = &p->dit.o;
    if (!a->held.data) {
        bex_fail("no episode is held out: data.held_out is 0");
        return bex_fail_hint("--data FILE names others");
    }
    BEX_CHECK(o->chunks >= 2, "%d chunks", o->chunks);
    BEX_CHECK(!o->led || p->config.diffusion.show_waypoints > 0 || bex_policy_follows(p),
              "shown waypoints, trained without");
    if (p->O != a->policy->O || p->A != a->policy->A)
        return bex_fail(
            "demonstrations of %d observation and %d action values, the policy has %d and %d",
            a->policy->O, a->policy->A, p->O, p->A);
    if (n->O != a->policy->dit.o.O || n->K != a->policy->dit.o.K ||
        n->columns != a->policy->dit.o.columns || n->N != a->policy->dit.o.N ||
        n->cameras != a->policy->dit.o.cameras || n->mode != a->policy->dit.o.mode)
        return bex_fail("the policy is not of this configuration");
    if (!bex_normaliser_same(&a->policy->normaliser, &p->normaliser))
        return bex_fail("trained on other demonstrations, or another part of them");
    return 0;
}

void bex_open_loop_fini(bex_open_loop *out) {
    free(out->at);
    free(out->episode);
    *out = (bex_open_loop){0};
}

static int run(bex_open_loop *out, const job *j) {
    const bex_imitation *a = j->a;
    bex_rng rng = bex_rng_split(bex_rng_seed((uint64_t)a->config.train.seed), "open loop", 0);
    double none;
    if (bex_lanes_run(a->lanes, rng, lane_work, (void *)(uintptr_t)j, &none) < 0) return -1;
    conclude(out, j);
    return 0;
}

int bex_imitation_open_loop(bex_agent *agent, const bex_policy *p, const bex_open_loop_options *o,
                            bex_open_loop *out) {
    bex_imitation *a = (bex_imitation *)agent;
    size_t K = (size_t)p->dit.o.K, lanes = (size_t)bex_lanes_count(a->lanes);
    int S = bex_minibatch_group(a), groups = o->windows > S ? o->windows / S : 1;
    *out = (bex_open_loop){.windows = groups * S, .K = p->dit.o.K};
    if (check(a, p, o) < 0) return -1;
    size_t episodes = (size_t)a->held.data->episodes;
    step_sums *sums = calloc(lanes * (K + episodes), sizeof *sums);
    double *mean = calloc(2 * (size_t)p->A, sizeof *mean), *unit = mean ? mean + p->A : NULL;
    out->at = calloc(K, sizeof *out->at);
    out->episode = calloc(episodes, sizeof *out->episode);
    int code = sums && mean && out->at && out->episode ? 0 : bex_fail("out of memory");
    if (code == 0) {
        mean_action(mean, a->train.data ? &a->train : &a->held, p->A);
        for (int i = 0; i < p->A; i++)
            unit[i] = (double)(p->normaliser.high[i] - p->normaliser.low[i]) / 2;
        job j = {.a = a,
                 .policy = p,
                 .draw = {.a = a,
                          .what = {.part = &a->held, .windows = groups * S, .S = S},
                          .without = {.other_history = o->other_history,
                                      .no_coverage = o->no_coverage || o->led,
                                      .other_pictures = o->other_pictures}},
                 .chunks = o->chunks,
                 .deploy = o->deploy ? o->deploy : &p->config.deploy,
                 .led = o->led,
                 .mean = mean,
                 .unit = unit,
                 .sums = sums};
        code = run(out, &j);
    }
    free(sums);
    free(mean);
    return code;
}
