/* policy/planner.c - propose and choose, or continue; see the header. */
#include "policy/planner.h"

#include "base/error.h"
#include "policy/candidate_noise.h"
#include "policy/deploy.h"
#include "policy/route.h"
#include "policy/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { PROPOSE, CONTINUE_NOISE, CONTINUE_ROUTE } mode;

struct bex_planner {
    const bex_policy *policy;
    bex_tape *tape;
    bex_deploy_config deploy;
    int candidates;
    bool hides_coverage;        // guidance 0
    bex_sampler sampler, shown; // shown: waypoints given
    bex_choice *choice;         // NULL: one candidate
    bex_route *route;           // NULL: a chosen future continues by its noise
    bex_candidate_noise *noise;
    bex_plan_choice last;
    int64_t chosen;              // step of the last choice
    bex_real *x;                 // (candidates,K,columns) chunks
    bex_real *start;             // the same of the noise they were denoised from, with a route
    bex_real *time, *shown_time; // (denoising steps, C) of the samplers
};

typedef struct {
    bex_tape *tape;
    const bex_dit *dit;
    const bex_sampler *sampler;
    bex_real *time;
} embedding;

static void run_embedding(void *payload) {
    const embedding *e = payload;
    bex_sampler_time(e->tape, e->dit, e->sampler, e->time);
}

static bex_real *embed_time(bex_planner *p, bex_sampler *s) {
    size_t n = (size_t)s->steps * (size_t)p->policy->dit.o.C;
    bex_real *time = calloc(n, sizeof *time);
    if (!time) return bex_fail("out of memory"), NULL;
    embedding e = {p->tape, &p->policy->dit, s, time};
    if (bex_arena_guard(run_embedding, &e) < 0) {
        free(time);
        return NULL;
    }
    s->time = time;
    return time;
}

static int prepare_route(bex_planner *p) {
    p->shown = p->sampler;
    p->shown.time = NULL;
    p->shown.given = p->policy->A;
    p->shown.guidance = 1;
    p->route = bex_route_new(p->policy);
    if (!p->route) return -1;
    p->start = calloc((size_t)p->candidates * bex_chunk_size(&p->policy->chunk), sizeof *p->start);
    if (!p->start) return bex_fail("out of memory");
    p->shown_time = embed_time(p, &p->shown);
    return p->shown_time ? 0 : -1;
}

static int allocate(bex_planner *p) {
    const bex_policy *policy = p->policy;
    const bex_chunk_shape *s = &policy->chunk;
    p->x = calloc((size_t)p->candidates * bex_chunk_size(s), sizeof *p->x);
    if (!p->x) return bex_fail("out of memory");
    if (!(p->time = embed_time(p, &p->sampler))) return -1;
    // displacements determine the future by themselves, positions only together with the actions (chunk.h)
    int from = s->W && s->reach > 0 ? s->A : 0;
    if (!(p->noise = bex_candidate_noise_new(p->candidates, s->K, s->columns, from))) return -1;
    if (p->candidates > 1 && !(p->choice = bex_choice_new(policy, p->candidates))) return -1;
    return p->choice && policy->config.diffusion.show_waypoints > 0 ? prepare_route(p) : 0;
}

static void take_settings(bex_planner *p, const bex_deploy_config *d) {
    p->deploy = *d;
    // no weight of the coverage is a pass with it hidden, and one such pass is all there is to do
    p->hides_coverage = d->guidance == 0;
    p->sampler.guidance = p->hides_coverage || !p->policy->dit.o.coverage ? 1 : d->guidance;
}

bex_planner *bex_planner_new(const bex_policy *policy, const bex_deploy_config *d, bex_tape *tape) {
    if (bex_deploy_check(policy, d) < 0) return bex_misused(), NULL;
    bex_planner *p = calloc(1, sizeof *p);
    if (!p) return bex_fail("out of memory"), NULL;
    p->policy = policy;
    p->tape = tape;
    p->candidates = (int)d->candidates;
    p->sampler = (bex_sampler){.schedule = &policy->schedule, .steps = (int)d->denoising_steps};
    take_settings(p, d);
    if (allocate(p) == 0) return p;
    bex_planner_free(p);
    return NULL;
}

void bex_planner_free(bex_planner *p) {
    if (!p) return;
    bex_choice_free(p->choice);
    bex_route_free(p->route);
    bex_candidate_noise_free(p->noise);
    free(p->x);
    free(p->start);
    free(p->time);
    free(p->shown_time);
    free(p);
}

bool bex_planner_set(bex_planner *p, const bex_deploy_config *d) {
    if (d->candidates != p->candidates || (int)d->denoising_steps != p->sampler.steps) return true;
    take_settings(p, d);
    return false;
}

void bex_planner_forget(bex_planner *p) {
    bex_candidate_noise_forget(p->noise);
    p->last.n = 0;
}

const bex_plan_choice *bex_planner_choice(const bex_planner *p) {
    return &p->last;
}

void bex_planner_forget_choice(bex_planner *p) {
    p->last.n = 0;
}

bool bex_planner_chooses(const bex_planner *p) {
    return p->choice != NULL;
}

int bex_planner_candidates(const bex_planner *p) {
    return p->candidates;
}

/* ---- encoding the state ---- */

// row of x (., C) as (1,C)
static bex_tensor *row_of(bex_tape *tape, const bex_tensor *x, int row) {
    int C = x->dim[1];
    return bex_constant(tape, x->data + (size_t)row * (size_t)C, 2, BEX_DIMS(1, C));
}

// pooled vectors of the state in 1 or 2 windows: `first` with the coverage hidden as hidden[0] says, `second`
// as hidden[1]
static void encode(bex_planner *p, bex_past *past, const bex_plan_input *in,
                   const unsigned char *hidden, bex_tensor **first, bex_tensor **second) {
    const bex_policy *policy = p->policy;
    const bex_dit_options *n = &policy->dit.o;
    int B = second ? 2 : 1;
    bex_real *state = bex_scratch(p->tape, 2 * (size_t)n->O);
    bex_real *coverage = bex_scratch(p->tape, 2), *time = bex_scratch(p->tape, 2);
    bex_policy_inputs(policy, state, in->state, 1);
    memcpy(state + n->O, state, (size_t)n->O * sizeof *state);
    coverage[0] = coverage[1] = (bex_real)bex_past_target(past);
    time[0] = time[1] = (bex_real)in->step / (bex_real)policy->config.model.horizon;
    const int task[2] = {in->task, in->task}, scene[2] = {in->scene, in->scene};
    bex_dit_input windows = {.B = B,
                             .G = B,
                             .state = state,
                             .coverage = coverage,
                             .hidden = hidden,
                             .timestep = time,
                             .task = task,
                             .scene = scene};
    bex_tensor *seen[BEX_CAMERAS];
    bex_policy_see(policy, p->tape, in->seen, B, seen);
    windows.seen = seen;
    bex_past_encode(past, p->tape, &windows, first);
    for (int i = 0; i < n->blocks; i++) {
        if (second) second[i] = row_of(p->tape, first[i], 1);
        first[i] = row_of(p->tape, first[i], 0);
    }
}

/* ---- the three ways ---- */

static int check_finite(const bex_real *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return bex_fail("the policy gave an action that is not finite");
    return 0;
}

// x (K,columns), whose waypoints are set: its actions are denoised anew from `start`, the waypoints shown
static int follow_waypoints(bex_planner *p, const bex_real *start, bex_real *x,
                            bex_tensor **hidden) {
    const bex_chunk_shape *s = &p->policy->chunk;
    for (int k = 0; k < s->K; k++)
        memcpy(bex_chunk_action(s, x, k), start + (size_t)k * (size_t)s->columns,
               (size_t)s->A * sizeof *x);
    bex_sample(p->tape, &p->policy->dit, &p->shown, x, 1, hidden, NULL);
    return check_finite(x, bex_chunk_size(s));
}

// the best of all candidates in p->x; `keeps`: the next plan may continue it
static bex_real *propose(bex_planner *p, bex_past *past, const bex_plan_input *in, bool keeps) {
    const bex_policy *policy = p->policy;
    size_t size = bex_chunk_size(&policy->chunk), all = (size_t)p->candidates * size;
    bex_tensor *pooled[BEX_ENCODER_BLOCKS], *hidden[BEX_ENCODER_BLOCKS];
    const unsigned char hides[2] = {p->hides_coverage, 1};
    bool guided = p->sampler.guidance != 1;
    int best = 0;
    encode(p, past, in, hides, pooled, guided || p->route ? hidden : NULL);
    if (p->route) memcpy(p->start, p->x, all * sizeof *p->x);
    bex_sample(p->tape, &policy->dit, &p->sampler, p->x, p->candidates, pooled,
               guided ? hidden : NULL);
    if (check_finite(p->x, all) < 0) return NULL;
    if (!p->choice) return p->x;
    double target = bex_past_target(past);
    if (bex_choice_make(p->choice, p->x, p->candidates, in->state, target, &best) < 0) return NULL;
    bex_real *x = p->x + (size_t)best * size;
    p->last = (bex_plan_choice){p->choice, p->x, p->candidates, best};
    if (keeps) bex_candidate_noise_keep(p->noise, bex_choice_distances(p->choice));
    if (!p->route) return x;
    if (keeps) bex_route_set(p->route, x, in->state);
    return follow_waypoints(p, p->start + (size_t)best * size, x, hidden) < 0 ? NULL : x;
}

static bex_real *continue_noise(bex_planner *p, bex_past *past, const bex_plan_input *in) {
    bex_tensor *pooled[BEX_ENCODER_BLOCKS], *hidden[BEX_ENCODER_BLOCKS];
    const unsigned char hides[2] = {p->hides_coverage, 1};
    bex_tensor **null = p->sampler.guidance == 1 ? NULL : hidden;
    encode(p, past, in, hides, pooled, null);
    bex_sample(p->tape, &p->policy->dit, &p->sampler, p->x, 1, pooled, null);
    return check_finite(p->x, bex_chunk_size(&p->policy->chunk)) < 0 ? NULL : p->x;
}

static bex_real *continue_route(bex_planner *p, bex_past *past, const bex_plan_input *in) {
    bex_tensor *hidden[BEX_ENCODER_BLOCKS];
    const unsigned char hides[1] = {1};
    encode(p, past, in, hides, hidden, NULL);
    memcpy(p->start, p->x, bex_chunk_size(&p->policy->chunk) * sizeof *p->x);
    bex_route_show(p->route, (double)(in->step - p->chosen), in->state, p->x);
    return follow_waypoints(p, p->start, p->x, hidden) < 0 ? NULL : p->x;
}

// the noise of a plan into p->x: the caller's, that of the future being followed, or that of all candidates
static mode take_noise(bex_planner *p, const bex_plan_input *in) {
    size_t all = (size_t)p->candidates * bex_chunk_size(&p->policy->chunk);
    if (in->noise) {
        memcpy(p->x, in->noise, all * sizeof *p->x);
        return PROPOSE;
    }
    if (in->step < p->chosen + p->deploy.commit &&
        bex_candidate_noise_continue(p->noise, p->x, in->rng))
        return p->route ? CONTINUE_ROUTE : CONTINUE_NOISE;
    bex_candidate_noise_draw(p->noise, p->x, in->rng);
    p->chosen = in->step;
    return PROPOSE;
}

// deploy.noise on the actions of x, within [-1, 1]
static void add_action_noise(const bex_planner *p, bex_real *x, bex_rng *rng) {
    const bex_chunk_shape *s = &p->policy->chunk;
    for (int k = 0; p->deploy.noise > 0 && k < s->K; k++)
        for (int i = 0; i < s->A; i++) {
            bex_real *a = bex_chunk_action(s, x, k) + i,
                     y = *a + R(p->deploy.noise * bex_rng_normal(rng));
            *a = y < R(-1) ? R(-1) : y > R(1) ? R(1) : y;
        }
}

int bex_planner_plan(bex_planner *p, bex_past *past, bex_target exp, const bex_plan_input *in,
                     bex_real *actions) {
    const bex_policy *policy = p->policy;
    p->last.n = 0;
    bex_tape_reset(p->tape); // one before this may have been left by a guard (base/arena.h)
    if (bex_past_resolve(past, exp, p->choice, in->state) < 0) return -1;
    mode how = take_noise(p, in);
    bool keeps = !in->noise && bex_past_own(past);
    bex_chunk_cool(&policy->chunk, p->x, how == PROPOSE ? (size_t)p->candidates : 1,
                   p->deploy.temperature);
    bex_real *x = how == PROPOSE          ? propose(p, past, in, keeps)
                  : how == CONTINUE_NOISE ? continue_noise(p, past, in)
                                          : continue_route(p, past, in);
    bex_tape_reset(p->tape);
    if (!x) return -1;
    add_action_noise(p, x, in->rng);
    bex_chunk_actions(&policy->chunk, &policy->normaliser, x, actions);
    return check_finite(actions, (size_t)policy->chunk.K * (size_t)policy->A);
}
