/* nn/lanes.h - the one unit of parallelism.
 *
 *   batch of B samples -> L lanes (fixed, whatever the threads) -> each lane forward + backward on its
 *   slice, on one thread, with its own tape and gradient block -> gradients summed in lane
 *   order
 *
 * Threads take lanes as they come free; nothing a lane computes depends on which thread ran it. Hence
 * the same bits for any number of threads. Inside a lane nothing is parallel.
 *
 * Lanes that learn run in waves of as many as there are threads. What a wave came to is added to the sum
 * before the next one takes its gradient blocks: one for each thread, and one for the sum.
 *
 * Lanes that are spread go to the ranks (base/ranks.h) in slices: rank 0 runs the first. Each rank runs its
 * own in one wave, gets the sums of all, and they are the same bits again. */
#ifndef BEX_NN_LANES_H
#define BEX_NN_LANES_H

#include "nn/tape.h"

typedef struct bex_lanes bex_lanes;

/* threads 0: as many as the machine offers, at most `lanes`. */
bex_lanes *bex_lanes_new(int lanes, int threads);
/* The same, spread over the ranks that have joined: at least as many lanes as ranks. */
bex_lanes *bex_lanes_spread(int lanes, int threads);
void bex_lanes_free(bex_lanes *lanes);

int bex_lanes_count(const bex_lanes *lanes); // of all ranks
int bex_lanes_threads(const bex_lanes *lanes);
int bex_lanes_blocks(const bex_lanes *lanes); // of gradients, that parameters need to learn

/* The lane's work: run forward and backward on its slice (bex_part, base/parallel.h), in micro-batches if it
 * likes (reset the tape between them); *result is its share of the loss. The tape comes reset, recording for
 * no block yet (bex_tape_train), with rng = split(rng given, "lane", lane). 0, or negative with a message. */
typedef int bex_lane_fn(bex_tape *tape, int lane, void *payload, double *result);

/* Run every lane, none of which learns; *sum is that of their results in lane order. Negative with the
 * message of the lowest lane that failed, on every rank, or if a rank is gone. */
int bex_lanes_run(bex_lanes *lanes, bex_rng rng, bex_lane_fn *work, void *payload, double *sum);

/* Run every lane from gradients of zero; *loss is the sum of their results, the first gradient block of
 * `params` that of their gradients, both in lane order. Where the loss is not finite the block is of no use.
 * Negative as above. */
int bex_lanes_learn(bex_lanes *lanes, bex_rng rng, bex_lane_fn *work, void *payload,
                    bex_params *params, double *loss);

/* The sum alone, of all blocks and over all ranks: for measurements. */
int bex_lanes_reduce(bex_lanes *lanes, bex_params *params);

/* Largest arena so far, bytes, summed over threads. */
size_t bex_lanes_memory(const bex_lanes *lanes);

#endif
