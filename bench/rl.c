/* bench/rl.c - `bex bench rl`: agents that learn by reinforcement, at the paper's full sizes for AntMaze.
 *
 *   rl_online/rnd           GFLOP/s of a step of the world once learning has begun, ten critics, 20 critic
 *   steps: the
 *                           networks' own products alone (below), beside dnnl_sgemm's peak on one thread,
 *                           which is what a trial has, measured before and after
 *   .../step                ms of such a step, beside the PyTorch twin's on one thread (bench/peer_rl.py).
 *   Both are
 *                           processor time: a step is long, and on a machine that is shared none runs
 *                           undisturbed the same of a step of pretraining, on all threads
 *
 * Counted: 2 a multiplication and addition of every product, forward, and for the gradients of weights and
 * of inputs that need one; no norms, activations, Adam. Demonstrations and states are made up: what is in
 * them does not matter to speed. */
#include "bench/bench.h"

#include "agent/agent.h"
#include "agent/rl/learner.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "cli/options.h"
#include "host/folder.h"
#include "host/json.h"
#include "nn/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { O = 29, A = 8, EPISODES = 40, ROWS = 400, STEPS = 8, LEAST = 2 };

static const bex_env_class class = {.name = "antmaze-medium"};
static const bex_world world = {.class = &class,
                                .name = "antmaze-medium",
                                .spec.state = O,
                                .A = A,
                                .time_limit = 500,
                                .regions = 1,
                                .dt = 1};

static bex_dataset *make_data(void) {
    bex_dataset *d = bex_dataset_new();
    int *start = malloc((EPISODES + 1) * sizeof *start);
    bex_rng g = bex_rng_seed(1);
    if (!d || !start || bex_dataset_allocate(d, EPISODES * ROWS, O, A, 0, 0) < 0) {
        free(start), bex_dataset_free(d);
        return NULL;
    }
    for (int e = 0; e <= EPISODES; e++) start[e] = e * ROWS;
    for (int i = 0; i < EPISODES * ROWS * O; i++) d->observations[i] = R(bex_rng_normal(&g));
    for (int i = 0; i < EPISODES * ROWS * A; i++) d->actions[i] = R(2 * bex_rng_uniform(&g) - 1);
    if (bex_dataset_take_episodes(d, start, EPISODES) == 0) return d;
    bex_dataset_free(d);
    return NULL;
}

/* ---- arithmetic ---- */

// multiplications of a row through layers in -> widths -> out
static double products(int in, const int *widths, int out) {
    double sum = 0;
    for (; *widths; widths++) sum += (double)in * *widths, in = *widths;
    return sum + (double)in * out;
}

// forward and backward; the first layer's input needs no gradient
static double learned(int in, const int *widths, int out) {
    return 3 * products(in, widths, out) - (double)in * widths[0];
}

// of one step of the world, GFLOP
static double online_gflop(const bex_learner *x) {
    const bex_learner_config *c = &x->config;
    int in = x->S + x->U, actor_out = 2 * x->U;
    double B = (double)c->batch, n = (double)c->updates, rows = n * B, E = (double)c->critics;
    double critics =
        rows * (E * learned(in, x->critic, 1) + (double)c->subset * products(in, x->critic, 1) +
                products(x->S, x->actor, actor_out));
    // the critics' weights need no gradient, their input does
    double actor = B * (learned(x->S, x->actor, actor_out) + 2 * E * products(in, x->critic, 1));
    double bonus = 2 * rows * products(in, x->novelty, (int)c->features);
    double half = x->method->data ? rows / 2 : 0;
    double labels = half * products(in, x->model, 1);
    double model = half * 2 * learned(in, x->model, 1) / x->H;
    return 2e-9 * (critics + actor + bonus + labels + model);
}

static double supe_gflop(const bex_train_config *c) {
    double H = (double)c->supe.hidden, Z = (double)c->supe.skill, T = (double)c->supe.steps;
    const int one[] = {(int)H, 0}, two[] = {(int)H, (int)H, 0};
    double state = learned(O, one, (int)H), prior = learned(O, two, 2 * (int)Z);
    double decoder = 3 * products(O + (int)Z, two, 2 * A);
    double first = 3 * 2 * 3 * H * (H + A + H), second = 3 * 2 * 3 * H * (2 * H + H);
    double out = 3 * T * 2 * H * 2 * Z;
    return 2e-9 * (double)c->train.batch * (T * (state + first + second + decoder) + prior + out);
}

static double hilp_gflop(const bex_train_config *c) {
    static const int widths[] = {512, 512, 512, 0};
    int Z = (int)c->hilp.skill;
    double phi = products(O, widths, Z), value = products(O + Z, widths, 1),
           critic = products(O + Z + A, widths, 1);
    double known = 6 * phi + 2 * phi + 2 * critic + value; // both heads of three states; one of two
    double own = 4 * learned(O, widths, Z) + learned(O + Z, widths, 1) +
                 2 * learned(O + Z + A, widths, 1) + learned(O + Z, widths, A);
    return 2e-9 * (double)c->train.batch * (known + own);
}

/* ---- rows ---- */

// of this thread
static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report(bex_bench *b, const char *name, double gflop, double seconds, double peak,
                   double twin) {
    char step[64];
    snprintf(step, sizeof step, "%s/step", name);
    bex_bench_row(b, name, gflop / seconds, "GFLOP/s", BEX_BENCH_RATE,
                  peak > 0 ? "dnnl_sgemm peak" : NULL, peak);
    bex_bench_row(b, step, 1e3 * seconds, "ms", BEX_BENCH_TIME, twin > 0 ? "torch" : NULL,
                  1e3 * twin);
}

// seconds of the twin; 0: none
static double ask_twin(const bex_bench *b, const char *what, int threads) {
    char script[120];
    double seconds = 0;
    if (!bex_bench_has_peer(b, "torch")) return 0;
    snprintf(script, sizeof script, "bench/peer_rl.py %s %d", what, threads);
    json_t *answer = bex_bench_peer(script);
    if (!answer || bex_json_get_number(answer, "seconds", &seconds) < 0) {
        fprintf(stderr, "%s\n", bex_error());
        bex_error_clear();
    }
    json_decref(answer);
    return seconds;
}

static int set(bex_train_config *c, const char *agent) {
    char text[64];
    bex_config_defaults(&bex_train_schema, c);
    snprintf(text, sizeof text, "train.agent=%s", agent);
    if (bex_config_set(&bex_train_schema, c, text) < 0) return -1;
    c->train.batch = strcmp(agent, "hilp") == 0 ? 1024 : 256;
    c->train.lanes = strcmp(agent, "hilp") == 0 ? 8 : 4;
    return 0;
}

static bex_agent *pretrainer(const char *agent, bex_train_config *c) {
    bex_sources sources = {.data = make_data()};
    if (!sources.data) return NULL;
    if (set(c, agent) == 0) return bex_agent_new(c, &sources);
    bex_sources_fini(&sources);
    return NULL;
}

static int pretrain_rows(bex_bench *b, const char *agent, const char *name) {
    bex_train_config c;
    bex_update u;
    bex_agent *a = pretrainer(agent, &c);
    int code = a ? a->class->update(a, 0, &u) : -1;
    double best = 1e300, peak = bex_bench_peak((int)c.train.lanes), again;
    for (int i = 1; i <= STEPS / 2 && code == 0; i++) {
        double begun = bex_seconds();
        code = a->class->update(a, i, &u);
        if (bex_seconds() - begun < best) best = bex_seconds() - begun;
    }
    if (code == 0) {
        again = bex_bench_peak((int)c.train.lanes);
        report(b, name, strcmp(agent, "hilp") == 0 ? hilp_gflop(&c) : supe_gflop(&c), best,
               again > peak ? again : peak, ask_twin(b, name + strlen("rl_"), 0));
    }
    if (a) a->class->free(a);
    return code;
}

// the best of several decisions' learning, a step of the world
static int measure(const bex_learner *x, double *seconds) {
    bex_real obs[2 * O], act[A];
    bex_rng g = bex_rng_seed(2);
    bex_actor *a = bex_learner_actor_new(x, g);
    int code = a ? a->class->begin(a) : -1;
    *seconds = 1e300;
    for (int i = 0; i < LEAST + STEPS / x->H + 2 && code == 0; i++) {
        double begun = processor_seconds();
        for (int k = 0; k < x->H && code == 0; k++) {
            for (int j = 0; j < 2 * O; j++) obs[j] = R(bex_rng_normal(&g));
            bex_step step = {.obs = bex_observation_of(obs), .act = act};
            step.next = bex_observation_of(obs + O);
            code = a->class->act(a, &step.obs, act);
            if (code == 0) code = a->class->saw(a, &step);
        }
        double each = (processor_seconds() - begun) / x->H;
        if (i >= LEAST && each < *seconds) *seconds = each;
    }
    if (a) a->class->free(a);
    return code;
}

// untrained ones are as fast
static int make_skills(const char *agent, char path[BEX_PATH_SIZE], char folder[BEX_PATH_SIZE]) {
    const char *base = getenv("TMPDIR");
    bex_train_config c;
    if (bex_path_print(folder, "%s/bex-bench-XXXXXX", base ? base : "/tmp") < 0) return -1;
    if (!mkdtemp(folder)) return bex_fail("cannot make '%s'", folder);
    bex_agent *a = pretrainer(agent, &c);
    int code = a ? a->class->save(a, folder) : -1;
    if (a) a->class->free(a);
    return code < 0 ? -1 : bex_path_join(path, folder, "model.safetensors");
}

static int online_rows(bex_bench *b, const bex_learner_method *m, const char *name) {
    char path[BEX_PATH_SIZE] = "", folder[BEX_PATH_SIZE] = "";
    bex_learner_config c;
    double seconds, peak = bex_bench_peak(1), again;
    bex_config_defaults(&bex_learner_schema, &c);
    snprintf(c.warmup, sizeof c.warmup, "1");
    if (m->skills && make_skills(m->name, path, folder) < 0) return -1;
    bex_learner *x = bex_learner_new(m, &c, &world, m->skills ? path : NULL,
                                     m->data ? make_data() : NULL, 10000);
    int code = x ? measure(x, &seconds) : -1;
    if (code == 0) {
        again = bex_bench_peak(1);
        report(b, name, online_gflop(x), seconds, again > peak ? again : peak,
               ask_twin(b, name + strlen("rl_"), 1));
    }
    bex_learner_free(x);
    if (*folder) bex_folder_remove(folder);
    return code;
}

int bex_bench_rl(bex_bench *b) {
    static const char *const skilled[] = {"supe", "hilp"};
    const bex_learner_method *m;
    char name[48];
    int code = 0;
    for (int i = 0; (m = bex_learner_method_at(i)) && code == 0; i++) {
        snprintf(name, sizeof name, "rl_online/%s", m->name);
        if (bex_bench_wants(b, name)) code = online_rows(b, m, name);
    }
    for (int i = 0; i < 2 && code == 0; i++) {
        snprintf(name, sizeof name, "rl_pretrain/%s", skilled[i]);
        if (bex_bench_wants(b, name)) code = pretrain_rows(b, skilled[i], name);
    }
    if (code < 0) fprintf(stderr, "bex bench rl: %s\n", bex_error());
    return code < 0 ? BEX_EXIT_FAILED : BEX_EXIT_OK;
}
