/* bench/env.c - environment steps per second beside a bare mj_step loop on the same model.
 *
 * Both play the same actions from the same starts in alternating rounds: what differs is our clipping,
 * observing, rewarding, accounting, episode ends and the guard round MuJoCo. On two threads the
 * reference is our own rate on one. */
#include "bench/bench.h"

#include "base/error.h"
#include "base/parallel.h"
#include "cli/options.h"
#include "env/batch.h"
#include "env/mj.h"
#include "env/tabletop/libero.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 32, HOLD = 20 }; // an action is held for HOLD steps

typedef struct payload {
    bex_env_batch *batch;
    bex_env *bare[INSTANCES];
    bex_mj_sim *sim[INSTANCES];
    int steps;     // batch steps of a work call
    bex_real *act; // (steps / HOLD rounded up, INSTANCES, A)
    double *ctrl;  // (steps, INSTANCES, nu) what our environments made of them
    bex_real *obs; // (O) scratch
} payload;

static void ours(void *data) {
    payload *p = data;
    size_t row = (size_t)INSTANCES * (size_t)p->batch->A;
    BEX_CHECK(bex_env_batch_reset(p->batch) == 0, "%s", bex_error());
    for (int t = 0; t < p->steps; t++) {
        memcpy(p->batch->act, p->act + (size_t)(t / HOLD) * row, row * sizeof *p->act);
        BEX_CHECK(bex_env_batch_step(p->batch) == 0, "%s", bex_error());
    }
}

static void bare(void *data) {
    payload *p = data;
    const bex_world *w = p->batch->world;
    size_t nu = (size_t)p->sim[0]->model->nu;
    for (int i = 0; i < INSTANCES; i++)
        w->class->reset(p->bare[i], bex_env_stream(p->batch->seed, i, 0),
                        &(bex_frame){.state = p->obs});
    for (int t = 0; t < p->steps; t++)
        for (int i = 0; i < INSTANCES; i++) {
            const double *ctrl = p->ctrl + ((size_t)t * INSTANCES + (size_t)i) * nu;
            memcpy(p->sim[i]->ctrl, ctrl, nu * sizeof *ctrl);
            for (int k = 0; k < w->substeps; k++) bex_mj_sim_step_bare(p->sim[i]);
        }
}

// play the actions once and write down the controls
static void record(payload *p) {
    const bex_world *w = p->batch->world;
    size_t nu = (size_t)p->sim[0]->model->nu, row = (size_t)INSTANCES * (size_t)w->A;
    BEX_CHECK(bex_env_batch_reset(p->batch) == 0, "%s", bex_error());
    for (int t = 0; t < p->steps; t++) {
        memcpy(p->batch->act, p->act + (size_t)(t / HOLD) * row, row * sizeof *p->act);
        BEX_CHECK(bex_env_batch_step(p->batch) == 0, "%s", bex_error());
        for (int i = 0; i < INSTANCES; i++)
            memcpy(p->ctrl + ((size_t)t * INSTANCES + (size_t)i) * nu,
                   w->class->sim(p->batch->env[i])->ctrl, nu * sizeof *p->ctrl);
    }
}

static int payload_init(payload *p, const bex_world *w, int steps) {
    *p = (payload){.steps = steps};
    if (bex_env_batch_new(&p->batch, w, INSTANCES, 0) < 0) return -1;
    for (int i = 0; i < INSTANCES; i++) {
        p->bare[i] = w->class->new (w);
        if (!p->bare[i]) return -1;
        p->sim[i] = w->class->sim(p->bare[i]);
    }
    size_t n = (size_t)((steps + HOLD - 1) / HOLD) * INSTANCES * (size_t)w->A;
    p->act = malloc(n * sizeof *p->act);
    p->ctrl = malloc((size_t)steps * INSTANCES * (size_t)p->sim[0]->model->nu * sizeof *p->ctrl);
    p->obs = malloc((size_t)w->spec.state * sizeof *p->obs);
    if (!p->act || !p->ctrl || !p->obs) return bex_fail("out of memory");
    bex_rng rng = bex_rng_seed(1);
    for (size_t i = 0; i < n; i++) p->act[i] = R(2 * bex_rng_uniform(&rng) - 1);
    record(p);
    return 0;
}

static void payload_fini(payload *p, const bex_world *w) {
    for (int i = 0; i < INSTANCES; i++) w->class->free(p->bare[i]);
    bex_env_batch_free(p->batch);
    free(p->act);
    free(p->ctrl);
    free(p->obs);
}

static int bench_world(bex_bench *b, const char *name, int work) {
    bex_world *w;
    payload p;
    if (bex_world_open(&w, name, NULL) < 0) return -1;
    int code = payload_init(&p, w, work), threads = omp_get_max_threads();
    if (code == 0) {
        char row[96];
        double seconds[2], steps = (double)work * INSTANCES;
        omp_set_num_threads(1);
        bex_bench_pair(seconds, ours, bare, &p, 7, 0.25);
        snprintf(row, sizeof row, "env_step/%s/1thread", name);
        bex_bench_row(b, row, steps / seconds[0], "steps/s", BEX_BENCH_RATE, "mj_step loop",
                      steps / seconds[1]);
        if (threads > 1) {
            omp_set_num_threads(2);
            double two = bex_bench_seconds(ours, &p, 7, 0.25);
            snprintf(row, sizeof row, "env_step/%s/2threads", name);
            bex_bench_row(b, row, steps / two, "steps/s", BEX_BENCH_RATE, "1 thread",
                          steps / seconds[0]);
        }
        omp_set_num_threads(threads);
    }
    payload_fini(&p, w);
    bex_world_close(w);
    return code;
}

// pictures of a tabletop, one instance a thread
enum { FRAMES = 16, SIDE = 128 };
typedef struct frames {
    bex_env *env[2];
    unsigned char rgb[2][SIDE * SIDE * 3];
    int threads;
} frames;

static int draw_piece(long piece, int worker, void *data) {
    frames *f = data;
    (void)worker;
    for (int i = 0; i < FRAMES; i++) {
        bex_frame out = {.image = {NULL}};
        out.image[i % 2] = f->rgb[piece];
        if (bex_libero_look(f->env[piece], &out) < 0) return -1;
    }
    return 0;
}

static void draw_all(void *data) {
    frames *f = data;
    BEX_CHECK(bex_try_parallel(f->threads, f->threads, draw_piece, f) == 0, "%s", bex_error());
}

static int bench_frames(bex_bench *b) {
    static frames f;
    bex_world *w;
    bex_real state[64];
    if (bex_world_open(&w, "libero", &(bex_world_options){.keys = "images=128\nsamples=0"}) < 0)
        return -1;
    int code = 0;
    for (int i = 0; i < 2 && code == 0; i++) {
        f.env[i] = w->class->new (w);
        code = f.env[i] ? w->class->reset(f.env[i], bex_rng_seed((uint64_t)i),
                                          &(bex_frame){.state = state})
                        : -1;
    }
    double one = 0;
    for (f.threads = 1; f.threads <= 2 && code == 0; f.threads++) {
        char row[96];
        draw_all(&f); // renderers are made now
        double seconds = bex_bench_seconds(draw_all, &f, 7, 0.25),
               rate = FRAMES * f.threads / seconds;
        snprintf(row, sizeof row, "env_frames/libero128/%dthread%s", f.threads,
                 f.threads > 1 ? "s" : "");
        if (f.threads == 1) one = rate;
        bex_bench_row(b, row, rate, "frames/s", BEX_BENCH_RATE, "1 thread", one);
    }
    for (int i = 0; i < 2; i++) w->class->free(f.env[i]);
    bex_world_close(w);
    return code;
}

int bex_bench_env(bex_bench *b) {
    static const struct {
        const char *name;
        int steps; // of a work call: a fraction of a second
    } worlds[] = {{"maze2d-medium", 600}, {"maze2d-large", 600},  {"antmaze-medium", 20},
                  {"antmaze-large", 20},  {"kitchen-partial", 5}, {"libero", 5}};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        char row[96];
        snprintf(row, sizeof row, "env_step/%s", worlds[i].name);
        if (!bex_bench_wants(b, row)) continue;
        if (bench_world(b, worlds[i].name, worlds[i].steps) < 0) {
            fprintf(stderr, "bex bench env: %s\n", bex_error());
            return BEX_EXIT_FAILED;
        }
    }
    if (bex_bench_wants(b, "env_frames/libero128") && bench_frames(b) < 0) {
        fprintf(stderr, "bex bench env: %s\n", bex_error());
        return BEX_EXIT_FAILED;
    }
    return BEX_EXIT_OK;
}
