/* agent/rl/online.c - act, step, remember, let the method learn; evaluation and files. */
#include "agent/rl/online.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "kernel/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up ---- */

// what an update reports: the method's, then of episodes that ended
static void name_update(bex_online *a) {
    int n = 0;
    for (; a->method->columns[n]; n++) a->columns[n] = a->method->columns[n];
    BEX_CHECK(n + 2 <= BEX_AGENT_COLUMNS, "%d columns", n);
    a->columns[n] = "episode_return";
    a->columns[n + 1] = "episode_length";
    a->agent.columns = a->columns;
}

// what an evaluation measures: return, length, and what the world has to say
static void name_evaluation(bex_online *a) {
    const char *const *measures = a->world->class->measures;
    int n = 0;
    a->judged_columns[n++] = "eval_return";
    a->judged_columns[n++] = "eval_length";
    for (int i = 0; measures && measures[i]; i++) {
        snprintf(a->names[i], sizeof a->names[i], "eval_%s", measures[i]);
        a->judged_columns[n++] = a->names[i];
    }
    a->agent.judged = a->judged_columns;
}

int bex_online_init(bex_online *a, const bex_agent_class *class, const bex_online_method *method,
                    const bex_online_options *o, const bex_train_config *config, bex_world *world) {
    uint64_t seed = (uint64_t)config->train.seed;
    a->agent.class = class;
    a->method = method;
    a->o = *o;
    a->config = *config;
    a->world = world;
    name_update(a);
    name_evaluation(a);
    if (bex_rollout_new(&a->rollout, world, (int)config->env.instances, seed) < 0) return -1;
    // other starts than those that are learned from
    bex_rng other = bex_rng_split(bex_rng_seed(seed), "judge", 0);
    if (bex_env_batch_new(&a->judge, world, o->evaluate_episodes, bex_rng_u64(&other)) < 0)
        return -1;
    if (bex_replay_buffer_init(&a->replay, world->spec.state, world->A, o->replay) < 0) return -1;
    a->judged = calloc((size_t)o->evaluate_episodes, sizeof *a->judged);
    return a->judged ? 0 : bex_fail("out of memory");
}

void bex_online_free(bex_agent *agent) {
    bex_online *a = (bex_online *)agent;
    if (!a) return;
    if (a->method) a->method->free(a);
    bex_replay_buffer_fini(&a->replay);
    bex_rollout_free(a->rollout);
    bex_env_batch_free(a->judge);
    bex_world_close(a->world);
    free(a->judged);
    free(a);
}

/* ---- an update ---- */

static void act(bex_online *a, bex_rng rng) {
    bex_env_batch *b = a->rollout->batch;
    if (a->replay.added < a->o.start)
        bex_random_uniform(b->act, (size_t)b->B * (size_t)b->A, R(-1), R(1), &rng);
    else
        a->method->act(a, b->obs, b->B, &rng, b->act);
}

// what the step did goes into the replay; mean return and length of episodes that ended to more[0], more[1]
static void remember(bex_online *a, double *more) {
    const bex_rollout *r = a->rollout;
    const bex_env_batch *b = r->batch;
    double sum = 0, length = 0, ended = 0;
    for (int i = 0; i < b->B; i++) {
        size_t o = (size_t)i * (size_t)b->O, u = (size_t)i * (size_t)b->A;
        bex_replay_buffer_add(&a->replay, &(bex_step){.obs.state = r->before + o,
                                                      .act = b->act + u,
                                                      .reward = b->reward[i],
                                                      .terminal = b->terminated[i],
                                                      .timeout = b->truncated[i],
                                                      .next.state = r->next + o});
        if (!bex_rollout_ended(r, i)) continue;
        sum += b->final_sum[i], length += b->final_length[i], ended++;
    }
    more[0] = ended ? sum / ended : (double)NAN;
    more[1] = ended ? length / ended : (double)NAN;
}

int bex_online_update(bex_agent *agent, int64_t step, bex_update *out) {
    bex_online *a = (bex_online *)agent;
    bex_rng root = bex_rng_seed((uint64_t)a->config.train.seed);
    bex_rng rng = bex_rng_split(root, "update", (uint64_t)step);
    double start = bex_seconds();
    int own = 0;
    while (a->method->columns[own]) own++;
    *out = (bex_update){.loss = NAN, .grad_norm = NAN, .lr = a->o.lr};
    for (int i = 0; i < BEX_AGENT_COLUMNS; i++) out->more[i] = NAN;
    act(a, bex_rng_split(rng, "act", 0));
    if (bex_rollout_step(a->rollout) < 0) return -1;
    remember(a, out->more + own);
    out->data_seconds = bex_seconds() - start;
    int code = a->replay.added >= a->o.start ? a->method->learn(a, rng, out) : 0;
    out->lane_seconds = bex_seconds() - start;
    return code ? bex_fail_in("step %lld", (long long)step) : 0;
}

/* ---- evaluation ---- */

int bex_online_evaluate(bex_agent *agent, bex_evaluation *out) {
    bex_online *a = (bex_online *)agent;
    bex_env_batch *b = a->judge;
    int left = b->B, measures = 0;
    while (a->judged_columns[measures + 2]) measures++;
    *out = (bex_evaluation){0};
    if (bex_env_batch_reset(b) < 0) return -1;
    memset(a->judged, 0, (size_t)b->B * sizeof *a->judged);
    while (left) {
        a->method->act(a, b->obs, b->B, NULL, b->act);
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

int bex_online_save(const bex_agent *agent, const char *folder) {
    const bex_online *a = (const bex_online *)agent;
    char path[BEX_PATH_SIZE];
    if (bex_path_join(path, folder, "model.safetensors") < 0) return -1;
    if (a->method->save_model(a, path) < 0) return -1;
    bex_st_writer *state = bex_st_writer_new();
    a->method->save(a, state);
    bex_rollout_save(a->rollout, state);
    bex_replay_buffer_save(&a->replay, state);
    if (bex_path_join(path, folder, "state.safetensors") < 0) return -1;
    int code = bex_st_save(state, path);
    bex_st_writer_free(state);
    return code;
}

int bex_online_load(bex_agent *agent, const char *folder) {
    bex_online *a = (bex_online *)agent;
    char path[BEX_PATH_SIZE];
    if (bex_path_join(path, folder, "state.safetensors") < 0) return -1;
    bex_st_file *f = bex_st_load(path);
    if (!f) return -1;
    int code = 0;
    if (a->method->load(a, f) < 0 || bex_replay_buffer_load(&a->replay, f) < 0 ||
        bex_rollout_load(a->rollout, f) < 0)
        code = bex_fail_in("%s", path);
    bex_st_free(f);
    return code;
}

void bex_online_describe(const bex_agent *agent, FILE *out) {
    const bex_online *a = (const bex_online *)agent;
    double row = (double)(2 * a->world->spec.state + a->world->A + 2) * sizeof(bex_real);
    fprintf(out, "agent        %s in %s: %d observations, %d actions, episodes of %d steps\n",
            bex_train_agent(&a->config), a->world->name, a->world->spec.state, a->world->A,
            a->world->time_limit);
    a->method->describe(a, out);
    fprintf(out, "replay       %d transitions, %.0f MB; learning starts at %lld\n", a->o.replay,
            1e-6 * row * a->o.replay, a->o.start);
}
