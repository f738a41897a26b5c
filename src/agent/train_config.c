/* agent/train_config.c - the tables of data and optimisation, joined with the policy's and the agents'. */
#include "agent/train_config.h"

#include "base/error.h"

#include <stdlib.h>

#define D bex_data_config
static const bex_config_row data_rows[] = {
    BEX_CONFIG_TEXT(D, path, "", "file or directory of demonstrations",
                    .advice = "the one key that always must be given"),
    BEX_CONFIG_TEXT(D, format, "", "d4rl, minari, robomimic, libero; empty: recognise",
                    .advice = "leave empty; name it when two readers would take the file"),
    BEX_CONFIG_TEXT(
        D, split_at, "", "d4rl episodes end at: flags, jumps, ...; empty: the reader's rule",
        .was = "data.split",
        .advice = "leave empty; jumps for files whose flags do not say where episodes end"),
    BEX_CONFIG_INTEGER(D, episode_length, "0", 0, 2e9, "d4rl: cut after so many rows; 0: no",
                       .advice = "0; 300 and the like for a file that is one long recording"),
    BEX_CONFIG_NUMBER(D, jump, "0", 0, 1e300,
                      "d4rl: a longer step is a jump; 0: 5 times the 90th percentile",
                      .advice = "0; raise when fast motion is taken for the end of an episode"),
    BEX_CONFIG_TEXT(D, position, "", "d4rl: the two columns jumps are seen in; empty: 0,1",
                    .advice = "0,1; other columns when the place stands elsewhere"),
    BEX_CONFIG_TEXT(
        D, obs_keys, "", "observation keys to join, by commas; empty: the reader's choice",
        .was = "data.keys",
        .advice =
            "what a policy needs and the robot can measure; fewer when keys repeat each other"),
    BEX_CONFIG_TEXT(D, filter, "", "robomimic: only demos of this filter key",
                    .advice = "empty; train where a file marks its own held-out part"),
    BEX_CONFIG_TEXT(
        D, images, "", "cameras whose pictures are seen, by commas, or all (bex data show)",
        .advice =
            "empty; the cameras the robot will have, when the state alone does not tell what to do"),
    BEX_CONFIG_INTEGER(D, image_size, "64", 0, 512, "pixels of a picture's side; 0: as stored",
                       .advice = "64 to 128; raise when what matters is only a few pixels wide"),
    BEX_CONFIG_CHOICE(D, flip, "none", bex_flip_names,
                      "how stored pictures are turned (LIBERO's lie bottom row first: vertical)",
                      .advice =
                          "none; look at bex data show --plot, and turn what stands on its head"),
    BEX_CONFIG_INTEGER(
        D, image_memory, "1024", 0, 1e6, "MB of decoded pictures kept",
        .advice =
            "1024; raise to the size of all pictures where memory allows: reading gets faster"),
    BEX_CONFIG_INTEGER(D, limit, "0", 0, 1e9, "first episodes only; 0: all",
                       .advice = "0; a few episodes for a first try"),
    BEX_CONFIG_NUMBER(D, held_out, "0.05", 0, 0.9,
                      "share of the episodes kept for the held-out loss", .automatic = true,
                      .advice = "0.05; raise with few episodes, so that at least two are held out"),
    BEX_CONFIG_BOOL(D, drop_constant, "false", "leave out state dims that never change",
                    .automatic = true,
                    .advice = "true where bex data show reports columns that never change"),
    BEX_CONFIG_NUMBER(
        D, least_deviation, "0", 0, 1e6,
        "state dims that moved less count as if they had moved so much, in their unit",
        .advice =
            "0; 0.02 for poses in metres: what nobody touched may well be moved by the policy"),
    BEX_CONFIG_END,
};
#define E bex_env_config
static const bex_config_row env_rows[] = {
    BEX_CONFIG_TEXT(E, name, "", "the world (bex env --list)",
                    .advice = "empty for imitation; the world for sac, and for skills"),
    BEX_CONFIG_TEXT(E, maze, "", "a text grid, for worlds without a maze of their own",
                    .advice = "empty; a file for a maze of yours"),
    BEX_CONFIG_INTEGER(E, instances, "8", 1, 4096, "stepped together",
                       .advice =
                           "8 to 32; raise where stepping the world takes longer than learning"),
    BEX_CONFIG_INTEGER(E, time_limit, "0", 0, 1e6, "steps of an episode; 0: the world's own",
                       .advice = "0; lower for shorter attempts"),
    BEX_CONFIG_BOOL(E, dense, "false", "a reward that tells the way, where the world has one",
                    .advice = "false; true where a sparse reward is never found"),
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
                      "be, bc, bc-history, encoder, supe, hilp: from [data]; sac: in [env]",       \
                      .was = "model.agent",                                                        \
                      .advice = "be; bc for one way of doing it, and as the baseline")
static const bex_config_row train_rows[] = {
    AGENT_ROW,
    BEX_CONFIG_INTEGER(T, steps, "20000", 1, 1e9, "updates",
                       .advice = "20000 to 150000; raise while held_out still falls at the end"),
    BEX_CONFIG_INTEGER(T, batch, "256", 1, 1e6,
                       "windows or samples an update; transitions of a minibatch (sac)",
                       .advice = "256; raise when the loss is noisy and cores are idle"),
    BEX_CONFIG_INTEGER(
        T, samples_per_history, "16", 1, 1e4, "windows that share a history (prefix)",
        .advice = "16; lower to 4 when histories matter more than windows; cost grows as it falls"),
    BEX_CONFIG_INTEGER(T, lanes, "8", 1, 256,
                       "pieces of a batch that threads take; part of the result",
                       .advice = "8; the number of cores, if that is more; part of the result"),
    BEX_CONFIG_INTEGER(T, threads, "0", 0, 256,
                       "that work; 0: all there are. No part of the result",
                       .advice = "0; lower to leave cores to others"),
    BEX_CONFIG_INTEGER(T, micro, "32", 1, 1e6, "windows a lane works on at once",
                       .advice = "32; lower when a lane's memory leaves the cache"),
    BEX_CONFIG_NUMBER(T, lr, "1e-3", 0, 1, "learning rate after the warm-up",
                      .advice = "3e-4 to 1e-3; lower when the loss jumps, raise when it crawls"),
    BEX_CONFIG_INTEGER(T, warmup, "500", 0, 1e9, "updates of linear warm-up, then a cosine to 0",
                       .automatic = true,
                       .advice =
                           "a fiftieth of the updates; raise when the loss jumps at the beginning"),
    BEX_CONFIG_NUMBER(T, beta1, "0.95", 0, 0.999999, "AdamW",
                      .advice = "0.95; no need to change it"),
    BEX_CONFIG_NUMBER(T, beta2, "0.999", 0, 0.999999, "AdamW",
                      .advice = "0.999; no need to change it"),
    BEX_CONFIG_NUMBER(T, decay, "1e-6", 0, 1, "weight decay, on everything",
                      .advice = "1e-6; raise when the held-out loss rises while the loss falls"),
    BEX_CONFIG_NUMBER(T, clip, "0", 0, 1e9, "largest gradient norm; 0: no clipping",
                      .advice = "0; 1 when grad_norm jumps"),
    BEX_CONFIG_NUMBER(T, ema, "0", 0, 0.999999,
                      "decay of the running average that acts, less at first; 0: none",
                      .advice = "0; 0.999 or 0.9999 for long training: smoother actions"),
    BEX_CONFIG_NUMBER(
        T, coverage_dropout, "0.15", 0, 1,
        "share of windows with the coverage hidden, for guidance", .was = "train.hide",
        .automatic = true,
        .advice = "0.15; 0.5 when candidates are proposed without the coverage (guidance 0)"),
    BEX_CONFIG_INTEGER(T, samples_per_place, "4", 1, 1e4,
                       "windows of a history from nearly the same state (rank)",
                       .advice = "4; raise when labels take long"),
    BEX_CONFIG_NUMBER(T, best, "0.5", 0, 1,
                      "share of windows that are the most covering alternative (rank)",
                      .advice = "0.5; raise when q:1 does not differ from q:0.5"),
    BEX_CONFIG_NUMBER(T, near, "0.5", 0, 1, "share of windows near a state of their history (rank)",
                      .advice = "0.5; raise when near_other_history hardly differs from near"),
    BEX_CONFIG_INTEGER(T, trajectories, "6", 1, 64,
                       "episodes a training history is drawn from, at most",
                       .advice = "6; raise when a deployment has many more episodes than that"),
    BEX_CONFIG_NUMBER(T, repeat, "0.1", 0, 1, "histories of 1 to 3 distinct states",
                      .advice = "0.1; raise when first episodes behave oddly"),
    BEX_CONFIG_INTEGER(T, seed, "0", 0, 9007199254740992.0, "root of all randomness",
                       .advice = "0; three seeds before a result is believed"),
    BEX_CONFIG_TEXT(
        T, encoder, "",
        "pictures' network to begin with: a run, its model.safetensors, or torchvision's",
        .advice = "empty; a pretrained network when there are few pictures"),
    BEX_CONFIG_NUMBER(T, crop, "0.9", 0.1, 1, "pictures: least share of the area kept; 1: all",
                      .advice = "0.9; 1 for cameras that never move; lower for few pictures"),
    BEX_CONFIG_NUMBER(T, blur, "0", 0, 5, "pictures: largest deviation of a blur, in pixels",
                      .advice = "0; 1 to 2 when the robot's camera is worse than the recording's"),
    BEX_CONFIG_NUMBER(T, colour, "0", 0, 0.9,
                      "pictures: brightness, contrast, saturation change up to this share",
                      .advice = "0; 0.2 to 0.4 when the light may change"),
    BEX_CONFIG_INTEGER(T, overfit, "0", 0, 1e6, "train on this many fixed windows; 0: on all",
                       .advice = "0; 64 to see whether the network can learn at all"),
    BEX_CONFIG_INTEGER(T, log_every, "100", 1, 1e9, "updates between rows of metrics.csv",
                       .advice = "100; raise for runs of a million updates"),
    BEX_CONFIG_INTEGER(
        T, evaluate_every, "1000", 1, 1e9, "updates between held-out losses",
        .advice = "1000; raise when evaluation takes a share of the time that can be felt"),
    BEX_CONFIG_INTEGER(T, evaluate_windows, "1024", 1, 1e6, "held-out windows",
                       .advice =
                           "1024; raise when held_out is too noisy to find the best checkpoint"),
    BEX_CONFIG_INTEGER(T, save_every, "2000", 1, 1e9, "updates between checkpoints",
                       .advice = "2000; raise when saving takes long, lower where power may fail"),
    BEX_CONFIG_INTEGER(T, keep, "2", 1, 1000, "newest checkpoints kept, beside the best",
                       .advice = "2; raise to compare stages of training"),
    BEX_CONFIG_END,
};

#define ENV_SECTION                                                                                \
    {                                                                                              \
        "env", env_rows, offsetof(bex_train_config, env),                                          \
            "the world that is learned in (sac), or that skills are for"                           \
    }

static const bex_config_section sections[] = {
    {"data", data_rows, offsetof(bex_train_config, data), "demonstrations"},
    ENV_SECTION,
    BEX_POLICY_SECTION_ROWS(offsetof(bex_train_config, policy)),
#define SECTION(member, type, rows, help) {#member, rows, offsetof(bex_train_config, member), help},
    BEX_AGENT_SECTIONS(SECTION)
#undef SECTION
        {"train", train_rows, offsetof(bex_train_config, train), "optimisation"},
};
const bex_config_schema bex_train_schema = {
    .sections = sections,
    .count = sizeof sections / sizeof *sections,
    .marks = offsetof(bex_train_config, marks),
    .marks_size = sizeof((bex_train_config *)0)->marks,
};

static const bex_config_row fixed_train_rows[] = {AGENT_ROW, BEX_CONFIG_END};
static const bex_config_section fixed[] = {
    BEX_POLICY_SECTION_ROWS(offsetof(bex_train_config, policy)),
    ENV_SECTION,
    {"train", fixed_train_rows, offsetof(bex_train_config, train), "who learns"},
};
const bex_config_schema bex_train_fixed_schema = {.sections = fixed,
                                                  .count = sizeof fixed / sizeof *fixed};

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
