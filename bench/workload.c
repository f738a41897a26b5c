#include "bench/workload.h"

#include "agent/imitation/imitation.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const bex_workload workloads[] = {
    {"full", "antmaze-medium", "be-paper", 29, 8, 100, 1000},
    {"prefix", "antmaze-medium", "be", 29, 8, 100, 1000},
    {"bc", "antmaze-medium", "bc", 29, 8, 100, 1000},
    {"full", "antmaze-large", "be-paper", 29, 8, 100, 1000},
    {"prefix", "antmaze-large", "be", 29, 8, 100, 1000},
    {"bc", "antmaze-large", "bc", 29, 8, 100, 1000},
    {"full", "kitchen", "be-paper", 60, 9, 400, 250},
    {"prefix", "kitchen", "be", 60, 9, 400, 250},
    {"bc", "kitchen", "bc", 60, 9, 400, 250},
    {"prefix", "maze2d-medium", "be", 4, 2, 100, 1000},
    {"bc", "maze2d-medium", "bc", 4, 2, 100, 1000},
};

const bex_workload *bex_workload_at(int i) {
    return i < (int)(sizeof workloads / sizeof *workloads) ? &workloads[i] : NULL;
}

int bex_workload_config(const bex_workload *w, bex_train_config *config) {
    char path[512];
    snprintf(path, sizeof path, "%s/configs/%s-%s.ini", BEX_SOURCE_DIR, w->world, w->preset);
    bex_config_defaults(&bex_train_schema, config);
    return bex_config_load(&bex_train_schema, config, path);
}

// each dimension its own walk between walls; actions follow the state
static void walk(const bex_dataset *d, int episode) {
    bex_rng g = bex_rng_split(bex_rng_seed(1), "walk", (uint64_t)episode);
    size_t O = (size_t)d->O, A = (size_t)d->A;
    for (int t = d->start[episode]; t < d->start[episode + 1]; t++) {
        bex_real *s = d->observations + (size_t)t * O, *a = d->actions + (size_t)t * A;
        for (size_t i = 0; i < O; i++) {
            bex_real last = t > d->start[episode] ? s[i - O] : R(2 * bex_rng_normal(&g));
            s[i] = R(0.99) * last + R(0.3 * bex_rng_normal(&g));
        }
        for (size_t i = 0; i < A; i++) a[i] = R(tanh((double)s[i % O] + bex_rng_normal(&g)));
    }
}

static bex_dataset *demonstrations(const bex_workload *w) {
    bex_dataset *d = bex_dataset_new();
    int *start = malloc(((size_t)w->episodes + 1) * sizeof *start);
    if (!d || !start) goto failed;
    for (int e = 0; e <= w->episodes; e++) start[e] = e * w->length;
    if (bex_dataset_allocate(d, (unsigned long long)w->episodes * (unsigned)w->length,
                             (unsigned)w->O, (unsigned)w->A, 0, 0) < 0)
        goto failed;
    if (bex_dataset_take_episodes(d, start, w->episodes) < 0) {
        bex_dataset_free(d);
        return NULL;
    }
    for (int e = 0; e < w->episodes; e++) walk(d, e);
    return d;
failed:
    free(start);
    bex_dataset_free(d);
    return NULL;
}

bex_agent *bex_workload_agent(const bex_workload *w, const bex_train_config *config) {
    bex_dataset *d = demonstrations(w);
    bex_agent *a = d ? bex_agent_new(config, &(bex_sources){.data = d}) : NULL;
    if (!a) bex_fail_in("%s-%s", w->world, w->preset);
    return a;
}

struct json_t *bex_workload_peer(const char *what, const bex_dit_options *o,
                                 const bex_train_config *config) {
    char command[512];
    const bex_policy_config *p = &config->policy;
    snprintf(command, sizeof command,
             "bench/peer_policy.py %s prefix=%d O=%d A=%d K=%d C=%d F=%d heads=%d blocks=%d T=%d "
             "N=%d Q=%d B=%lld S=%lld ddim=%lld dropout=%g",
             what, o->mode == BEX_DIT_PREFIX, o->O, o->columns, o->K, o->C, o->feedforward,
             o->heads, o->blocks, o->time_width, o->N, bex_dit_queries(o), config->train.batch,
             o->N ? config->train.samples_per_history : 1, p->deploy.denoising_steps, o->dropout);
    return bex_bench_peer(command);
}

static double bytes_of(const bex_imitation_part *part, const bex_policy *p) {
    if (!part->data) return 0;
    double row = (double)(p->dit.o.O + p->A) * (double)sizeof(bex_real);
    return row * part->data->rows + (part->labeller ? (double)part->labeller->bytes : 0);
}

enum { LEAST_UPDATES = 3, MOST_UPDATES = 200 };
static const double LEAST_SECONDS = 2;

int bex_workload_measure(const bex_workload *w, const bex_train_config *config,
                         bex_workload_step *m) {
    double data = 0, lanes = 0, begin = 0;
    int code = 0;
    bex_bench_memory_reset();
    double before = bex_bench_memory_now();
    bex_agent *a = bex_workload_agent(w, config);
    if (!a) return -1;
    const bex_imitation *learner = (const bex_imitation *)a;
    m->seconds = 1e300;
    for (int i = 0; !code && i <= MOST_UPDATES; i++) {
        bex_update u;
        double start = bex_seconds();
        code = a->class->update(a, i, &u);
        double seconds = bex_seconds() - start;
        if (i == 0) { // warms up
            begin = bex_seconds();
            continue;
        }
        if (seconds < m->seconds) m->seconds = seconds;
        data += u.data_seconds, lanes += u.lane_seconds;
        if (i >= LEAST_UPDATES && bex_seconds() - begin > LEAST_SECONDS) break;
    }
    double encoder, decoder;
    m->network = learner->policy->dit.o;
    m->threads = bex_lanes_threads(learner->lanes);
    m->memory = bex_bench_memory_peak() - before;
    m->demonstrations =
        bytes_of(&learner->train, learner->policy) + bytes_of(&learner->held, learner->policy);
    m->data = data / lanes;
    bex_dit_flops(&m->network, (double)config->train.samples_per_history, &encoder, &decoder);
    m->gflop = 3e-9 * (double)config->train.batch * (encoder + decoder);
    a->class->free(a);
    return code;
}
