/* bench/train.c - `bex bench train`: one update of each preset, beside the machine's limit and PyTorch.
 *
 *   train_full/antmaze-medium          GFLOP/s of the model's own FLOPs (model/dit.h), beside dnnl_sgemm's
 *                                      peak measured before and after
 *   .../step                           ms an update, beside the PyTorch twin's
 *   .../threads                        ms an update, beside ours on one thread
 *   .../data                           % of the lanes' time that draws, labels and gathers windows
 *   .../memory                         MB resident at the peak, beside the twin's
 *   .../demonstrations                 MB of it: rows and what coverage keeps of them, which the twin has not
 *
 * Best of several updates; the twin gets its data for nothing and its best number of threads. */
#include "bench/workload.h"

#include "base/error.h"
#include "cli/options.h"
#include "host/json.h"

#include <stdio.h>

static void row(bex_bench *b, const char *name, const char *part, double value, const char *unit,
                bex_bench_kind kind, const char *reference, double reference_value) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", name, part);
    bex_bench_row(b, full, value, unit, kind, reference_value > 0 ? reference : NULL,
                  reference_value);
}

// {"seconds", "memory"} of the twin; zeros without one
static void ask_twin(const bex_bench *b, const bex_train_config *config, const bex_workload_step *m,
                     double *seconds, double *memory) {
    *seconds = *memory = 0;
    if (!bex_bench_has_peer(b, "torch")) return;
    json_t *answer = bex_workload_peer("train", &m->network, config);
    if (!answer || bex_json_get_number(answer, "seconds", seconds) < 0 ||
        bex_json_get_number(answer, "memory", memory) < 0) {
        fprintf(stderr, "%s\n", bex_error());
        bex_error_clear();
    }
    json_decref(answer);
}

static int train_rows(bex_bench *b, const bex_workload *w, const char *name) {
    bex_train_config config;
    bex_workload_step m, one = {0};
    if (bex_workload_config(w, &config) < 0) return -1;
    if (bex_workload_measure(w, &config, &m) < 0) return -1;
    double peak = bex_bench_peak(m.threads), twin, twin_memory;
    config.train.threads = 1;
    if (m.threads > 1 && bex_workload_measure(w, &config, &one) < 0) return -1;
    double again = bex_bench_peak(m.threads);
    if (again > peak) peak = again;
    ask_twin(b, &config, &m, &twin, &twin_memory);
    row(b, name, "", m.gflop / m.seconds, "GFLOP/s", BEX_BENCH_RATE, "dnnl_sgemm peak", peak);
    row(b, name, "/step", 1e3 * m.seconds, "ms", BEX_BENCH_TIME, "torch", 1e3 * twin);
    row(b, name, "/threads", 1e3 * m.seconds, "ms", BEX_BENCH_TIME, "1 thread", 1e3 * one.seconds);
    row(b, name, "/data", 100 * m.data, "%", BEX_BENCH_TIME, NULL, 0);
    row(b, name, "/memory", 1e-6 * m.memory, "MB", BEX_BENCH_TIME, "torch", 1e-6 * twin_memory);
    row(b, name, "/demonstrations", 1e-6 * m.demonstrations, "MB", BEX_BENCH_TIME, NULL, 0);
    return 0;
}

int bex_bench_train(bex_bench *b) {
    const bex_workload *w;
    int code = 0;
    for (int i = 0; !code && (w = bex_workload_at(i)); i++) {
        char name[48];
        snprintf(name, sizeof name, "train_%s/%s", w->kind, w->world);
        if (bex_bench_wants(b, name)) code = train_rows(b, w, name);
    }
    if (code < 0) fprintf(stderr, "bex bench train: %s\n", bex_error());
    return code < 0 ? BEX_EXIT_FAILED : BEX_EXIT_OK;
}
