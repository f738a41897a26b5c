/* agent/sight/encoder.c - pictures in, states out. Which moments an update has is a function of (seed,
 * step). */
#include "agent/sight/encoder.h"

#include "agent/sight/pixels.h"
#include "agent/sight/prefetch.h"
#include "agent/sight/sight_config.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/path.h"
#include "data/subset.h"
#include "nn/adam.h"
#include "nn/lanes.h"
#include "nn/param_file.h"
#include "nn/schedule.h"
#include "policy/normaliser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS_MULTIPLE = 16 };

typedef struct {
    bex_agent agent;
    bex_train_config config;
    bex_dataset *train, *held; // observations are normalised; held NULL: nothing held out
    bex_normaliser normaliser;
    bex_params *params;
    bex_vision vision;
    const bex_param *w, *b; // (O, cameras P F), (O)
    bex_lanes *lanes;
    bex_schedule schedule;
    bex_adam adam;
    bex_prefetch *prefetch;
    int *rows, *frames;                  // (batch or evaluated windows)
    double *data_seconds, *lane_seconds; // (lanes)
} encoder;

static void free_encoder(bex_agent *agent) {
    encoder *e = (encoder *)agent;
    if (!e) return;
    bex_prefetch_free(e->prefetch);
    bex_dataset_free(e->train);
    bex_dataset_free(e->held);
    bex_normaliser_fini(&e->normaliser);
    bex_params_free(e->params);
    bex_lanes_free(e->lanes);
    free(e->rows), free(e->frames);
    free(e->data_seconds), free(e->lane_seconds);
    free(e);
}

/* ---- making ---- */

static int make_network(encoder *e) {
    const bex_vision_config *v = &e->config.policy.vision;
    bex_resnet_options net = {.depth = v->network ? 34 : 18,
                              .width = (int)v->channels,
                              .groups = CHANNELS_MULTIPLE,
                              .pool = (bex_resnet_pool)v->pool};
    if (v->channels % CHANNELS_MULTIPLE)
        return bex_fail("vision.channels %lld is not a multiple of %d", v->channels,
                        CHANNELS_MULTIPLE);
    if (!(e->params = bex_params_new())) return -1;
    e->vision = bex_vision_add(e->params, (bex_vision_options){.cameras = bex_vision_cameras(v),
                                                               .height = (int)v->height,
                                                               .width = (int)v->width,
                                                               .shared = v->shared,
                                                               .net = net});
    int wide = e->vision.o.cameras * e->vision.places * e->vision.features, O = e->train->O;
    e->w = bex_param_add(e->params, BEX_INIT_UNIFORM(wide), 2, BEX_DIMS(O, wide), "head.weight");
    e->b = bex_param_add(e->params, BEX_INIT_UNIFORM(wide), 1, BEX_DIMS(O), "head.bias");
    bex_rng g = bex_rng_split(bex_rng_seed((uint64_t)e->config.train.seed), "init", 0);
    if (bex_params_build(e->params, bex_lanes_blocks(e->lanes), g) < 0) return -1;
    return bex_sight_load(&e->config, e->params, &e->vision);
}

static int set_up(encoder *e) {
    const bex_optimiser_config *t = &e->config.train;
    bex_dataset *d = e->train;
    if (!d->pictures) {
        bex_fail("an encoder learns from pictures: data.images is empty");
        return bex_fail_hint("bex data show FILE names the cameras");
    }
    if (bex_sight_take_cameras(&e->config, d) < 0) return -1;
    if (t->steps < t->warmup)
        return bex_fail("train.warmup %lld exceeds train.steps %lld", t->warmup, t->steps);
    bex_rng g = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "hold out", 0);
    if (e->config.data.held_out > 0 &&
        !(e->held = bex_dataset_hold_out(d, e->config.data.held_out, g)))
        return -1;
    if (bex_normaliser_fit(&e->normaliser, d->observations, d->actions, d->rows, d->O, d->A, true) <
        0)
        return -1;
    bex_normalise_states(&e->normaliser, d->observations, d->observations, d->rows);
    if (e->held)
        bex_normalise_states(&e->normaliser, e->held->observations, e->held->observations,
                             e->held->rows);
    e->lanes = bex_lanes_spread((int)t->lanes, (int)t->threads);
    if (make_network(e) < 0) return -1;
    e->schedule = (bex_schedule){t->lr, (long)t->warmup, (long)t->steps};
    e->adam = (bex_adam)BEX_ADAMW_INIT;
    e->adam.beta1 = t->beta1, e->adam.beta2 = t->beta2, e->adam.decay = t->decay;
    e->adam.clip = t->clip, e->adam.ema_decay = t->ema;
    size_t most = (size_t)(t->batch > t->evaluate_windows ? t->batch : t->evaluate_windows);
    e->rows = malloc(most * sizeof *e->rows), e->frames = malloc(most * sizeof *e->frames);
    e->data_seconds = calloc((size_t)t->lanes, sizeof *e->data_seconds);
    e->lane_seconds = calloc((size_t)t->lanes, sizeof *e->lane_seconds);
    e->prefetch = bex_prefetch_new(d->pictures, (int)t->batch);
    if (!e->prefetch) return -1;
    bool whole = e->rows && e->frames && e->data_seconds && e->lane_seconds;
    return whole ? 0 : bex_fail("out of memory");
}

static bex_agent *make(const bex_train_config *config, bex_sources *sources) {
    encoder *e = calloc(1, sizeof *e);
    if (!e) {
        bex_sources_fini(sources);
        return bex_fail("out of memory"), NULL;
    }
    e->agent.class = &bex_agent_encoder;
    e->config = *config;
    e->train = sources->data;
    if (set_up(e) == 0) return &e->agent;
    free_encoder(&e->agent);
    return NULL;
}

/* ---- learning ---- */

typedef struct {
    encoder *e;
    const bex_dataset *data;
    const int *rows; // (windows)
    const unsigned char *ready;
    int windows;
    uint64_t step;
    bool learn;
} job;

// the moments of an update, or of an evaluation
static void draw_rows(const encoder *e, const bex_dataset *d, uint64_t step, int n, int *rows) {
    uint64_t fixed = (uint64_t)e->config.train.overfit;
    bex_rng root =
        bex_rng_split(bex_rng_seed((uint64_t)e->config.train.seed), "moments", fixed ? 0 : step);
    for (int i = 0; i < n; i++) {
        bex_rng g = bex_rng_split(root, "moment", fixed ? (uint64_t)i % fixed : (uint64_t)i);
        rows[i] = (int)bex_rng_below(&g, (uint64_t)d->rows);
    }
}

// windows first .. of the job: their share of the loss
static int micro_batch(bex_tape *tape, const job *j, int lane, int first, int B, double *sum) {
    encoder *e = j->e;
    const bex_vision *v = &e->vision;
    const bex_optimiser_config *t = &e->config.train;
    size_t picture = bex_vision_picture(v), O = (size_t)j->data->O;
    int *frames = bex_arena_alloc(tape->arena, (size_t)B * sizeof *frames);
    int *number = bex_arena_alloc(tape->arena, (size_t)B * sizeof *number);
    bex_real *target = bex_scratch(tape, (size_t)B * O);
    bex_real *pixels = bex_scratch(tape, (size_t)(v->o.cameras * B) * picture);
    const bex_augmentation change = {t->crop, t->blur, t->colour};
    double start = bex_seconds();
    for (int i = 0; i < B; i++) {
        int row = j->rows[first + i];
        frames[i] = j->data->frames[row], number[i] = first + i;
        memcpy(target + (size_t)i * O, j->data->observations + (size_t)row * O, O * sizeof *target);
    }
    bex_pixels_request q = {
        .pictures = j->data->pictures,
        .frames = frames,
        .number = number,
        .B = B,
        .ready = j->ready ? j->ready + (size_t)(first * v->o.cameras) * picture : NULL,
        .augment = j->learn ? &change : NULL,
        .rng = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "pictures", j->step)};
    if (bex_pixels_gather(pixels, tape->arena, &q) < 0) return -1;
    e->data_seconds[lane] += bex_seconds() - start;
    if (j->learn) bex_tape_train(tape, e->params);
    bex_tensor *seen[BEX_CAMERAS], *x = NULL;
    bex_vision_run(tape, v, pixels, B, seen);
    for (int c = 0; c < v->o.cameras; c++) {
        bex_tensor *one = bex_reshape(tape, seen[c], 2, BEX_DIMS(B, v->places * v->features));
        x = x ? bex_concat(tape, x, one, 1) : one;
    }
    x = bex_linear(tape, x, e->w, e->b, BEX_ACTIVATION_ID);
    bex_tensor *want = bex_constant(tape, target, 2, BEX_DIMS(B, (int)O));
    bex_tensor *loss =
        bex_squared_error(tape, x, want, NULL, 1.0 / ((double)j->windows * (double)O));
    if (j->learn) bex_backward(tape, loss);
    *sum += (double)loss->data[0];
    return 0;
}

static int lane_work(bex_tape *tape, int lane, void *payload, double *result) {
    const job *j = payload;
    const bex_optimiser_config *t = &j->e->config.train;
    double start = bex_seconds();
    int first, count, most = (int)t->micro;
    bex_part(j->windows, (int)t->lanes, lane, &first, &count);
    *result = 0;
    for (int i = 0; i < count; i += most) {
        int B = count - i < most ? count - i : most;
        if (micro_batch(tape, j, lane, first + i, B, result) < 0) return -1;
        bex_tape_reset(tape);
    }
    j->e->lane_seconds[lane] += bex_seconds() - start;
    return 0;
}

static double seconds_of(double *lanes, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += lanes[i], lanes[i] = 0;
    return sum;
}

static void frames_of(const bex_dataset *d, const int *rows, int n, int *frames) {
    for (int i = 0; i < n; i++) frames[i] = d->frames[rows[i]];
}

static int update(bex_agent *agent, int64_t step, bex_update *out) {
    encoder *e = (encoder *)agent;
    const bex_optimiser_config *t = &e->config.train;
    int B = (int)t->batch, threads = bex_lanes_threads(e->lanes);
    job j = {.e = e, .data = e->train, .rows = e->rows, .windows = B, .step = (uint64_t)step};
    j.learn = true;
    // the next update's pictures are begun before this one's rows are drawn again
    draw_rows(e, e->train, (uint64_t)step, B, e->rows);
    frames_of(e->train, e->rows, B, e->frames);
    double start = bex_seconds();
    if (!(j.ready = bex_prefetch_take(e->prefetch, e->frames))) return -1;
    e->data_seconds[0] += (bex_seconds() - start) * threads;
    e->lane_seconds[0] += (bex_seconds() - start) * threads;
    draw_rows(e, e->train, (uint64_t)step + 1, B, e->frames);
    frames_of(e->train, e->frames, B, e->frames);
    bex_prefetch_begin(e->prefetch, e->frames);
    bex_params_pack(e->params, threads);
    bex_rng rng = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "update", (uint64_t)step);
    int code = bex_lanes_learn(e->lanes, rng, lane_work, &j, e->params, &out->loss);
    out->samples = t->batch;
    out->data_seconds = seconds_of(e->data_seconds, (int)t->lanes);
    out->lane_seconds = seconds_of(e->lane_seconds, (int)t->lanes);
    if (code < 0) return -1;
    out->lr = bex_schedule_lr(&e->schedule, (long)step);
    if (isfinite(out->loss)) out->grad_norm = bex_adam_step(e->params, &e->adam, out->lr, threads);
    if (isfinite(out->loss) && isfinite(out->grad_norm)) return 0;
    return bex_fail("loss %g, gradient %g at step %lld: a smaller train.lr, or train.clip",
                    out->loss, out->grad_norm, (long long)step);
}

// the running average is what is saved as the network, so it is what is judged; twice restores
static void swap_average(bex_params *p) {
    bex_real *value = p->value;
    if (!p->ema) return;
    p->value = p->ema;
    p->ema = value;
    bex_params_changed(p);
}

static int evaluate(bex_agent *agent, bex_evaluation *out) {
    encoder *e = (encoder *)agent;
    *out = (bex_evaluation){.score = NAN};
    if (!e->held) return 0;
    int n = (int)e->config.train.evaluate_windows;
    job j = {.e = e, .data = e->held, .rows = e->rows, .windows = n};
    draw_rows(e, e->held, UINT64_MAX, n, e->rows);
    swap_average(e->params);
    bex_params_pack(e->params, bex_lanes_threads(e->lanes));
    int code = bex_lanes_run(e->lanes, bex_rng_seed(0), lane_work, &j, &out->score);
    swap_average(e->params);
    seconds_of(e->data_seconds, (int)e->config.train.lanes);
    seconds_of(e->lane_seconds, (int)e->config.train.lanes);
    if (code < 0) return -1;
    return isfinite(out->score) ? 0 : bex_fail("the held-out loss is not finite");
}

/* ---- files ---- */

static int save(const bex_agent *agent, const char *folder) {
    const encoder *e = (const encoder *)agent;
    char path[BEX_PATH_SIZE];
    int code = 0;
    for (int k = 0; k < 2 && !code; k++) {
        if (bex_path_join(path, folder, "%s.safetensors", k ? "state" : "model") < 0) return -1;
        bex_st_writer *w = bex_st_writer_new();
        if (k) {
            bex_params_add_state(e->params, w);
        } else {
            bex_st_add_metadata(w, "format", "bex-encoder-1");
            bex_st_add_metadata(w, "images", e->config.policy.vision.images);
            bex_params_add_values(e->params, w);
            bex_normaliser_save(&e->normaliser, w);
        }
        code = bex_st_save(w, path);
        bex_st_writer_free(w);
    }
    return code;
}

static int read_model(bex_agent *agent, const bex_st_file *f) {
    return bex_params_read_values(((encoder *)agent)->params, f);
}

static int read_state(bex_agent *agent, const bex_st_file *f) {
    return bex_params_read_state(((encoder *)agent)->params, f);
}

static int load(bex_agent *agent, const char *folder) {
    return bex_agent_load(agent, folder, read_model, read_state);
}

static void describe(const bex_agent *agent, FILE *out) {
    const encoder *e = (const encoder *)agent;
    const bex_vision *v = &e->vision;
    double flops = 3 * bex_vision_flops(v) * (double)e->config.train.batch;
    fprintf(out, "agent        encoder: %d state columns from pictures\n", e->train->O);
    fprintf(out, "data         %d episodes, %d rows; %d episodes held out\n", e->train->episodes,
            e->train->rows, e->held ? e->held->episodes : 0);
    fprintf(out, "pictures     %s: %d x %d pixels, ResNet-%d of %d channels; %d x %d features\n",
            e->config.policy.vision.images, v->o.width, v->o.height, v->o.net.depth, v->o.net.width,
            v->places, v->features);
    fprintf(out, "parameters   %zu\n", bex_params_total(e->params));
    fprintf(out, "an update    %lld moments, %.3g GFLOP (forward and backward), %lld lanes\n",
            e->config.train.batch, 1e-9 * flops, e->config.train.lanes);
}

const bex_agent_class bex_agent_encoder = {.needs = BEX_NEEDS_DATA,
                                           .spreads = true,
                                           .new = make,
                                           .free = free_encoder,
                                           .update = update,
                                           .evaluate = evaluate,
                                           .save = save,
                                           .load = load,
                                           .describe = describe};
