/* agent/rl/sac.c - the agent: its world, its memory, evaluation, files. The learning is actor_critic.c's. */
#include "agent/rl/sac.h"

#include "base/clock.h"
#include "base/error.h"
#include "kernel/random.h"
#include "nn/param_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[] = {
    "actor_loss", "q", "entropy", "temperature", "episode_return", "episode_length", NULL};
enum { ACTOR_LOSS, Q, ENTROPY, TEMPERATURE, RETURN, LENGTH };

/* ---- set-up ---- */

static int learner_options(bex_actor_critic_options *o, const bex_train_config *c,
                           const bex_world *w) {
    const bex_sac_config *s = &c->sac;
    *o = (bex_actor_critic_options){.O = w->O,
                                    .A = w->A,
                                    .batch = (int)c->train.batch,
                                    .critics = (int)s->critics,
                                    .subset = (int)s->subset,
                                    .layernorm = s->layernorm,
                                    .entropy_backup = s->entropy_backup,
                                    .mean_objective = s->objective == BEX_SAC_MEAN,
                                    .discount = s->discount,
                                    .tau = s->tau,
                                    .actor_lr = s->actor_lr,
                                    .critic_lr = s->critic_lr,
                                    .temperature_lr = s->temperature_lr,
                                    .clip = c->train.clip,
                                    .temperature = s->temperature,
                                    .entropy = s->entropy * w->A,
                                    .lanes = (int)c->train.lanes,
                                    .threads = (int)c->train.threads,
                                    .seed = (uint64_t)c->train.seed};
    if (bex_widths_parse(o->actor_hidden, BEX_MLP_LAYERS, s->actor) < 0)
        return bex_fail_in("sac.actor");
    if (bex_widths_parse(o->critic_hidden, BEX_MLP_LAYERS - 1, s->critic) < 0)
        return bex_fail_in("sac.critic");
    return 0;
}

// what an evaluation measures: return, length, and what the world has to say
static void name_columns(bex_sac *a) {
    const char *const *measures = a->world->class->measures;
    int n = 0;
    a->judged_columns[n++] = "eval_return";
    a->judged_columns[n++] = "eval_length";
    for (int i = 0; measures && measures[i]; i++) {
        snprintf(a->names[i], sizeof a->names[i], "eval_%s", measures[i]);
        a->judged_columns[n++] = a->names[i];
    }
    a->agent.columns = columns;
    a->agent.judged = a->judged_columns;
}

static int prepare(bex_sac *a) {
    const bex_train_config *c = &a->config;
    bex_actor_critic_options o;
    uint64_t seed = (uint64_t)c->train.seed;
    int episodes = (int)c->sac.evaluate_episodes;
    name_columns(a);
    if (learner_options(&o, c, a->world) < 0 || bex_actor_critic_new(&a->learner, &o) < 0)
        return -1;
    if (bex_rollout_new(&a->rollout, a->world, (int)c->env.instances, seed) < 0) return -1;
    // other starts than those that are learned from
    bex_rng other = bex_rng_split(bex_rng_seed(seed), "judge", 0);
    if (bex_env_batch_new(&a->judge, a->world, episodes, bex_rng_u64(&other)) < 0) return -1;
    if (bex_replay_buffer_init(&a->replay, o.O, o.A, (int)c->sac.replay) < 0) return -1;
    a->arena = bex_arena_new();
    a->judged = calloc((size_t)episodes, sizeof *a->judged);
    return a->arena && a->judged ? 0 : bex_fail("out of memory");
}

static void destroy(bex_agent *agent) {
    bex_sac *a = (bex_sac *)agent;
    if (!a) return;
    bex_actor_critic_free(a->learner);
    bex_replay_buffer_fini(&a->replay);
    bex_rollout_free(a->rollout);
    bex_env_batch_free(a->judge);
    bex_world_close(a->world);
    bex_arena_free(a->arena);
    free(a->judged);
    free(a);
}

bex_agent *bex_sac_new(const bex_train_config *config, bex_world *world) {
    bex_sac *a = calloc(1, sizeof *a);
    if (!a) return bex_world_close(world), bex_fail("out of memory"), NULL;
    a->agent.class = &bex_agent_sac;
    a->config = *config;
    a->world = world;
    if (prepare(a) == 0) return &a->agent;
    destroy(&a->agent);
    return NULL;
}

static bex_agent *make(const bex_train_config *config, bex_dataset *data) {
    const bex_env_config *e = &config->env;
    bex_world_options o = BEX_WORLD_INIT;
    bex_world *world;
    bex_dataset_free(data); // nothing to learn from
    if (!e->name[0]) {
        bex_fail("no world to learn in: env.name is empty");
        return bex_fail_hint("bex env --list"), NULL;
    }
    o.maze = e->maze[0] ? e->maze : NULL;
    o.time_limit = (int)e->time_limit;
    o.dense_reward = e->dense;
    return bex_world_open(&world, e->name, &o) < 0 ? NULL : bex_sac_new(config, world);
}

/* ---- an update ---- */

static void act(bex_sac *a, bex_rng rng) {
    bex_env_batch *b = a->rollout->batch;
    if (a->replay.added < a->config.sac.start)
        bex_random_uniform(b->act, (size_t)b->B * (size_t)b->A, R(-1), R(1), &rng);
    else
        bex_actor_critic_act(a->learner, a->arena, b->obs, b->B, &rng, b->act);
}

// what the step did goes into the replay; returns and lengths of episodes that ended into `out`
static void remember(bex_sac *a, bex_update *out) {
    const bex_rollout *r = a->rollout;
    const bex_env_batch *b = r->batch;
    double sum = 0, length = 0, ended = 0;
    for (int i = 0; i < b->B; i++) {
        size_t o = (size_t)i * (size_t)b->O, u = (size_t)i * (size_t)b->A;
        bex_replay_buffer_add(&a->replay, r->before + o, b->act + u, b->reward[i],
                              b->terminated[i] ? R(0) : R(1), r->next + o);
        if (!bex_rollout_ended(r, i)) continue;
        sum += b->final_sum[i], length += b->final_length[i], ended++;
    }
    out->more[RETURN] = ended ? sum / ended : (double)NAN;
    out->more[LENGTH] = ended ? length / ended : (double)NAN;
}

static int learn(bex_sac *a, bex_rng rng, bex_update *out) {
    const bex_sac_config *s = &a->config.sac;
    bex_actor_critic *ac = a->learner;
    bex_actor_critic_report r = {.actor_loss = NAN, .entropy = NAN};
    double loss = 0, norm = 0, q = 0, n = (double)s->updates;
    for (int k = 0; k < s->updates; k++) {
        bex_rng own = bex_rng_split(rng, "minibatch", (uint64_t)k);
        bex_replay_buffer_draw(&a->replay, &own, &ac->batch, 0, ac->o.batch);
        bex_actor_critic_noise(ac, &own);
        if (bex_actor_critic_learn_critics(ac, &r) < 0) return -1;
        if ((k + 1) % s->actor_every == 0 && bex_actor_critic_learn_actor(ac, &r) < 0) return -1;
        loss += r.critic_loss / n, norm += r.critic_norm / n, q += r.q / n;
    }
    out->loss = loss, out->grad_norm = norm, out->samples = s->updates * ac->o.batch;
    out->more[ACTOR_LOSS] = r.actor_loss, out->more[ENTROPY] = r.entropy;
    out->more[Q] = q, out->more[TEMPERATURE] = bex_entropy_temperature_value(&ac->temperature);
    return 0;
}

static int update(bex_agent *agent, int64_t step, bex_update *out) {
    bex_sac *a = (bex_sac *)agent;
    bex_rng root = bex_rng_seed((uint64_t)a->config.train.seed);
    bex_rng rng = bex_rng_split(root, "update", (uint64_t)step);
    double start = bex_seconds();
    *out = (bex_update){.loss = NAN, .grad_norm = NAN, .lr = a->config.sac.critic_lr};
    for (int i = 0; i < BEX_AGENT_COLUMNS; i++) out->more[i] = NAN;
    act(a, bex_rng_split(rng, "act", 0));
    if (bex_rollout_step(a->rollout) < 0) return -1;
    remember(a, out);
    out->data_seconds = bex_seconds() - start;
    int code = a->replay.added >= a->config.sac.start ? learn(a, rng, out) : 0;
    out->lane_seconds = bex_seconds() - start;
    return code ? bex_fail_in("step %lld", (long long)step) : 0;
}

/* ---- evaluation ---- */

// the first episode of each instance of the judge, most likely actions
static int evaluate(bex_agent *agent, bex_evaluation *out) {
    bex_sac *a = (bex_sac *)agent;
    bex_env_batch *b = a->judge;
    int left = b->B, measures = 0;
    while (a->judged_columns[measures + 2]) measures++;
    *out = (bex_evaluation){0};
    if (bex_env_batch_reset(b) < 0) return -1;
    memset(a->judged, 0, (size_t)b->B * sizeof *a->judged);
    while (left) {
        bex_actor_critic_act(a->learner, a->arena, b->obs, b->B, NULL, b->act);
        if (bex_env_batch_step(b) < 0) return -1;
        for (int i = 0; i < b->B; i++) {
            if (a->judged[i] || !(b->terminated[i] || b->truncated[i])) continue;
            a->judged[i] = true, left--;
            out->more[0] += b->final_sum[i] / b->B,
                out->more[1] += (double)b->final_length[i] / b->B;
            for (int k = 0; k < measures; k++)
                out->more[2 + k] += b->final_measures[i * BEX_ENV_MEASURES + k] / b->B;
        }
    }
    out->score = -out->more[0];
    return 0;
}

/* ---- files ---- */

static int save(const bex_agent *agent, const char *folder) {
    const bex_sac *a = (const bex_sac *)agent;
    char path[1200], sizes[64];
    bex_st_writer *model = bex_st_writer_new(), *state = bex_st_writer_new();
    snprintf(sizes, sizeof sizes, "%d observations, %d actions", a->world->O, a->world->A);
    bex_st_add_metadata(model, "what",
                        "tanh-Gaussian actor: ReLU layers fc0.., heads mean and "
                        "log_std (clipped to [-20,2]), action = tanh");
    bex_st_add_metadata(model, "world", a->world->name);
    bex_st_add_metadata(model, "sizes", sizes);
    bex_params_add_values(a->learner->params, model);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    int code = bex_st_save(model, path);
    bex_actor_critic_save(a->learner, state);
    bex_rollout_save(a->rollout, state);
    bex_replay_buffer_save(&a->replay, state);
    snprintf(path, sizeof path, "%s/state.safetensors", folder);
    if (!code) code = bex_st_save(state, path);
    bex_st_writer_free(model);
    bex_st_writer_free(state);
    return code;
}

static int load(bex_agent *agent, const char *folder) {
    bex_sac *a = (bex_sac *)agent;
    char path[1200];
    snprintf(path, sizeof path, "%s/state.safetensors", folder);
    bex_st_file *f = bex_st_load(path);
    if (!f) return -1;
    int code = 0;
    if (bex_actor_critic_load(a->learner, f) < 0 || bex_replay_buffer_load(&a->replay, f) < 0 ||
        bex_rollout_load(a->rollout, f) < 0)
        code = bex_fail_in("%s", path);
    bex_st_free(f);
    return code;
}

static void describe(const bex_agent *agent, FILE *out) {
    const bex_sac *a = (const bex_sac *)agent;
    const bex_sac_config *s = &a->config.sac;
    const bex_actor_critic *ac = a->learner;
    double B = (double)a->config.env.instances;
    double row = (double)(2 * ac->o.O + ac->o.A + 2) * sizeof(bex_real);
    fprintf(out, "agent        sac in %s: %d observations, %d actions, episodes of %d steps\n",
            a->world->name, a->world->O, a->world->A, a->world->time_limit);
    fprintf(out, "actor        %s, %zu parameters\n", s->actor, bex_params_total(ac->params));
    fprintf(out, "critics      %d of %s%s, %zu parameters; the least of %d, entropy %s\n",
            ac->o.critics, s->critic, s->layernorm ? " with layer norm" : "",
            bex_params_total(ac->critics.params), ac->o.subset,
            s->entropy_backup ? "counted" : "not counted");
    fprintf(out, "replay       %lld transitions, %.0f MB; learning starts at %lld\n", s->replay,
            1e-6 * row * (double)s->replay, s->start);
    fprintf(out, "an update    %.0f steps of the world, %lld minibatches of %d (%.3g a step)\n", B,
            s->updates, ac->o.batch, (double)s->updates / B);
}

const bex_agent_class bex_agent_sac = {.name = "sac",
                                       .new = make,
                                       .free = destroy,
                                       .update = update,
                                       .evaluate = evaluate,
                                       .save = save,
                                       .load = load,
                                       .describe = describe};
