/* agent/denoising.c - one update of be or bc: draw windows, noise their chunks, learn to tell the noise.
 *
 *   lane -> micro-batches of whole groups -> [ draw | label | gather | noise ] -> encode -> denoise -> loss
 *
 * All buffers of a micro-batch are in the tape's arena: nothing is allocated in a steady update. */
#include "agent/imitation.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/ranks.h"
#include "kernel/random.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct {
    bex_dit_input input;
    bex_real *clean, *mask; // (B,K,A), (B,K)
} batch;

typedef struct {
    bex_imitation *a;
    const bex_imitation_part *part;
    uint64_t t; // step whose windows are drawn
    bool learn;
    bool other_history, no_coverage; // agent/imitation.h
    int windows, S;                  // of the whole batch; windows per history
    int64_t overfit;                 // number of the batch's first group in the cycle of fixed ones
    double factor;                   // of the loss
    atomic_int failed; // lanes whose labels failed; messages are per thread, so the first is kept
    char why[256];
} job;

static void *take(bex_tape *tape, size_t bytes) {
    return bex_arena_alloc(tape->arena, bytes);
}

// with train.overfit the same groups come back, in a cycle that goes on from step to step
static int group_index(const job *j, int group) {
    int fixed = (int)j->a->config.train.overfit;
    if (!fixed || !j->learn) return group;
    int groups = fixed / j->S > 0 ? fixed / j->S : 1;
    return (int)((j->overfit + group) % groups);
}

static double fail_in_lane(job *j) {
    if (atomic_fetch_add(&j->failed, 1) == 0) snprintf(j->why, sizeof j->why, "%s", bex_error());
    return (double)NAN;
}

// what the lanes came to: 0, or negative with a message
static int outcome(const job *j, const char *what, double loss, long long step) {
    if (isfinite(loss)) return 0; // a lane that failed gave NAN, and all ranks saw it
    if (bex_ranks_settle(j->failed ? bex_fail("%s", j->why) : 0) < 0) return -1;
    return bex_fail("the %s is %g at step %lld: a smaller train.lr, or train.clip", what, loss,
                    step);
}

static const bex_real *gather(bex_tape *tape, const bex_real *rows_of, int width, const int *rows,
                              int n) {
    bex_real *out = take(tape, (size_t)n * (size_t)width * sizeof *out);
    for (int i = 0; i < n; i++)
        memcpy(out + (size_t)i * (size_t)width, rows_of + (size_t)rows[i] * (size_t)width,
               (size_t)width * sizeof *out);
    return out;
}

// the history rows of a group, once (prefix) or once for each of its windows (full)
static const bex_real *gather_history(bex_tape *tape, const job *j, const int *rows, int groups) {
    const bex_dit_options *o = &j->a->policy->dit.o;
    int copies = o->mode == BEX_DIT_PREFIX ? 1 : j->S, N = o->N, O = o->O;
    size_t size = (size_t)N * (size_t)O;
    bex_real *out = take(tape, (size_t)groups * (size_t)copies * size * sizeof *out);
    for (int g = 0; g < groups; g++) {
        bex_real *first = out + (size_t)g * (size_t)copies * size;
        for (int i = 0; i < N; i++)
            memcpy(first + (size_t)i * (size_t)O,
                   j->part->states + (size_t)rows[g * N + i] * (size_t)O, (size_t)O * sizeof *out);
        for (int c = 1; c < copies; c++)
            memcpy(first + (size_t)c * size, first, size * sizeof *out);
    }
    return out;
}

// columns of chunk row k behind the actions: the state (k + 1) F / K steps on, or the episode's last
static void waypoint_of(const bex_policy *p, const bex_imitation_part *part, const bex_window *w,
                        int k, bex_real *to) {
    int64_t last = part->data->start[w->episode + 1] - 1;
    int64_t row = w->row + (k + 1) * p->config.coverage.future / p->dit.o.K;
    const bex_real *s = part->states + (size_t)(row < last ? row : last) * (size_t)p->dit.o.O;
    for (int i = 0; i < p->W; i++) to[i] = bex_policy_waypoint_value(s[p->waypoint[i]]);
}

void bex_imitation_chunk(const bex_policy *p, const bex_imitation_part *part, const bex_window *w,
                         bex_real *chunk, bex_real *mask) {
    size_t A = (size_t)p->A, wide = (size_t)p->dit.o.A;
    for (int k = 0; k < p->dit.o.K; k++) {
        bool inside = k < w->actions;
        int row = w->row + (inside ? k : w->actions - 1);
        bex_real *to = chunk + (size_t)k * wide;
        memcpy(to, part->actions + (size_t)row * A, A * sizeof *to);
        if (p->W) waypoint_of(p, part, w, k, to + A);
        mask[k] = inside ? R(1) : R(0);
    }
}

static void gather_chunks(bex_tape *tape, const job *j, const bex_window *w, int B, batch *b) {
    const bex_policy *p = j->a->policy;
    size_t K = (size_t)p->dit.o.K, chunk = K * (size_t)p->dit.o.A;
    b->clean = take(tape, (size_t)B * chunk * sizeof *b->clean);
    b->mask = take(tape, (size_t)B * K * sizeof *b->mask);
    for (size_t i = 0; i < (size_t)B; i++)
        bex_imitation_chunk(p, j->part, &w[i], b->clean + i * chunk, b->mask + i * K);
}

static void gather_labels(bex_tape *tape, const job *j, const bex_window *w, int B, batch *b) {
    const bex_dit_options *o = &j->a->policy->dit.o;
    const bex_dataset *d = j->part->data;
    int *task = take(tape, (size_t)B * sizeof *task),
        *scene = take(tape, (size_t)B * sizeof *scene);
    bex_real *time = take(tape, (size_t)B * sizeof *time);
    for (int i = 0; i < B; i++) {
        task[i] = d->task[w[i].episode], scene[i] = d->scene[w[i].episode];
        time[i] = (bex_real)(w[i].row - d->start[w[i].episode]) /
                  (bex_real)j->a->config.policy.model.horizon;
    }
    if (o->tasks) b->input.task = task;
    if (o->scenes) b->input.scene = scene;
    b->input.timestep = time;
}

// histories of the step that belong to no group of the batch
static const int *others(bex_tape *tape, const job *j, int first, int groups) {
    int N = j->a->policy->dit.o.N;
    int *history = take(tape, (size_t)groups * (size_t)N * sizeof *history);
    for (int g = 0; g < groups; g++)
        bex_windows_history(j->part->windows, j->t, j->windows / j->S + first + g, history + g * N);
    return history;
}

// windows of groups first .. first + groups - 1 of the batch
static int draw(bex_tape *tape, const job *j, int first, int groups, bex_rng *rng, batch *b) {
    const bex_imitation *a = j->a;
    const bex_dit_options *o = &a->policy->dit.o;
    int S = j->S, N = o->N, B = groups * S;
    bex_window *w = take(tape, (size_t)B * sizeof *w);
    int *history = take(tape, (size_t)groups * (size_t)(N ? N : 1) * sizeof *history);
    int *row = take(tape, (size_t)B * sizeof *row);
    for (int g = 0; g < groups; g++) {
        int index = group_index(j, first + g);
        for (int s = 0; s < S; s++)
            w[g * S + s] = bex_windows_draw(j->part->windows, j->t, index * S + s);
        if (N) bex_windows_history(j->part->windows, j->t, index, history + g * N);
    }
    for (int i = 0; i < B; i++) row[i] = w[i].row;
    *b = (batch){.input = {.B = B, .G = o->mode == BEX_DIT_PREFIX ? groups : B}};
    b->input.state = gather(tape, j->part->states, o->O, row, B);
    gather_chunks(tape, j, w, B, b);
    gather_labels(tape, j, w, B, b);
    if (N)
        b->input.history = gather_history(
            tape, j, j->other_history ? others(tape, j, first, groups) : history, groups);
    if (!o->coverage) return 0;
    bex_real *value = take(tape, (size_t)B * sizeof *value);
    unsigned char *hidden = take(tape, (size_t)B);
    bex_imitation_group group = {j->part, groups, S, N, history, w};
    if (a->label(a, tape->arena, &group, value) < 0) return -1;
    double hide = j->learn ? a->config.train.hide : 0;
    for (int i = 0; i < B; i++)
        hidden[i] = j->no_coverage || (hide > 0 && bex_rng_uniform(rng) < hide);
    b->input.coverage = value;
    b->input.hidden = hidden;
    return 0;
}

// x_k and the noise in it
static bex_tensor *add_noise(bex_tape *tape, const bex_policy *p, const batch *b, bex_rng *rng,
                             int **step, bex_tensor **noise) {
    int B = b->input.B, K = p->dit.o.K, A = p->dit.o.A;
    size_t chunk = (size_t)K * (size_t)A;
    *noise = bex_tensor_new(tape, 3, BEX_DIMS(B, K, A), false);
    bex_tensor *x = bex_tensor_new(tape, 3, BEX_DIMS(B, K, A), false);
    *step = take(tape, (size_t)B * sizeof **step);
    for (int i = 0; i < B; i++) (*step)[i] = (int)bex_rng_below(rng, (uint64_t)p->schedule.steps);
    bex_random_normal((*noise)->data, (size_t)B * chunk, rng);
    for (int i = 0; i < B; i++) {
        double a = p->schedule.alpha_bar[(*step)[i]];
        bex_real s = R(sqrt(a)), n = R(sqrt(1 - a));
        for (size_t e = (size_t)i * chunk; e < (size_t)(i + 1) * chunk; e++)
            x->data[e] = s * b->clean[e] + n * (*noise)->data[e];
    }
    return x;
}

static double micro_batch(bex_tape *tape, job *j, int lane, int first, int groups, bex_rng *rng) {
    const bex_policy *p = j->a->policy;
    batch b;
    bex_tensor *pooled[BEX_ENCODER_BLOCKS], *noise;
    int *step;
    double start = bex_seconds();
    if (draw(tape, j, first, groups, rng, &b) < 0) return fail_in_lane(j);
    bex_tensor *x = add_noise(tape, p, &b, rng, &step, &noise);
    j->a->data_seconds[lane] += bex_seconds() - start;
    if (j->learn) bex_tape_train(tape, p->params);
    bex_dit_encode(tape, &p->dit, &b.input, pooled);
    bex_tensor *eps = bex_dit_denoise(tape, &p->dit, x, step, pooled);
    bex_tensor *loss = bex_squared_error(tape, eps, noise, b.mask, j->factor);
    if (j->learn) bex_backward(tape, loss);
    return (double)loss->data[0];
}

static double lane_work(bex_tape *tape, int lane, void *payload) {
    job *j = payload;
    const bex_optimiser_config *t = &j->a->config.train;
    double sum = 0, start = bex_seconds();
    int first, count, most = (int)t->micro / j->S;
    if (most < 1) most = 1;
    bex_lane_slice(j->windows / j->S, (int)t->lanes, lane, &first, &count);
    bex_rng rng = tape->rng;
    for (int g = 0; g < count; g += most) {
        int groups = count - g < most ? count - g : most;
        sum += micro_batch(tape, j, lane, first + g, groups, &rng);
        bex_tape_reset(tape);
    }
    j->a->lane_seconds[lane] += bex_seconds() - start;
    return sum;
}

static int windows_per_history(const bex_imitation *a) {
    return a->policy->dit.o.N ? (int)a->config.train.samples_per_history : 1;
}

static double seconds_of(double *lanes, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += lanes[i], lanes[i] = 0;
    return sum;
}

int bex_imitation_update(bex_agent *agent, int64_t step, bex_update *out) {
    bex_imitation *a = (bex_imitation *)agent;
    const bex_optimiser_config *t = &a->config.train;
    job j = {.a = a,
             .part = &a->train,
             .learn = true,
             .windows = (int)t->batch,
             .S = windows_per_history(a)};
    j.t = t->overfit ? 0 : (uint64_t)step;
    j.overfit = step * (j.windows / j.S);
    j.factor = 1.0 / ((double)t->batch * a->policy->dit.o.A);
    bex_rng rng = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "update", (uint64_t)step);
    bex_params_pack(a->policy->params, bex_lanes_threads(a->lanes));
    int code = bex_lanes_learn(a->lanes, rng, lane_work, &j, a->policy->params, &out->loss);
    out->samples = t->batch;
    out->data_seconds = seconds_of(a->data_seconds, (int)t->lanes);
    out->lane_seconds = seconds_of(a->lane_seconds, (int)t->lanes);
    if (code < 0 || outcome(&j, "loss", out->loss, (long long)step) < 0) return -1;
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
    *loss = bex_lanes_run(a->lanes, rng, lane_work, j);
    seconds_of(a->data_seconds, (int)a->config.train.lanes);
    seconds_of(a->lane_seconds, (int)a->config.train.lanes);
    return outcome(j, "held-out loss", *loss, a->policy->params->step);
}

int bex_imitation_evaluate(bex_agent *agent, bex_evaluation *out) {
    bex_imitation *a = (bex_imitation *)agent;
    const bex_dit_options *o = &a->policy->dit.o;
    const bex_params *p = a->policy->params;
    *out = (bex_evaluation){NAN, {NAN, NAN}};
    // each rank updates its own copy
    if (bex_ranks_alike("weights", p->value, p->count * sizeof *p->value) < 0) return -1;
    if (!a->held.data) return 0;
    job j = {.a = a, .part = &a->held, .S = windows_per_history(a)};
    j.windows = (int)a->config.train.evaluate_windows / j.S * j.S;
    if (j.windows < j.S) j.windows = j.S;
    j.factor = 1.0 / ((double)j.windows * o->A);
    swap_average(a->policy->params);
    int code = held_out_loss(a, &j, &out->score);
    j.other_history = true;
    if (!code && o->N) code = held_out_loss(a, &j, &out->more[BEX_OTHER_HISTORY]);
    j.other_history = false, j.no_coverage = true;
    if (!code && o->coverage) code = held_out_loss(a, &j, &out->more[BEX_NO_COVERAGE]);
    swap_average(a->policy->params);
    return code;
}
