/* tests/policy/tiny_policy.h - a small policy with weights, statistics and features of its own, made in
 * milliseconds. Every weight is random: a fresh network's last layer is zero and would hide its inputs. */
#ifndef BEX_TESTS_POLICY_TINY_POLICY_H
#define BEX_TESTS_POLICY_TINY_POLICY_H

#include "base/error.h"
#include "policy/policy.h"
#include "policy/policy_phi.h"

#include "test.h"

enum { TINY_O = 4, TINY_A = 2, TINY_K = 4, TINY_H = 6, TINY_ROWS = 200 };

static inline bex_policy_config tiny_config(const char *const *settings) {
    static const char *const sizes[] = {
        "model.width=16",      "model.heads=2",   "model.blocks=2",    "model.feedforward=24",
        "model.time_width=8",  "model.chunk=4",   "model.history=6",   "deploy.denoising_steps=4",
        "coverage.features=8", "coverage.bank=4", "coverage.dims=0,1", NULL};
    bex_policy_config c;
    bex_config_defaults(&bex_policy_schema, &c);
    for (int i = 0; sizes[i]; i++)
        if (bex_config_set(&bex_policy_schema, &c, sizes[i]) < 0) fail_msg("%s", bex_error());
    for (int i = 0; settings && settings[i]; i++)
        if (bex_config_set(&bex_policy_schema, &c, settings[i]) < 0) fail_msg("%s", bex_error());
    if (bex_policy_config_settle(&c) < 0) fail_msg("%s", bex_error());
    return c;
}

// statistics of made-up futures, fitted to made-up labels
static inline bex_condition *tiny_condition(const bex_policy_config *c, bex_gram_shape shape,
                                            bex_rng *g) {
    size_t size = bex_gram_size(shape);
    int M = (int)c->coverage.bank;
    double *bank = calloc((size_t)M * size, sizeof *bank), label[50];
    bex_moments moments[50];
    for (int m = 0; m < M; m++)
        for (int n = 0; n < 20; n++) {
            bex_real phi[BEX_GRAM_WIDTH];
            if (shape.diagonal) {
                bank[(size_t)m * size + bex_rng_below(g, (uint64_t)shape.d)] += 1;
                continue;
            }
            for (int i = 0; i < shape.d; i++) phi[i] = R(bex_rng_normal(g));
            bex_gram_rows(shape, bank + (size_t)m * size, phi, 1, BEX_GRAM_ADD);
        }
    for (int i = 0; i < 50; i++) {
        label[i] = bex_rng_normal(g);
        moments[i] = (bex_moments){0.1 * bex_rng_normal(g), 1 + bex_rng_uniform(g)};
    }
    bex_normalise n = (bex_normalise)c->coverage.normalise;
    bex_condition *condition = bex_condition_new(n, shape, c->coverage.lambda, bank, M);
    if (!condition ||
        bex_condition_fit(condition, label, n == BEX_NORMALISE_HISTORY ? moments : NULL, 50) < 0)
        fail_msg("%s", bex_error());
    free(bank);
    return condition;
}

// directions of made-up features
static inline void tiny_seen(bex_policy *p, bex_rng *g) {
    size_t F = bex_policy_features(p);
    bex_real *x = malloc(TINY_ROWS * F * sizeof *x);
    const bex_real *row[TINY_ROWS];
    for (size_t i = 0; i < TINY_ROWS * F; i++) x[i] = R(bex_rng_normal(g));
    for (size_t i = 0; i < TINY_ROWS; i++) row[i] = x + i * F;
    if (bex_seen_fit(&p->seen, (int)p->config.vision.columns, (int)F, row, TINY_ROWS) < 0)
        fail_msg("%s", bex_error());
    free(x);
}

// settings: "section.key=value", NULL-terminated, over the tiny sizes; NULL: none
static inline bex_policy *tiny_policy(const char *const *settings, int tasks, uint64_t seed) {
    bex_policy_config c = tiny_config(settings);
    bex_rng g = bex_rng_split(bex_rng_seed(seed), "tiny", 0);
    bex_policy *p = bex_policy_new(&c, TINY_O, TINY_A, tasks, 0, 0, seed);
    if (!p) fail_msg("%s", bex_error());
    for (int i = 0; i < p->params->params; i++)
        for (size_t k = 0; k < p->params->param[i]->count; k++)
            bex_param_edit(p->params->param[i])[k] += R(0.2 * bex_rng_normal(&g));
    bex_real states[TINY_ROWS * TINY_O], actions[TINY_ROWS * TINY_A];
    for (int i = 0; i < TINY_ROWS * TINY_O; i++)
        states[i] = R((1 + i % TINY_O) * bex_rng_normal(&g) + i % TINY_O);
    for (int i = 0; i < TINY_ROWS * TINY_A; i++)
        actions[i] = R((1 + i % TINY_A) * (2 * bex_rng_uniform(&g) - 1));
    if (bex_normaliser_fit(&p->normaliser, states, actions, TINY_ROWS, TINY_O, TINY_A, false) < 0)
        fail_msg("%s", bex_error());
    if (c.vision.columns) tiny_seen(p, &g);
    if (!c.model.coverage) return p;
    p->phi = bex_policy_phi(&p->config, &p->normaliser);
    if (!p->phi) fail_msg("%s", bex_error());
    p->condition = tiny_condition(&c, bex_feature_shape(p->phi), &g);
    return p;
}

static inline void tiny_policy_save(const char *const *settings, int tasks, uint64_t seed,
                                    const char *path) {
    bex_policy *p = tiny_policy(settings, tasks, seed);
    if (bex_policy_save(p, path) < 0) fail_msg("%s", bex_error());
    bex_policy_free(p);
}

// state t of made-up episode e
static inline void tiny_state(float *state, int e, int t) {
    for (int i = 0; i < TINY_O; i++)
        state[i] = (float)((e + 1) * 0.3 + 0.1 * t * (i + 1) - 0.05 * i * e);
}

#endif
