/* bench/act.c - `bex bench act`: one action chunk on one core, history unchanged since the last.
 *
 *   act_full/kitchen                   ms, median over CALLS chunks, beside PyTorch eager on one thread
 *   act_prefix/kitchen                 the same with the history cached, beside our full mode
 *   .../p99                            ms, beside the median
 *   .../guided                         ms with a guidance of 2 (two evaluations), beside the plain chunk
 *   .../deployed                       ms as the preset deploys it, choosing among candidates, beside the
 *                                      plain chunk
 *   .../deployed/p99                   ms of the same, beside its median
 *   .../start                          ms from launch to the end of `bex act` with one state
 *
 * The policy is untrained: speed does not know. */
#include "bench/workload.h"

#include "base/clock.h"
#include "base/error.h"
#include "cli/options.h"
#include "host/folder.h"
#include "host/json.h"
#include "kernel/random.h"
#include "nn/safetensors.h"
#include "policy/control.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALLS = 2000, LEAST_CALLS = 100 };
static const double MOST_SECONDS = 10;

typedef struct {
    double median, p99; // seconds
} latency;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// chunks for made-up states, all from one history
static int measure(const bex_policy *p, double guidance, int candidates, latency *l) {
    size_t O = (size_t)p->O, N = (size_t)p->dit.o.N, K = (size_t)p->dit.o.K;
    bex_deploy_config d = p->config.deploy;
    if (candidates) d.guidance = guidance, d.candidates = candidates; // else as it is deployed
    bex_rng g = bex_rng_seed(7);
    bex_control *c = bex_control_new(p, &d, 0);
    bex_real *state = malloc(O * sizeof *state), *history = malloc((N + 1) * O * sizeof *history);
    bex_real *chunk = malloc(K * (size_t)p->A * sizeof *chunk);
    double *seconds = malloc(CALLS * sizeof *seconds), begin = bex_seconds();
    int calls = 0, code = c && state && history && chunk && seconds ? 0 : -1;
    if (!code) bex_random_normal(history, (N + 1) * O, &g);
    while (!code && calls < CALLS &&
           (calls < LEAST_CALLS || bex_seconds() - begin < MOST_SECONDS)) {
        bex_random_normal(state, O, &g);
        double start = bex_seconds();
        code = bex_control_plan_from(c, &(bex_observation){.state = state}, history, NULL, chunk);
        seconds[calls++] = bex_seconds() - start;
    }
    if (!code) {
        qsort(seconds, (size_t)calls, sizeof *seconds, ascending);
        *l = (latency){seconds[(calls - 1) / 2], seconds[(calls * 99 + 99) / 100 - 1]};
    }
    bex_control_free(c);
    free(state), free(history), free(chunk), free(seconds);
    return code;
}

// `bex act` as a user starts it: best of ten launches
static int start_up(const bex_policy *p, const char *folder, double *best) {
    char path[600], program[512], command[2400];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0) return bex_fail("cannot find this program");
    program[n] = '\0';
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_real(w, "states", 2, (int64_t[]){1, p->O}, p->normaliser.mean);
    snprintf(path, sizeof path, "%s/states.safetensors", folder);
    int code = bex_st_save(w, path);
    bex_st_writer_free(w);
    snprintf(command, sizeof command,
             "'%s' act '%s/model.safetensors' --in '%s' --out '%s/actions.safetensors' --force "
             ">/dev/null",
             program, folder, path, folder);
    *best = 1e300;
    for (int i = 0; !code && i < 10; i++) {
        double start = bex_seconds();
        if (system(command) != 0) code = bex_fail("`bex act` failed");
        double seconds = bex_seconds() - start;
        if (seconds < *best) *best = seconds;
    }
    return code;
}

static double twin_seconds(const bex_bench *b, const bex_policy *p,
                           const bex_train_config *config) {
    double seconds = 0;
    if (!bex_bench_has_peer(b, "torch")) return 0;
    json_t *answer = bex_workload_peer("act", &p->dit.o, config);
    if (!answer || bex_json_get_number(answer, "seconds", &seconds) < 0) {
        fprintf(stderr, "%s\n", bex_error());
        bex_error_clear();
    }
    json_decref(answer);
    return seconds;
}

static void row(bex_bench *b, const char *name, const char *part, double seconds,
                const char *reference, double reference_seconds) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", name, part);
    bex_bench_row(b, full, 1e3 * seconds, "ms", BEX_BENCH_TIME,
                  reference_seconds > 0 ? reference : NULL, 1e3 * reference_seconds);
}

// what a user has: a policy from a file
static bex_policy *policy_of(const bex_workload *w, const bex_train_config *config,
                             const char *folder) {
    bex_agent *a = bex_workload_agent(w, config);
    if (!a) return NULL;
    int code = a->class->save(a, folder);
    a->class->free(a);
    return code < 0 ? NULL : bex_policy_load(folder);
}

// *full: the median of this world's full mode, for the prefix row that follows it
static int act_rows(bex_bench *b, const bex_workload *w, const char *name, const char *folder,
                    double *full) {
    bex_train_config config;
    latency plain = {0}, guided = {0}, deployed = {0};
    double start = 0;
    if (bex_workload_config(w, &config) < 0) return -1;
    bex_policy *p = policy_of(w, &config, folder);
    if (!p) return -1;
    bool prefix = p->dit.o.N && p->dit.o.mode == BEX_DIT_PREFIX;
    bool chooses = p->config.deploy.candidates > 1;
    int code = measure(p, 1, 1, &plain);
    if (!code && p->dit.o.coverage) code = measure(p, 2, 1, &guided);
    if (!code && chooses) code = measure(p, (double)NAN, 0, &deployed);
    if (!code) code = start_up(p, folder, &start);
    if (!code) {
        double twin = twin_seconds(b, p, &config);
        row(b, name, "", plain.median, "torch", twin);
        if (prefix) row(b, name, "/cached", plain.median, "full mode", *full);
        row(b, name, "/p99", plain.p99, "median", plain.median);
        if (p->dit.o.coverage) row(b, name, "/guided", guided.median, "unguided", plain.median);
        if (chooses) row(b, name, "/deployed", deployed.median, "1 candidate", plain.median);
        if (chooses) row(b, name, "/deployed/p99", deployed.p99, "median", deployed.median);
        row(b, name, "/start", start, NULL, 0);
        if (!prefix) *full = p->dit.o.N ? plain.median : 0;
    }
    bex_policy_free(p);
    return code;
}

int bex_bench_act(bex_bench *b) {
    char folder[] = "/tmp/bex-bench-XXXXXX";
    const bex_workload *w;
    double full = 0;
    int code = mkdtemp(folder) ? 0 : bex_fail("cannot make '%s'", folder);
    for (int i = 0; !code && (w = bex_workload_at(i)); i++) {
        char name[48];
        snprintf(name, sizeof name, "act_%s/%s", w->kind, w->world);
        if (bex_bench_wants(b, name)) code = act_rows(b, w, name, folder, &full);
    }
    bex_folder_remove(folder);
    if (code < 0) fprintf(stderr, "bex bench act: %s\n", bex_error());
    return code < 0 ? BEX_EXIT_FAILED : BEX_EXIT_OK;
}
