/* agent/imitation/imitation.c - set-up, saving and describing; the loss itself is in denoising.c. */
#include "agent/imitation/imitation.h"

#include "agent/sight/sight_config.h"

#include "base/error.h"
#include "base/path.h"
#include "base/ranks.h"
#include "data/subset.h"
#include "nn/param_file.h"
#include "policy/policy_phi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the tokens are those of the name
int bex_imitation_settle(bex_train_config *c) {
    return bex_model_set_tokens(&c->policy.model, bex_train_agent(c));
}

static int part_init(bex_imitation_part *part, const bex_train_config *c) {
    const bex_model_config *m = &c->policy.model;
    bex_window_options o = BEX_WINDOW_INIT;
    o.chunk = (int)m->chunk;
    o.future = m->coverage ? (int)c->policy.coverage.future : 0;
    o.truncate = c->policy.coverage.truncate;
    o.seed = (uint64_t)c->train.seed;
    part->history = BEX_TRAINING_HISTORY_INIT;
    part->history.data = part->data;
    part->history.N = (int)m->history;
    part->history.trajectories = (int)c->train.trajectories;
    part->history.repeat_probability = c->train.repeat;
    part->history.seed = o.seed;
    if (bex_training_history_check(&part->history) < 0) return -1;
    part->windows = bex_windows_new(part->data, &o);
    return part->windows ? 0 : -1;
}

/* ---- pictures ---- */

static bool frozen(const bex_imitation *a) {
    return a->policy->frozen != NULL;
}

// a frozen network needs weights to begin with
static int load_encoder(bex_imitation *a) {
    if (!a->policy->vision.o.cameras) return 0;
    if (frozen(a) && !a->config.train.encoder[0]) {
        bex_fail("model.encoder = frozen needs the weights of a network: train.encoder is empty");
        return bex_fail_hint("bex train --agent encoder --data FILE --data.images=... learns one");
    }
    return bex_sight_load(&a->config, bex_policy_sight(a->policy), &a->policy->vision);
}

// before rows become states: features are known by them
static int see(bex_imitation *a, const char *cache) {
    bex_imitation_part *parts[] = {&a->train, &a->held};
    if (!a->policy->vision.o.cameras) return 0;
    for (int i = 0; i < 2 && parts[i]->data; i++) {
        parts[i]->frames = parts[i]->data->frames;
        parts[i]->data->frames = NULL;
    }
    if (frozen(a)) {
        const char *path = bex_ranks_rank() == 0 ? cache : NULL;
        a->train.features =
            bex_features_new(a->policy, a->train.data, path, (int)a->config.train.threads);
        if (!a->train.features) return -1;
        if (a->held.data) a->held.features = bex_features_share(a->train.features);
        return 0;
    }
    a->prefetch = bex_prefetch_new(a->train.data->pictures, (int)a->config.train.batch);
    a->frames = malloc((size_t)a->config.train.batch * sizeof *a->frames);
    if (!a->prefetch) return -1;
    return a->frames ? 0 : bex_fail("out of memory");
}

static int part_normalise(bex_imitation_part *part, const bex_policy *p) {
    bex_dataset *d = part->data;
    if (!d) return 0;
    part->actions = d->actions, d->actions = NULL;
    bex_normalise_actions(&p->normaliser, part->actions, part->actions, d->rows);
    if (p->dit.o.O == d->O) {
        part->states = d->observations, d->observations = NULL;
        bex_policy_inputs(p, part->states, part->states, d->rows);
    } else { // wider rows
        part->states = malloc((size_t)d->rows * (size_t)p->dit.o.O * sizeof *part->states);
        if (!part->states) return bex_fail("out of memory: %d rows", d->rows);
        bex_policy_inputs(p, part->states, d->observations, d->rows);
    }
    bex_dataset_forget_rows(d);
    return 0;
}

static void part_fini(bex_imitation_part *part) {
    if (part->labeller) part->labeller->free(part->labeller);
    bex_windows_free(part->windows);
    free(part->states);
    free(part->actions);
    free(part->frames);
    bex_features_free(part->features);
    bex_dataset_free(part->data);
}

void bex_imitation_free(bex_agent *agent) {
    bex_imitation *a = (bex_imitation *)agent;
    if (!a) return;
    bex_prefetch_free(a->prefetch); // it reads the pictures of train
    free(a->frames);
    part_fini(&a->train);
    part_fini(&a->held);
    bex_policy_free(a->policy);
    bex_lanes_free(a->lanes);
    free(a->data_seconds);
    free(a->lane_seconds);
    free(a);
}

static int check_batch(const bex_train_config *c) {
    const bex_optimiser_config *t = &c->train;
    if (c->policy.model.history && t->batch % t->samples_per_history)
        return bex_fail("train.batch %lld is not a multiple of train.samples_per_history %lld",
                        t->batch, t->samples_per_history);
    if (t->steps < t->warmup) {
        bex_fail("train.warmup %lld exceeds train.steps %lld", t->warmup, t->steps);
        return bex_fail_hint("--train.warmup=%lld", t->steps / 20);
    }
    return 0;
}

// a token of a label needs one in every episode
static int check_labels(const bex_model_config *m, const bex_dataset *d) {
    for (int e = 0; e < d->episodes; e++)
        if ((m->task && d->tasks.count && d->task[e] < 0) ||
            (m->scene && d->scenes.count && d->scene[e] < 0))
            return bex_fail("episode %d has no %s label", e,
                            m->task && d->task[e] < 0 ? "task" : "scene");
    return 0;
}

static int set_up(bex_imitation *a) {
    const bex_train_config *c = &a->config;
    const bex_optimiser_config *t = &c->train;
    bex_dataset *d = a->train.data;
    if (bex_sight_take_cameras(&a->config, d) < 0 || check_batch(c) < 0 ||
        check_labels(&c->policy.model, d) < 0)
        return -1;
    if (c->data.held_out > 0) {
        bex_rng g = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "hold out", 0);
        a->held.data = bex_dataset_hold_out(d, c->data.held_out, g);
        if (!a->held.data) return -1;
    }
    a->lanes = bex_lanes_spread((int)t->lanes, (int)t->threads);
    a->policy = bex_policy_new(&c->policy, d->O, d->A, d->tasks.count, d->scenes.count,
                               bex_lanes_blocks(a->lanes), (uint64_t)t->seed);
    if (!a->policy || load_encoder(a) < 0) return -1;
    if (bex_normaliser_fit(&a->policy->normaliser, d->observations, d->actions, d->rows, d->O, d->A,
                           c->data.drop_constant) < 0)
        return -1;
    if (bex_policy_uses_phi(&c->policy)) {
        a->policy->phi = bex_policy_phi(&c->policy, &a->policy->normaliser);
        if (!a->policy->phi) return -1;
    }
    if (part_init(&a->train, c) < 0) return -1;
    if (a->held.data && part_init(&a->held, c) < 0) return bex_fail_in("held-out episodes");
    a->schedule = (bex_schedule){t->lr, (long)t->warmup, (long)t->steps};
    a->adam = (bex_adam)BEX_ADAMW_INIT;
    a->adam.beta1 = t->beta1, a->adam.beta2 = t->beta2, a->adam.decay = t->decay;
    a->adam.clip = t->clip, a->adam.ema_decay = t->ema;
    a->data_seconds = calloc((size_t)t->lanes, sizeof *a->data_seconds);
    a->lane_seconds = calloc((size_t)t->lanes, sizeof *a->lane_seconds);
    return a->data_seconds && a->lane_seconds ? 0 : bex_fail("out of memory");
}

static const char *const judged_blind[] = {
    [BEX_OTHER_HISTORY] = "other_history", [BEX_NO_COVERAGE] = "no_coverage", NULL};
static const char *const judged[] = {[BEX_OTHER_HISTORY] = "other_history",
                                     [BEX_NO_COVERAGE] = "no_coverage",
                                     [BEX_OTHER_PICTURES] = "other_pictures",
                                     NULL};

bex_agent *bex_imitation_new(const bex_agent_class *class, const bex_train_config *config,
                             bex_sources *sources, bex_imitation_prepare_fn *prepare) {
    bex_imitation *a = calloc(1, sizeof *a);
    if (!a) {
        bex_sources_fini(sources);
        return bex_fail("out of memory"), NULL;
    }
    a->agent.class = class;
    // without pictures there is no column of theirs
    a->agent.judged = sources->data->pictures ? judged : judged_blind;
    a->config = *config;
    a->train.data = sources->data;
    if (set_up(a) == 0 && see(a, sources->cache) == 0 && (!prepare || prepare(a) == 0) &&
        part_normalise(&a->train, a->policy) == 0 && part_normalise(&a->held, a->policy) == 0)
        return &a->agent;
    bex_imitation_free(&a->agent);
    return NULL;
}

int bex_imitation_save(const bex_agent *agent, const char *folder) {
    const bex_imitation *a = (const bex_imitation *)agent;
    char path[BEX_PATH_SIZE];
    if (bex_path_join(path, folder, "model.safetensors") < 0) return -1;
    if (bex_policy_save(a->policy, path) < 0) return -1;
    if (bex_path_join(path, folder, "state.safetensors") < 0) return -1;
    bex_st_writer *w = bex_st_writer_new();
    bex_params_add_state(a->policy->params, w);
    int code = bex_st_save(w, path);
    bex_st_writer_free(w);
    return code;
}

// other demonstrations have other statistics, and the weights know only the old ones
static int check_demonstrations(const bex_normaliser *now, const bex_st_file *f) {
    bex_normaliser was;
    if (bex_normaliser_load(&was, f, now->O, now->A) < 0) return -1;
    bool same = bex_normaliser_same(now, &was);
    bex_normaliser_fini(&was);
    return same ? 0 : bex_fail("trained on other demonstrations, or another part of them");
}

// features are of the network that train.encoder names: it must be the one of before
static int check_encoder(const bex_policy *p, const bex_st_file *f) {
    size_t size = p->frozen->count * sizeof *p->frozen->value;
    bex_real *now = malloc(size);
    if (!now) return bex_fail("out of memory");
    memcpy(now, p->frozen->value, size);
    int code = bex_params_read_values(p->frozen, f);
    if (code == 0 && memcmp(now, p->frozen->value, size) != 0)
        code = bex_fail("train.encoder is not the network this run began with");
    free(now);
    return code;
}

static int load_model(bex_imitation *a, const bex_st_file *f) {
    if (bex_params_read_values(a->policy->params, f) < 0) return -1;
    if (frozen(a) && check_encoder(a->policy, f) < 0) return -1;
    return check_demonstrations(&a->policy->normaliser, f);
}

int bex_imitation_load(bex_agent *agent, const char *folder) {
    bex_imitation *a = (bex_imitation *)agent;
    char path[BEX_PATH_SIZE];
    int code = 0;
    for (int k = 0; k < 2 && !code; k++) {
        if (bex_path_join(path, folder, "%s.safetensors", k ? "state" : "model") < 0) return -1;
        bex_st_file *f = bex_st_load(path);
        if (!f) return -1;
        code = k ? bex_params_read_state(a->policy->params, f) : load_model(a, f);
        bex_st_free(f);
    }
    return code ? bex_fail_in("%s", path) : 0;
}

static void describe_pictures(const bex_imitation *a, FILE *out) {
    const bex_vision *v = &a->policy->vision;
    fprintf(out,
            "pictures     %s: %d x %d pixels, ResNet-%d of %d channels, %s, %s; %d x %d features\n",
            a->policy->config.vision.images, v->o.width, v->o.height, v->o.net.depth,
            v->o.net.width, v->o.shared || v->o.cameras == 1 ? "shared" : "one for each",
            frozen(a) ? "frozen" : "learned", v->places, v->features);
}

void bex_imitation_describe(const bex_agent *agent, FILE *out) {
    const bex_imitation *a = (const bex_imitation *)agent;
    const bex_dit_options *o = &a->policy->dit.o;
    const bex_optimiser_config *t = &a->config.train;
    double encoder, decoder, vision = bex_vision_flops(&a->policy->vision);
    bex_dit_flops(o, (double)t->samples_per_history, &encoder, &decoder);
    fprintf(out, "agent        %s, %s mode\n", bex_train_agent(&a->config),
            o->mode == BEX_DIT_PREFIX ? "prefix" : "full");
    fprintf(out, "data         %d episodes, %d rows, state %d, action %d; %d episodes held out\n",
            a->train.data->episodes, a->train.data->rows, a->policy->O, a->policy->A,
            a->held.data ? a->held.data->episodes : 0);
    fprintf(out, "tokens       %d query, %d history of width %d; chunks of %d actions\n",
            a->policy->dit.Q, o->N, o->C, o->K);
    if (o->cameras) describe_pictures(a, out);
    fprintf(out, "parameters   %zu\n", bex_params_total(a->policy->params));
    fprintf(out, "an update    %lld windows, %.3g GFLOP (forward and backward), %lld lanes\n",
            t->batch, 3e-9 * (double)t->batch * (encoder + decoder + (frozen(a) ? 0 : vision)),
            t->lanes);
}
