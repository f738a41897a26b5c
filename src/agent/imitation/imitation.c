/* agent/imitation/imitation.c - set-up, saving and describing; the loss itself is in denoising.c. */
#include "agent/imitation/imitation.h"

#include "agent/imitation/bc.h"
#include "agent/imitation/be.h"
#include "agent/sight/columns.h"
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

// the rows' frames, and what a frozen network sees in them
static void part_see(bex_imitation_part *part, const bex_policy *p, bex_features *features) {
    bex_dataset *d = part->data;
    part->frames = d->frames, d->frames = NULL;
    part->features = features;
    if (p->seen.columns) bex_sight_fill_columns(p, features, part->frames, d);
}

// before statistics are taken and rows become states: features are known by the rows
static int see_frozen(bex_imitation *a, const char *cache) {
    const bex_dataset *d = a->train.data;
    const char *path = bex_ranks_rank() == 0 ? cache : NULL;
    bex_features *f = bex_features_new(a->policy, d, path, (int)a->config.train.threads);
    if (!f) return -1;
    int code = a->config.policy.vision.columns
                   ? bex_sight_fit_columns(a->policy, f, d->frames, d->rows)
                   : 0;
    if (a->held.data) part_see(&a->held, a->policy, bex_features_share(f));
    part_see(&a->train, a->policy, f);
    return code;
}

static int see(bex_imitation *a, const char *cache) {
    if (!a->policy->vision.o.cameras) return 0;
    if (frozen(a)) return see_frozen(a, cache);
    part_see(&a->train, a->policy, NULL);
    if (a->held.data) part_see(&a->held, a->policy, NULL);
    a->prefetch = bex_prefetch_new(a->train.data->pictures, (int)a->config.train.batch);
    a->frames = malloc((size_t)a->config.train.batch * sizeof *a->frames);
    a->frames_arena = bex_arena_new();
    if (!a->prefetch || !a->frames_arena) return -1;
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

// which episodes these are, before their rows become states and actions
static int identify(bex_imitation_part *part) {
    const bex_dataset *d = part->data;
    part->identity = malloc((size_t)d->episodes * sizeof *part->identity);
    if (!part->identity) return bex_fail("out of memory: %d episodes", d->episodes);
    for (int e = 0; e < d->episodes; e++) part->identity[e] = bex_dataset_identity(d, e);
    return 0;
}

static void part_fini(bex_imitation_part *part) {
    if (part->labeller) part->labeller->free(part->labeller);
    bex_windows_free(part->windows);
    free(part->states);
    free(part->actions);
    free(part->frames);
    free(part->identity);
    bex_features_free(part->features);
    bex_dataset_free(part->data);
}

void bex_imitation_free(bex_agent *agent) {
    bex_imitation *a = (bex_imitation *)agent;
    if (!a) return;
    bex_prefetch_free(a->prefetch); // it reads the pictures of train
    free(a->frames);
    bex_arena_free(a->frames_arena);
    part_fini(&a->train);
    part_fini(&a->held);
    bex_policy_free(a->policy);
    bex_lanes_free(a->lanes);
    free(a->data_seconds);
    free(a->lane_seconds);
    free(a);
}

// what a session would refuse is refused before hours of training
static int check_deploy(const bex_policy_config *p) {
    if (p->deploy.action_steps > p->model.chunk)
        return bex_fail("deploy.action_steps %lld: a chunk has %lld actions (model.chunk)",
                        p->deploy.action_steps, p->model.chunk);
    if (p->deploy.candidates > 1 && p->model.coverage && !p->model.waypoints)
        return bex_fail("deploy.candidates %lld needs model.waypoints", p->deploy.candidates);
    return 0;
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

// which world the demonstrations are of, where they are of one
static void note_origin(bex_policy_origin *o, const bex_dataset *d) {
    bool one = d->scenes.count == 1;
    for (int e = 0; e < d->episodes && one; e++) one = d->scene[e] == 0;
    if (one) snprintf(o->scene, sizeof o->scene, "%s", d->scenes.text[0]);
    if (d->pictures) bex_pictures_stored(d->pictures, 0, &o->height, &o->width);
}

static int take_labels(bex_labels *to, const bex_names *from) {
    for (int i = 0; i < from->count; i++)
        if (bex_labels_add(to, from->text[i]) < 0) return -1;
    return 0;
}

static int name_labels(bex_policy *p, const bex_dataset *d) {
    bex_labels tasks = {0}, scenes = {0};
    int code = take_labels(&tasks, &d->tasks);
    if (code == 0) code = take_labels(&scenes, &d->scenes);
    if (code == 0) code = bex_policy_name_labels(p, &tasks, &scenes);
    bex_labels_fini(&tasks);
    bex_labels_fini(&scenes);
    return code;
}

static int set_up(bex_imitation *a, const char *cache) {
    const bex_train_config *c = &a->config;
    const bex_optimiser_config *t = &c->train;
    bex_dataset *d = a->train.data;
    if (bex_sight_take_cameras(&a->config, d) < 0 || check_deploy(&c->policy) < 0 ||
        check_batch(c) < 0 || check_labels(&c->policy.model, d) < 0)
        return -1;
    if (c->data.held_out > 0) {
        bex_rng g = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "hold out", 0);
        a->held.data = bex_dataset_hold_out(d, c->data.held_out, g);
        if (!a->held.data) return -1;
    }
    a->lanes = bex_lanes_spread((int)t->lanes, (int)t->threads);
    a->policy = bex_policy_new(&c->policy, d->O, d->A, d->tasks.count, d->scenes.count,
                               bex_lanes_blocks(a->lanes), (uint64_t)t->seed);
    if (!a->policy || bex_policy_name_columns(a->policy, &d->columns) < 0 ||
        name_labels(a->policy, d) < 0 || load_encoder(a) < 0 || see(a, cache) < 0)
        return -1;
    note_origin(&a->policy->origin, d);
    if (bex_normaliser_fit(&a->policy->normaliser, d->observations, d->actions, d->rows, d->O, d->A,
                           c->data.drop_constant) < 0)
        return -1;
    bex_normaliser_widen(&a->policy->normaliser, c->data.least_deviation);
    if (bex_policy_uses_phi(&c->policy)) {
        a->policy->phi = bex_policy_phi(&c->policy, &a->policy->normaliser);
        if (!a->policy->phi) return -1;
    }
    if (part_init(&a->train, c) < 0) return -1;
    if (a->held.data && (part_init(&a->held, c) < 0 || identify(&a->held) < 0))
        return bex_fail_in("held-out episodes");
    a->schedule = (bex_schedule){t->lr, (long)t->warmup, (long)t->steps};
    a->adam = (bex_adam)BEX_ADAMW_INIT;
    a->adam.beta1 = t->beta1, a->adam.beta2 = t->beta2, a->adam.decay = t->decay;
    a->adam.clip = t->clip, a->adam.ema_decay = t->ema;
    a->data_seconds = calloc((size_t)t->lanes, sizeof *a->data_seconds);
    a->lane_seconds = calloc((size_t)t->lanes, sizeof *a->lane_seconds);
    return a->data_seconds && a->lane_seconds ? 0 : bex_fail("out of memory");
}

static bool always(const bex_imitation *a) {
    (void)a;
    return true;
}
static bool judges_pictures(const bex_imitation *a) {
    return a->policy->dit.o.cameras > 0;
}
static bool judges_near(const bex_imitation *a) {
    return a->held.labeller && a->held.labeller->draw_near;
}
static bool judges_follower(const bex_imitation *a) {
    return bex_policy_follows(a->policy);
}

static const struct {
    const char *name;
    bool (*applies)(const bex_imitation *a);
} judged[BEX_JUDGED_KINDS] = {
    [BEX_JUDGED_OTHER_HISTORY] = {"other_history", always},
    [BEX_JUDGED_NO_COVERAGE] = {"no_coverage", always},
    [BEX_JUDGED_OTHER_PICTURES] = {"other_pictures", judges_pictures},
    [BEX_JUDGED_NEAR] = {"near", judges_near},
    [BEX_JUDGED_NEAR_OTHER_HISTORY] = {"near_other_history", judges_near},
    [BEX_JUDGED_FOLLOWER] = {"follower", judges_follower},
};

static void list_columns(bex_imitation *a) {
    int n = 0;
    for (int k = 0; k < BEX_JUDGED_KINDS; k++) {
        a->column[k] = judged[k].applies(a) ? n : -1;
        if (a->column[k] >= 0) a->judged[n++] = judged[k].name;
    }
    a->agent.judged = a->judged;
}

bex_agent *bex_imitation_new(const bex_agent_class *class, const bex_train_config *config,
                             bex_sources *sources, bex_imitation_prepare_fn *prepare) {
    bex_imitation *a = calloc(1, sizeof *a);
    if (!a) {
        bex_sources_fini(sources);
        return bex_fail("out of memory"), NULL;
    }
    a->agent.class = class;
    a->config = *config;
    a->train.data = sources->data;
    if (set_up(a, sources->cache) == 0 && (!prepare || prepare(a) == 0) &&
        part_normalise(&a->train, a->policy) == 0 && part_normalise(&a->held, a->policy) == 0) {
        list_columns(a);
        return &a->agent;
    }
    bex_imitation_free(&a->agent);
    return NULL;
}

/* ---- beside other demonstrations ---- */

static int check_columns(const bex_policy *p, const bex_dataset *d) {
    if (p->O != d->O || p->A != d->A) {
        char keys[200];
        bex_columns_list(keys, sizeof keys, &p->columns);
        bex_fail("demonstrations of %d observation and %d action values, the policy has %d and %d",
                 d->O, d->A, p->O, p->A);
        return *keys ? bex_fail_hint("it was trained on %s", keys) : -1;
    }
    for (int j = 0; p->columns.count && d->columns.count && j < p->O; j++)
        if (strcmp(p->columns.name[j], d->columns.name[j]) != 0) {
            bex_fail("column %d is '%s' in the file, '%s' to the policy", j, d->columns.name[j],
                     p->columns.name[j]);
            return bex_fail_hint("data.obs_keys joins keys in the policy's order");
        }
    return 0;
}

// the same cameras in the same order and size, as training had them
static int check_cameras(const bex_policy *p, const bex_dataset *d) {
    const bex_vision *v = &p->vision;
    bex_train_config there = {0};
    if (!v->o.cameras) return 0;
    if (bex_sight_take_cameras(&there, d) < 0) return -1;
    if (strcmp(there.policy.vision.images, p->config.vision.images) != 0)
        return bex_fail("the policy sees %s, the demonstrations have %s", p->config.vision.images,
                        d->pictures ? there.policy.vision.images : "no pictures");
    if (bex_pictures_height(d->pictures) != v->o.height ||
        bex_pictures_width(d->pictures) != v->o.width)
        return bex_fail("pictures of %d x %d, the policy sees %d x %d",
                        bex_pictures_height(d->pictures), bex_pictures_width(d->pictures),
                        v->o.height, v->o.width);
    return 0;
}

static int see_beside(bex_imitation *a, bex_dataset *d) {
    const bex_policy *p = a->policy;
    bex_features *f = NULL;
    if (check_cameras(p, d) < 0) return -1;
    if (p->frozen && !(f = bex_features_new(p, d, NULL, 0))) return -1;
    if (p->seen.columns && bex_dataset_widen(d, p->seen.columns, BEX_SEEN_KEY) < 0)
        return bex_features_free(f), -1;
    if (p->vision.o.cameras) part_see(&a->held, p, f);
    return 0;
}

static int set_up_beside(bex_imitation *a, bex_dataset *d) {
    bex_policy *p = a->policy;
    bex_config_defaults(&bex_train_schema, &a->config);
    a->config.policy = p->config;
    a->held.data = d;
    if (see_beside(a, d) < 0 || check_columns(p, d) < 0 || check_labels(&p->config.model, d) < 0)
        return -1;
    a->lanes = bex_lanes_spread((int)a->config.train.lanes, 0);
    if (part_init(&a->held, &a->config) < 0 || identify(&a->held) < 0) return -1;
    if (p->dit.o.coverage && bex_be_label_held(a) < 0) return -1;
    return part_normalise(&a->held, p);
}

bex_agent *bex_imitation_beside(bex_policy *policy, bex_dataset *data) {
    bex_imitation *a = calloc(1, sizeof *a);
    if (!a) {
        bex_policy_free(policy), bex_dataset_free(data);
        return bex_fail("out of memory"), NULL;
    }
    a->agent.class = policy->dit.o.coverage ? &bex_agent_be : &bex_agent_bc;
    a->policy = policy;
    a->held.data = data;
    if (set_up_beside(a, data) == 0) {
        list_columns(a);
        return &a->agent;
    }
    bex_imitation_free(&a->agent);
    return NULL;
}

bool bex_imitation_trained_on(const bex_agent *agent, const bex_policy *policy) {
    const bex_policy *own = ((const bex_imitation *)agent)->policy;
    return own->O == policy->O && own->A == policy->A &&
           bex_normaliser_same(&own->normaliser, &policy->normaliser);
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

static int read_model(bex_agent *agent, const bex_st_file *f) {
    const bex_imitation *a = (const bex_imitation *)agent;
    if (bex_params_read_values(a->policy->params, f) < 0) return -1;
    if (frozen(a) && check_encoder(a->policy, f) < 0) return -1;
    return check_demonstrations(&a->policy->normaliser, f);
}

static int read_state(bex_agent *agent, const bex_st_file *f) {
    return bex_params_read_state(((bex_imitation *)agent)->policy->params, f);
}

int bex_imitation_load(bex_agent *agent, const char *folder) {
    return bex_agent_load(agent, folder, read_model, read_state);
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
    fprintf(out, "data         %d episodes, %d rows, state %d", a->train.data->episodes,
            a->train.data->rows, a->policy->O);
    if (o->O > a->policy->O) fprintf(out, " (+ %d features)", o->O - a->policy->O);
    fprintf(out, ", action %d", a->policy->A);
    if (a->policy->chunk.W) fprintf(out, " (+ %d of a waypoint)", a->policy->chunk.W);
    fprintf(out, "; %d episodes held out\n", a->held.data ? a->held.data->episodes : 0);
    if (o->N && a->train.data->episodes == 1)
        fprintf(
            out,
            "warning      one episode is its own history: what differs between episodes cannot be learned\n");
    fprintf(out, "tokens       %d query, %d history of width %d; chunks of %d actions\n",
            a->policy->dit.Q, o->N, o->C, o->K);
    if (o->cameras) describe_pictures(a, out);
    fprintf(out, "parameters   %zu\n", bex_params_total(a->policy->params));
    fprintf(out, "an update    %lld windows, %.3g GFLOP (forward and backward), %lld lanes\n",
            t->batch, 3e-9 * (double)t->batch * (encoder + decoder + (frozen(a) ? 0 : vision)),
            t->lanes);
}
