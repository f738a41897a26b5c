/* policy/policy_config.c - the tables. */
#include "policy/policy_config.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const char *const modes[] = {"full", "prefix", NULL};
static const char *const pools[] = {"all", "query", NULL};
static const char *const normalises[] = {"global", "history", NULL};
static const char *const predictions[] = {"noise", "chunk", NULL}; // bex_predicts
static const char *const encoders[] = {"learned", "frozen", NULL}; // bex_encoder_use
static const char *const networks[] = {"resnet18", "resnet34", NULL};
static const char *const picture_pools[] = {"token", "places", "keypoints",
                                            NULL}; // bex_resnet_pool
const char *const bex_flip_names[] = {"none", "vertical", "rot180", NULL};
const char *const bex_phi_kinds[] = {"cosine", "mlp", "onehot", "cosine_relative", NULL};

#define M bex_model_config
const bex_config_row bex_model_rows[] = {
    BEX_CONFIG_CHOICE(M, mode, "prefix", modes, "which tokens see which (docs/model.md)"),
    BEX_CONFIG_CHOICE(M, pool, "all", pools, "tokens averaged for the decoder in full mode"),
    BEX_CONFIG_INTEGER(M, width, "64", 4, 4096, "size of a token"),
    BEX_CONFIG_INTEGER(M, heads, "4", 1, 64, "attention heads; must divide width"),
    BEX_CONFIG_INTEGER(M, blocks, "3", 1, 16, "blocks of the encoder and of the decoder"),
    BEX_CONFIG_INTEGER(M, feedforward, "256", 4, 16384, "hidden size of a block"),
    BEX_CONFIG_INTEGER(M, time_width, "256", 4, 4096,
                       "size of the diffusion step's embedding; even"),
    BEX_CONFIG_INTEGER(M, chunk, "8", 1, 256, "actions predicted at once, K"),
    BEX_CONFIG_INTEGER(M, history, "32", 0, 4096, "history states, N; 0: none (bc)"),
    BEX_CONFIG_BOOL(M, coverage, "true", "a token of the coverage (be); the agent decides"),
    BEX_CONFIG_BOOL(M, features, "false", "phi(s) beside s in the tokens of states"),
    BEX_CONFIG_BOOL(M, waypoints, "false",
                    "denoise a state of the future (coverage.dims) beside each action"),
    BEX_CONFIG_NUMBER(
        M, reach, "0", 0, 1000,
        "waypoints: 0: positions; else displacements, 1 being so many deviations in F steps"),
    BEX_CONFIG_BOOL(M, timestep, "false", "a token of the time in the episode"),
    BEX_CONFIG_BOOL(M, task, "false", "a token of the task label"),
    BEX_CONFIG_BOOL(M, scene, "false", "a token of the scene label"),
    BEX_CONFIG_NUMBER(M, dropout, "0", 0, 0.9, "in encoder and decoder"),
    BEX_CONFIG_CHOICE(M, encoder, "learned", encoders,
                      "network of the pictures: learned, or frozen as train.encoder has it"),
    BEX_CONFIG_INTEGER(M, horizon, "300", 1, 1000000, "steps the timestep token counts as 1"),
    BEX_CONFIG_TEXT(M, agent, "", "who learned it", .retired = true),
    BEX_CONFIG_END,
};
#define V bex_vision_config
const bex_config_row bex_vision_rows[] = {
    BEX_CONFIG_TEXT(V, images, "", "cameras, as data.images names them, which decides"),
    BEX_CONFIG_INTEGER(V, height, "0", 0, 4096, "pixels that are seen; from data.image_size"),
    BEX_CONFIG_INTEGER(V, width, "0", 0, 4096, "the same"),
    BEX_CONFIG_CHOICE(V, flip, "none", bex_flip_names, "how pictures are turned; from data.flip"),
    BEX_CONFIG_CHOICE(V, network, "resnet18", networks, "with group norm (16 groups)"),
    BEX_CONFIG_INTEGER(V, channels, "32", 16, 256,
                       "of its first stage, a multiple of 16; torchvision's networks: 64"),
    BEX_CONFIG_BOOL(V, shared, "true", "one network for all cameras; false: one for each"),
    BEX_CONFIG_CHOICE(V, pool, "token", picture_pools,
                      "a camera is one token (mean), one a place, or one of keypoints"),
    BEX_CONFIG_END,
};
#undef V
#define D bex_diffusion_config
const bex_config_row bex_diffusion_rows[] = {
    BEX_CONFIG_INTEGER(D, steps, "100", 1, 1000, "noise levels in training"),
    BEX_CONFIG_CHOICE(
        D, predicts, "noise", predictions,
        "what the network predicts: noise (the paper), or chunk, which learns faster"),
    BEX_CONFIG_NUMBER(
        D, show_waypoints, "0", 0, 0.99,
        "share of windows whose waypoints are shown without noise: actions that follow them",
        .was = "diffusion.lead"),
    BEX_CONFIG_END,
};
#define C bex_coverage_config
const bex_config_row bex_coverage_rows[] = {
    BEX_CONFIG_CHOICE(C, phi, "cosine", bex_phi_kinds, "features (docs/coverage.md)"),
    BEX_CONFIG_TEXT(C, dims, "", "state dims phi sees, by commas; empty: all"),
    BEX_CONFIG_INTEGER(C, features, "32", 0, 8192, "size of phi; 0: the kind's own"),
    BEX_CONFIG_INTEGER(C, hidden, "128", 1, 256, "hidden size of mlp"),
    BEX_CONFIG_INTEGER(C, future, "100", 1, 100000, "states after s_k that count, F"),
    BEX_CONFIG_INTEGER(C, bank, "64", 2, 4096,
                       "dataset futures that history normalisation compares with"),
    BEX_CONFIG_INTEGER(
        C, support, "0", 0, 65536,
        "demonstrated states: a waypoint far from all of them is unsupported; 0: none",
        .was = "coverage.places"),
    BEX_CONFIG_INTEGER(C, seed, "0", 0, 9007199254740992.0, "of phi"),
    BEX_CONFIG_NUMBER(C, bandwidth, "2", 1e-6, 1e6,
                      "of cosines: larger resolves smaller distances"),
    BEX_CONFIG_NUMBER(C, lambda, "0.01", 1e-12, 1e6, "ridge of the coverage"),
    BEX_CONFIG_NUMBER(C, cell, "0.5", 1e-6, 1e6, "side of a cell of onehot"),
    BEX_CONFIG_BOOL(C, standardise, "true", "phi sees (s - mean) / std"),
    BEX_CONFIG_BOOL(C, truncate, "false", "allow futures cut by the end of the episode"),
    BEX_CONFIG_BOOL(C, novelty, "false",
                    "take out what a future covers with any history (history)"),
    BEX_CONFIG_CHOICE(C, normalise, "history", normalises, "coverage to the network's input"),
    BEX_CONFIG_END,
};
#define P bex_deploy_config
const bex_config_row bex_deploy_rows[] = {
    BEX_CONFIG_TEXT(P, exp, "q:0.95", "how exploratory: q:quantile, z:deviations, raw:coverage"),
    BEX_CONFIG_TEXT(P, history, "uniform", "history rule: uniform, first, last3, file:PATH"),
    BEX_CONFIG_NUMBER(P, guidance, "1", 0, 100, "weight of the coverage; 1: the paper"),
    BEX_CONFIG_NUMBER(P, noise, "0", 0, 10, "standard deviation added to actions in [-1,1] units"),
    BEX_CONFIG_NUMBER(P, temperature, "1", 0, 10,
                      "of the noise that actions are denoised from; below 1: likelier ones"),
    BEX_CONFIG_INTEGER(P, candidates, "1", 1, 256,
                       "candidate futures, of which the nearest to exp is taken (model.waypoints)"),
    BEX_CONFIG_INTEGER(P, commit, "0", 0, 100000,
                       "actions for which a chosen future is followed; 0: until the next plan"),
    BEX_CONFIG_INTEGER(P, action_steps, "0", 0, 256,
                       "actions of a chunk that are executed before the next plan; 0: all",
                       .was = "deploy.act"),
    BEX_CONFIG_INTEGER(P, denoising_steps, "8", 1, 1000, "of a plan (DDIM)",
                       .was = "diffusion.ddim"),
    BEX_CONFIG_END,
};
#undef M
#undef D
#undef C
#undef P

static const bex_config_section sections[] = {BEX_POLICY_SECTION_ROWS(0)};
const bex_config_schema bex_policy_schema = {sections, sizeof sections / sizeof *sections};

static const struct {
    const char *name;
    bool history, coverage;
} kinds[] = {{"be", true, true}, {"bc-history", true, false}, {"bc", false, false}};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *bex_model_name(const bex_model_config *m) {
    int i = 0;
    while (i < KINDS - 1 &&
           (kinds[i].history != (m->history > 0) || kinds[i].coverage != m->coverage))
        i++;
    return kinds[i].name;
}

int bex_model_set_tokens(bex_model_config *m, const char *name) {
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) != 0) continue;
        if (kinds[i].history && !m->history)
            return bex_fail("%s needs a history: model.history is 0", name);
        if (!kinds[i].history) m->history = 0;
        m->coverage = kinds[i].coverage;
        return 0;
    }
    return bex_fail("agent '%s' has learned no policy of this kind (be, bc, bc-history)", name);
}

int bex_policy_config_settle(bex_policy_config *c) {
    if (c->model.agent[0] && bex_model_set_tokens(&c->model, c->model.agent) < 0) return -1;
    memset(c->model.agent, 0, sizeof c->model.agent);
    return 0;
}

int bex_vision_cameras(const bex_vision_config *v) {
    int n = v->images[0] != 0;
    for (const char *p = v->images; *p; p++) n += *p == ',';
    return n;
}

int bex_dims_parse(int *dims, int most, const char *text, int O) {
    int n = 0;
    for (const char *p = text; *p;) {
        char *end;
        long d = strtol(p, &end, 10);
        if (end == p || (*end && (*end != ',' || !end[1])) || d < 0 || d >= O)
            return bex_fail("dims '%s': numbers from 0 to %d, by commas", text, O - 1);
        if (n == most) return bex_fail("dims '%s': more than %d", text, most);
        dims[n++] = (int)d;
        p = *end ? end + 1 : end;
    }
    return n;
}
