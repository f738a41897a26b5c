/* api/session.c - policies and sessions of bex.h: validate, call, translate errors.
 *
 * The public interface is of float: the double build, which only checks gradients, leaves it out. */
#ifndef BEX_F64

#include "bex/bex.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "policy/control.h"
#include "policy/deploy.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LATENCIES = 4096 };

struct bex_session {
    const bex_policy *policy;
    bex_control *control;
    double deadline;
    atomic_flag busy; // a thread is in a call of this session
    long long calls, plans, missed;
    float latency[LATENCIES]; // ring of the newest plans
};

static int misused(const char *what) {
    bex_fail("%s", what);
    bex_misused();
    return BEX_MISUSED;
}

// the caller's fault or the world's, as whoever failed said
static int status(int code) {
    return code >= 0 ? BEX_OK : bex_error_is_misuse() ? BEX_MISUSED : BEX_FAILED;
}

/* ---- policy ---- */

int bex_policy_open(bex_policy **out, const char *path) {
    if (!out) return misused("bex_policy_open: out is NULL");
    *out = NULL;
    if (!path) return misused("bex_policy_open: path is NULL");
    *out = bex_policy_load(path);
    return *out ? BEX_OK : BEX_FAILED;
}

int bex_policy_open_memory(bex_policy **out, const void *bytes, size_t size) {
    if (!out) return misused("bex_policy_open_memory: out is NULL");
    *out = NULL;
    if (!bytes) return misused("bex_policy_open_memory: bytes is NULL");
    *out = bex_policy_parse(bytes, size);
    return *out ? BEX_OK : BEX_FAILED;
}

void bex_policy_close(bex_policy *policy) {
    bex_policy_free(policy);
}

// copy what the caller's version of a struct has room for
static int give(void *out, size_t room, const void *ours, size_t size, const char *what) {
    if (!out || room < sizeof(size_t) || room > 4096) return misused(what);
    memcpy(out, ours, room < size ? room : size);
    *(size_t *)out = room;
    return BEX_OK;
}

int bex_policy_contract(const bex_policy *p, bex_contract *out) {
    if (!p || !out) return misused("bex_policy_contract: NULL");
    const bex_deploy_config *d = &p->config.deploy;
    bex_contract c = {
        .cameras = p->vision.o.cameras,
        .image_height = p->vision.o.height,
        .image_width = p->vision.o.width,
        .images = p->config.vision.images,
        .flip = bex_flip_names[p->config.vision.flip],
        .state = p->given,
        .seen = p->O - p->given,
        .action = p->A,
        .chunk = p->chunk.K,
        .history = p->dit.o.N,
        .tasks = p->dit.o.tasks,
        .scenes = p->dit.o.scenes,
        .has_coverage = p->dit.o.coverage,
        .parameters = (long long)bex_params_total(p->params),
        .state_mean = p->normaliser.mean,
        .state_std = p->normaliser.std,
        .action_low = p->normaliser.low,
        .action_high = p->normaliser.high,
        .agent = bex_model_name(&p->config.model),
        .exp = d->exp,
        .history_rule = d->history,
        .guidance = d->guidance,
        .noise = d->noise,
        .act = bex_deploy_actions(p, d),
        .denoising_steps = (int)d->denoising_steps,
        .candidates = (int)d->candidates,
        .commit = (int)d->commit,
        .temperature = d->temperature,
        .state_names = p->columns.count ? (const char *const *)p->columns.name : NULL,
        .coverage_columns = p->coverage_dims,
        .coverage_count = p->coverage_count,
        .farthest = d->farthest,
    };
    return give(out, out->size, &c, sizeof c, "bex_policy_contract: out->size is not set");
}

/* ---- session ---- */

/* A session has no lock: whoever finds another thread in it is told so. `s` is in use from here to leave. */
static int enter(const bex_session *s, const char *null) {
    if (!s) return misused(null);
    if (!atomic_flag_test_and_set_explicit(&((bex_session *)(uintptr_t)s)->busy,
                                           memory_order_acquire))
        return BEX_OK;
    return misused(
        "another thread is in this session: one thread at a time, or a session for each");
}

static int leave(const bex_session *s, int code) {
    atomic_flag_clear_explicit(&((bex_session *)(uintptr_t)s)->busy, memory_order_release);
    return code;
}

static int set_number(bex_deploy_config *d, const char *key, double value) {
    char text[BEX_NUMBER_SIZE];
    return bex_deploy_set(d, key, bex_number_format(text, value));
}

// what the struct asks for over the policy's own: texts unless NULL, numbers unless negative, counts unless 0
static int take_options(bex_deploy_config *d, const bex_session_options *o) {
    const struct { const char *key, *value; } texts[] = {{"exp", o->exp}, {"history", o->history}};
    const struct {
        const char *key;
        double value;
        bool asked;
    } numbers[] = {{"guidance", o->guidance, o->guidance >= 0},
                   {"noise", o->noise, o->noise >= 0},
                   {"temperature", o->temperature, o->temperature >= 0},
                   {"action_steps", o->act, o->act != 0},
                   {"denoising_steps", o->denoising_steps, o->denoising_steps != 0},
                   {"candidates", o->candidates, o->candidates != 0},
                   {"commit", o->commit, o->commit != 0}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value && bex_deploy_set(d, texts[i].key, texts[i].value) < 0) return -1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].asked && set_number(d, numbers[i].key, numbers[i].value) < 0) return -1;
    return 0;
}

int bex_session_open(bex_session **out, const bex_policy *policy,
                     const bex_session_options *options) {
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    if (!out) return misused("bex_session_open: out is NULL");
    *out = NULL;
    if (!policy) return misused("bex_session_open: policy is NULL");
    if (options && (options->size < sizeof(size_t) || options->size > 4096))
        return misused("bex_session_open: options->size is not set");
    if (options) memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    if (!isfinite(o.guidance) || !isfinite(o.noise) || !isfinite(o.deadline) ||
        !isfinite(o.temperature))
        return misused("bex_session_open: an option is not finite");
    bex_deploy_config deploy = policy->config.deploy;
    if (take_options(&deploy, &o) < 0) return BEX_MISUSED;
    bex_session *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory"), BEX_FAILED;
    s->policy = policy;
    s->deadline = o.deadline;
    atomic_flag_clear(&s->busy);
    s->control = bex_control_new(policy, &deploy, o.seed);
    if (!s->control || bex_control_set_task(s->control, o.task, o.scene) < 0) {
        bex_session_close(s);
        return status(-1);
    }
    bex_control_set_deadline(s->control, o.deadline);
    *out = s;
    return BEX_OK;
}

void bex_session_close(bex_session *s) {
    if (!s) return;
    bex_control_free(s->control);
    free(s);
}

int bex_session_begin(bex_session *s) {
    int code = enter(s, "bex_session_begin: session is NULL");
    return code < 0 ? code : leave(s, status(bex_control_begin(s->control)));
}

int bex_session_end(bex_session *s) {
    int code = enter(s, "bex_session_end: session is NULL");
    return code < 0 ? code : leave(s, status(bex_control_end(s->control)));
}

static int check_state(const bex_session *s, const float *state, int n_state) {
    if (!s || !state) return misused("session, state or action is NULL");
    if (n_state == s->policy->given) return BEX_OK;
    char keys[200];
    bex_columns_list(keys, sizeof keys, &s->policy->columns);
    bex_fail(*keys ? "the state has %d values, the policy expects %d: %s"
                   : "the state has %d values, the policy expects %d",
             n_state, s->policy->given, keys);
    return BEX_MISUSED;
}

static int check_sizes(const bex_session *s, const float *state, int n_state, const float *out,
                       int n_out, int expected) {
    if (!out) return misused("session, state or action is NULL");
    int code = check_state(s, state, n_state);
    if (code < 0) return code;
    if (n_out != expected) {
        bex_fail("room for %d action values, the policy gives %d", n_out, expected);
        return BEX_MISUSED;
    }
    return BEX_OK;
}

typedef struct {
    int (*call)(bex_control *, const bex_observation *, bex_real *);
    bex_control *control;
    const bex_observation *obs;
    float *out;
    int code;
} control_call;

static void run_call(void *payload) {
    control_call *c = payload;
    c->code = c->call(c->control, c->obs, c->out);
}

// one call of act or plan, timed. It holds nothing but step memory, of which opening took enough:
// guarded all the same
static int take_time(bex_session *s,
                     int (*call)(bex_control *, const bex_observation *, bex_real *),
                     const bex_observation *obs, float *out) {
    double start = bex_seconds();
    long long plans = bex_control_plans(s->control);
    control_call c = {.call = call, .control = s->control, .obs = obs, .out = out};
    if (bex_arena_guard(run_call, &c) < 0) return BEX_FAILED;
    if (c.code < 0) return status(c.code);
    double took = bex_seconds() - start;
    s->calls++;
    if (s->deadline > 0 && took > s->deadline) s->missed++;
    if (bex_control_plans(s->control) != plans) s->latency[s->plans++ % LATENCIES] = (float)took;
    return BEX_OK;
}

static int timed(bex_session *s, int (*call)(bex_control *, const bex_observation *, bex_real *),
                 const bex_observation *obs, float *out) {
    int code = enter(s, "session is NULL");
    return code < 0 ? code : leave(s, take_time(s, call, obs, out));
}

int bex_session_act(bex_session *s, const float *state, int n_state, float *action, int n_action) {
    int code = check_sizes(s, state, n_state, action, n_action, s ? s->policy->A : 0);
    return code < 0 ? code : timed(s, bex_control_act, &(bex_observation){.state = state}, action);
}

// the sensors as what a control stream takes; n_out, expected: of the actions
static int sense(bex_session *s, const bex_sensors *sensors, const float *out, int n_out,
                 int expected, bex_observation *obs) {
    bex_sensors in = {0};
    if (!s || !sensors) return misused("session or sensors is NULL");
    if (sensors->size < sizeof(size_t) || sensors->size > 4096)
        return misused("sensors->size is not set");
    memcpy(&in, sensors, sensors->size < sizeof in ? sensors->size : sizeof in);
    int code = check_sizes(s, in.state, in.n_state, out, n_out, expected);
    if (code < 0) return code;
    int cameras = s->policy->vision.o.cameras;
    if (in.cameras != cameras) {
        if (cameras)
            bex_fail("the sensors have %d cameras, the policy expects %d: %s", in.cameras, cameras,
                     s->policy->config.vision.images);
        else
            bex_fail("the sensors have %d cameras, the policy expects none", in.cameras);
        bex_misused();
        return BEX_MISUSED;
    }
    *obs = bex_observation_of(in.state);
    for (int c = 0; c < BEX_CAMERAS; c++) obs->image[c] = in.image[c];
    obs->height = in.height, obs->width = in.width;
    return BEX_OK;
}

int bex_session_act_seen(bex_session *s, const bex_sensors *sensors, float *action, int n_action) {
    bex_observation obs;
    int code = sense(s, sensors, action, n_action, s ? s->policy->A : 0, &obs);
    return code < 0 ? code : timed(s, bex_control_act, &obs, action);
}

int bex_session_act_on(bex_session *s, const bex_sensors *sensors, float *action, int n_action) {
    return bex_session_act_seen(s, sensors, action, n_action);
}

int bex_session_plan_seen(bex_session *s, const bex_sensors *sensors, float *actions,
                          int n_actions) {
    bex_observation obs;
    int expected = s ? s->policy->A * s->policy->chunk.K : 0;
    int code = sense(s, sensors, actions, n_actions, expected, &obs);
    return code < 0 ? code : timed(s, bex_control_plan, &obs, actions);
}

int bex_session_plan(bex_session *s, const float *state, int n_state, float *actions,
                     int n_actions) {
    int code = check_sizes(s, state, n_state, actions, n_actions,
                           s ? s->policy->A * s->policy->chunk.K : 0);
    return code < 0 ? code
                    : timed(s, bex_control_plan, &(bex_observation){.state = state}, actions);
}

static int observe(bex_control *c, const bex_observation *obs, bex_real *out) {
    (void)out;
    return bex_control_observe(c, obs);
}

int bex_session_observe(bex_session *s, const float *state, int n_state) {
    int code = check_state(s, state, n_state);
    if (code == 0) code = enter(s, "session is NULL");
    if (code < 0) return code;
    return leave(s, status(bex_control_observe(s->control, &(bex_observation){.state = state})));
}

int bex_session_observe_seen(bex_session *s, const bex_sensors *sensors) {
    bex_observation obs;
    const float none = 0;
    int code = sense(s, sensors, &none, 0, 0, &obs);
    if (code == 0) code = enter(s, "session is NULL");
    if (code < 0) return code;
    control_call c = {.call = observe, .control = s->control, .obs = &obs};
    code = bex_arena_guard(run_call, &c);
    return leave(s, code < 0 ? BEX_FAILED : status(c.code));
}

int bex_session_set(bex_session *s, const char *key, const char *value) {
    if (!key || !value) return misused("bex_session_set: NULL");
    int code = enter(s, "bex_session_set: session is NULL");
    return code < 0 ? code : leave(s, status(bex_control_set(s->control, key, value)));
}

static int get_setting(const bex_session *s, const char *key, char *value, size_t size) {
    char text[BEX_CONFIG_TEXT_SIZE];
    if (bex_deploy_get(bex_control_deploy(s->control), key, text) < 0) return BEX_MISUSED;
    if (strlen(text) >= size) {
        bex_fail("deploy.%s has %zu bytes, there is room for %zu", key, strlen(text) + 1, size);
        return BEX_MISUSED;
    }
    memcpy(value, text, strlen(text) + 1);
    return BEX_OK;
}

int bex_session_get(const bex_session *s, const char *key, char *value, size_t size) {
    if (!key || !value) return misused("bex_session_get: NULL");
    int code = enter(s, "bex_session_get: session is NULL");
    return code < 0 ? code : leave(s, get_setting(s, key, value, size));
}

int bex_session_set_exp(bex_session *s, const char *exp) {
    return bex_session_set(s, "exp", exp);
}

int bex_session_set_task(bex_session *s, int task, int scene) {
    int code = enter(s, "bex_session_set_task: session is NULL");
    return code < 0 ? code : leave(s, status(bex_control_set_task(s->control, task, scene)));
}

int bex_session_set_seed(bex_session *s, uint64_t seed) {
    int code = enter(s, "bex_session_set_seed: session is NULL");
    return code < 0 ? code : leave(s, status(bex_control_set_seed(s->control, seed)));
}

// something done to the history of a session, which must have one
static int with_history(const bex_session *s, int (*what)(bex_memory *, const char *path),
                        const char *path) {
    int code = enter(s, "session is NULL");
    if (code < 0) return code;
    bex_memory *h = bex_control_memory(s->control);
    return leave(s, h ? status(what(h, path)) : misused("this policy has no history"));
}

static int save_history(bex_memory *h, const char *path) {
    return bex_memory_save(h, path);
}

static int clear_history(bex_memory *h, const char *path) {
    (void)path;
    bex_memory_clear(h);
    return 0;
}

int bex_session_save_history(const bex_session *s, const char *path) {
    if (!path) return misused("bex_session_save_history: path is NULL");
    return with_history(s, save_history, path);
}

int bex_session_load_history(bex_session *s, const char *path) {
    if (!path) return misused("bex_session_load_history: path is NULL");
    return with_history(s, bex_memory_load, path);
}

int bex_session_clear_history(bex_session *s) {
    return with_history(s, clear_history, NULL);
}

long long bex_session_history_states(const bex_session *s) {
    if (enter(s, "session is NULL") < 0) return 0;
    bex_memory *h = bex_control_memory(s->control);
    long long n = h ? bex_memory_states(h) : 0;
    leave(s, 0);
    return n;
}

/* ---- what it did ---- */

static bex_coverage_report coverage_of(bex_session *s) {
    const bex_plan_report *r = bex_control_report(s->control);
    const bex_policy *p = s->policy;
    double none = (double)NAN;
    bex_coverage_report c = {.asked = none,
                             .expected = none,
                             .reached = none,
                             .asked_quantile = none,
                             .expected_quantile = none,
                             .reached_quantile = none};
    if (!r) return c;
    int steps;
    c.reached = bex_control_reached(s->control, &steps);
    c.asked = r->asked, c.asked_quantile = r->rank[0];
    c.expected = r->expected, c.expected_quantile = r->rank[1];
    c.reached_quantile = bex_condition_rank(p->condition, c.reached);
    c.steps = steps;
    c.candidates = r->wanted, c.proposed = r->made, c.possible = r->possible;
    c.waypoints = p->chunk.K, c.columns = p->chunk.W;
    c.waypoint = r->waypoint, c.column = p->chunk.dim;
    return c;
}

int bex_session_coverage(bex_session *s, bex_coverage_report *out) {
    int code = enter(s, "bex_session_coverage: session is NULL");
    if (code < 0) return code;
    bex_coverage_report c = coverage_of(s);
    return leave(s, give(out, out ? out->size : 0, &c, sizeof c,
                         "bex_session_coverage: out->size is not set"));
}

static int increasing(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// the least of n sorted latencies that a share of them is not above
static double quantile(const float *sorted, size_t n, double share) {
    size_t rank = (size_t)ceil(share * (double)n);
    return (double)sorted[rank < 1 ? 0 : rank > n ? n - 1 : rank - 1];
}

static bex_latency latency_of(const bex_session *s) {
    float sorted[LATENCIES];
    size_t n = s->plans < LATENCIES ? (size_t)s->plans : LATENCIES;
    memcpy(sorted, s->latency, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, increasing);
    bex_latency l = {.calls = s->calls, .plans = s->plans, .missed = s->missed};
    if (!n) return l;
    l.p50 = quantile(sorted, n, 0.5);
    l.p99 = quantile(sorted, n, 0.99);
    l.max = (double)sorted[n - 1];
    return l;
}

int bex_session_latency(const bex_session *s, bex_latency *out) {
    int code = enter(s, "bex_session_latency: session is NULL");
    if (code < 0) return code;
    bex_latency l = latency_of(s);
    return leave(s, give(out, out ? out->size : 0, &l, sizeof l,
                         "bex_session_latency: out->size is not set"));
}

#else
typedef int bex_no_sessions_in_double; // ISO C wants a declaration in every file
#endif
