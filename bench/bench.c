/* bench/bench.c - timing loops and the table. */
#include "bench/bench.h"

#include "base/clock.h"
#include "base/error.h"
#include "host/json.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bex_bench {
    bex_bench_options options;
    json_t *rows; // NULL: print a text table
    int count;
    bool mute;
};

bex_bench *bex_bench_new(const bex_bench_options *options) {
    bex_bench *b = calloc(1, sizeof *b);
    BEX_CHECK(b, "out of memory");
    b->options = *options;
    if (options->json) b->rows = json_array();
    return b;
}

bool bex_bench_wants(const bex_bench *b, const char *name) {
    return !b->options.only || strstr(name, b->options.only);
}

bool bex_bench_has_peer(const bex_bench *b, const char *peer) {
    return b->options.peer && !strcmp(b->options.peer, peer);
}

const char *bex_bench_plot(const bex_bench *b) {
    return b->options.plot;
}

void bex_bench_row(bex_bench *b, const char *name, double value, const char *unit,
                   bex_bench_kind kind, const char *reference, double reference_value) {
    if (b->mute) return;
    double ratio = kind == BEX_BENCH_RATE ? value / reference_value : reference_value / value;
    if (b->rows) {
        json_t *row = json_pack("{s:s, s:f, s:s}", "name", name, "value", value, "unit", unit);
        json_object_set_new(row, "reference", reference ? json_string(reference) : json_null());
        json_object_set_new(row, "reference_value",
                            reference ? json_real(reference_value) : json_null());
        json_object_set_new(row, "ratio", reference ? json_real(ratio) : json_null());
        json_array_append_new(b->rows, row);
        return;
    }
    if (!b->count++)
        printf("%-34s %12s %-10s %-14s %12s %7s\n", "name", "value", "unit", "reference",
               "ref. value", "ratio");
    printf("%-34s %12.4g %-10s ", name, value, unit);
    if (reference)
        printf("%-14s %12.4g %7.2f\n", reference, reference_value, ratio);
    else
        printf("%-14s %12s %7s\n", "-", "-", "-");
    fflush(stdout);
}

void bex_bench_mute(bex_bench *b) {
    b->mute = true;
}

void bex_bench_finish(bex_bench *b) {
    if (b->rows && !b->mute) bex_json_print(b->rows);
    json_decref(b->rows);
    free(b);
}

// seconds per call of one round at least `least` long
static double round_seconds(void (*work)(void *), void *payload, double least) {
    double start = bex_seconds(), elapsed;
    long calls = 0;
    do {
        work(payload);
        calls++;
        elapsed = bex_seconds() - start;
    } while (elapsed < least);
    return elapsed / (double)calls;
}

double bex_bench_seconds(void (*work)(void *), void *payload, int rounds, double least) {
    double best = 1e300;
    work(payload);
    for (int r = 0; r < rounds; r++) {
        double s = round_seconds(work, payload, least);
        if (s < best) best = s;
    }
    return best;
}

void bex_bench_pair(double seconds[2], void (*ours)(void *), void (*reference)(void *),
                    void *payload, int rounds, double least) {
    void (*work[2])(void *) = {ours, reference};
    seconds[0] = seconds[1] = 1e300;
    for (int w = 0; w < 2; w++) work[w](payload);
    for (int r = 0; r < rounds; r++)
        for (int w = 0; w < 2; w++) {
            double s = round_seconds(work[w], payload, least);
            if (s < seconds[w]) seconds[w] = s;
        }
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bex_bench_pair_cpu(double seconds[2], void (*ours)(void *), void (*reference)(void *),
                        void *payload, int rounds, int calls) {
    void (*work[2])(void *) = {ours, reference};
    seconds[0] = seconds[1] = 1e300;
    for (int w = 0; w < 2; w++)
        if (work[w]) work[w](payload);
    for (int r = 0; r < rounds; r++)
        for (int w = 0; w < 2; w++) {
            double start = cpu_seconds();
            for (int i = 0; work[w] && i < calls; i++) work[w](payload);
            double s = (cpu_seconds() - start) / calls;
            if (s < seconds[w]) seconds[w] = s;
        }
    if (!reference) seconds[1] = 0;
}

void bex_bench_memory_reset(void) {
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f) return;
    fputs("5", f); // 5: the peak becomes what is resident now
    fclose(f);
}

static double memory(const char *field) {
    char line[256];
    double kilobytes = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, field, strlen(field))) kilobytes = (double)atoll(line + strlen(field));
    if (f) fclose(f);
    return 1024 * kilobytes;
}

double bex_bench_memory_now(void) {
    return memory("VmRSS:");
}

double bex_bench_memory_peak(void) {
    return memory("VmHWM:");
}

json_t *bex_bench_peer(const char *script_and_arguments) {
    char command[1024];
    snprintf(command, sizeof command, "/usr/bin/python3 %s/%s 2>/dev/null", BEX_SOURCE_DIR,
             script_and_arguments);
    FILE *pipe = popen(command, "r");
    if (!pipe) return bex_fail("cannot run python3"), NULL;
    json_error_t e;
    json_t *result = json_loadf(pipe, 0, &e);
    if (pclose(pipe) != 0 || !result) {
        json_decref(result);
        return bex_fail("no answer from '%s' (tools/deps --peers installs what it needs)",
                        script_and_arguments),
               NULL;
    }
    return result;
}
