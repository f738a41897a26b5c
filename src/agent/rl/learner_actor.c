/* agent/rl/learner_actor.c - one trial: decide, act, remember, learn, save. */
#include "agent/rl/learner.h"
#include "agent/rl/reward_model.h"
#include "base/error.h"
#include "kernel/random.h"
#include "model/novelty.h"
#include "nn/adam.h"
#include "nn/param_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 256, STEP = 0, EPISODES, COUNTS }; // rows judged at once; what is counted

typedef struct {
    bex_actor actor;
    const bex_learner *x;
    bex_rng rng;
    bex_arena *arena;
    bex_actor_critic *learner;
    bex_novelty novelty;
    bex_reward_model model; // of methods with demonstrations
    bex_replay_buffer replay;
    bex_transitions
        drawn; // (n) of one update, n = updates batch: each minibatch's own, then demonstrations
    bex_real *pairs; // (n,S+U) [s,u] of them
    bex_real *came;  // (n) rewards without bonus
    int *chunk, *seen;
    int64_t count[COUNTS]; // steps of the world taken, episodes that ended
    int64_t begun;         // the step at which the running decision was made
    int k;                 // steps of it taken
    bex_real *state, *u;   // (S), (U) of it
    bex_real *recent;      // (H) the last rewards of the episode, oldest first
    int rewards;           // how many there are
} trial;

static int online_rows(const bex_learner *x) {
    int B = (int)x->config.batch;
    return x->method->data ? B - B / 2 : B;
}

/* ---- deciding ---- */

static void decide(trial *t, const bex_real *state) {
    const bex_learner *x = t->x;
    bex_rng rng = bex_rng_split(t->rng, "decide", (uint64_t)t->count[STEP]);
    t->begun = t->count[STEP];
    memcpy(t->state, state, (size_t)x->S * sizeof *state);
    if (t->begun >= x->start)
        bex_actor_critic_act(t->learner, t->arena, state, 1, &rng, t->u);
    else if (x->method->propose)
        x->method->propose(x->skills, t->arena, state, &rng, t->u);
    else
        bex_random_uniform(t->u, (size_t)x->U, R(-1), R(1), &rng);
}

static int check_finite(const bex_real *v, int n, const char *what) {
    for (int i = 0; i < n; i++)
        if (!isfinite(v[i])) return bex_fail("%s %d is %g", what, i, (double)v[i]);
    return 0;
}

static int act(bex_actor *actor, const bex_observation *seen, bex_real *action) {
    trial *t = (trial *)actor;
    const bex_learner *x = t->x;
    if (bex_observation_check(seen, 0) < 0 || check_finite(seen->state, x->S, "observation") < 0)
        return -1;
    if (!t->k) decide(t, seen->state);
    if (x->method->act) {
        bex_rng rng = bex_rng_split(t->rng, "act", (uint64_t)t->count[STEP]);
        x->method->act(x->skills, t->arena, seen->state, t->u, &rng, action);
    } else {
        memcpy(action, t->u, (size_t)x->U * sizeof *action);
    }
    return check_finite(action, x->world->A, "the network's action");
}

/* ---- an update: minibatches, what they are worth, learning from them ---- */

static void draw(trial *t, bex_rng *rng) {
    const bex_learner *x = t->x;
    int B = (int)x->config.batch, updates = (int)x->config.updates, own = online_rows(x);
    for (int k = 0; k < updates; k++)
        bex_replay_buffer_draw(&t->replay, rng, &t->drawn, k * B, own);
    if (own == B) return;
    bex_prior_data_draw(&x->prior, rng, t->seen, t->chunk, updates * (B - own));
    for (int k = 0; k < updates; k++)
        for (int i = own; i < B; i++)
            bex_prior_data_put(&x->prior, t->chunk[k * (B - own) + i - own], &t->drawn, k * B + i);
}

static void join_pairs(trial *t) {
    size_t S = (size_t)t->x->S, U = (size_t)t->x->U;
    for (size_t i = 0; i < (size_t)t->drawn.n; i++) {
        memcpy(t->pairs + i * (S + U), t->drawn.obs + i * S, S * sizeof *t->pairs);
        memcpy(t->pairs + i * (S + U) + S, t->drawn.act + i * U, U * sizeof *t->pairs);
    }
}

// reward and mask of demonstrations, minibatch k
static void label(trial *t, int k) {
    const bex_learner *x = t->x;
    int B = (int)x->config.batch, own = online_rows(x);
    size_t first = (size_t)(k * B + own), n = (size_t)(B - own);
    const bex_real *pairs = t->pairs + first * (size_t)(x->S + x->U);
    bool predicted = x->config.label == BEX_LABEL_PREDICTED;
    bex_real *reward = t->drawn.reward + first;
    bex_reward_model_tell(&t->model, t->arena, pairs, (int)n, predicted ? reward : NULL,
                          t->drawn.mask + first);
    for (size_t i = 0; !predicted && i < n; i++) reward[i] = R(x->least);
}

static void add_bonus(trial *t) {
    const bex_learner *x = t->x;
    int in = x->S + x->U;
    for (int first = 0; first < t->drawn.n; first += PIECE) {
        int n = t->drawn.n - first < PIECE ? t->drawn.n - first : PIECE;
        bex_tape tape;
        bex_tape_init(&tape, t->arena);
        bex_tape_reset(&tape);
        bex_tensor *pairs =
            bex_constant(&tape, t->pairs + (size_t)first * (size_t)in, 2, BEX_DIMS(n, in));
        const bex_real *error = bex_novelty_error(&tape, &t->novelty, pairs)->data;
        for (int i = 0; i < n; i++) t->drawn.reward[first + i] += R(x->bonus) * error[i];
    }
}

static void take_minibatch(trial *t, int k) {
    bex_transitions *to = &t->learner->batch;
    size_t B = (size_t)to->n, first = (size_t)k * B;
#define TAKE(member, per)                                                                          \
    memcpy(to->member, t->drawn.member + first * (size_t)(per),                                    \
           B * (size_t)(per) * sizeof *to->member);
    BEX_TRANSITION_FIELDS(TAKE, to)
#undef TAKE
}

static int update(trial *t, bex_rng rng) {
    const bex_learner *x = t->x;
    bex_actor_critic_report r;
    int updates = (int)x->config.updates;
    draw(t, &rng);
    join_pairs(t);
    bex_params_pack(t->novelty.params, 1);
    bex_params_pack(t->novelty.targets, 1);
    if (x->method->data) bex_params_pack(t->model.params, 1);
    for (int k = 0; x->method->data && k < updates; k++) label(t, k);
    memcpy(t->came, t->drawn.reward, (size_t)t->drawn.n * sizeof *t->came);
    add_bonus(t);
    for (int k = 0; k < updates; k++) {
        bex_rng own = bex_rng_split(rng, "minibatch", (uint64_t)k);
        take_minibatch(t, k);
        bex_actor_critic_noise(t->learner, &own);
        if (bex_actor_critic_learn_critics(t->learner, &r) < 0) return -1;
    }
    return bex_actor_critic_learn_actor(t->learner, &r);
}

// on the experienced half of the last update
static int learn_model(trial *t) {
    const bex_learner *x = t->x;
    int B = (int)x->config.batch, own = online_rows(x), in = x->S + x->U;
    for (int k = 0; k < x->config.updates; k++) {
        size_t first = (size_t)(k * B);
        if (bex_reward_model_learn(&t->model, t->arena, t->pairs + first * (size_t)in,
                                   t->came + first, t->drawn.mask + first, own, x->config.lr) < 0)
            return -1;
    }
    return 0;
}

// one step on the newest transition
static int learn_novelty(trial *t) {
    static const bex_adam adam = BEX_ADAM_INIT;
    const bex_learner *x = t->x;
    bex_novelty *n = &t->novelty;
    bex_tape tape;
    bex_tape_init(&tape, t->arena);
    bex_tape_reset(&tape);
    bex_tape_train(&tape, n->params);
    bex_params_begin(n->params, 0);
    bex_tensor *pair = bex_concat(&tape, bex_constant(&tape, t->state, 2, BEX_DIMS(1, x->S)),
                                  bex_constant(&tape, t->u, 2, BEX_DIMS(1, x->U)), 1);
    bex_backward(&tape, bex_sum_all(&tape, bex_novelty_error(&tape, n, pair), 1));
    bex_params_end(n->params, 0);
    double norm = bex_adam_step(n->params, &adam, x->config.lr, 1);
    return isfinite(norm) ? 0 : bex_fail("the gradient of novelty is not finite");
}

static int learn(trial *t) {
    const bex_learner *x = t->x;
    bex_rng rng = bex_rng_split(t->rng, "learn", (uint64_t)t->begun);
    bool late = t->begun >= 2 * x->start;
    for (int i = 0; i < x->H; i++)
        if (update(t, bex_rng_split(rng, "update", (uint64_t)i)) < 0) return -1;
    if (x->method->data && (late || x->config.label == BEX_LABEL_PREDICTED) && learn_model(t) < 0)
        return -1;
    return late ? learn_novelty(t) : 0;
}

/* ---- what came of a step ---- */

// the reward that is learned from; whether it ends what is to come
static bex_real judge(const bex_learner *x, const bex_step *step, bool *end) {
    const bex_world *w = x->world;
    unsigned found = w->class->found ? w->class->found(w, step->next.state) : 0;
    *end = step->terminal;
    switch ((bex_reward)x->config.reward) {
    case BEX_REWARD_NONE:
        *end = false;
        return R(-1);
    case BEX_REWARD_GOAL:
        *end = found != 0;
        return found ? R(0) : R(-1);
    case BEX_REWARD_TASKS:
        return R(__builtin_popcount(found));
    case BEX_REWARD_WORLD:
        break;
    }
    return step->reward;
}

static void remember_reward(trial *t, bex_real reward) {
    int H = t->x->H;
    if (t->rewards == H) {
        memmove(t->recent, t->recent + 1, (size_t)(H - 1) * sizeof *t->recent);
        t->rewards--;
    }
    t->recent[t->rewards++] = reward;
}

static void remember(trial *t, const bex_step *last, bool end) {
    double sum = 0, weight = 1;
    for (int k = 0; k < t->rewards; k++, weight *= t->x->config.discount)
        sum += weight * (double)t->recent[k];
    bex_replay_buffer_add(&t->replay, &(bex_step){.obs.state = t->state,
                                                  .act = t->u,
                                                  .reward = R(sum),
                                                  .terminal = end,
                                                  .next.state = last->next.state});
}

static int saw(bex_actor *actor, const bex_step *step) {
    trial *t = (trial *)actor;
    bool end;
    remember_reward(t, judge(t->x, step, &end));
    t->k++, t->count[STEP]++;
    if (t->k < t->x->H && !end && !step->terminal && !step->timeout) return 0;
    remember(t, step, end);
    t->k = 0;
    return t->begun >= t->x->start ? learn(t) : 0;
}

/* ---- episodes ---- */

static int begin(bex_actor *actor) {
    trial *t = (trial *)actor;
    t->k = t->rewards = 0;
    return 0;
}

static int end(bex_actor *actor) {
    ((trial *)actor)->count[EPISODES]++;
    return 0;
}

// what it does is a function of the states: it is played again, learning and all
static int recall(bex_actor *actor, const bex_episode *episode) {
    trial *t = (trial *)actor;
    int A = t->x->world->A;
    bex_real *action = malloc((size_t)A * sizeof *action);
    int code = action ? begin(actor) : bex_fail("out of memory");
    for (int i = 0; i < episode->steps && code == 0; i++) {
        bex_step step = bex_episode_step(episode, i);
        code = act(actor, &step.obs, action);
        if (code == 0 && memcmp(action, step.act, (size_t)A * sizeof *action) != 0) {
            bex_fail("step %lld: acts otherwise than recorded", (long long)t->count[STEP]);
            code = bex_fail_hint("another build or machine, or other skills");
        }
        if (code == 0) code = saw(actor, &step);
    }
    free(action);
    return code == 0 ? end(actor) : code;
}

/* ---- a file ---- */

static int save(bex_actor *actor, const char *path) {
    static const int64_t counts = COUNTS;
    trial *t = (trial *)actor;
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_metadata(w, "agent", t->x->method->name);
    bex_st_add(w, "count", BEX_ST_I64, 1, &counts, t->count);
    bex_actor_critic_save(t->learner, w);
    bex_replay_buffer_save(&t->replay, w);
    bex_params_add_learner(t->novelty.params, w, "novelty.");
    if (t->x->method->data) bex_params_add_learner(t->model.params, w, "model.");
    int code = bex_st_save(w, path);
    bex_st_writer_free(w);
    return code;
}

static int load_all(trial *t, const bex_st_file *f) {
    if (bex_st_read(f, "count", BEX_ST_I64, t->count, 1, (int64_t[]){COUNTS}) < 0 ||
        bex_actor_critic_load(t->learner, f) < 0 ||
        bex_params_read_learner(t->novelty.params, f, "novelty.") < 0)
        return -1;
    if (bex_st_find(f, "replay.added") && bex_replay_buffer_load(&t->replay, f) < 0) return -1;
    return t->x->method->data ? bex_params_read_learner(t->model.params, f, "model.") : 0;
}

static int load(bex_actor *actor, const char *path, int *episodes) {
    trial *t = (trial *)actor;
    bex_st_file *f = bex_st_load(path);
    if (!f) return -1;
    int code = load_all(t, f);
    if (code < 0) bex_fail_in("%s", path);
    bex_st_free(f);
    *episodes = (int)t->count[EPISODES];
    return code;
}

/* ---- made and freed ---- */

static void destroy(bex_actor *actor) {
    trial *t = (trial *)actor;
    if (!t) return;
    bex_arena_free(t->arena);
    bex_actor_critic_free(t->learner);
    bex_novelty_fini(&t->novelty);
    bex_reward_model_fini(&t->model);
    bex_replay_buffer_fini(&t->replay);
    bex_transitions_fini(&t->drawn);
    free(t->pairs), free(t->came), free(t->chunk), free(t->seen);
    free(t->state), free(t->u), free(t->recent);
    free(t);
}

static const bex_actor_class class = {.name = "learner",
                                      .begin = begin,
                                      .act = act,
                                      .saw = saw,
                                      .end = end,
                                      .recall = recall,
                                      .save = save,
                                      .load = load,
                                      .free = destroy};

const bex_actor_critic *bex_learner_networks(const bex_actor *actor) {
    return ((const trial *)actor)->learner;
}

static int make_networks(trial *t) {
    const bex_learner *x = t->x;
    const bex_learner_config *c = &x->config;
    bex_rng rng = bex_rng_split(t->rng, "networks", 0);
    bex_actor_critic_options o = {.O = x->S,
                                  .A = x->U,
                                  .batch = (int)c->batch,
                                  .critics = (int)c->critics,
                                  .subset = (int)c->subset,
                                  .layernorm = true,
                                  .mean_objective = true,
                                  .discount = c->discount,
                                  .tau = c->tau,
                                  .actor_lr = c->lr,
                                  .critic_lr = c->lr,
                                  .temperature_lr = c->lr,
                                  .temperature = c->temperature,
                                  .entropy = c->entropy * x->U,
                                  .lanes = 1,
                                  .threads = 1,
                                  .seed = bex_rng_u64(&rng)};
    bex_novelty_options n = {.in = x->S + x->U, .features = (int)c->features};
    memcpy(o.actor_hidden, x->actor, sizeof o.actor_hidden);
    memcpy(o.critic_hidden, x->critic, sizeof o.critic_hidden);
    memcpy(n.hidden, x->novelty, sizeof n.hidden);
    if (bex_actor_critic_new(&t->learner, &o) < 0 ||
        bex_novelty_init(&t->novelty, n, 1, bex_rng_split(rng, "novelty", 0)) < 0)
        return -1;
    return x->method->data
               ? bex_reward_model_init(&t->model, n.in, x->model, bex_rng_split(rng, "model", 0))
               : 0;
}

static int make_rows(trial *t) {
    const bex_learner *x = t->x;
    long long n = x->config.updates * x->config.batch, room = x->budget < 1 ? 1 : x->budget;
    size_t pair = (size_t)(x->S + x->U), chunks = (size_t)n;
    if (bex_replay_buffer_init(&t->replay, x->S, x->U, (int)room) < 0 ||
        bex_transitions_init(&t->drawn, x->S, x->U, (int)n) < 0)
        return -1;
    t->pairs = malloc((size_t)n * pair * sizeof *t->pairs);
    t->came = malloc((size_t)n * sizeof *t->came);
    t->chunk = malloc(chunks * sizeof *t->chunk);
    if (x->method->once) t->seen = malloc((size_t)bex_prior_seen((int)n) * sizeof *t->seen);
    t->state = calloc((size_t)x->S, sizeof *t->state);
    t->u = calloc((size_t)x->U, sizeof *t->u);
    t->recent = calloc((size_t)x->H, sizeof *t->recent);
    bool whole = t->pairs && t->came && t->chunk && (t->seen || !x->method->once) && t->state &&
                 t->u && t->recent;
    return whole ? 0 : bex_fail("out of memory for %lld transitions", n);
}

bex_actor *bex_learner_actor_new(const bex_learner *x, bex_rng rng) {
    trial *t = calloc(1, sizeof *t);
    if (!t) return bex_fail("out of memory"), NULL;
    *t = (trial){.actor = {&class}, .x = x, .rng = rng, .arena = bex_arena_new()};
    if (t->arena && make_networks(t) == 0 && make_rows(t) == 0) return &t->actor;
    destroy(&t->actor);
    return NULL;
}
