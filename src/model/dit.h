/* model/dit.h - the diffusion transformer policy: conditioning tokens -> encoder -> pooled vectors ->
 * denoiser of an action chunk (Dasari et al. 2024, with the tokens of Behavioral Exploration).
 *
 *   query tokens    [ state | coverage | task | scene | timestep | cameras ]   those configured, in this
 * order
 *   history tokens  [ s s s ... s ]                                  a set: no positions
 *
 *   full     encoder over query + history, every token sees every token; N history tokens a window
 *   prefix   history sees history, queries see everything; one history serves B/G windows
 *   pooled_i = mean of encoder block i's output over all tokens (full, pool = all) or the query tokens
 *
 * A camera is one token, or one for each place of its picture (model/resnet.h), then with a learned vector
 * for each place.
 *
 * Everything is in network units (policy/normaliser.h). Each kind of token has its own projection. */
#ifndef BEX_MODEL_DIT_H
#define BEX_MODEL_DIT_H

#include "base/observation.h"
#include "model/decoder.h"
#include "model/encoder.h"

typedef enum { BEX_DIT_FULL, BEX_DIT_PREFIX } bex_dit_mode;
typedef enum { BEX_POOL_ALL, BEX_POOL_QUERY } bex_dit_pool;

typedef struct bex_dit_options {
    int O, K, columns;                 // state; a chunk has K rows of so many columns
    int C, feedforward, heads, blocks; // model/block.h
    int time_width;                    // of the denoiser's time embedding
    int N;                             // history tokens; 0: none
    bool coverage;                     // a coverage token, with a learned null token for guidance
    bool timestep;                     // a token of the time in the episode, 0..1
    int tasks, scenes;                 // sizes of one-hot tokens; 0: none
    int cameras, places, features; // pictures: tokens a camera, numbers in each; 0 cameras: none
    bex_dit_mode mode;
    bex_dit_pool pool; // of full mode; prefix always pools the query tokens
    double dropout;
} bex_dit_options;

/* A kind of token is a value here and a row of the table in dit.c: parameters, the number of query tokens and
 * the arithmetic of a pass follow from it. Parameters are registered in this order. */
enum {
    BEX_TOKEN_STATE,
    BEX_TOKEN_COVERAGE,
    BEX_TOKEN_TASK,
    BEX_TOKEN_SCENE,
    BEX_TOKEN_TIMESTEP,
    BEX_TOKEN_CAMERA, // one kind for each camera, by number
    BEX_TOKEN_CAMERA_LAST = BEX_TOKEN_CAMERA + BEX_CAMERAS - 1,
    BEX_TOKEN_HISTORY,
    BEX_DIT_TOKENS
};

typedef struct bex_dit_token {
    const bex_param *w, *b; // (C,width), (C); NULL: not configured
    const bex_param *null;  // (C) in place of a hidden one; NULL: it cannot be hidden
    const bex_param *place; // (places,C) added; NULL: one place
} bex_dit_token;

typedef struct bex_dit {
    bex_dit_options o;
    int Q; // query tokens
    bex_dit_token token[BEX_DIT_TOKENS];
    bex_encoder encoder;
    bex_decoder decoder;
} bex_dit;

/* Register all parameters in a block that is not built yet. */
bex_dit bex_dit_add(bex_params *params, bex_dit_options options);

typedef struct bex_dit_input {
    int B;                       // windows
    int G;                       // histories: B in full mode; divides B in prefix mode
    const bex_real *state;       // (B,O)
    const bex_real *coverage;    // (B)
    const unsigned char *hidden; // (B) 1: the null token instead of the coverage; NULL: none
    const bex_real *history;     // (G,N,O)
    const bex_real *timestep;    // (B)
    const int *task, *scene;     // (B)
    bex_tensor *const *seen;     // [cameras] (B,places,features)
} bex_dit_input;

/* pooled[i] (B,C), i < blocks. */
void bex_dit_encode(bex_tape *tape, const bex_dit *dit, const bex_dit_input *input,
                    bex_tensor **pooled);

/* noised (B,K,columns), step (B) -> what the network predicts (B,K,columns). */
bex_tensor *bex_dit_denoise(bex_tape *tape, const bex_dit *dit, bex_tensor *noised, const int *step,
                            bex_tensor **pooled);

/* ---- prefix mode at deployment: the history once, queries many times ---- */

void bex_dit_history(bex_tape *tape, const bex_dit *dit, const bex_real *history, int G,
                     bex_encoder_prefix *prefix);
void bex_dit_query(bex_tape *tape, const bex_dit *dit, const bex_dit_input *input,
                   const bex_encoder_prefix *prefix, bex_tensor **pooled);

/* Query tokens of a window: one of each kind that is configured, `places` of a camera. */
int bex_dit_queries(const bex_dit_options *o);

/* Multiply-adds x 2 of one forward pass of one window, encoder and decoder apart; a prefix history
 * counts 1/windows_per_history. */
void bex_dit_flops(const bex_dit_options *o, double windows_per_history, double *encoder,
                   double *decoder);

#endif
