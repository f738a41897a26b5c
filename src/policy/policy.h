/* policy/policy.h - a trained policy: network, normaliser, features, coverage statistics, one file.
 *
 * model.safetensors holds the weights by name, "normaliser.*", "phi.*", "coverage.*" and "support.*" tensors,
 * and in its metadata the format version, the sizes and the policy's configuration: enough to rebuild
 * everything.
 * Immutable after load: share it between sessions and threads. */
#ifndef BEX_POLICY_POLICY_H
#define BEX_POLICY_POLICY_H

#include "base/columns.h"
#include "coverage/condition.h"
#include "model/dit.h"
#include "model/vision.h"
#include "policy/chunk.h"
#include "policy/diffusion.h"
#include "policy/labels.h"
#include "policy/normaliser.h"
#include "policy/policy_config.h"
#include "policy/seen.h"
#include "policy/support.h"

/* Where its demonstrations were made, to be held against a world. */
typedef struct bex_policy_origin {
    char scene[64];    // "KITCHEN_SCENE5"; "": not known, or several
    int height, width; // pixels of a stored picture; 0: not known
} bex_policy_origin;

typedef struct bex_policy {
    bex_policy_config config;
    int O, A, tasks, scenes;
    int given; // of the O columns of a state, those that a caller gives; behind them `seen`
    bex_column_names columns; // names of the state's columns, where the demonstrations had some
    bex_policy_origin origin;
    bex_labels task_names, scene_names; // of tokens it has; empty: its file did not know them
    int coverage_dims[BEX_FEATURE_DIMS], coverage_count; // of coverage.dims; 0: all
    bex_chunk_shape chunk;
    bex_params *params;
    bex_dit dit;        // denoises chunks; with a follower their waypoints alone, from all tokens
    bex_dit follower;   // with follower.width: the actions, from the state and the waypoints
    bex_vision vision;  // of vision.images; its parameters are in params,
    bex_params *frozen; // or, with model.encoder = frozen, here; else NULL
    bex_seen seen;      // with vision.columns
    bex_normaliser normaliser;
    bex_noise_schedule schedule;
    bex_feature *phi;         // with model.coverage or model.features; else NULL
    bex_condition *condition; // with model.coverage; else NULL
    bex_support *support;     // with coverage.support; else NULL
} bex_policy;

/* A fresh network with `blocks` of gradients; normaliser, phi and condition are the trainer's to
 * set. Checks that the sizes fit together. NULL with a message. */
bex_policy *bex_policy_new(const bex_policy_config *config, int O, int A, int tasks, int scenes,
                           int blocks, uint64_t seed);
void bex_policy_free(bex_policy *policy);

/* What the state's columns are called, from now on in messages, contract and file. `columns` has O names
 * or none.
 * Negative with a message: no memory. */
int bex_policy_name_columns(bex_policy *policy, const bex_column_names *columns);

/* What its labels are called; of tokens it does not have, nothing is kept. Lists of `tasks` and `scenes`
 * names. Negative with a message: no memory. */
int bex_policy_name_labels(bex_policy *policy, const bex_labels *tasks, const bex_labels *scenes);

/* path: a model.safetensors, a directory that holds one, or a run: its newest checkpoint. Tensors "ema.*"
 * become the values where there are any. NULL with a message naming the file. */
bex_policy *bex_policy_load(const char *path);
/* The bytes of a model.safetensors, which are not kept. Messages call them "policy in memory". */
bex_policy *bex_policy_parse(const void *bytes, size_t size);
int bex_policy_save(const bex_policy *policy, const char *path);

/* The same with weights rounded to 16 bits, which loading gives back as rounded: half the size. */
int bex_policy_save_half(const bex_policy *policy, const char *path);

/* States in the world's units to what a token holds: (n, dit.o.O) = [normalised | phi], phi only with
 * model.features. Without it, out may be the states themselves. */
void bex_policy_inputs(const bex_policy *policy, bex_real *out, const bex_real *states, int n);

/* The block that holds the parameters of policy->vision. */
static inline bex_params *bex_policy_sight(const bex_policy *p) {
    return p->frozen ? p->frozen : p->params;
}

/* A picture of any size (h,w,3), as the demonstrations hold them, to what the network sees: turned, resized,
 * and as numbers (vision.o.height, width, 3). Scratch from the arena. */
void bex_policy_picture(const bex_policy *policy, bex_arena *arena, bex_real *out,
                        const unsigned char *picture, int h, int w);

/* Reals that the networks make of one moment's pictures: (cameras, P, F); 0 without cameras. */
size_t bex_policy_features(const bex_policy *policy);

/* features = those of one moment. obs NULL: black pictures. Nothing stays on the tape, which must not
 * record. */
void bex_policy_see(const bex_policy *policy, bex_tape *tape, const bex_observation *obs,
                    bex_real *features);

/* The same as tokens take them, so many times: seen[c] (copies, P, F). The features must outlive them. */
void bex_policy_seen(const bex_policy *policy, bex_tape *tape, const bex_real *features, int copies,
                     bex_tensor **seen);

static inline bool bex_policy_uses_phi(const bex_policy_config *c) {
    return c->model.coverage || c->model.features;
}

static inline bool bex_policy_follows(const bex_policy *p) {
    return p->config.follower.width > 0;
}

static inline bool bex_policy_uses_history(const bex_policy *p) {
    return p->dit.o.N > 0;
}

#endif
