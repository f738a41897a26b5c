/* bench/workload.h - the paper's sizes as `bex bench train` and `act` run them: a preset of configs/, and
 * demonstrations of the same shape, made up (smooth walks; what is in them does not matter to speed). */
#ifndef BEX_BENCH_WORKLOAD_H
#define BEX_BENCH_WORKLOAD_H

#include "agent/agent.h"
#include "bench/bench.h"
#include "model/dit.h"

typedef struct bex_workload {
    const char *kind;   // "full", "prefix", "bc": first part of a row's name
    const char *world;  // "antmaze-medium"
    const char *preset; // configs/<world>-<preset>.ini
    int O, A, episodes, length;
} bex_workload;

/* NULL behind the last. */
const bex_workload *bex_workload_at(int i);

/* The preset's configuration; the data's path is not used. Negative with a message. */
int bex_workload_config(const bex_workload *w, bex_train_config *config);

/* A learner on made-up demonstrations. NULL with a message. */
bex_agent *bex_workload_agent(const bex_workload *w, const bex_train_config *config);

/* One update, at best: after one that warms up, several. */
typedef struct bex_workload_step {
    double seconds, data;  // of an update; share of the lanes' time that prepares data
    double memory;         // bytes resident at the peak, above what there was before
    double demonstrations; // bytes of it: rows, their features and sums
    double gflop;          // of an update, the model's own
    int threads;
    bex_dit_options network;
} bex_workload_step;
int bex_workload_measure(const bex_workload *w, const bex_train_config *config,
                         bex_workload_step *step);

/* The network's sizes as bench/peer_policy.py takes them, after `what` ("train", "act"). */
struct json_t *bex_workload_peer(const char *what, const bex_dit_options *o,
                                 const bex_train_config *config);

#endif
