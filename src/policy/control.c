/* policy/control.c - episodes, steps, the queue of actions. */
#include "policy/control.h"

#include "base/error.h"
#include "policy/deploy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 4096 }; // of a given picture's side

struct bex_control {
    const bex_policy *policy;
    bex_deploy_config deploy;
    bex_target exp;
    bex_arena *arena;
    bex_tape tape;
    bex_past *past;
    bex_planner *planner;
    int task, scene;
    bex_rng root;
    uint64_t episode, plans; // plans of this episode
    long long all_plans;
    int64_t step;           // of this episode
    bool running;           // between begin and end
    bex_real *row;          // (O) the state that was last given, and the columns that are seen
    bex_real *features;     // of the pictures that came with it, or black ones; NULL: no cameras
    bex_real *chunk;        // (K,A) world's units
    int act, next;          // actions played of a chunk; the one that comes next, `act`: plan first
    int64_t ahead;          // steps that a planned chunk will take if nothing is observed meanwhile
    double deadline, until; // seconds; of the call under way, by `now`, 0: none
    bex_clock now;
    bex_real *since; // (room,O) states since the choice that is followed
    int since_room, since_count;
    int64_t since_step; // of that choice
};

enum { SINCE_MOST = 4096 }; // states kept of a longer future
static const double DEADLINE_SHARE =
    0.75; // of a deadline that is planned with: clocks and caches vary

// state (O) and, with cameras, c->features are those of this moment
static int plan_from(bex_control *c, const bex_real *state, const bex_real *noise,
                     bex_real *chunk) {
    bex_rng rng = bex_rng_split(bex_rng_split(c->root, "episode", c->episode), "plan", c->plans++);
    c->all_plans++;
    bex_plan_input in = {.state = state,
                         .features = c->features,
                         .noise = noise,
                         .step = c->step,
                         .task = c->task,
                         .scene = c->scene,
                         .rng = &rng,
                         .until = c->until};
    return bex_planner_plan(c->planner, c->past, c->exp, &in, chunk);
}

typedef struct {
    bex_control *c;
    const bex_real *history; // its first state is planned from
    int code;
} first_plan;

static void run_first_plan(void *payload) {
    first_plan *f = payload;
    bex_past_give(f->c->past, &f->c->tape, f->history);
    bex_policy_see(f->c->policy, &f->c->tape, NULL, f->c->features);
    f->code = plan_from(f->c, f->history, NULL, f->c->chunk);
}

// one plan with made-up states sizes the arena: acting then never grows it
static int warm_up(bex_control *c) {
    int N = c->policy->dit.o.N ? c->policy->dit.o.N : 1;
    size_t O = (size_t)c->policy->O;
    bex_real *history = calloc((size_t)N * O, sizeof *history);
    if (!history) return bex_fail("out of memory");
    for (size_t i = 0; i < (size_t)N; i++)
        memcpy(history + i * O, c->policy->normaliser.mean, O * sizeof *history);
    c->until = 0;
    uint64_t plans = c->plans;
    long long all_plans = c->all_plans;
    first_plan f = {.c = c, .history = history};
    int code = bex_arena_guard(run_first_plan, &f);
    c->plans = plans;
    c->all_plans = all_plans;
    bex_planner_forget(c->planner);
    free(history);
    return code < 0 ? code : f.code;
}

// states of a future, as many as are kept
static int future_states(const bex_policy *p) {
    long long n = p->config.coverage.future + 1;
    return n < SINCE_MOST ? (int)n : SINCE_MOST;
}

static int open_parts(bex_control *c) {
    if (bex_target_parse(&c->exp, c->deploy.exp) < 0) return bex_misused();
    if (!(c->arena = bex_arena_new())) return -1;
    bex_tape_init(&c->tape, c->arena);
    c->act = bex_deploy_actions(c->policy, &c->deploy);
    c->next = c->act;
    c->chunk = calloc((size_t)c->policy->chunk.K * (size_t)c->policy->A, sizeof *c->chunk);
    c->since_room = future_states(c->policy);
    c->since = calloc((size_t)c->since_room * (size_t)c->policy->O, sizeof *c->since);
    c->since_step = -1;
    size_t features = bex_policy_features(c->policy);
    c->row = calloc((size_t)c->policy->O, sizeof *c->row);
    c->features = features ? calloc(features, sizeof *c->features) : NULL;
    if (!c->chunk || !c->since || !c->row || (features && !c->features))
        return bex_fail("out of memory");
    if (!(c->past = bex_past_new(c->policy, c->deploy.history))) return -1;
    if (!(c->planner = bex_planner_new(c->policy, &c->deploy, &c->tape))) return -1;
    return warm_up(c);
}

bex_control *bex_control_new(const bex_policy *policy, const bex_deploy_config *deploy,
                             uint64_t seed) {
    bex_control *c = calloc(1, sizeof *c);
    if (!c) return bex_fail("out of memory"), NULL;
    c->policy = policy;
    c->now = bex_seconds;
    c->deploy = deploy ? *deploy : policy->config.deploy;
    c->root = bex_rng_split(bex_rng_seed(seed), "control", 0);
    if (open_parts(c) == 0) return c;
    bex_control_free(c);
    return NULL;
}

void bex_control_free(bex_control *c) {
    if (!c) return;
    bex_planner_free(c->planner);
    bex_past_free(c->past);
    bex_arena_free(c->arena);
    free(c->row);
    free(c->features);
    free(c->chunk);
    free(c->since);
    free(c);
}

/* ---- settings ---- */

// another planner, warmed up; or the old one and a message
static int replace_planner(bex_control *c, const bex_deploy_config *d) {
    bex_planner *old = c->planner, *next = bex_planner_new(c->policy, d, &c->tape);
    if (!next) return -1;
    bex_planner_set_clock(next, c->now);
    c->planner = next;
    if (warm_up(c) == 0) {
        bex_planner_free(old);
        return 0;
    }
    c->planner = old;
    bex_planner_free(next);
    return -1;
}

int bex_control_set(bex_control *c, const char *key, const char *value) {
    bex_deploy_config next = c->deploy;
    bex_target exp;
    if (bex_deploy_set(&next, key, value) < 0 || bex_deploy_check(c->policy, &next) < 0 ||
        bex_target_parse(&exp, next.exp) < 0)
        return bex_misused();
    if (strcmp(next.history, c->deploy.history) != 0) {
        if (c->running) {
            bex_fail("deploy.history cannot change while an episode is running");
            return bex_misused();
        }
        if (bex_past_set_rule(c->past, next.history) < 0) return -1;
    } else if (bex_planner_set(c->planner, &next) && replace_planner(c, &next) < 0) {
        return -1;
    }
    c->deploy = next;
    c->exp = exp;
    c->act = bex_deploy_actions(c->policy, &next);
    if (c->next > c->act) c->next = c->act;
    bex_past_forget_target(c->past);
    return 0;
}

const bex_deploy_config *bex_control_deploy(const bex_control *c) {
    return &c->deploy;
}

static int check_label(const char *what, int label, int labels) {
    if (label >= 0 && label < (labels ? labels : 1)) return 0;
    if (labels)
        bex_fail("%s %d, the policy knows 0 to %d", what, label, labels - 1);
    else
        bex_fail("%s %d, the policy has no such input", what, label);
    return bex_misused();
}

int bex_control_set_task(bex_control *c, int task, int scene) {
    const bex_dit_options *n = &c->policy->dit.o;
    if (check_label("task", task, n->tasks) < 0 || check_label("scene", scene, n->scenes) < 0)
        return -1;
    c->task = task;
    c->scene = scene;
    return 0;
}

static int misuse(const char *why) {
    bex_fail("%s", why);
    return bex_misused();
}

int bex_control_set_step(bex_control *c, long long step) {
    if (step < 0) return misuse("a step of an episode below 0");
    c->step = step, c->ahead = 0;
    return 0;
}

int bex_control_set_seed(bex_control *c, uint64_t seed) {
    if (c->running) return misuse("an episode is running");
    c->root = bex_rng_split(bex_rng_seed(seed), "control", 0);
    c->episode = 0;
    if (bex_past_memory(c->past)) bex_memory_loaded(bex_past_memory(c->past));
    return 0;
}

void bex_control_set_deadline(bex_control *c, double seconds) {
    c->deadline = seconds;
}

void bex_control_set_clock(bex_control *c, bex_clock now) {
    c->now = now;
    bex_planner_set_clock(c->planner, now);
}

const bex_plan_report *bex_control_report(const bex_control *c) {
    const bex_plan_report *r = bex_planner_report(c->planner);
    return r->step < 0 ? NULL : r;
}

double bex_control_reached(bex_control *c, int *steps) {
    *steps = c->since_count;
    return bex_planner_reached(c->planner, c->since, c->since_count);
}

long long bex_control_plans(const bex_control *c) {
    return c->all_plans;
}

double bex_control_target(const bex_control *c) {
    return bex_past_target(c->past);
}

const bex_plan_choice *bex_control_choice(const bex_control *c) {
    const bex_plan_choice *last = bex_planner_choice(c->planner);
    return last->n ? last : NULL;
}

bex_memory *bex_control_memory(bex_control *c) {
    return bex_past_memory(c->past);
}

int bex_control_chunk(const bex_control *c) {
    return c->policy->chunk.K;
}

/* ---- episodes ---- */

int bex_control_begin(bex_control *c) {
    bex_memory *memory = bex_past_memory(c->past);
    if (bex_past_begin(c->past, bex_planner_chooses(c->planner)) < 0) return -1;
    if (c->running) {
        if (memory) bex_memory_abandon(memory);
        c->episode++;
    }
    // a memory that was loaded: its episodes had the streams up to here
    if (memory && bex_memory_loaded(memory) && (long long)c->episode < bex_memory_played(memory))
        c->episode = (uint64_t)bex_memory_played(memory);
    c->running = true;
    bex_planner_forget(c->planner);
    c->plans = 0;
    c->step = c->ahead = 0;
    c->next = c->act;
    c->since_step = -1, c->since_count = 0;
    return 0;
}

int bex_control_end(bex_control *c) {
    bex_memory *memory = bex_past_memory(c->past);
    if (!c->running) return misuse("no episode has begun");
    c->running = false;
    c->episode++;
    return memory ? bex_memory_end(memory) : 0;
}

int bex_control_recall(bex_control *c, const bex_real *states, int rows, int stride) {
    bex_memory *memory = bex_past_memory(c->past);
    if (c->running) return misuse("an episode is running");
    if (memory && c->policy->seen.columns) {
        bex_fail(
            "the memory of this policy holds what was seen (vision.columns), not states alone");
        return bex_misused();
    }
    c->episode++;
    if (!memory) return 0;
    for (int t = 0; t < rows; t++) bex_memory_push(memory, states + (size_t)t * (size_t)stride);
    return bex_memory_end(memory);
}

/* ---- acting ---- */

static int check_pictures(const bex_control *c, const bex_observation *obs) {
    if (bex_observation_check(obs, c->policy->vision.o.cameras) < 0) return -1;
    if (obs->height >= 0 && obs->width >= 0 && !obs->height == !obs->width &&
        obs->height <= PIXELS && obs->width <= PIXELS)
        return 0;
    bex_fail("pictures of %d x %d pixels, 1 to %d are possible", obs->height, obs->width, PIXELS);
    return bex_misused();
}

// what is seen at this moment, once for all who ask
static void see(bex_control *c, const bex_observation *obs) {
    bex_tape_reset(&c->tape);
    bex_policy_see(c->policy, &c->tape, obs, c->features);
}

/* The row of a state into c->row. A reading that can be none is refused before anything remembers it.
 * Pictures that make columns are seen here, others (`plans`) when they are needed. */
static int take_row(bex_control *c, const bex_observation *obs, bool plans) {
    const bex_policy *p = c->policy;
    bool sees = p->seen.columns > 0;
    if ((sees || plans) && check_pictures(c, obs) < 0) return -1;
    memcpy(c->row, obs->state, (size_t)p->given * sizeof *c->row);
    if (sees) see(c, obs), bex_seen_columns(&p->seen, c->row + p->given, c->features);
    return bex_normaliser_check(&p->normaliser, c->row, c->deploy.farthest) < 0 ? bex_misused() : 0;
}

// the next state of the running episode: remembered, its first one fixes the history
static int observe(bex_control *c, const bex_observation *obs, bool plans) {
    bex_planner_forget_choice(c->planner);
    c->until = c->deadline > 0 ? c->now() + DEADLINE_SHARE * c->deadline : 0;
    if (!c->running) return misuse("no episode has begun");
    if (take_row(c, obs, plans) < 0) return -1;
    bex_past_push(c->past, &c->tape, c->row, bex_rng_split(c->root, "history", c->episode));
    if (c->since_step >= 0 && c->since_count < c->since_room)
        memcpy(c->since + (size_t)c->since_count++ * (size_t)c->policy->O, c->row,
               (size_t)c->policy->O * sizeof *c->since);
    return 0;
}

// a plan in the state of c->row, which `obs` gave
static int plan_here(bex_control *c, const bex_observation *obs, const bex_real *noise,
                     bex_real *chunk) {
    if (!c->policy->seen.columns) see(c, obs);
    return plan_from(c, c->row, noise, chunk);
}

// what was chosen in `state` begins there
static void begin_future(bex_control *c, const bex_real *state) {
    const bex_plan_report *r = bex_planner_report(c->planner);
    if (r->step == c->since_step) return;
    c->since_step = r->step;
    c->since_count = r->step >= 0;
    memcpy(c->since, state, (size_t)c->policy->O * sizeof *c->since);
}

int bex_control_observe(bex_control *c, const bex_observation *obs) {
    if (observe(c, obs, false) < 0) return -1;
    c->step++;
    c->ahead = 0;
    return 0;
}

int bex_control_row(bex_control *c, const bex_observation *obs, bex_real *row) {
    if (take_row(c, obs, false) < 0) return -1;
    memcpy(row, c->row, (size_t)c->policy->O * sizeof *row);
    return 0;
}

int bex_control_plan_from(bex_control *c, const bex_observation *obs, const bex_real *history,
                          const bex_real *noise, bex_real *chunk) {
    bex_planner_forget_choice(c->planner);
    if (take_row(c, obs, true) < 0) return -1;
    c->until = 0; // all candidates: a function of its arguments
    if (history && c->policy->dit.o.N) {
        bex_past_give(c->past, &c->tape, history);
        bex_planner_forget(c->planner); // any state may come next
    } else if (c->policy->dit.o.N && !bex_past_own(c->past)) {
        return misuse("no history: no episode has seen a state");
    }
    return plan_here(c, obs, noise, chunk);
}

int bex_control_plan(bex_control *c, const bex_observation *obs, bex_real *chunk) {
    if (observe(c, obs, true) < 0) return -1;
    c->step += c->ahead, c->ahead = 0;
    if (plan_here(c, obs, NULL, chunk) < 0) return -1;
    begin_future(c, c->row);
    c->step++;
    c->ahead = c->policy->chunk.K - 1;
    c->next = c->act;
    return 0;
}

bool bex_control_looks(const bex_control *c) {
    return c->policy->vision.o.cameras > 0 && c->next >= c->act;
}

int bex_control_act(bex_control *c, const bex_observation *obs, bex_real *action) {
    size_t A = (size_t)c->policy->A;
    if (observe(c, obs, true) < 0) return -1;
    c->step += c->ahead, c->ahead = 0;
    if (c->next == c->act) {
        if (plan_here(c, obs, NULL, c->chunk) < 0) return -1;
        begin_future(c, c->row);
        c->next = 0;
    }
    memcpy(action, c->chunk + (size_t)c->next++ * A, A * sizeof *action);
    c->step++;
    return 0;
}
