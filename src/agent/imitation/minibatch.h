/* agent/imitation/minibatch.h - windows of demonstrations as the network takes them: drawn, labelled,
 * gathered.
 *
 * Which windows is a function of (part, t, place in the batch); everything is in the tape's arena and is gone
 * when that is reset. */
#ifndef BEX_AGENT_IMITATION_MINIBATCH_H
#define BEX_AGENT_IMITATION_MINIBATCH_H

#include "agent/imitation/imitation.h"

typedef struct bex_minibatch {
    bex_dit_input input;
    const bex_window *window; // (B)
    bex_real *clean, *mask;   // (B,K,chunk.columns), (B,K): bex_minibatch_chunk
    bex_real *pixels; // (cameras,B,H,W,3): bex_minibatch_see; NULL: none, or features are there
    bex_tensor *seen[BEX_CAMERAS]; // input.seen
    unsigned char *led;            // (B) 1: waypoints are shown, the coverage is hidden; NULL: none
} bex_minibatch;

/* Which windows a batch has. */
typedef struct bex_minibatch_windows {
    const bex_imitation_part *part;
    uint64_t t;     // step whose windows they are
    int windows, S; // of the whole batch; windows per history
    int fixed;      // so many windows come back in a cycle; 0: all are drawn
    int64_t cycle;  // number of the batch's first group in it
    bool near;      // near a state of their history: for an evaluation of ranks
} bex_minibatch_windows;

/* What the network is told of them; 0 tells all. */
typedef struct bex_minibatch_hiding {
    double hide;  // how often the coverage is hidden
    double lead;  // how often waypoints are shown (diffusion.show_waypoints)
    bool augment; // pictures are changed a little
} bex_minibatch_hiding;

/* What an experiment takes away (agent/imitation/imitation.h); false in training. */
typedef struct bex_minibatch_ablation {
    bool other_history, no_coverage, other_pictures;
} bex_minibatch_ablation;

typedef struct bex_minibatch_draw {
    const bex_imitation *a;
    bex_minibatch_windows what;
    bex_minibatch_hiding how;
    bex_minibatch_ablation without;
    const unsigned char
        *ready; // pictures of the whole batch, read before; NULL: they are read when needed
} bex_minibatch_draw;

/* Windows per history of this agent's batches: 1 without histories. */
int bex_minibatch_group(const bex_imitation *a);

/* Windows of groups first .. first + groups - 1 of the batch; rng decides what is hidden and shown. 0, or
 * negative with a message if labels failed. */
int bex_minibatch_take(bex_tape *tape, const bex_minibatch_draw *draw, int first, int groups,
                       bex_rng *rng, bex_minibatch *out);

/* What the network makes of the batch's pictures, into input.seen; learned where the tape records. Nothing
 * without pictures. */
void bex_minibatch_see(bex_tape *tape, const bex_policy *policy, bex_minibatch *batch);

/* The frames (windows) of a whole batch; scratch from the arena. Negative with a message if labels failed. */
int bex_minibatch_frames(const bex_minibatch_draw *draw, bex_arena *arena, int *frames);

/* A window's chunk (K,columns) in network units and its mask (K): its actions as data/window.h pads them,
 * each with its waypoint (policy/chunk.h). */
void bex_minibatch_chunk(const bex_policy *policy, const bex_imitation_part *part,
                         const bex_window *window, bex_real *chunk, bex_real *mask);

#endif
