/* bench/vision.c - `bex bench vision`: seeing, beside oneDNN's own convolutions and PyTorch.
 *
 *   conv_fwd, _dx, _dw / 16x16/32-32k3s1    GFLOP/s of one layer of a ResNet-18 (pixels, channels in and
 *                                           out, kernel, stride), BATCH pictures in pieces of a lane's size,
 *                                           beside dnnl's convolution of all at once in the layout it likes
 *                                           best; one thread, whose CPU time counts: kernels of ours never
 *                                           use more
 *   vision_train/w32/64                     GFLOP/s of an update, the model's own FLOPs: two cameras of 64
 *                                           pixels, ResNet-18 of width 32 shared by both, batch 64, with
 *                                           augmentation; beside dnnl_sgemm's peak measured before and after
 *   .../step                                ms of the same, beside the PyTorch twin (--peer torch)
 *   .../data                                % of the lanes' time that reads and changes pictures, or waits
 *                                           for them
 *   vision_frozen/w32/64                    ms an update from kept features, beside a policy of states alone
 *   vision_act/w32/64                       ms a plan on one thread, median, the policy loaded from a file;
 *                                           beside the PyTorch twin on one thread
 *   .../p99                                 ms, beside the median
 *
 * Pictures are in memory: what a disk costs is not measured. Ours work in lanes, one thread each, as in
 * training. */
#include "bench/bench.h"

#include "agent/imitation/imitation.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "cli/options.h"
#include "host/folder.h"
#include "host/json.h"
#include "kernel/conv2d.h"
#include "kernel/random.h"
#include "nn/param_file.h"
#include "policy/control.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(BEX_HAVE_DNNL) && !defined(BEX_F64)
#include <dnnl.h>
#define HAVE_DNNL 1
#else
#define HAVE_DNNL 0
#endif

enum { BATCH = 32, LANES = 8, ROUNDS = 20, CALLS_EACH = 3 };

/* ---- one layer ---- */

typedef struct layer {
    bex_conv2d_dims d; // of a lane's pictures
    bex_real *x, *y, *W, *dW, *packed, *packed_dx, *scratch;
    size_t in, out, weights, room; // reals of a picture, of a lane's scratch
    int what;                      // 0 forward, 1 dx, 2 dW
#if HAVE_DNNL
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arg[3];
#endif
} layer;

static bex_real *array(size_t n) {
    bex_real *p = aligned_alloc(64, (n * sizeof *p + 127) / 64 * 64);
    BEX_CHECK(p, "out of memory: %zu numbers", n);
    bex_rng g = bex_rng_seed(n);
    bex_random_uniform(p, n, R(-1), R(1), &g);
    return p;
}

static void ours(void *payload) {
    const layer *l = payload;
    for (int lane = 0; lane < LANES; lane++) {
        size_t at = (size_t)(lane * l->d.B);
        bex_real *x = l->x + at * l->in, *y = l->y + at * l->out;
        bex_real *scratch = l->scratch + (size_t)lane * l->room;
        if (l->what == 0) bex_conv2d_fwd(y, x, l->packed, NULL, &l->d, scratch);
        if (l->what == 1) bex_conv2d_bwd_x(x, y, l->packed_dx, &l->d, 0);
        if (l->what == 2)
            bex_conv2d_bwd_w(l->dW + (size_t)lane * l->weights, y, x, &l->d, 0, scratch);
    }
}

#if HAVE_DNNL
static void theirs(void *payload) {
    const layer *l = payload;
    dnnl_primitive_execute(l->primitive, l->stream, 3, l->arg);
    dnnl_stream_wait(l->stream);
}

static void bind(layer *l, int i, int name, const_dnnl_primitive_desc_t pd, dnnl_query_t what,
                 dnnl_engine_t engine) {
    const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(pd, what, 0);
    l->arg[i].arg = name;
    BEX_CHECK(dnnl_memory_create(&l->arg[i].memory, md, engine, DNNL_MEMORY_ALLOCATE) ==
                  dnnl_success,
              "dnnl: no memory");
}

// dnnl's primitive for all BATCH pictures, in layouts of its own choice
static void prepare(layer *l, dnnl_engine_t engine) {
    const bex_conv2d_dims *d = &l->d;
    dnnl_dims_t in = {BATCH, d->C, d->H, d->W}, w = {d->N, d->C, d->kh, d->kw};
    dnnl_dims_t out = {BATCH, d->N, bex_conv2d_height(d), bex_conv2d_width(d)};
    dnnl_dims_t stride = {d->stride, d->stride}, pad = {d->pad, d->pad};
    dnnl_memory_desc_t x, W, y;
    dnnl_memory_desc_init_by_tag(&x, 4, in, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&W, 4, w, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&y, 4, out, dnnl_f32, dnnl_format_tag_any);
    dnnl_convolution_desc_t c;
    dnnl_primitive_desc_t forward, pd;
    dnnl_convolution_forward_desc_init(&c, dnnl_forward_training, dnnl_convolution_direct, &x, &W,
                                       NULL, &y, stride, pad, pad);
    BEX_CHECK(dnnl_primitive_desc_create(&forward, &c, NULL, engine, NULL) == dnnl_success,
              "dnnl: no convolution");
    pd = forward;
    if (l->what == 1) {
        dnnl_convolution_backward_data_desc_init(&c, dnnl_convolution_direct, &x, &W, &y, stride,
                                                 pad, pad);
        BEX_CHECK(dnnl_primitive_desc_create(&pd, &c, NULL, engine, forward) == dnnl_success,
                  "dnnl: no gradient");
    } else if (l->what == 2) {
        dnnl_convolution_backward_weights_desc_init(&c, dnnl_convolution_direct, &x, &W, NULL, &y,
                                                    stride, pad, pad);
        BEX_CHECK(dnnl_primitive_desc_create(&pd, &c, NULL, engine, forward) == dnnl_success,
                  "dnnl: no gradient");
    }
    dnnl_primitive_create(&l->primitive, pd);
    bool dx = l->what == 1, dw = l->what == 2;
    bind(l, 0, dx ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, pd,
         dx ? dnnl_query_diff_src_md : dnnl_query_src_md, engine);
    bind(l, 1, dw ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, pd,
         dw ? dnnl_query_diff_weights_md : dnnl_query_weights_md, engine);
    bind(l, 2, l->what ? DNNL_ARG_DIFF_DST : DNNL_ARG_DST, pd,
         l->what ? dnnl_query_diff_dst_md : dnnl_query_dst_md, engine);
    if (pd != forward) dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_desc_destroy(forward);
}

static void measure(layer *l, double seconds[2]) {
    dnnl_engine_t engine;
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    dnnl_engine_create(&engine, dnnl_cpu, 0);
    dnnl_stream_create(&l->stream, engine, dnnl_stream_default_flags);
    prepare(l, engine);
    bex_bench_pair_cpu(seconds, ours, theirs, l, ROUNDS, CALLS_EACH);
    omp_set_num_threads(threads);
    dnnl_primitive_destroy(l->primitive);
    for (int i = 0; i < 3; i++) dnnl_memory_destroy(l->arg[i].memory);
    dnnl_stream_destroy(l->stream);
    dnnl_engine_destroy(engine);
}
#else
static void measure(layer *l, double seconds[2]) {
    bex_bench_pair_cpu(seconds, ours, NULL, l, ROUNDS, CALLS_EACH);
}
#endif

static void layer_rows(bex_bench *b, int pixels, int C, int N, int k, int stride) {
    static const char *const names[] = {"conv_fwd", "conv_dx", "conv_dw"};
    layer l = {.d = {BATCH / LANES, pixels, pixels, C, N, k, k, stride, k / 2}};
    int side = bex_conv2d_height(&l.d), taps = k * k;
    double flop = 2.0 * BATCH * side * side * N * taps * C;
    l.in = (size_t)(pixels * pixels * C), l.out = (size_t)(side * side * N);
    l.weights = (size_t)(N * taps * C), l.room = bex_conv2d_scratch(&l.d);
    l.x = array(BATCH * l.in), l.y = array(BATCH * l.out), l.W = array(l.weights);
    l.dW = array(LANES * l.weights), l.scratch = array(LANES * l.room + 1);
    l.packed = array(bex_conv2d_pack_size(N, taps, C));
    l.packed_dx = array(bex_conv2d_pack_dx_size(N, taps, C));
    bex_conv2d_pack(l.packed, l.W, N, taps, C);
    bex_conv2d_pack_dx(l.packed_dx, l.W, N, taps, C);
    for (l.what = 0; l.what < 3; l.what++) {
        char name[64];
        double seconds[2];
        snprintf(name, sizeof name, "%s/%dx%d/%d-%dk%ds%d", names[l.what], pixels, pixels, C, N, k,
                 stride);
        if (!bex_bench_wants(b, name) || (l.what == 1 && C == 3)) continue; // nobody asks for it
        measure(&l, seconds);
        bex_bench_row(b, name, 1e-9 * flop / seconds[0], "GFLOP/s", BEX_BENCH_RATE,
                      seconds[1] > 0 ? "dnnl convolution" : NULL,
                      seconds[1] > 0 ? 1e-9 * flop / seconds[1] : 0);
    }
    free(l.x), free(l.y), free(l.W), free(l.dW), free(l.scratch), free(l.packed), free(l.packed_dx);
}

/* ---- the whole policy ---- */

enum { EPISODES = 20, LONG = 50, CAMERAS = 2, MOST_UPDATES = 40 };

// pictures of noise, states and actions too: what is in them does not matter to speed
static bex_dataset *demonstrations(int side) {
    bex_dataset *d = bex_dataset_new();
    int *start = malloc((EPISODES + 1) * sizeof *start), rows = EPISODES * LONG;
    bex_names cameras = {0};
    unsigned char *p = malloc((size_t)rows * CAMERAS * bex_picture_bytes(side, side));
    bex_rng g = bex_rng_seed(2);
    BEX_CHECK(d && start && p, "out of memory");
    bex_names_push(&cameras, "front"), bex_names_push(&cameras, "wrist");
    for (size_t i = 0; i < (size_t)rows * CAMERAS * bex_picture_bytes(side, side); i++)
        p[i] = (unsigned char)(i * 2654435761u >> 13);
    for (int e = 0; e <= EPISODES; e++) start[e] = e * LONG;
    d->pictures = bex_pictures_new(&cameras, side, side, &(bex_pictures_options){.size = 0});
    bex_names_fini(&cameras);
    BEX_CHECK(d->pictures && bex_dataset_allocate(d, (unsigned)rows, 9, 7, 0, 0) == 0 &&
                  bex_dataset_take_episodes(d, start, EPISODES) == 0 &&
                  bex_pictures_add_memory(d->pictures, p, rows, side, side) == 0,
              "%s", bex_error());
    free(p);
    bex_random_normal(d->observations, (size_t)rows * 9, &g);
    bex_random_uniform(d->actions, (size_t)rows * 7, R(-1), R(1), &g);
    for (int r = 0; r < rows; r++) d->frames[r] = r;
    return d;
}

static int set(bex_train_config *c, const char *text) {
    return bex_config_set(&bex_train_schema, c, text);
}

static int configure(bex_train_config *c, int channels, const char *encoder) {
    static const char *const all[] = {"train.agent=bc",  "train.batch=64",        "train.micro=8",
                                      "model.width=256", "model.heads=8",         "model.blocks=4",
                                      "model.chunk=16",  "model.feedforward=512", "data.held_out=0",
                                      "train.warmup=0"};
    char text[600];
    int code = 0;
    bex_config_defaults(&bex_train_schema, c);
    for (size_t i = 0; i < sizeof all / sizeof *all && !code; i++) code = set(c, all[i]);
    snprintf(text, sizeof text, "vision.channels=%d", channels);
    if (!code) code = set(c, text);
    if (!encoder) return code;
    snprintf(text, sizeof text, "train.encoder=%s", encoder);
    return code ? code : set(c, text) < 0 ? -1 : set(c, "model.encoder=frozen");
}

typedef struct {
    double seconds, data; // of the best update; share of all
} step;

static int time_updates(bex_agent *a, step *s) {
    double data = 0, lanes = 0, begin = bex_seconds();
    int code = 0;
    s->seconds = 1e300;
    for (int i = 0; !code && i < MOST_UPDATES; i++) {
        bex_update u;
        double start = bex_seconds();
        code = a->class->update(a, i, &u);
        if (i == 0) continue;
        s->seconds = fmin(s->seconds, bex_seconds() - start);
        data += u.data_seconds, lanes += u.lane_seconds;
        if (i > 3 && bex_seconds() - begin > 10) break;
    }
    s->data = data / lanes;
    return code;
}

// seconds of an update ("train") or a plan ("act"); 0 without a twin
static double ask_twin(const bex_bench *b, const char *what, const bex_train_config *c, int side) {
    char command[400];
    double seconds = 0;
    const bex_policy_config *p = &c->policy;
    if (!bex_bench_has_peer(b, "torch")) return 0;
    snprintf(command, sizeof command,
             "bench/peer_policy.py %s prefix=0 O=9 A=7 K=%lld C=%lld F=%lld heads=%lld blocks=%lld "
             "T=%lld N=0 Q=1 B=%lld S=1 ddim=8 dropout=0 cameras=%d side=%d channels=%lld",
             what, p->model.chunk, p->model.width, p->model.feedforward, p->model.heads,
             p->model.blocks, p->model.time_width, !strcmp(what, "act") ? 1 : c->train.batch,
             CAMERAS, side, p->vision.channels);
    json_t *answer = bex_bench_peer(command);
    if (!answer || bex_json_get_number(answer, "seconds", &seconds) < 0) {
        fprintf(stderr, "%s\n", bex_error());
        bex_error_clear();
    }
    json_decref(answer);
    return seconds;
}

static int temporary(char folder[600]) {
    const char *in = getenv("TMPDIR");
    snprintf(folder, 600, "%s/bex-bench-vision-XXXXXX", in ? in : "/tmp");
    return mkdtemp(folder) ? 0 : bex_fail("no temporary folder '%s'", folder);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int plan_often(const bex_policy *p, double *seconds, int calls) {
    bex_control *c = bex_control_new(p, NULL, 0);
    size_t picture = bex_vision_picture(&p->vision);
    unsigned char *image = malloc(CAMERAS * picture);
    bex_real *chunk = malloc((size_t)(p->chunk.K * p->A) * sizeof *chunk);
    BEX_CHECK(c && image && chunk, "%s", bex_error());
    for (size_t i = 0; i < CAMERAS * picture; i++) image[i] = (unsigned char)(i * 31);
    bex_observation obs = {.state = p->normaliser.mean, .image = {image, image + picture}};
    int code = 0;
    for (int i = 0; i < calls && !code; i++) {
        double start = bex_seconds();
        code = bex_control_plan_from(c, &obs, NULL, NULL, chunk);
        seconds[i] = bex_seconds() - start;
    }
    qsort(seconds, (size_t)calls, sizeof *seconds, ascending);
    bex_control_free(c);
    free(image), free(chunk);
    return code;
}

// as a robot has it: from a file
static int act_rows(bex_bench *b, const bex_agent *a, const bex_train_config *config, int side,
                    const char *name) {
    enum { CALLS = 400 };
    double seconds[CALLS];
    char folder[600], p99[80];
    if (temporary(folder) < 0) return -1;
    int code = a->class->save(a, folder);
    bex_policy *p = code ? NULL : bex_policy_load(folder);
    code = p ? plan_often(p, seconds, CALLS) : -1;
    bex_policy_free(p);
    bex_folder_remove(folder);
    if (code) return code;
    double twin = ask_twin(b, "act", config, side), median = 1e3 * seconds[CALLS / 2];
    bex_bench_row(b, name, median, "ms", BEX_BENCH_TIME, twin > 0 ? "torch" : NULL, 1e3 * twin);
    snprintf(p99, sizeof p99, "%s/p99", name);
    bex_bench_row(b, p99, 1e3 * seconds[CALLS * 99 / 100], "ms", BEX_BENCH_TIME, "median", median);
    return 0;
}

// weights for a frozen network: those of an agent that learned nothing
static int frozen_row(bex_bench *b, const bex_agent *seen, int side, int channels,
                      const char *name) {
    char folder[600];
    bex_train_config c;
    step kept, blind;
    if (temporary(folder) < 0) return -1;
    int code = seen->class->save(seen, folder);
    for (int i = 0; i < 2 && !code; i++) {
        bex_dataset *d = demonstrations(side);
        if (i)
            bex_pictures_free(d->pictures), d->pictures = NULL, free(d->frames), d->frames = NULL;
        code = configure(&c, channels, i ? NULL : folder);
        bex_agent *a = code ? NULL : bex_agent_new(&c, &(bex_sources){.data = d});
        code = a ? time_updates(a, i ? &blind : &kept) : -1;
        if (a) a->class->free(a);
    }
    if (!code)
        bex_bench_row(b, name, 1e3 * kept.seconds, "ms", BEX_BENCH_TIME, "states alone",
                      1e3 * blind.seconds);
    bex_folder_remove(folder);
    return code;
}

// GFLOP of an update: three times the forward pass
static double gflop_of(const bex_policy *p, const bex_train_config *c) {
    double encoder, decoder;
    bex_dit_flops(&p->dit.o, 1, &encoder, &decoder);
    return 3e-9 * (double)c->train.batch * (encoder + decoder + bex_vision_flops(&p->vision));
}

static int train_rows(bex_bench *b, bex_agent *a, const bex_train_config *c, int side,
                      const char *name) {
    char part[80];
    step s;
    int threads = omp_get_max_threads();
    double peak = bex_bench_peak(threads);
    if (time_updates(a, &s) < 0) return -1;
    double again = bex_bench_peak(threads), twin = ask_twin(b, "train", c, side);
    if (again > peak) peak = again;
    bex_bench_row(b, name, gflop_of(((bex_imitation *)a)->policy, c) / s.seconds, "GFLOP/s",
                  BEX_BENCH_RATE, peak > 0 ? "dnnl_sgemm peak" : NULL, peak);
    snprintf(part, sizeof part, "%s/step", name);
    bex_bench_row(b, part, 1e3 * s.seconds, "ms", BEX_BENCH_TIME, twin > 0 ? "torch" : NULL,
                  1e3 * twin);
    snprintf(part, sizeof part, "%s/data", name);
    bex_bench_row(b, part, 100 * s.data, "%", BEX_BENCH_TIME, NULL, 0);
    return 0;
}

static int policy_rows(bex_bench *b, int side, int channels) {
    char name[64], frozen[64], act[64];
    bex_train_config c;
    snprintf(name, sizeof name, "vision_train/w%d/%d", channels, side);
    snprintf(frozen, sizeof frozen, "vision_frozen/w%d/%d", channels, side);
    snprintf(act, sizeof act, "vision_act/w%d/%d", channels, side);
    if (!bex_bench_wants(b, name) && !bex_bench_wants(b, frozen) && !bex_bench_wants(b, act))
        return 0;
    if (configure(&c, channels, NULL) < 0) return -1;
    bex_agent *a = bex_agent_new(&c, &(bex_sources){.data = demonstrations(side)});
    int code = a ? 0 : -1;
    if (!code && bex_bench_wants(b, name)) code = train_rows(b, a, &c, side, name);
    if (!code && bex_bench_wants(b, act)) code = act_rows(b, a, &c, side, act);
    if (!code && bex_bench_wants(b, frozen)) code = frozen_row(b, a, side, channels, frozen);
    if (a) a->class->free(a);
    return code;
}

int bex_bench_vision(bex_bench *b) {
    static const int widths[] = {32, 64}, sides[] = {64, 128};
    int code = 0;
    for (int s = 0; s < 2; s++)
        for (int w = 0; w < 2; w++) {
            int C = widths[w], pixels = sides[s];
            layer_rows(b, pixels, 3, C, 7, 2);
            for (int i = 0; i < 4; i++) {
                int n = C << i, p = pixels / 4 >> i;
                if (i) layer_rows(b, 2 * p, n / 2, n, 3, 2), layer_rows(b, 2 * p, n / 2, n, 1, 2);
                layer_rows(b, p, n, n, 3, 1);
            }
        }
    for (int s = 0; s < 2 && !code; s++)
        for (int w = 0; w < 2 && !code; w++) code = policy_rows(b, sides[s], widths[w]);
    if (code < 0) fprintf(stderr, "bex bench vision: %s\n", bex_error());
    return code < 0 ? BEX_EXIT_FAILED : BEX_EXIT_OK;
}
