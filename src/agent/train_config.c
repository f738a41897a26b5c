/* agent/train_config.c - the tables of data and optimisation, joined with the policy's and the agents'. */
#include "agent/train_config.h"

#include "base/error.h"

#include <stdlib.h>

#define D bex_data_config
static const bex_config_row data_rows[] = {
    BEX_CONFIG_TEXT(D, path, "", "file or directory of demonstrations"),
    BEX_CONFIG_TEXT(D, format, "", "d4rl, minari, robomimic, libero; empty: recognise"),
    BEX_CONFIG_TEXT(D, split, "",
                    "d4rl episodes end at: flags, jumps, ...; empty: the reader's rule"),
    BEX_CONFIG_TEXT(D, keys, "", "observation keys to join, by commas; empty: the reader's choice"),
    BEX_CONFIG_TEXT(D, filter, "", "robomimic: only demos of this filter key"),
    BEX_CONFIG_TEXT(D, images, "",
                    "cameras whose pictures are seen, by commas, or all (bex data show)"),
    BEX_CONFIG_INTEGER(D, image_size, "64", 0, 512, "pixels of a picture's side; 0: as stored"),
    BEX_CONFIG_CHOICE(D, flip, "none", bex_flip_names,
                      "how stored pictures are turned (LIBERO's lie bottom row first: vertical)"),
    BEX_CONFIG_INTEGER(D, image_memory, "1024", 0, 1e6, "MB of decoded pictures kept"),
    BEX_CONFIG_INTEGER(D, limit, "0", 0, 1e9, "first episodes only; 0: all"),
    BEX_CONFIG_NUMBER(D, held_out, "0.05", 0, 0.9,
                      "share of the episodes kept for the held-out loss"),
    BEX_CONFIG_BOOL(D, drop_constant, "false", "leave out state dims that never change"),
    BEX_CONFIG_END,
};
#define E bex_env_config
static const bex_config_row env_rows[] = {
    BEX_CONFIG_TEXT(E, name, "", "the world (bex env --list)"),
    BEX_CONFIG_TEXT(E, maze, "", "a text grid, for worlds without a maze of their own"),
    BEX_CONFIG_INTEGER(E, instances, "8", 1, 4096, "stepped together"),
    BEX_CONFIG_INTEGER(E, time_limit, "0", 0, 1e6, "steps of an episode; 0: the world's own"),
    BEX_CONFIG_BOOL(E, dense, "false", "a reward that tells the way, where the world has one"),
    BEX_CONFIG_KEYS(E, keys, "another option of the world (bex env NAME --help)"),
    BEX_CONFIG_END,
};
#define T bex_optimiser_config
static const char *const agents[] = {
#define NAME(name, class) name,
    BEX_AGENTS(NAME)
#undef NAME
        NULL};
#define AGENT_ROW                                                                                  \
    BEX_CONFIG_CHOICE(T, agent, "be", agents,                                                      \
                      "who learns: be, bc, bc-history, encoder from [data]; sac in [env]",         \
                      .was = "model.agent")
static const bex_config_row train_rows[] = {
    AGENT_ROW,
    BEX_CONFIG_INTEGER(T, steps, "20000", 1, 1e9, "updates"),
    BEX_CONFIG_INTEGER(T, batch, "256", 1, 1e6,
                       "windows an update; transitions of a minibatch (sac)"),
    BEX_CONFIG_INTEGER(T, samples_per_history, "16", 1, 1e4,
                       "windows that share a history (prefix)"),
    BEX_CONFIG_INTEGER(T, lanes, "8", 1, 256,
                       "pieces of a batch that threads take; part of the result"),
    BEX_CONFIG_INTEGER(T, threads, "0", 0, 256,
                       "that work; 0: all there are. No part of the result"),
    BEX_CONFIG_INTEGER(T, micro, "32", 1, 1e6, "windows a lane works on at once"),
    BEX_CONFIG_NUMBER(T, lr, "1e-3", 0, 1, "learning rate after the warm-up"),
    BEX_CONFIG_INTEGER(T, warmup, "500", 0, 1e9, "updates of linear warm-up, then a cosine to 0"),
    BEX_CONFIG_NUMBER(T, beta1, "0.95", 0, 0.999999, "AdamW"),
    BEX_CONFIG_NUMBER(T, beta2, "0.999", 0, 0.999999, "AdamW"),
    BEX_CONFIG_NUMBER(T, decay, "1e-6", 0, 1, "weight decay, on everything"),
    BEX_CONFIG_NUMBER(T, clip, "0", 0, 1e9, "largest gradient norm; 0: no clipping"),
    BEX_CONFIG_NUMBER(T, ema, "0", 0, 0.999999,
                      "decay of the running average that acts, less at first; 0: none"),
    BEX_CONFIG_NUMBER(T, coverage_dropout, "0.15", 0, 1,
                      "share of windows with the coverage hidden, for guidance",
                      .was = "train.hide"),
    BEX_CONFIG_INTEGER(T, trajectories, "6", 1, 64,
                       "episodes a training history is drawn from, at most"),
    BEX_CONFIG_NUMBER(T, repeat, "0.1", 0, 1, "histories of 1 to 3 distinct states"),
    BEX_CONFIG_INTEGER(T, seed, "0", 0, 9007199254740992.0, "root of all randomness"),
    BEX_CONFIG_TEXT(
        T, encoder, "",
        "pictures' network to begin with: a run, its model.safetensors, or torchvision's"),
    BEX_CONFIG_NUMBER(T, crop, "0.9", 0.1, 1, "pictures: least share of the area kept; 1: all"),
    BEX_CONFIG_NUMBER(T, blur, "0", 0, 5, "pictures: largest deviation of a blur, in pixels"),
    BEX_CONFIG_NUMBER(T, colour, "0", 0, 0.9,
                      "pictures: brightness, contrast, saturation change up to this share"),
    BEX_CONFIG_INTEGER(T, overfit, "0", 0, 1e6, "train on this many fixed windows; 0: on all"),
    BEX_CONFIG_INTEGER(T, log_every, "100", 1, 1e9, "updates between rows of metrics.csv"),
    BEX_CONFIG_INTEGER(T, evaluate_every, "1000", 1, 1e9, "updates between held-out losses"),
    BEX_CONFIG_INTEGER(T, evaluate_windows, "1024", 1, 1e6, "held-out windows"),
    BEX_CONFIG_INTEGER(T, save_every, "2000", 1, 1e9, "updates between checkpoints"),
    BEX_CONFIG_INTEGER(T, keep, "2", 1, 1000, "newest checkpoints kept, beside the best"),
    BEX_CONFIG_END,
};

#define ENV_SECTION                                                                                \
    { "env", env_rows, offsetof(bex_train_config, env), "the world that is learned in (sac)" }

static const bex_config_section sections[] = {
    {"data", data_rows, offsetof(bex_train_config, data), "demonstrations"},
    ENV_SECTION,
    BEX_POLICY_SECTION_ROWS(offsetof(bex_train_config, policy)),
#define SECTION(member, type, rows, help) {#member, rows, offsetof(bex_train_config, member), help},
    BEX_AGENT_SECTIONS(SECTION)
#undef SECTION
        {"train", train_rows, offsetof(bex_train_config, train), "optimisation"},
};
const bex_config_schema bex_train_schema = {sections, sizeof sections / sizeof *sections};

static const bex_config_row fixed_train_rows[] = {AGENT_ROW, BEX_CONFIG_END};
static const bex_config_section fixed[] = {
    BEX_POLICY_SECTION_ROWS(offsetof(bex_train_config, policy)),
    ENV_SECTION,
    {"train", fixed_train_rows, offsetof(bex_train_config, train), "who learns"},
};
const bex_config_schema bex_train_fixed_schema = {fixed, sizeof fixed / sizeof *fixed};

const char *bex_train_agent(const bex_train_config *c) {
    return agents[c->train.agent];
}

int bex_widths_parse(int *widths, int most, const char *text) {
    int n = 0;
    for (const char *p = text; *p;) {
        char *end;
        long w = strtol(p, &end, 10);
        if (end == p || (*end && (*end != ',' || !end[1])) || w < 1 || w > 8192)
            return bex_fail("widths '%s': numbers from 1 to 8192, by commas", text);
        if (n == most - 1) return bex_fail("widths '%s': more than %d", text, most - 1);
        widths[n++] = (int)w;
        p = *end ? end + 1 : end;
    }
    if (!n) return bex_fail("widths '': at least one");
    widths[n] = 0;
    return 0;
}
