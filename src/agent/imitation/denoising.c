/* agent/imitation/denoising.c - one update of be or bc: draw windows, noise their chunks, learn to tell the
 * noise.
 *
 *   lane -> micro-batches of whole groups -> [ draw | label | gather | noise ] -> encode -> denoise -> loss
 *
 * All buffers of a micro-batch are in the tape's arena: nothing is allocated in a steady update. */
#include "agent/imitation/minibatch.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "kernel/random.h"
#include "policy/sampler.h"

#include <math.h>
#include <string.h>

typedef struct {
    bex_imitation *a;
    bex_minibatch_draw draw;
    bool learn;
    enum { BOTH, PROPOSER, FOLLOWER } network; // whose loss
} job;

static int check_finite(const char *what, double loss, long long step) {
    if (isfinite(loss)) return 0;
    return bex_fail("the %s is %g at step %lld: a smaller train.lr, or train.clip", what, loss,
                    step);
}

// chunks that a network denoises
typedef struct {
    const bex_dit *dit;
    const bex_dit_input *input;
    bex_real *clean;      // (B,K,dit columns)
    const bex_real *mask; // (B,K)
    const unsigned char
        *shown; // (B) waypoints without noise, and a step that says so (sampler.h); NULL: none
} task;

// x_k and the noise in it
static bex_tensor *add_noise(bex_tape *tape, const bex_policy *p, const task *t, bex_rng *rng,
                             int **step, bex_tensor **noise) {
    int B = t->input->B, K = t->dit->o.K, columns = t->dit->o.columns;
    size_t chunk = (size_t)K * (size_t)columns;
    *noise = bex_tensor_new(tape, 3, BEX_DIMS(B, K, columns), false);
    bex_tensor *x = bex_tensor_new(tape, 3, BEX_DIMS(B, K, columns), false);
    *step = bex_arena_alloc(tape->arena, (size_t)B * sizeof **step);
    for (int i = 0; i < B; i++) (*step)[i] = (int)bex_rng_below(rng, (uint64_t)p->schedule.steps);
    bex_random_normal((*noise)->data, (size_t)B * chunk, rng);
    for (int i = 0; i < B; i++) {
        size_t at = (size_t)i * chunk;
        bex_diffusion_forward(&p->schedule, (*step)[i], x->data + at, t->clean + at,
                              (*noise)->data + at, chunk);
        if (t->shown && t->shown[i]) {
            (*step)[i] = bex_diffusion_shown_step(&p->schedule, (*step)[i]);
            bex_chunk_copy_columns(x->data + at, t->clean + at, (size_t)K, columns, p->A);
        }
    }
    return x;
}

// its loss; whoever has all of them goes back through the tape, once
static bex_tensor *loss_of(bex_tape *tape, const job *j, int lane, const task *t, bex_rng *rng) {
    const bex_policy *p = j->a->policy;
    const bex_dit_options *o = &t->dit->o;
    bex_tensor *pooled[BEX_ENCODER_BLOCKS], *noise;
    int *step;
    double start = bex_seconds();
    bex_tensor *x = add_noise(tape, p, t, rng, &step, &noise);
    j->a->data_seconds[lane] += bex_seconds() - start;
    bex_dit_encode(tape, t->dit, t->input, pooled);
    bex_tensor *told = bex_dit_denoise(tape, t->dit, x, step, pooled);
    bex_tensor *clean = bex_constant(tape, t->clean, 3, BEX_DIMS(t->input->B, o->K, o->columns));
    bex_tensor *target = p->schedule.predicts == BEX_PREDICTS_CHUNK ? clean : noise;
    double factor = 1.0 / ((double)j->draw.what.windows * o->columns);
    return bex_squared_error(tape, told, target, t->mask, factor);
}

// what the network with the history learns: the chunk, or with a follower its waypoints
static bex_tensor *chunk_loss(bex_tape *tape, const job *j, int lane, bex_minibatch *b,
                              bex_rng *rng) {
    const bex_policy *p = j->a->policy;
    task t = {&p->dit, &b->input, b->clean, b->mask, b->led};
    if (bex_policy_follows(p)) {
        size_t n = (size_t)b->input.B * (size_t)p->chunk.K;
        t.clean = bex_scratch(tape, n * (size_t)p->chunk.W);
        bex_chunk_take_waypoints(&p->chunk, b->clean, (size_t)b->input.B, t.clean);
        bex_real *all = bex_scratch(tape, n); // of a chunk cut by the episode's end too
        for (size_t i = 0; i < n; i++) all[i] = 1;
        t.mask = all;
    }
    return loss_of(tape, j, lane, &t, rng);
}

static bex_tensor *follower_loss(bex_tape *tape, const job *j, int lane, bex_minibatch *b,
                                 bex_rng *rng) {
    const bex_policy *p = j->a->policy;
    bex_dit_input now = b->input;
    now.G = now.B, now.history = NULL, now.coverage = NULL, now.hidden = NULL;
    unsigned char *shown = bex_arena_alloc(tape->arena, (size_t)now.B);
    memset(shown, 1, (size_t)now.B);
    task t = {&p->follower, &now, b->clean, b->mask, shown};
    return loss_of(tape, j, lane, &t, rng);
}

static int micro_batch(bex_tape *tape, const job *j, int lane, int first, int groups, bex_rng *rng,
                       double *sum) {
    bex_minibatch b;
    double start = bex_seconds();
    if (bex_minibatch_take(tape, &j->draw, first, groups, rng, &b) < 0) return -1;
    j->a->data_seconds[lane] += bex_seconds() - start;
    bex_tensor *loss = NULL;
    if (j->learn) bex_tape_train(tape, j->a->policy->params);
    bex_minibatch_see(tape, j->a->policy, &b);
    if (j->network != FOLLOWER) loss = chunk_loss(tape, j, lane, &b, rng);
    if (j->network != PROPOSER && bex_policy_follows(j->a->policy)) {
        bex_tensor *follower = follower_loss(tape, j, lane, &b, rng);
        loss = loss ? bex_add(tape, loss, follower) : follower;
    }
    if (j->learn) bex_backward(tape, loss);
    *sum += (double)loss->data[0];
    return 0;
}

static int lane_work(bex_tape *tape, int lane, void *payload, double *result) {
    const job *j = payload;
    const bex_optimiser_config *t = &j->a->config.train;
    double start = bex_seconds();
    int first, count, most = (int)t->micro / j->draw.what.S;
    if (most < 1) most = 1;
    bex_part(j->draw.what.windows / j->draw.what.S, (int)t->lanes, lane, &first, &count);
    bex_rng rng = tape->rng;
    *result = 0;
    for (int g = 0; g < count; g += most) {
        int groups = count - g < most ? count - g : most;
        if (micro_batch(tape, j, lane, first + g, groups, &rng, result) < 0) return -1;
        bex_tape_reset(tape);
    }
    j->a->lane_seconds[lane] += bex_seconds() - start;
    return 0;
}

static double sum_of(double *lanes, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += lanes[i], lanes[i] = 0;
    return sum;
}

// this update's pictures, and the next one's begun. Rows of one update are the windows of its step
static int prefetch(bex_imitation *a, job *j, int64_t step) {
    if (!a->prefetch) return 0;
    bex_minibatch_draw next = j->draw;
    double start = bex_seconds();
    if (bex_minibatch_frames(&j->draw, a->frames_arena, a->frames) < 0) return -1;
    j->draw.ready = bex_prefetch_take(a->prefetch, a->frames);
    if (!j->draw.ready) return -1;
    if (!a->config.train.overfit) next.what.t = (uint64_t)step + 1;
    next.what.cycle += next.what.windows / next.what.S;
    if (bex_minibatch_frames(&next, a->frames_arena, a->frames) < 0) return -1;
    bex_prefetch_begin(a->prefetch, a->frames);
    // all lanes wait for it
    a->data_seconds[0] += (bex_seconds() - start) * bex_lanes_threads(a->lanes);
    a->lane_seconds[0] += (bex_seconds() - start) * bex_lanes_threads(a->lanes);
    return 0;
}

int bex_imitation_update(bex_agent *agent, int64_t step, bex_update *out) {
    bex_imitation *a = (bex_imitation *)agent;
    const bex_optimiser_config *t = &a->config.train;
    job j = {.a = a, .learn = true};
    j.draw = (bex_minibatch_draw){
        .a = a,
        .what = {.part = &a->train,
                 .t = t->overfit ? 0 : (uint64_t)step,
                 .windows = (int)t->batch,
                 .S = bex_minibatch_group(a),
                 .fixed = (int)t->overfit},
        .how = {.hide = t->coverage_dropout,
                .lead = a->policy->config.diffusion.show_waypoints,
                .augment = true},
    };
    j.draw.what.cycle = step * (j.draw.what.windows / j.draw.what.S);
    if (prefetch(a, &j, step) < 0) return -1;
    bex_rng rng = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "update", (uint64_t)step);
    bex_params_pack(a->policy->params, bex_lanes_threads(a->lanes));
    int code = bex_lanes_learn(a->lanes, rng, lane_work, &j, a->policy->params, &out->loss);
    out->samples = t->batch;
    out->data_seconds = sum_of(a->data_seconds, (int)t->lanes);
    out->lane_seconds = sum_of(a->lane_seconds, (int)t->lanes);
    if (code < 0 || check_finite("loss", out->loss, (long long)step) < 0) return -1;
    out->lr = bex_schedule_lr(&a->schedule, (long)step);
    out->grad_norm =
        bex_adam_step(a->policy->params, &a->adam, out->lr, bex_lanes_threads(a->lanes));
    if (!isfinite(out->grad_norm))
        return bex_fail(
            "the gradient is not finite at step %lld: a smaller train.lr, or train.clip",
            (long long)step);
    return 0;
}

// the running average is what acts, so it is what is judged; twice restores
static void swap_average(bex_params *p) {
    bex_real *value = p->value;
    if (!p->ema) return;
    p->value = p->ema;
    p->ema = value;
    bex_params_changed(p);
}

static int held_out_loss(bex_imitation *a, job *j, double *loss) {
    bex_rng rng = bex_rng_split(bex_rng_seed((uint64_t)a->config.train.seed), "evaluate", 0);
    bex_params_pack(a->policy->params, bex_lanes_threads(a->lanes));
    int code = bex_lanes_run(a->lanes, rng, lane_work, j, loss);
    sum_of(a->data_seconds, (int)a->config.train.lanes);
    sum_of(a->lane_seconds, (int)a->config.train.lanes);
    return code < 0 ? code : check_finite("held-out loss", *loss, a->policy->params->step);
}

// how each is judged; the follower's is beside the first
static const struct {
    bex_minibatch_ablation without;
    bool near;
} judgements[BEX_JUDGED_KINDS] = {
    [BEX_JUDGED_OTHER_HISTORY] = {.without = {.other_history = true}},
    [BEX_JUDGED_NO_COVERAGE] = {.without = {.no_coverage = true}},
    [BEX_JUDGED_OTHER_PICTURES] = {.without = {.other_pictures = true}},
    [BEX_JUDGED_NEAR] = {.near = true},
    [BEX_JUDGED_NEAR_OTHER_HISTORY] = {.without = {.other_history = true}, .near = true},
};

// whether the policy has what would be taken away
static bool can_judge(const bex_imitation *a, int kind) {
    const bex_dit_options *o = &a->policy->dit.o;
    return a->column[kind] >= 0 && !(judgements[kind].without.other_history && !o->N) &&
           !(judgements[kind].without.no_coverage && !o->coverage);
}

int bex_imitation_evaluate(bex_agent *agent, bex_evaluation *out) {
    bex_imitation *a = (bex_imitation *)agent;
    const bex_params *p = a->policy->params;
    out->score = NAN;
    for (int i = 0; i < BEX_AGENT_COLUMNS; i++) out->more[i] = NAN;
    // each rank updates its own copy
    if (bex_ranks_alike("weights", p->value, p->count * sizeof *p->value) < 0) return -1;
    if (!a->held.data) return 0;
    int S = bex_minibatch_group(a), histories = (int)a->config.train.evaluate_windows / S;
    job j = {.a = a, .network = PROPOSER, .draw = {.a = a}};
    j.draw.what = (bex_minibatch_windows){
        .part = &a->held, .S = S, .windows = histories > 1 ? histories * S : S};
    swap_average(a->policy->params);
    int code = held_out_loss(a, &j, &out->score);
    for (int kind = 0; kind < BEX_JUDGED_KINDS && !code; kind++) {
        if (!can_judge(a, kind)) continue;
        j.draw.without = judgements[kind].without;
        j.draw.what.near = judgements[kind].near;
        j.network = kind == BEX_JUDGED_FOLLOWER ? FOLLOWER : PROPOSER;
        code = held_out_loss(a, &j, &out->more[a->column[kind]]);
    }
    swap_average(a->policy->params);
    return code;
}
