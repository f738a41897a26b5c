/* agent/skills/pretraining.c - set-up, an update by lanes, evaluation, files. */
#include "agent/skills/pretraining.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/parallel.h"
#include "base/path.h"
#include "data/subset.h"
#include "nn/adam.h"
#include "nn/param_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up ---- */

int bex_pretraining_settle(bex_train_config *c) {
    if (!c->env.name[0] || bex_env_class_named(c->env.name)) return 0;
    bex_fail("env.name: no environment '%s'", c->env.name);
    return bex_fail_hint("bex env --list; empty: skills that any world of their widths may use");
}

// rows from which `follow` more come in their episode
static int find_starts(int **out, const bex_dataset *d, int follow) {
    int n = 0;
    *out = malloc((size_t)d->rows * sizeof **out);
    if (!*out) return bex_fail("out of memory: %d rows", d->rows);
    for (int e = 0; e < d->episodes; e++)
        for (int row = d->start[e]; row + follow < d->start[e + 1]; row++) (*out)[n++] = row;
    return n ? n : bex_fail("no episode has %d rows", follow + 1);
}

static int set_up_data(bex_pretraining *a) {
    const bex_train_config *c = &a->config;
    bex_dataset *d = a->train;
    if (c->data.held_out > 0) {
        bex_rng g = bex_rng_split(bex_rng_seed((uint64_t)c->train.seed), "hold out", 0);
        a->held = bex_dataset_hold_out(d, c->data.held_out, g);
        if (!a->held) return -1;
    }
    for (int i = 0; i < d->rows; i++)
        for (int k = 0; k < 2; k++) {
            size_t at = (size_t)i * (size_t)d->O + (k ? (size_t)a->about.S - 1 : 0);
            double x = (double)d->observations[at];
            if (!i || x < a->low[k]) a->low[k] = x;
            if (!i || x > a->high[k]) a->high[k] = x;
        }
    a->starts[0] = find_starts(&a->start[0], d, a->follow);
    if (a->held) a->starts[1] = find_starts(&a->start[1], a->held, a->follow);
    return a->starts[0] < 0 || a->starts[1] < 0 ? -1 : 0;
}

static int set_up(bex_pretraining *a, long long state) {
    const bex_optimiser_config *t = &a->config.train;
    bex_skill_about *about = &a->about;
    about->O = a->train->O, about->A = a->train->A;
    about->S = state ? (int)state : about->O;
    snprintf(about->agent, sizeof about->agent, "%s", bex_train_agent(&a->config));
    snprintf(about->world, sizeof about->world, "%s", a->config.env.name);
    if (about->S > about->O)
        return bex_fail("%s.state = %d: the demonstrations have %d observation values",
                        about->agent, about->S, about->O);
    if (t->batch < t->lanes)
        return bex_fail("%lld samples for %lld lanes: some would have none", t->batch, t->lanes);
    if (set_up_data(a) < 0) return -1;
    bex_rng rng = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "skills", 0);
    a->lanes = bex_lanes_new((int)t->lanes, (int)t->threads);
    a->parts = calloc((size_t)t->lanes, sizeof *a->parts);
    a->params = bex_params_new();
    a->method->add(a, a->params, false);
    if (!a->parts) return bex_fail("out of memory");
    if (bex_params_build(a->params, bex_lanes_blocks(a->lanes), rng) < 0) return -1;
    if (a->tau <= 0) return 0;
    a->targets = bex_params_new();
    a->method->add(a, a->targets, true);
    return bex_params_build(a->targets, 0, rng); // a copy
}

int bex_pretraining_init(bex_pretraining *a, const bex_agent_class *class,
                         const bex_pretraining_method *method, const bex_train_config *config,
                         bex_dataset *data, long long state) {
    a->agent.class = class;
    a->agent.columns = method->columns;
    a->method = method;
    a->config = *config;
    a->train = data;
    return set_up(a, state);
}

void bex_pretraining_free(bex_agent *agent) {
    bex_pretraining *a = (bex_pretraining *)agent;
    if (!a) return;
    bex_dataset_free(a->train);
    bex_dataset_free(a->held);
    free(a->start[0]);
    free(a->start[1]);
    bex_params_free(a->params);
    bex_params_free(a->targets);
    bex_lanes_free(a->lanes);
    free(a->parts);
    free(a);
}

/* ---- an update ---- */

typedef struct {
    bex_pretraining *a;
    int part; // of the data: 0 train, 1 held
    int samples;
    bex_rng rng;
    uint64_t step;
    bool learn;
} job;

static int lane_work(bex_tape *tape, int lane, void *payload, double *result) {
    const job *j = payload;
    bex_pretraining *a = j->a;
    int first, n;
    *result = 0;
    memset(a->parts[lane], 0, sizeof a->parts[lane]);
    bex_part(j->samples, (int)a->config.train.lanes, lane, &first, &n);
    if (!n) return 0; // of a small evaluation
    int *row = bex_arena_alloc(tape->arena, (size_t)n * sizeof *row);
    bex_rng *rng = bex_arena_alloc(tape->arena, (size_t)n * sizeof *rng);
    for (int i = 0; i < n; i++) {
        rng[i] = bex_rng_split(j->rng, "sample", (uint64_t)(first + i));
        row[i] = a->start[j->part][bex_rng_below(&rng[i], (uint64_t)a->starts[j->part])];
    }
    bex_pretraining_samples s = {j->part ? a->held : a->train, n,       row, rng, j->step,
                                 1.0 / (double)j->samples,     j->learn};
    bex_tensor *loss = a->method->loss(a, tape, &s, a->parts[lane]);
    if (j->learn) bex_backward(tape, loss);
    *result = (double)loss->data[0];
    return 0;
}

static void sum_parts(const bex_pretraining *a, double *more) {
    for (int i = 0; i < BEX_AGENT_COLUMNS; i++) more[i] = (double)NAN;
    for (int i = 0; a->method->columns[i]; i++) {
        more[i] = 0;
        for (int lane = 0; lane < a->config.train.lanes; lane++) more[i] += a->parts[lane][i];
    }
}

static void pack(const bex_pretraining *a) {
    bex_params_pack(a->params, bex_lanes_threads(a->lanes));
    if (a->targets) bex_params_pack(a->targets, bex_lanes_threads(a->lanes));
}

int bex_pretraining_update(bex_agent *agent, int64_t step, bex_update *out) {
    bex_pretraining *a = (bex_pretraining *)agent;
    const bex_optimiser_config *t = &a->config.train;
    bex_rng root = bex_rng_seed((uint64_t)t->seed);
    uint64_t at = t->overfit ? 0 : (uint64_t)step;
    job j = {.a = a,
             .samples = (int)t->batch,
             .rng = bex_rng_split(root, "update", at),
             .step = (uint64_t)step,
             .learn = true};
    bex_adam adam = BEX_ADAM_INIT;
    int threads = bex_lanes_threads(a->lanes);
    double begun = bex_seconds();
    adam.clip = t->clip;
    *out = (bex_update){.lr = a->lr, .samples = t->batch};
    pack(a);
    if (bex_lanes_learn(a->lanes, root, lane_work, &j, a->params, &out->loss) < 0) return -1;
    if (!isfinite(out->loss))
        return bex_fail("the loss is %g at step %lld", out->loss, (long long)step);
    sum_parts(a, out->more);
    double norm = bex_grad_norm(a->params, threads);
    if (!isfinite(norm))
        return bex_fail("the gradient is not finite at step %lld", (long long)step);
    if (a->targets) bex_params_polyak(a->targets, a->params, R(a->tau), threads); // before the step
    out->grad_norm = bex_adam_step(a->params, &adam, a->lr, threads);
    out->lane_seconds = bex_seconds() - begun;
    return 0;
}

int bex_pretraining_evaluate(bex_agent *agent, bex_evaluation *out) {
    bex_pretraining *a = (bex_pretraining *)agent;
    *out = (bex_evaluation){.score = NAN};
    if (!a->held) return 0;
    bex_rng root = bex_rng_split(bex_rng_seed((uint64_t)a->config.train.seed), "evaluate", 0);
    job j = {.a = a, .part = 1, .samples = (int)a->config.train.evaluate_windows, .rng = root};
    pack(a);
    return bex_lanes_run(a->lanes, root, lane_work, &j, &out->score);
}

/* ---- files ---- */

static int save_model(const bex_pretraining *a, const char *folder) {
    static const int64_t four = 4;
    char path[BEX_PATH_SIZE];
    double box[4] = {a->low[0], a->high[0], a->low[1], a->high[1]};
    if (bex_path_join(path, folder, "model.safetensors") < 0) return -1;
    bex_st_writer *w = bex_st_writer_new();
    bex_skill_about_write(&a->about, w);
    bex_params_add_values(a->params, w);
    bex_st_add(w, "demonstrations", BEX_ST_F64, 1, &four, box);
    int code = bex_st_save(w, path);
    bex_st_writer_free(w);
    return code;
}

int bex_pretraining_save(const bex_agent *agent, const char *folder) {
    const bex_pretraining *a = (const bex_pretraining *)agent;
    char path[BEX_PATH_SIZE];
    if (save_model(a, folder) < 0) return -1;
    if (bex_path_join(path, folder, "state.safetensors") < 0) return -1;
    bex_st_writer *w = bex_st_writer_new();
    bex_params_add_state(a->params, w);
    if (a->targets) bex_params_add_learner(a->targets, w, "targets.");
    int code = bex_st_save(w, path);
    bex_st_writer_free(w);
    return code;
}

static int read_model(bex_agent *agent, const bex_st_file *f) {
    const bex_pretraining *a = (const bex_pretraining *)agent;
    double box[4], own[4] = {a->low[0], a->high[0], a->low[1], a->high[1]};
    if (bex_params_read_values(a->params, f) < 0 ||
        bex_st_read(f, "demonstrations", BEX_ST_F64, box, 1, (int64_t[]){4}) < 0)
        return -1;
    if (memcmp(box, own, sizeof box) == 0) return 0;
    return bex_fail("trained on other demonstrations, or another part of them");
}

static int read_state(bex_agent *agent, const bex_st_file *f) {
    const bex_pretraining *a = (const bex_pretraining *)agent;
    if (bex_params_read_state(a->params, f) < 0) return -1;
    return a->targets ? bex_params_read_learner(a->targets, f, "targets.") : 0;
}

int bex_pretraining_load(bex_agent *agent, const char *folder) {
    return bex_agent_load(agent, folder, read_model, read_state);
}

void bex_pretraining_describe(const bex_agent *agent, FILE *out) {
    const bex_pretraining *a = (const bex_pretraining *)agent;
    fprintf(out, "agent        %s: %d numbers a skill, held for %d steps\n", a->about.agent,
            a->about.Z, a->about.H);
    fprintf(out,
            "data         %d episodes, %d rows, state %d of %d, action %d; %d episodes held out\n",
            a->train->episodes, a->train->rows, a->about.S, a->about.O, a->about.A,
            a->held ? a->held->episodes : 0);
    a->method->describe(a, out);
    fprintf(out, "parameters   %zu\n", bex_params_total(a->params));
    fprintf(out, "an update    %lld samples, %lld lanes\n", a->config.train.batch,
            a->config.train.lanes);
}
