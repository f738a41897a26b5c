/* agent/rl/actor_critic.c - set-up, the two steps by lanes, acting, saving. */
#include "agent/rl/actor_critic.h"

#include "agent/rl/gaussian_actor.h"
#include "base/error.h"
#include "base/parallel.h"
#include "kernel/random.h"
#include "nn/adam.h"
#include "nn/param_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check(const bex_actor_critic_options *o) {
    if (!o->actor_hidden[0] || !o->critic_hidden[0])
        return bex_fail("actor and critics need a hidden layer");
    if (o->subset < 1 || o->subset > o->critics)
        return bex_fail("the least of %d of %d critics", o->subset, o->critics);
    if (o->batch < o->lanes)
        return bex_fail("%d transitions for %d lanes: some would have none", o->batch, o->lanes);
    return 0;
}

static int allocate(bex_actor_critic *ac) {
    const bex_actor_critic_options *o = &ac->o;
    size_t noise = (size_t)o->batch * (size_t)o->A;
    if (bex_transitions_init(&ac->batch, o->O, o->A, o->batch) < 0) return -1;
    ac->noise = calloc(noise, sizeof *ac->noise);
    ac->noise_next = calloc(noise, sizeof *ac->noise_next);
    ac->subset = calloc((size_t)o->critics, sizeof *ac->subset);
    ac->sum = calloc((size_t)o->lanes, sizeof *ac->sum);
    return ac->noise && ac->noise_next && ac->subset && ac->sum ? 0 : bex_fail("out of memory");
}

int bex_actor_critic_new(bex_actor_critic **out, const bex_actor_critic_options *o) {
    *out = NULL;
    if (check(o) < 0) return -1;
    bex_actor_critic *ac = calloc(1, sizeof *ac);
    if (!ac) return bex_fail("out of memory");
    ac->o = *o;
    bex_rng root = bex_rng_seed(o->seed);
    bex_tanh_gaussian_options actor = {.O = o->O, .A = o->A};
    bex_critics_options critics = {
        .O = o->O, .A = o->A, .E = o->critics, .layernorm = o->layernorm};
    memcpy(actor.hidden, o->actor_hidden, sizeof actor.hidden);
    memcpy(critics.hidden, o->critic_hidden, sizeof critics.hidden);
    ac->params = bex_params_new();
    ac->actor = bex_tanh_gaussian_add(ac->params, actor);
    ac->lanes = bex_lanes_new(o->lanes, o->threads);
    int blocks = bex_lanes_blocks(ac->lanes);
    if (bex_params_build(ac->params, blocks, bex_rng_split(root, "actor", 0)) < 0)
        return bex_actor_critic_free(ac), -1;
    bex_critics_init(&ac->critics, critics, blocks, bex_rng_split(root, "critics", 0));
    bex_entropy_temperature_init(&ac->temperature, o->temperature, o->entropy);
    if (allocate(ac) < 0) return bex_actor_critic_free(ac), -1;
    *out = ac;
    return 0;
}

void bex_actor_critic_free(bex_actor_critic *ac) {
    if (!ac) return;
    bex_params_free(ac->params);
    bex_critics_fini(&ac->critics);
    bex_entropy_temperature_fini(&ac->temperature);
    bex_lanes_free(ac->lanes);
    bex_transitions_fini(&ac->batch);
    free(ac->noise);
    free(ac->noise_next);
    free(ac->subset);
    free(ac->sum);
    free(ac);
}

void bex_actor_critic_noise(bex_actor_critic *ac, bex_rng *rng) {
    size_t n = (size_t)ac->o.batch * (size_t)ac->o.A;
    int E = ac->o.critics;
    bex_random_normal(ac->noise_next, n, rng);
    bex_random_normal(ac->noise, n, rng);
    for (int i = 0; i < E; i++) ac->subset[i] = i;
    // the first |M| of a shuffle
    for (int i = 0; i < ac->o.subset && ac->o.subset < E; i++) {
        int j = i + (int)bex_rng_below(rng, (uint64_t)(E - i)), held = ac->subset[i];
        ac->subset[i] = ac->subset[j], ac->subset[j] = held;
    }
}

/* ---- steps ---- */

// n rows of width w of the minibatch from `first` on, as a tensor
static bex_tensor *rows(bex_tape *tape, const bex_real *of, int first, int n, int w) {
    return bex_constant(tape, of + (size_t)first * (size_t)w, 2, BEX_DIMS(n, w));
}

// y, once for each critic: (E,n)
static bex_tensor *targets(bex_tape *tape, const bex_actor_critic *ac, int first, int n) {
    const bex_actor_critic_options *o = &ac->o;
    const bex_transitions *b = &ac->batch;
    bex_tensor *logp, *next = rows(tape, b->next, first, n, o->O);
    bex_tensor *u = bex_tanh_gaussian_sample(tape, &ac->actor, next,
                                             rows(tape, ac->noise_next, first, n, o->A), &logp);
    bex_tensor *q =
        bex_critics_target(tape, &ac->critics, bex_concat(tape, next, u, 1), ac->subset, o->subset);
    bex_tensor *y = bex_tensor_new(tape, 2, BEX_DIMS(o->critics, n), false);
    bex_real alpha = o->entropy_backup ? R(bex_entropy_temperature_value(&ac->temperature)) : 0;
    for (int i = 0; i < n; i++)
        y->data[i] = b->reward[first + i] +
                     R(o->discount) * b->mask[first + i] * (q->data[i] - alpha * logp->data[i]);
    for (int e = 1; e < o->critics; e++)
        memcpy(y->data + (size_t)e * (size_t)n, y->data, (size_t)n * sizeof *y->data);
    return y;
}

static double sum_of(const bex_tensor *t) {
    double sum = 0;
    for (size_t i = 0; i < bex_count(t); i++) sum += (double)t->data[i];
    return sum;
}

static int critic_lane(bex_tape *tape, int lane, void *payload, double *result) {
    const bex_actor_critic *ac = payload;
    const bex_actor_critic_options *o = &ac->o;
    const bex_transitions *b = &ac->batch;
    int first, n;
    bex_part(o->batch, o->lanes, lane, &first, &n);
    bex_tensor *y = targets(tape, ac, first, n);
    bex_tape_train(tape, ac->critics.params);
    bex_tensor *s = rows(tape, b->obs, first, n, o->O), *u = rows(tape, b->act, first, n, o->A);
    bex_tensor *q = bex_critics_value(tape, &ac->critics, bex_concat(tape, s, u, 1));
    bex_tensor *loss =
        bex_squared_error(tape, q, y, NULL, 1.0 / ((double)o->critics * (double)o->batch));
    bex_backward(tape, loss);
    ac->sum[lane] = sum_of(q);
    *result = (double)loss->data[0];
    return 0;
}

static int actor_lane(bex_tape *tape, int lane, void *payload, double *result) {
    const bex_actor_critic *ac = payload;
    const bex_actor_critic_options *o = &ac->o;
    int first, n;
    bex_part(o->batch, o->lanes, lane, &first, &n);
    bex_tape_train(tape, ac->params);
    bex_tensor *logp, *s = rows(tape, ac->batch.obs, first, n, o->O);
    bex_tensor *u =
        bex_tanh_gaussian_sample(tape, &ac->actor, s, rows(tape, ac->noise, first, n, o->A), &logp);
    bex_tensor *q = bex_critics_value(tape, &ac->critics, bex_concat(tape, s, u, 1));
    q = o->mean_objective ? bex_mean_members(tape, q) : bex_min_members(tape, q);
    double alpha = bex_entropy_temperature_value(&ac->temperature);
    bex_tensor *loss = bex_sum_all(tape, bex_sub(tape, bex_affine(tape, logp, alpha, 0), q),
                                   1.0 / (double)o->batch);
    bex_backward(tape, loss);
    ac->sum[lane] = sum_of(logp);
    *result = (double)loss->data[0];
    return 0;
}

static double lane_sum(const bex_actor_critic *ac) {
    double sum = 0;
    for (int i = 0; i < ac->o.lanes; i++) sum += ac->sum[i];
    return sum;
}

// what changed since the last step, for lanes to share
static void pack(bex_actor_critic *ac) {
    int threads = bex_lanes_threads(ac->lanes);
    bex_params_pack(ac->params, threads);
    bex_params_pack(ac->critics.params, threads);
    // one or two of ten are read: packing all would cost more than it saves
    if (2 * ac->o.subset > ac->o.critics) bex_params_pack(ac->critics.targets, threads);
}

// gradients by lanes, then Adam: the loss and the gradient's norm, or negative with a message
static int learn(bex_actor_critic *ac, bex_params *p, bex_lane_fn *work, double lr,
                 const char *what, double *loss, double *norm) {
    bex_adam adam = BEX_ADAM_INIT;
    adam.clip = ac->o.clip;
    pack(ac);
    if (bex_lanes_learn(ac->lanes, bex_rng_seed(0), work, ac, p, loss) < 0) return -1;
    if (!isfinite(*loss)) return bex_fail("the %s loss is %g", what, *loss);
    *norm = bex_adam_step(p, &adam, lr, bex_lanes_threads(ac->lanes));
    return isfinite(*norm) ? 0 : bex_fail("the %s gradient is not finite", what);
}

int bex_actor_critic_learn_critics(bex_actor_critic *ac, bex_actor_critic_report *r) {
    if (learn(ac, ac->critics.params, critic_lane, ac->o.critic_lr, "critics'", &r->critic_loss,
              &r->critic_norm) < 0)
        return -1;
    r->q = lane_sum(ac) / ((double)ac->o.batch * (double)ac->o.critics);
    bex_critics_follow(&ac->critics, ac->o.tau, bex_lanes_threads(ac->lanes));
    return 0;
}

int bex_actor_critic_learn_actor(bex_actor_critic *ac, bex_actor_critic_report *r) {
    if (learn(ac, ac->params, actor_lane, ac->o.actor_lr, "actor's", &r->actor_loss,
              &r->actor_norm) < 0)
        return -1;
    r->entropy = -lane_sum(ac) / (double)ac->o.batch;
    bex_entropy_temperature_step(&ac->temperature, r->entropy, ac->o.temperature_lr);
    return 0;
}

void bex_actor_critic_act(const bex_actor_critic *ac, bex_arena *arena, const bex_real *obs, int n,
                          bex_rng *rng, bex_real *act) {
    bex_gaussian_act(&ac->actor, arena, obs, n, rng, act);
}

/* ---- saving ---- */

// every block, once
static int each(const bex_actor_critic *ac, bex_st_writer *w, const bex_st_file *f) {
    const struct {
        bex_params *params;
        const char *prefix;
    } blocks[] = {{ac->params, "actor."},
                  {ac->critics.params, "critics."},
                  {ac->critics.targets, "targets."},
                  {ac->temperature.params, "temperature."}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        if (w) bex_params_add_learner(blocks[i].params, w, blocks[i].prefix);
        if (f && bex_params_read_learner(blocks[i].params, f, blocks[i].prefix) < 0) return -1;
    }
    return 0;
}

void bex_actor_critic_save(const bex_actor_critic *ac, bex_st_writer *w) {
    each(ac, w, NULL);
}

int bex_actor_critic_load(bex_actor_critic *ac, const bex_st_file *f) {
    return each(ac, NULL, f);
}
