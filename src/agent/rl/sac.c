/* agent/rl/sac.c - soft actor-critic: how it acts and learns. The world is online.c's, the gradients
 * actor_critic.c's. */
#include "agent/rl/sac.h"

#include "agent/rl/gaussian_actor.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const char *const columns[] = {"actor_loss", "q", "entropy", "temperature", NULL};
enum { ACTOR_LOSS, Q, ENTROPY, TEMPERATURE };

static int learner_options(bex_actor_critic_options *o, const bex_train_config *c,
                           const bex_world *w) {
    const bex_sac_config *s = &c->sac;
    *o = (bex_actor_critic_options){.O = w->spec.state,
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

static void destroy(bex_online *online) {
    bex_sac *a = (bex_sac *)online;
    bex_actor_critic_free(a->learner);
    bex_arena_free(a->arena);
}

static void act(bex_online *online, const bex_real *obs, int n, bex_rng *rng, bex_real *act) {
    const bex_sac *a = (const bex_sac *)online;
    bex_actor_critic_act(a->learner, a->arena, obs, n, rng, act);
}

static int learn(bex_online *online, bex_rng rng, bex_update *out) {
    bex_actor_critic *ac = ((bex_sac *)online)->learner;
    const bex_sac_config *s = &online->config.sac;
    bex_actor_critic_report r = {.actor_loss = NAN, .entropy = NAN};
    double loss = 0, norm = 0, q = 0, n = (double)s->updates;
    for (int k = 0; k < s->updates; k++) {
        bex_rng own = bex_rng_split(rng, "minibatch", (uint64_t)k);
        bex_replay_buffer_draw(&online->replay, &own, &ac->batch, 0, ac->o.batch);
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

static int save_model(const bex_online *online, const char *path) {
    const bex_actor_critic *ac = ((const bex_sac *)online)->learner;
    return bex_gaussian_policy_save(&ac->actor, ac->params, bex_train_agent(&online->config),
                                    online->world->name, path);
}

static void save(const bex_online *online, bex_st_writer *state) {
    bex_actor_critic_save(((const bex_sac *)online)->learner, state);
}

static int load(bex_online *online, const bex_st_file *state) {
    return bex_actor_critic_load(((bex_sac *)online)->learner, state);
}

static void describe(const bex_online *online, FILE *out) {
    const bex_actor_critic *ac = ((const bex_sac *)online)->learner;
    const bex_sac_config *s = &online->config.sac;
    double B = (double)online->config.env.instances;
    fprintf(out, "actor        %s, %zu parameters\n", s->actor, bex_params_total(ac->params));
    fprintf(out, "critics      %d of %s%s, %zu parameters; the least of %d, entropy %s\n",
            ac->o.critics, s->critic, s->layernorm ? " with layer norm" : "",
            bex_params_total(ac->critics.params), ac->o.subset,
            s->entropy_backup ? "counted" : "not counted");
    fprintf(out, "an update    %.0f steps of the world, %lld minibatches of %d (%.3g a step)\n", B,
            s->updates, ac->o.batch, (double)s->updates / B);
}

static const bex_online_method method = {.columns = columns,
                                         .free = destroy,
                                         .act = act,
                                         .learn = learn,
                                         .save_model = save_model,
                                         .save = save,
                                         .load = load,
                                         .describe = describe};

static bex_agent *make(const bex_train_config *config, bex_sources *sources) {
    const bex_sac_config *s = &config->sac;
    bex_online_options online = {.replay = (int)s->replay,
                                 .start = s->start,
                                 .evaluate_episodes = (int)s->evaluate_episodes,
                                 .lr = s->critic_lr};
    bex_actor_critic_options o;
    bex_sac *a = calloc(1, sizeof *a);
    if (!a) return bex_sources_fini(sources), bex_fail("out of memory"), NULL;
    a->arena = bex_arena_new();
    if (bex_online_init(&a->online, &bex_agent_sac, &method, &online, config, sources->world) ==
            0 &&
        learner_options(&o, config, sources->world) == 0 &&
        bex_actor_critic_new(&a->learner, &o) == 0)
        return &a->online.agent;
    bex_online_free(&a->online.agent);
    return NULL;
}

const bex_agent_class bex_agent_sac = {.needs = BEX_NEEDS_WORLD, .new = make, BEX_ONLINE_FUNCTIONS};
