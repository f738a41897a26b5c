/* bench/coverage.c - labelling windows with their coverage, beside PyTorch.
 *
 * The dataset is the paper's Antmaze in shape: 1000 episodes of 1000 states of 29 values, phi the
 * random MLP with 32 features, 100 history states from up to six episodes, 200 future states and the
 * current one. `coverage_label` is all of a label: the history's sum from scattered feature rows,
 * the window's sum from prefix sums, the factorisation, the logarithm. What is not in it: phi and
 * the prefix sums, made once per dataset (`coverage_phi`, `coverage_prefix`).
 * The reference is torch.linalg.inv alone, given the finished matrices; `coverage_states` is
 * the same figure of ours beside PyTorch doing the whole of it. */
#include "bench/bench.h"

#include "base/error.h"
#include "base/rng.h"
#include "coverage/coverage.h"
#include "coverage/label.h"
#include "host/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EPISODES = 1000, LENGTH = 1000, STATE = 29, D = 32, N = 100, F = 201, BATCH = 4096 };
static const double lambda = 0.01;

typedef struct coverage_bench {
    bex_real *states; // random walks, (EPISODES * LENGTH, STATE)
    bex_feature *feature;
    bex_prefix *prefix;
    bex_condition *condition; // bank of 64
    int rows[BATCH * N], first[BATCH];
    int count[BATCH];
    double log_cov[BATCH], *grams; // grams (BATCH, size): the matrices of the batch
    bex_moments moments[BATCH];
    int threads, windows; // windows a history
    bool with_moments;
} coverage_bench;

static void walk(bex_real *states) {
    for (int e = 0; e < EPISODES; e++) {
        bex_rng rng = bex_rng_split(bex_rng_seed(1), "walk", (uint64_t)e);
        double at[STATE] = {0};
        for (int t = 0; t < LENGTH; t++)
            for (int i = 0; i < STATE; i++) {
                // x and y drift, the rest is posture and velocity around zero
                double u = 2 * bex_rng_uniform(&rng) - 1;
                at[i] = i < 2 ? at[i] + 0.5 * u : 0.9 * at[i] + u;
                *states++ = R(at[i]);
            }
    }
}

static void draw_windows(coverage_bench *b) {
    bex_rng rng = bex_rng_seed(2);
    for (int w = 0; w < BATCH; w++) {
        int episodes = 1 + (int)bex_rng_below(&rng, 6), from[6];
        for (int i = 0; i < episodes; i++) from[i] = (int)bex_rng_below(&rng, EPISODES);
        for (int i = 0; i < N; i++)
            b->rows[w * N + i] = from[bex_rng_below(&rng, (uint64_t)episodes)] * LENGTH +
                                 (int)bex_rng_below(&rng, LENGTH);
        b->first[w] =
            (int)bex_rng_below(&rng, EPISODES) * LENGTH + (int)bex_rng_below(&rng, LENGTH - F);
        b->count[w] = F;
    }
}

static int make_prefix(coverage_bench *b) {
    bex_prefix_free(b->prefix);
    b->prefix = bex_prefix_new(b->feature, b->states, EPISODES * LENGTH,
                               &(bex_prefix_options){.threads = 2});
    return b->prefix ? 0 : -1;
}

static void label(void *payload) {
    coverage_bench *b = payload;
    bex_label_query q = {BATCH / b->windows, N, b->windows, b->rows, b->first, b->count};
    int failed = bex_label(b->log_cov, b->with_moments ? b->moments : NULL, b->prefix, b->condition,
                           &q, b->threads);
    BEX_CHECK(failed == 0, "%s", bex_error());
}

static void factor(void *payload) {
    coverage_bench *b = payload;
    bex_gram_shape shape = bex_feature_shape(b->feature);
    bex_coverage_batch(b->log_cov, shape, NULL, b->grams, BATCH, lambda);
}

static void evaluate(void *payload) {
    coverage_bench *b = payload;
    static bex_real out[100 * LENGTH * D]; // a tenth of the data
    int failed = bex_feature_eval(b->feature, out, b->states, 100 * LENGTH, NULL, b->threads);
    BEX_CHECK(failed == 0, "%s", bex_error());
}

static void build(void *payload) {
    BEX_CHECK(make_prefix(payload) == 0, "%s", bex_error());
}

static double rate(coverage_bench *b, void (*work)(void *), int threads, int windows, double n) {
    b->threads = threads, b->windows = windows;
    return n / bex_bench_seconds(work, b, 60, 0.01);
}

static int set_up(coverage_bench *b) {
    int first[64];
    int count[64];
    b->states = malloc(sizeof *b->states * EPISODES * LENGTH * STATE);
    if (!b->states) return bex_fail("out of memory");
    walk(b->states);
    draw_windows(b);
    b->feature = bex_feature_new(&(bex_feature_options){.kind = "mlp", .input = STATE, .seed = 3});
    if (!b->feature || make_prefix(b) < 0) return -1;
    bex_gram_shape shape = bex_feature_shape(b->feature);
    size_t size = bex_gram_size(shape);
    b->grams = calloc(BATCH * size, sizeof *b->grams);
    if (!b->grams) return bex_fail("out of memory");
    for (int m = 0; m < 64; m++) first[m] = b->first[m], count[m] = F;
    bex_label_bank(b->grams, b->prefix, first, count, 64);
    b->condition = bex_condition_new(BEX_NORMALISE_HISTORY, shape, lambda, b->grams, 64);
    for (size_t w = 0; w < BATCH; w++) {
        double *g = b->grams + w * size;
        bex_gram_zero(shape, g);
        bex_prefix_add_rows(b->prefix, g, b->rows + w * N, N);
        bex_prefix_add_window(b->prefix, g, b->first[w], b->count[w]);
    }
    return b->condition ? 0 : -1;
}

// hands the batch's matrices to PyTorch; NULL with a message where it is missing
static json_t *ask_torch(const coverage_bench *b) {
    char path[] = "/tmp/bex-coverage-XXXXXX", command[128];
    bex_gram_shape shape = bex_feature_shape(b->feature);
    size_t size = bex_gram_size(shape);
    int descriptor = mkstemp(path);
    FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!out) return bex_fail("cannot write '%s'", path), NULL;
    for (size_t w = 0; w < BATCH; w++)
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++) {
                double x = bex_gram_at(shape, b->grams + w * size, i, j) + (i == j ? lambda : 0);
                fwrite(&x, sizeof x, 1, out);
            }
    fclose(out);
    snprintf(command, sizeof command, "bench/peer_coverage.py %s %d %d", path, BATCH, D);
    json_t *answer = bex_bench_peer(command);
    unlink(path);
    return answer;
}

// PyTorch's mean coverage of the same matrices must be ours
static int compare(coverage_bench *b, const json_t *peer) {
    double theirs, mean = 0;
    factor(b);
    for (int w = 0; w < BATCH; w++) mean += b->log_cov[w] / BATCH;
    if (bex_json_get_number(peer, "mean_coverage", &theirs) < 0) return -1;
    if (fabs(mean / theirs - 1) < 1e-8) return 0;
    return bex_fail("mean coverage %.12g, PyTorch has %.12g", mean, theirs);
}

static void report(bex_bench *table, coverage_bench *b, const json_t *peer) {
    const char *inv = peer ? "torch_linalg_inv" : NULL;
    const char *states = peer ? "torch_bmm_inv" : NULL;
    double torch_inv = 0, torch_states = 0;
    if (peer) {
        bex_json_get_number(peer, "windows_per_second", &torch_inv);
        bex_json_get_number(peer, "from_states_per_second", &torch_states);
    }
    const double n = EPISODES * LENGTH;
    const char *unit = "windows/s";
    bex_bench_row(table, "coverage_phi/mlp29_d32/2threads", rate(b, evaluate, 2, 1, n / 10),
                  "states/s", BEX_BENCH_RATE, NULL, 0);
    bex_bench_row(table, "coverage_prefix/mlp29_d32/2threads",
                  n / bex_bench_seconds(build, b, 2, 0.05), "states/s", BEX_BENCH_RATE, NULL, 0);
    bex_bench_row(table, "coverage_factor/d32/1thread", rate(b, factor, 1, 1, BATCH), unit,
                  BEX_BENCH_RATE, inv, torch_inv);
    bex_bench_row(table, "coverage_label/H100_F200_d32/1thread", rate(b, label, 1, 1, BATCH), unit,
                  BEX_BENCH_RATE, inv, torch_inv);
    double two = rate(b, label, 2, 1, BATCH);
    bex_bench_row(table, "coverage_label/H100_F200_d32/2threads", two, unit, BEX_BENCH_RATE, inv,
                  torch_inv);
    bex_bench_row(table, "coverage_states/H100_F200_d32/2threads", two, unit, BEX_BENCH_RATE,
                  states, torch_states);
    bex_bench_row(table, "coverage_label16/H100_F200_d32/2threads", rate(b, label, 2, 16, BATCH),
                  unit, BEX_BENCH_RATE, inv, torch_inv);
    b->with_moments = true;
    bex_bench_row(table, "coverage_bank64/H100_F200_d32/2threads", rate(b, label, 2, 16, BATCH),
                  unit, BEX_BENCH_RATE, NULL, 0);
}

int bex_bench_coverage(bex_bench *table) {
    coverage_bench *b = calloc(1, sizeof *b);
    BEX_CHECK(b, "out of memory");
    json_t *peer = NULL;
    int code = 1;
    if (set_up(b) < 0) goto done;
    peer = ask_torch(b);
    if (peer && compare(b, peer) < 0) goto done;
    report(table, b, peer);
    code = 0;
done:
    if (code) fprintf(stderr, "bex bench coverage: %s\n", bex_error());
    json_decref(peer);
    bex_condition_free(b->condition);
    bex_prefix_free(b->prefix);
    bex_feature_free(b->feature);
    free(b->grams);
    free(b->states);
    free(b);
    return code;
}
