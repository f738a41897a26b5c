/* model/segment_vae.h - SUPE's skills: a variational autoencoder of segments of demonstrations (OPAL's form).
 *
 *   segment   s_0..s_{T-1}, a_0..a_{T-1}
 *   encoder   [MLP(s_t), a_t] -> two bidirectional GRU layers -> all T steps flattened -> linear -> mean, v;
 *             q(z|segment) = N(mean, diag e^v)
 *   prior     p(z|s_0), decoder pi(a|s,z): diagonal Gaussians whose deviation is a function of their input
 *   loss      -mean_{b,t} log pi(a_t|s_t,z) + weight mean_b KL(q(z|segment) || p(z|s_0)),  z = mean +
 *   e^{v/2} noise
 *
 * Parameter names: encoder.state.0.weight .., encoder.gru.L.{forward,backward}.{W,b,U,c} (gates r, g, n: W
 * (3,H,K), U (3,H,H)), encoder.out.weight, encoder.out.bias, prior.*, decoder.*
 * (model/diagonal_gaussian.h). */
#ifndef BEX_MODEL_SEGMENT_VAE_H
#define BEX_MODEL_SEGMENT_VAE_H

#include "model/diagonal_gaussian.h"

enum { BEX_SEGMENT_LAYERS = 2, BEX_SEGMENT_GATES = 3 };

typedef struct bex_segment_vae_options {
    int O, A, Z; // state, action, skill
    int T;       // steps of a segment
    int hidden;  // width of everything
} bex_segment_vae_options;

typedef struct bex_segment_gru {
    const bex_param *W, *b, *U, *c;
} bex_segment_gru;

typedef struct bex_segment_vae {
    bex_segment_vae_options o;
    bex_mlp state;                              // s -> hidden -> hidden, ReLU after both
    bex_segment_gru gru[BEX_SEGMENT_LAYERS][2]; // forward, backward
    const bex_param *out_weight, *out_bias;     // (2Z, T 2 hidden)
    bex_diagonal_gaussian prior, decoder;
} bex_segment_vae;

bex_segment_vae bex_segment_vae_add(bex_params *params, bex_segment_vae_options options);

/* states (B,T,O), actions (B,T,A) -> mean, log_std (B,Z) of q. */
void bex_segment_vae_encode(bex_tape *tape, const bex_segment_vae *m, bex_tensor *states,
                            bex_tensor *actions, bex_tensor **mean, bex_tensor **log_std);

/* Sums over the segments of the mean of -log pi over steps, and of KL; noise (B,Z). The loss of a batch of
 * n is (reconstruction + weight divergence) / n. */
void bex_segment_vae_loss(bex_tape *tape, const bex_segment_vae *m, bex_tensor *states,
                          bex_tensor *actions, const bex_tensor *noise, bex_tensor **reconstruction,
                          bex_tensor **divergence);

#endif
