/* agent/imitation/open_loop.h - how well a policy repeats demonstrations it has not seen, one chunk at a
 * time.
 *
 * For each window n chunks are drawn from noise, at a temperature, and set beside the demonstrator's own
 * actions. RMS over action dims, in the world's units. No world is needed; what errors lead to in one is not
 * seen here.
 *
 * A demonstrator with noise of its own cannot be met closer than that noise (mean), and a policy that has
 * learned all there is has one^2 = mean^2 + spread^2 / 2 for many chunks. */
#ifndef BEX_AGENT_IMITATION_OPEN_LOOP_H
#define BEX_AGENT_IMITATION_OPEN_LOOP_H

#include "agent/imitation/imitation.h"

typedef enum {
    BEX_OPEN_LOOP_NOTHING, // always the mean action of the demonstrations
    BEX_OPEN_LOOP_ONE,     // a chunk
    BEX_OPEN_LOOP_MEAN,    // the mean of the n chunks
    BEX_OPEN_LOOP_NEAREST, // the nearest of them, as a whole
    BEX_OPEN_LOOP_SPREAD,  // not from the demonstrator: two chunks from each other
    BEX_OPEN_LOOP_KINDS
} bex_open_loop_kind;
extern const char *const bex_open_loop_names[BEX_OPEN_LOOP_KINDS];

typedef struct bex_open_loop_options {
    int windows;                     // rounded to whole groups that share a history
    int chunks;                      // n, of each window, at least 2
    bool other_history, no_coverage; // agent/imitation/imitation.h
    bool other_pictures;             // each window is shown those of another
    bool led;                        // shown the demonstrator's waypoints, the coverage hidden
    const bex_deploy_config *deploy; // its temperature and denoising steps; NULL: the policy's own
} bex_open_loop_options;

typedef struct bex_open_loop_episode {
    uint64_t identity;               // bex_dataset_identity
    double steps;                    // of chunks, over its windows
    double all[BEX_OPEN_LOOP_KINDS]; // over those
} bex_open_loop_episode;

typedef struct bex_open_loop {
    int windows, K;                    // what there was
    double all[BEX_OPEN_LOOP_KINDS];   // over the chunk
    double (*at)[BEX_OPEN_LOOP_KINDS]; // (K) at its steps
    int episodes;                      // that have windows, in the order of the demonstrations
    bex_open_loop_episode *episode;    // windows of one are alike, episodes are independent
} bex_open_loop;

void bex_open_loop_fini(bex_open_loop *out); // zeroed memory is fine

/* bex_imitation_open_loop (imitation.h): the agent has the demonstrations and says what is held out;
 * `policy`, trained on the same, acts. The same windows and noise each time, for any number of threads.
 * Negative with a message; needs fini either way. */

#endif
