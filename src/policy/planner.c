/* policy/planner.c - propose and choose, or continue; see the header. */
#include "policy/planner.h"

#include "base/error.h"
#include "kernel/random.h"
#include "policy/candidate_noise.h"
#include "policy/deploy.h"
#include "policy/route.h"
#include "policy/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { PROPOSE, CONTINUE_NOISE, CONTINUE_ROUTE } mode;

enum { PORTION = 8 }; // candidates between two looks at the clock

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
    int64_t chosen; // step of the last choice
    bool following; // the route is a future of this episode
    bex_plan_report report;
    bex_clock now;
    double distance;             // of the future that is followed, to the target
    double each;                 // seconds a candidate takes, as it was lately
    bex_real *waypoint, *from;   // of the report
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

// the network that follows waypoints: one of its own, or the one that proposes
static const bex_dit *follower_of(const bex_policy *p) {
    return bex_policy_follows(p) ? &p->follower : &p->dit;
}

static bex_real *embed_time(bex_planner *p, const bex_dit *dit, bex_sampler *s) {
    size_t n = (size_t)s->steps * (size_t)dit->o.C;
    bex_real *time = calloc(n, sizeof *time);
    if (!time) return bex_fail("out of memory"), NULL;
    embedding e = {p->tape, dit, s, time};
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
    p->shown_time = embed_time(p, follower_of(p->policy), &p->shown);
    return p->shown_time ? 0 : -1;
}

static int allocate(bex_planner *p) {
    const bex_policy *policy = p->policy;
    const bex_chunk_shape *s = &policy->chunk;
    p->x = calloc((size_t)p->candidates * bex_chunk_size(s), sizeof *p->x);
    p->waypoint = calloc((size_t)s->K * (size_t)s->W + 1, sizeof *p->waypoint);
    p->from = calloc((size_t)policy->O, sizeof *p->from);
    if (!p->x || !p->waypoint || !p->from) return bex_fail("out of memory");
    p->report = (bex_plan_report){.step = -1, .waypoint = p->waypoint, .from = p->from};
    if (!(p->time = embed_time(p, &policy->dit, &p->sampler))) return -1;
    // displacements determine the future by themselves, positions only together with the actions (chunk.h)
    int from = s->W && s->reach > 0 ? s->A : 0;
    if (!(p->noise = bex_candidate_noise_new(p->candidates, s->K, s->columns, from))) return -1;
    if (p->candidates > 1 && !(p->choice = bex_choice_new(policy, p->candidates))) return -1;
    bool shows = p->choice && policy->config.diffusion.show_waypoints > 0;
    return shows || bex_policy_follows(policy) ? prepare_route(p) : 0;
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
    p->now = bex_seconds;
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
    free(p->waypoint);
    free(p->from);
    free(p);
}

bool bex_planner_set(bex_planner *p, const bex_deploy_config *d) {
    if (d->candidates != p->candidates || (int)d->denoising_steps != p->sampler.steps) return true;
    take_settings(p, d);
    return false;
}

void bex_planner_set_clock(bex_planner *p, bex_clock now) {
    p->now = now;
}

void bex_planner_forget(bex_planner *p) {
    bex_candidate_noise_forget(p->noise);
    p->following = false;
    p->last.n = 0;
    p->report.step = -1;
    p->report.made = p->report.wanted = 0;
}

const bex_plan_choice *bex_planner_choice(const bex_planner *p) {
    return &p->last;
}

void bex_planner_forget_choice(bex_planner *p) {
    p->last.n = 0;
}

const bex_plan_report *bex_planner_report(const bex_planner *p) {
    return &p->report;
}

double bex_planner_reached(bex_planner *p, const bex_real *states, int n) {
    if (!p->choice || p->report.step < 0) return (double)NAN;
    return bex_choice_value_of(p->choice, states, n, p->from);
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
// as hidden[1]. By the network that proposes; past NULL: by the follower
static void encode(bex_planner *p, bex_past *past, const bex_plan_input *in,
                   const unsigned char *hidden, bex_tensor **first, bex_tensor **second) {
    const bex_policy *policy = p->policy;
    const bex_dit_options *n = past ? &policy->dit.o : &policy->follower.o;
    int B = second ? 2 : 1;
    bex_real *state = bex_scratch(p->tape, 2 * (size_t)n->O);
    bex_real *coverage = bex_scratch(p->tape, 2), *time = bex_scratch(p->tape, 2);
    bex_policy_inputs(policy, state, in->state, 1);
    memcpy(state + n->O, state, (size_t)n->O * sizeof *state);
    coverage[0] = coverage[1] = past ? (bex_real)bex_past_target(past) : 0;
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
    bex_policy_seen(policy, p->tape, in->features, B, seen);
    windows.seen = seen;
    if (past)
        bex_past_encode(past, p->tape, &windows, first);
    else
        bex_dit_encode(p->tape, &policy->follower, &windows, first);
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
    bex_sample(p->tape, follower_of(p->policy), &p->shown, x, 1, hidden, NULL);
    return check_finite(x, bex_chunk_size(s));
}

// candidates there is time for now, of `left`; at least `least`
static int portion(const bex_planner *p, double until, int least, int left) {
    if (until == 0) return left;
    // what follows a choice, an encoding or a second denoising, costs about as much as two
    double room = (until - p->now()) / p->each - 2;
    int most = left < PORTION ? left : PORTION;
    return room >= most ? most : room > least ? (int)room : least < left ? least : left;
}

// what proposes: chunks, or with a follower their waypoints
static void sample(bex_planner *p, bex_real *x, int n, bex_tensor **pooled, bex_tensor **null) {
    const bex_policy *policy = p->policy;
    if (bex_policy_follows(policy))
        bex_sample_waypoints(p->tape, &policy->dit, &p->sampler, &policy->chunk, x, n, pooled,
                             null);
    else
        bex_sample(p->tape, &policy->dit, &p->sampler, x, n, pooled, null);
}

// p->x holds noise of n candidates: denoised, as far as time allows, the first `least` whatever it does;
// how many
static int denoise(bex_planner *p, double until, int n, int least, bex_tensor **pooled,
                   bex_tensor **null) {
    size_t size = bex_chunk_size(&p->policy->chunk);
    int made = 0;
    for (int b; made < n && (b = portion(p, until, made ? 0 : least, n - made)) > 0; made += b) {
        double start = p->now();
        sample(p, p->x + (size_t)made * size, b, pooled, null);
        double took = (p->now() - start) / b;
        // rises at once and falls slowly: a deadline is missed by what was hoped for
        p->each = took > p->each ? took : p->each + 0.1 * (took - p->each);
    }
    return made;
}

// candidate `best` of n in p->x, chosen in the state of `in`, is what is followed from now on
static void report_choice(bex_planner *p, const bex_plan_input *in, int n, int best,
                          double target) {
    const bex_policy *policy = p->policy;
    bex_plan_report *r = &p->report;
    bex_chunk_positions(&policy->chunk, &policy->normaliser,
                        p->x + (size_t)best * bex_chunk_size(&policy->chunk), in->state,
                        p->waypoint);
    memcpy(p->from, in->state, (size_t)policy->O * sizeof *p->from);
    p->distance = bex_choice_distances(p->choice)[best];
    r->step = in->step;
    r->asked = target, r->expected = bex_choice_value(p->choice, best);
    r->rank[0] = bex_condition_rank(policy->condition, target);
    r->rank[1] = bex_condition_rank(policy->condition, r->expected);
    p->last = (bex_plan_choice){p->choice, p->x, n, best};
}

static int count_possible(const bex_planner *p, int n) {
    int possible = 0;
    for (int i = 0; i < n; i++) possible += bex_choice_possible(p->choice, i);
    return possible;
}

// the best of all candidates in p->x; `keeps`: the next plan may continue it
static bex_real *propose(bex_planner *p, bex_past *past, const bex_plan_input *in, bool keeps) {
    const bex_policy *policy = p->policy;
    size_t size = bex_chunk_size(&policy->chunk), all = (size_t)p->candidates * size;
    bex_tensor *pooled[BEX_ENCODER_BLOCKS], *hidden[BEX_ENCODER_BLOCKS];
    const unsigned char hides[2] = {p->hides_coverage, 1};
    bool guided = p->sampler.guidance != 1;
    int best = 0;
    bool follows = bex_policy_follows(policy);
    encode(p, past, in, hides, pooled, guided || (p->route && !follows) ? hidden : NULL);
    if (p->route) memcpy(p->start, p->x, all * sizeof *p->x);
    int n = denoise(p, in->until, p->candidates, 1, pooled, guided ? hidden : NULL);
    if (check_finite(p->x, (size_t)n * size) < 0) return NULL;
    if (p->choice) {
        double target = bex_past_target(past);
        if (bex_choice_make(p->choice, p->x, n, in->state, target, &best) < 0) return NULL;
        report_choice(p, in, n, best, target);
        p->report.wanted = p->candidates, p->report.made = n;
        p->report.possible = count_possible(p, n);
        if (keeps) bex_candidate_noise_keep(p->noise, bex_choice_distances(p->choice), n);
    }
    bex_real *x = p->x + (size_t)best * size;
    if (!p->route) return x;
    if (keeps) bex_route_set(p->route, x, in->state), p->following = true;
    if (follows) encode(p, NULL, in, NULL, hidden, NULL);
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

// the rest of a search that a deadline cut short: a future better than the one followed takes its place
static int search_on(bex_planner *p, bex_past *past, const bex_plan_input *in,
                     bex_tensor **hidden) {
    const bex_chunk_shape *s = &p->policy->chunk;
    size_t size = bex_chunk_size(s);
    bex_tensor *pooled[BEX_ENCODER_BLOCKS];
    const unsigned char hides[2] = {p->hides_coverage, 1};
    int left = p->report.wanted - p->report.made, best = 0;
    double target = bex_past_target(past);
    encode(p, past, in, hides, pooled, hidden);
    int most = portion(p, in->until, 0, left);
    if (most < 1) return 0;
    memcpy(p->start, p->x, size * sizeof *p->x); // the noise of what is being followed
    bex_random_normal(p->x, (size_t)left * size, in->rng);
    bex_chunk_cool(s, p->x, (size_t)left, p->deploy.temperature);
    int n = denoise(p, in->until, left, 1, pooled, p->sampler.guidance != 1 ? hidden : NULL);
    int code = check_finite(p->x, (size_t)n * size);
    if (code == 0) code = bex_choice_make(p->choice, p->x, n, in->state, target, &best);
    if (code == 0) {
        p->report.made += n, p->report.possible += count_possible(p, n);
        if (bex_choice_distances(p->choice)[best] < p->distance) {
            bex_route_set(p->route, p->x + (size_t)best * size, in->state);
            report_choice(p, in, n, best, target);
            p->chosen = in->step;
        }
    }
    memcpy(p->x, p->start, size * sizeof *p->x);
    return code;
}

static bex_real *continue_route(bex_planner *p, bex_past *past, const bex_plan_input *in) {
    bex_tensor *hidden[BEX_ENCODER_BLOCKS];
    const unsigned char hides[1] = {1};
    bool follows = bex_policy_follows(p->policy);
    if (in->until > 0 && p->report.made < p->report.wanted) {
        if (search_on(p, past, in, hidden) < 0) return NULL;
        if (follows) encode(p, NULL, in, NULL, hidden, NULL);
    } else {
        encode(p, follows ? NULL : past, in, hides, hidden, NULL);
    }
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
    bool committed = in->step < p->chosen + p->deploy.commit;
    if (committed && p->following &&
        bex_policy_follows(p->policy)) { // any noise of actions will do
        bex_random_normal(p->x, bex_chunk_size(&p->policy->chunk), in->rng);
        return CONTINUE_ROUTE;
    }
    if (committed && bex_candidate_noise_continue(p->noise, p->x, in->rng))
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
