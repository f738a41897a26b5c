/* policy/policy_config.c - the tables. */
#include "policy/policy_config.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const char *const modes[] = {"full", "prefix", NULL};
static const char *const pools[] = {"all", "query", NULL};
static const char *const normalises[] = {"global", "history", "rank", NULL};
static const char *const predictions[] = {"noise", "chunk", NULL}; // bex_predicts
static const char *const encoders[] = {"learned", "frozen", NULL}; // bex_encoder_use
static const char *const networks[] = {"resnet18", "resnet34", NULL};
static const char *const picture_pools[] = {"token", "places", "keypoints",
                                            NULL}; // bex_resnet_pool
const char *const bex_flip_names[] = {"none", "vertical", "rot180", NULL};
const char *const bex_phi_kinds[] = {"cosine", "mlp", "onehot", "cosine_relative", NULL};

#define M bex_model_config
const bex_config_row bex_model_rows[] = {
    BEX_CONFIG_CHOICE(M, mode, "prefix", modes, "which tokens see which (docs/model.md)",
                      .advice = "prefix; full is the paper's reading, at several times the cost"),
    BEX_CONFIG_CHOICE(M, pool, "all", pools, "tokens averaged for the decoder in full mode",
                      .advice =
                          "all; query when the state drowns among many history tokens (full mode)"),
    BEX_CONFIG_INTEGER(
        M, width, "64", 4, 4096, "size of a token",
        .advice =
            "64 to 128; raise when the loss stops falling early, and with the number of demonstrations"),
    BEX_CONFIG_INTEGER(M, heads, "4", 1, 64, "attention heads; must divide width",
                       .advice = "4; 1 for narrow networks; more with the width"),
    BEX_CONFIG_INTEGER(M, blocks, "3", 1, 16, "blocks of the encoder and of the decoder",
                       .advice = "3 to 4; raise with the width"),
    BEX_CONFIG_INTEGER(M, feedforward, "256", 4, 16384, "hidden size of a block",
                       .advice = "2 to 8 times the width; raise with it"),
    BEX_CONFIG_INTEGER(M, time_width, "256", 4, 4096,
                       "size of the diffusion step's embedding; even",
                       .advice = "256; no need to change it"),
    BEX_CONFIG_INTEGER(
        M, chunk, "8", 1, 256, "actions predicted at once, K", .automatic = true,
        .advice = "5 to 10; raise when motion is jerky, lower when the robot reacts too late"),
    BEX_CONFIG_INTEGER(
        M, history, "32", 0, 4096, "history states, N; 0: none (bc)", .automatic = true,
        .advice =
            "32 to 50; raise when more must be remembered than so many states can show; 0 for bc"),
    BEX_CONFIG_BOOL(M, coverage, "true", "a token of the coverage (be); the agent decides",
                    .advice = "leave it to the agent"),
    BEX_CONFIG_BOOL(M, features, "false", "phi(s) beside s in the tokens of states",
                    .automatic = true,
                    .advice = "true with up to 3 columns that count; false when there are more"),
    BEX_CONFIG_BOOL(
        M, waypoints, "false", "denoise a state of the future (coverage.dims) beside each action",
        .automatic = true, .advice = "true: without it the policy cannot choose among candidates"),
    BEX_CONFIG_NUMBER(
        M, reach, "0", 0, 1000,
        "waypoints, 0: positions; else displacements: so many standard deviations in F steps are 1",
        .automatic = true,
        .advice =
            "0 for arms; 1 to 2 for bodies that travel; raise when waypoints all lie close by"),
    BEX_CONFIG_BOOL(M, timestep, "false", "a token of the time in the episode",
                    .advice =
                        "false; true when the same state means something else later in an episode"),
    BEX_CONFIG_BOOL(M, task, "false", "a token of the task label",
                    .advice = "false; true for demonstrations of several labelled tasks"),
    BEX_CONFIG_BOOL(M, scene, "false", "a token of the scene label",
                    .advice = "false; true for demonstrations from several labelled scenes"),
    BEX_CONFIG_NUMBER(M, dropout, "0", 0, 0.9, "in encoder and decoder",
                      .advice = "0; 0.1 when the held-out loss rises while the loss falls"),
    BEX_CONFIG_CHOICE(M, encoder, "learned", encoders,
                      "network of the pictures: learned, or frozen as train.encoder has it",
                      .advice = "learned; frozen for few pictures and a pretrained network"),
    BEX_CONFIG_INTEGER(M, horizon, "300", 1, 1000000, "steps the timestep token counts as 1",
                       .advice = "the length of an episode, with timestep"),
    BEX_CONFIG_TEXT(M, agent, "", "who learned it", .retired = true),
    BEX_CONFIG_END,
};
#define F bex_follower_config
const bex_config_row bex_follower_rows[] = {
    BEX_CONFIG_INTEGER(
        F, width, "0", 0, 4096, "size of a token; 0: [model] denoises waypoints and actions",
        .advice =
            "0; 64 to 128 when chosen futures are good and what is done does not follow them"),
    BEX_CONFIG_INTEGER(F, heads, "4", 1, 64, "attention heads; must divide width",
                       .advice = "as model.heads"),
    BEX_CONFIG_INTEGER(F, blocks, "3", 1, 16, "blocks of the encoder and of the decoder",
                       .advice = "as model.blocks; raise when follower stays high in metrics.csv"),
    BEX_CONFIG_INTEGER(F, feedforward, "256", 4, 16384, "hidden size of a block",
                       .advice = "as model.feedforward"),
    BEX_CONFIG_END,
};
#define V bex_vision_config
const bex_config_row bex_vision_rows[] = {
    BEX_CONFIG_TEXT(V, images, "", "cameras, as data.images names them, which decides",
                    .advice = "leave it to data.images"),
    BEX_CONFIG_INTEGER(V, height, "0", 0, 4096, "pixels that are seen; from data.image_size",
                       .advice = "leave it to data.image_size"),
    BEX_CONFIG_INTEGER(V, width, "0", 0, 4096, "the same", .advice = "leave it to data.image_size"),
    BEX_CONFIG_CHOICE(V, flip, "none", bex_flip_names, "how pictures are turned; from data.flip",
                      .advice = "leave it to data.flip"),
    BEX_CONFIG_CHOICE(V, network, "resnet18", networks, "with group norm (16 groups)",
                      .advice = "resnet18; resnet34 with many pictures and much time"),
    BEX_CONFIG_INTEGER(
        V, channels, "32", 16, 256,
        "of its first stage, a multiple of 16; torchvision's networks: 64",
        .advice =
            "32; 64 for torchvision's weights; raise for fine detail; cost grows with its square"),
    BEX_CONFIG_BOOL(
        V, shared, "true", "one network for all cameras; false: one for each",
        .advice =
            "true; false when cameras see very different things and there are many demonstrations"),
    BEX_CONFIG_CHOICE(
        V, pool, "token", picture_pools,
        "a camera is one token (mean), one a place, or one of keypoints",
        .advice = "token; places or keypoints when it matters where in the picture something is"),
    BEX_CONFIG_INTEGER(
        V, columns, "0", 0, 64, "columns seen[..] of the state, from what a frozen network sees",
        .advice = "0; 8 to 16 with coverage.dims=seen, to explore by what pictures show"),
    BEX_CONFIG_END,
};
#undef V
#define D bex_diffusion_config
const bex_config_row bex_diffusion_rows[] = {
    BEX_CONFIG_INTEGER(D, steps, "100", 1, 1000, "noise levels in training",
                       .advice = "100; no need to change it"),
    BEX_CONFIG_CHOICE(
        D, predicts, "noise", predictions,
        "what the network predicts: noise (the paper), or chunk, which learns faster",
        .automatic = true,
        .advice =
            "chunk for short training and for networks that read their history; noise is the paper's"),
    BEX_CONFIG_NUMBER(
        D, show_waypoints, "0", 0, 0.99,
        "share of windows that teach the network to go to given waypoints", .was = "diffusion.lead",
        .automatic = true,
        .advice =
            "0 for arms that do what they plan; 0.5 for bodies that travel and miss the turns they plan"),
    BEX_CONFIG_END,
};
#define C bex_coverage_config
const bex_config_row bex_coverage_rows[] = {
    BEX_CONFIG_CHOICE(
        C, phi, "cosine", bex_phi_kinds, "features (docs/coverage.md)",
        .advice = "cosine; onehot for exact counts in grids, mlp for the paper's D4RL setting"),
    BEX_CONFIG_TEXT(
        C, dims, "", "state columns that count, by commas: 0,1 or eef_pos,object[0:3]; empty: all",
        .automatic = true,
        .advice = "the position of the hand and of what it moves; see bex data suggest"),
    BEX_CONFIG_INTEGER(
        C, features, "32", 0, 8192, "size of phi; 0: the kind's own",
        .advice =
            "32; raise to 64 when more than 4 columns count; 128 is the most for cosine and mlp"),
    BEX_CONFIG_INTEGER(C, hidden, "128", 1, 256, "hidden size of mlp",
                       .advice = "128; no need to change it"),
    BEX_CONFIG_INTEGER(
        C, future, "100", 1, 100000, "states after s_k that count, F", .automatic = true,
        .advice =
            "a third of an episode, 50 to 200; raise when goals lie farther than a future reaches"),
    BEX_CONFIG_INTEGER(C, bank, "64", 2, 4096,
                       "dataset futures that history normalisation compares with",
                       .advice = "64; raise when the same history gives scattered values"),
    BEX_CONFIG_INTEGER(
        C, support, "0", 0, 65536,
        "demonstrated states that are stored; futures far from all of them are taken last; 0: none",
        .was = "coverage.places", .automatic = true,
        .advice = "0 for arms; 2048 where there are walls or places that cannot be reached"),
    BEX_CONFIG_INTEGER(C, seed, "0", 0, 9007199254740992.0, "of phi",
                       .advice = "0; another one to see how much features matter"),
    BEX_CONFIG_NUMBER(
        C, bandwidth, "2", 1e-6, 1e6, "of cosines: larger resolves smaller distances",
        .automatic = true,
        .advice =
            "1 to 4; raise when different places count as the same, lower when every state counts as new"),
    BEX_CONFIG_NUMBER(C, lambda, "0.01", 1e-12, 1e6, "ridge of the coverage",
                      .advice = "0.01; raise when one stray state counts for too much"),
    BEX_CONFIG_NUMBER(
        C, cell, "0.5", 1e-6, 1e6, "side of a cell of onehot",
        .advice = "the size of a place in the state's units; raise when every state counts as new"),
    BEX_CONFIG_BOOL(C, standardise, "true", "phi sees (s - mean) / std",
                    .advice = "true; false when the columns share one unit"),
    BEX_CONFIG_BOOL(
        C, truncate, "false", "allow futures cut by the end of the episode", .automatic = true,
        .advice =
            "false for episodes cut by a clock; true when an episode ends where something was done"),
    BEX_CONFIG_BOOL(C, novelty, "false",
                    "subtract a future's mean coverage over many histories (normalise = history)",
                    .advice =
                        "false; true when far futures always win whatever the history (history)"),
    BEX_CONFIG_CHOICE(
        C, normalise, "history", normalises, "coverage to the network's input",
        .advice =
            "rank to teach the network its history; history with candidates; global: the paper's"),
    BEX_CONFIG_INTEGER(
        C, alternatives, "16", 1, 256,
        "futures from nearly the same state that a future is ranked among (rank)",
        .advice = "16; raise when q:0.95 and q:1 act alike, and there are many demonstrations"),
    BEX_CONFIG_NUMBER(
        C, past_weight, "1", 1e-6, 1e6,
        "states that one of the history counts for; it stands for many (rank)",
        .advice =
            "1; raise when the past has thousands of states and the network sees a few dozen"),
    BEX_CONFIG_TEXT(
        C, here, "", "state dims that make states nearly the same; empty: dims (rank)",
        .advice = "empty; name columns when two states in one place may have different futures"),
    BEX_CONFIG_END,
};
#define P bex_deploy_config
const bex_config_row bex_deploy_rows[] = {
    BEX_CONFIG_TEXT(
        P, exp, "q:0.95",
        "q:0.95: a future that adds more than 95 % of demonstrated ones do; z:deviations, raw:coverage",
        .automatic = true,
        .advice = "q:1 to try something new each time, q:0.95 a little tamer, q:0.5 as usual"),
    BEX_CONFIG_TEXT(
        P, history, "uniform", "history rule: uniform, first, last3, file:PATH",
        .advice =
            "uniform; last3 when only the latest attempts matter; first to see what the past is worth"),
    BEX_CONFIG_NUMBER(
        P, guidance, "1", 0, 100,
        "weight of the coverage in what is made; 0: as demonstrated, 1: the paper",
        .automatic = true,
        .advice =
            "1; 2 to 4 when candidates are all alike; 0: propose as demonstrated, let the choice explore"),
    BEX_CONFIG_NUMBER(P, noise, "0", 0, 10, "standard deviation added to actions in [-1,1] units",
                      .advice = "0; 0.1 for the baseline that shakes its actions"),
    BEX_CONFIG_NUMBER(
        P, temperature, "1", 0, 10,
        "factor on the noise of actions: below 1 likelier ones; the choice of future stays as it is",
        .automatic = true, .advice = "1; 0.5 when actions are jittery"),
    BEX_CONFIG_INTEGER(
        P, candidates, "1", 1, 256,
        "futures made at a plan; the one nearest to exp is executed (model.waypoints)",
        .automatic = true,
        .advice =
            "8 for arms, 64 for bodies that travel; raise when bex plans finds nothing new to choose"),
    BEX_CONFIG_INTEGER(
        P, commit, "0", 0, 100000,
        "actions for which a chosen future is followed; 0: until the next plan", .automatic = true,
        .advice =
            "0 for arms; 20 to 100 for bodies that travel; raise when it turns back before it gets anywhere"),
    BEX_CONFIG_INTEGER(
        P, action_steps, "0", 0, 256,
        "actions of a chunk that are executed before the next plan; 0: all", .was = "deploy.act",
        .automatic = true,
        .advice =
            "0 for slow tasks; 2 to 5 when the body must react; raise when planning takes too long"),
    BEX_CONFIG_INTEGER(
        P, denoising_steps, "8", 1, 1000, "of a plan (DDIM)", .was = "diffusion.ddim",
        .advice = "5 to 10; raise when actions are rough, lower when a plan takes too long"),
    BEX_CONFIG_NUMBER(P, farthest, "1000", 1, 1e6,
                      "standard deviations from the demonstrations beyond which a state is refused",
                      .advice =
                          "1000; lower to 10 or 20 to refuse states no demonstration resembles"),
    BEX_CONFIG_END,
};
#undef M
#undef F
#undef D
#undef C
#undef P

static const bex_config_section sections[] = {BEX_POLICY_SECTION_ROWS(0)};
const bex_config_schema bex_policy_schema = {.sections = sections,
                                             .count = sizeof sections / sizeof *sections};

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
