/* tests/base/config_sample.h - a config with every type and two modules, for the test and the fuzz
 * target. */
#ifndef BEX_TESTS_CONFIG_SAMPLE_H
#define BEX_TESTS_CONFIG_SAMPLE_H

#include "base/config.h"

typedef enum { RULE_UNIFORM, RULE_LAST3, RULE_FIRST } sample_rule;

typedef struct sample_train {
    double lr, decay;
    long long steps, seed;
    bool ema;
} sample_train;

typedef struct sample_data {
    char path[40];
    sample_rule history;
    int mode;
} sample_data;

typedef struct sample {
    sample_train train;
    sample_data data;
} sample;

static const char *const sample_rules[] = {"uniform", "last3", "first", NULL};
static const char *const sample_modes[] = {"full", "prefix", NULL};

static const bex_config_row sample_train_rows[] = {
    BEX_CONFIG_NUMBER(sample_train, lr, "3e-4", 0, 1, "learning rate after warm-up"),
    BEX_CONFIG_NUMBER(sample_train, decay, "-0.0", -1e300, 1e300, "weight decay"),
    BEX_CONFIG_INTEGER(sample_train, steps, "50000", 1, 1e9, "optimiser steps"),
    BEX_CONFIG_INTEGER(sample_train, seed, "0", 0, 9007199254740992.0, "root of all randomness"),
    BEX_CONFIG_BOOL(sample_train, ema, "true", "keep an average of the weights"),
    BEX_CONFIG_END,
};
static const bex_config_row sample_data_rows[] = {
    BEX_CONFIG_TEXT(sample_data, path, "", "file of demonstrations"),
    BEX_CONFIG_CHOICE(sample_data, history, "uniform", sample_rules, "how a history is drawn"),
    BEX_CONFIG_CHOICE(sample_data, mode, "prefix", sample_modes, "which tokens see which"),
    BEX_CONFIG_END,
};
static const bex_config_section sample_sections[] = {
    {"train", sample_train_rows, offsetof(sample, train), "optimisation"},
    {"data", sample_data_rows, offsetof(sample, data), "demonstrations"},
};
static const bex_config_schema sample_schema = {.sections = sample_sections, .count = 2};

#endif
