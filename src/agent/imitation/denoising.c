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
    double factor; // of the loss
} job;

static int check_finite(const char *what, double loss, long long step) {
    if (isfinite(loss)) return 0;
    return bex_fail("the %s is %g at step %lld: a smaller train.lr, or train.clip", what, loss,
                    step);
}

// x_k and the noise in it; led windows have it in their actions alone, and a step that says so (sampler.h)
static bex_tensor *add_noise(bex_tape *tape, const bex_policy *p, const bex_minibatch *b,
                             bex_rng *rng, int **step, bex_tensor **noise) {
    int B = b->input.B, K = p->dit.o.K, columns = p->dit.o.columns;
    size_t chunk = (size_t)K * (size_t)columns;
    *noise = bex_tensor_new(tape, 3, BEX_DIMS(B, K, columns), false);
    bex_tensor *x = bex_tensor_new(tape, 3, BEX_DIMS(B, K, columns), false);
    *step = bex_arena_alloc(tape->arena, (size_t)B * sizeof **step);
    for (int i = 0; i < B; i++) (*step)[i] = (int)bex_rng_below(rng, (uint64_t)p->schedule.steps);
    bex_random_normal((*noise)->data, (size_t)B * chunk, rng);
    for (int i = 0; i < B; i++) {
        size_t at = (size_t)i * chunk;
        bex_diffusion_forward(&p->schedule, (*step)[i], x->data + at, b->clean + at,
                              (*noise)->data + at, chunk);
        if (b->led && b->led[i]) {
            (*step)[i] = bex_diffusion_shown_step(&p->schedule, (*step)[i]);
            bex_chunk_copy_columns(x->data + at, b->clean + at, (size_t)K, columns, p->A);
        }
    }
    return x;
}

static int micro_batch(bex_tape *tape, const job *j, int lane, int first, int groups, bex_rng *rng,
                       double *sum) {
    const bex_policy *p = j->a->policy;
    bex_minibatch b;
    bex_tensor *pooled[BEX_ENCODER_BLOCKS], *noise;
    int *step;
    double start = bex_seconds();
    if (bex_minibatch_take(tape, &j->draw, first, groups, rng, &b) < 0) return -1;
    bex_tensor *x = add_noise(tape, p, &b, rng, &step, &noise);
    j->a->data_seconds[lane] += bex_seconds() - start;
    if (j->learn) bex_tape_train(tape, p->params);
    bex_minibatch_see(tape, p, &b);
    bex_dit_encode(tape, &p->dit, &b.input, pooled);
    bex_tensor *told = bex_dit_denoise(tape, &p->dit, x, step, pooled);
    bex_tensor *clean =
        bex_constant(tape, b.clean, 3, BEX_DIMS(b.input.B, p->dit.o.K, p->dit.o.columns));
    bex_tensor *target = p->schedule.predicts == BEX_PREDICTS_CHUNK ? clean : noise;
    bex_tensor *loss = bex_squared_error(tape, told, target, b.mask, j->factor);
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

static double seconds_of(double *lanes, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += lanes[i], lanes[i] = 0;
    return sum;
}

// this update's pictures, and the next one's begun. Rows of one update are the windows of its step
static int prefetch(bex_imitation *a, job *j, int64_t step) {
    if (!a->prefetch) return 0;
    bex_minibatch_windows next = j->draw.what;
    double start = bex_seconds();
    bex_minibatch_frames(&j->draw.what, a->frames);
    j->draw.ready = bex_prefetch_take(a->prefetch, a->frames);
    if (!j->draw.ready) return -1;
    if (!a->config.train.overfit) next.t = (uint64_t)step + 1;
    next.cycle += next.windows / next.S;
    bex_minibatch_frames(&next, a->frames);
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
    j.factor = 1.0 / ((double)t->batch * a->policy->dit.o.columns);
    bex_rng rng = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "update", (uint64_t)step);
    bex_params_pack(a->policy->params, bex_lanes_threads(a->lanes));
    int code = bex_lanes_learn(a->lanes, rng, lane_work, &j, a->policy->params, &out->loss);
    out->samples = t->batch;
    out->data_seconds = seconds_of(a->data_seconds, (int)t->lanes);
    out->lane_seconds = seconds_of(a->lane_seconds, (int)t->lanes);
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
    seconds_of(a->data_seconds, (int)a->config.train.lanes);
    seconds_of(a->lane_seconds, (int)a->config.train.lanes);
    return code < 0 ? code : check_finite("held-out loss", *loss, a->policy->params->step);
}

int bex_imitation_evaluate(bex_agent *agent, bex_evaluation *out) {
    bex_imitation *a = (bex_imitation *)agent;
    const bex_dit_options *o = &a->policy->dit.o;
    const bex_params *p = a->policy->params;
    *out = (bex_evaluation){NAN, {NAN, NAN, NAN}};
    // each rank updates its own copy
    if (bex_ranks_alike("weights", p->value, p->count * sizeof *p->value) < 0) return -1;
    if (!a->held.data) return 0;
    job j = {.a = a, .draw = {.a = a, .what = {.part = &a->held, .S = bex_minibatch_group(a)}}};
    int S = j.draw.what.S, histories = (int)a->config.train.evaluate_windows / S;
    j.draw.what.windows = histories > 1 ? histories * S : S;
    j.factor = 1.0 / ((double)j.draw.what.windows * o->columns);
    swap_average(a->policy->params);
    int code = held_out_loss(a, &j, &out->score);
    j.draw.without.other_history = true;
    if (!code && o->N) code = held_out_loss(a, &j, &out->more[BEX_OTHER_HISTORY]);
    j.draw.without.other_history = false, j.draw.without.no_coverage = true;
    if (!code && o->coverage) code = held_out_loss(a, &j, &out->more[BEX_NO_COVERAGE]);
    j.draw.without.no_coverage = false, j.draw.without.other_pictures = true;
    if (!code && o->cameras) code = held_out_loss(a, &j, &out->more[BEX_OTHER_PICTURES]);
    swap_average(a->policy->params);
    return code;
}
