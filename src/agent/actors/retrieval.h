/* agent/actors/retrieval.h - explore by looking it up: no training.
 *
 *     the k demonstration states nearest to s (standardised; of those with a full future)
 *       -> their futures tau_1 .. tau_k, F + 1 states each
 *       -> the one of highest cov(h u tau_i), h the history          coverage/prefix.h, coverage.h
 *       -> play its K actions, look up again
 *
 * It is what the demonstrations hold for a given phi: the yardstick of a learned policy. Choosing one
 * of the k at random (among = 0) ignores history and coverage: its behaviour cloning.
 *
 *     bex_retrieval *r = bex_retrieval_new(dataset, &o);            shared by all actors
 *     bex_actor *a = bex_retrieval_actor_new(r, &history, rng);     one control stream
 *
 * Immutable once made; actors of it may run in different threads. */
#ifndef BEX_AGENT_ACTORS_RETRIEVAL_H
#define BEX_AGENT_ACTORS_RETRIEVAL_H

#include "agent/actors/actor.h"
#include "coverage/feature.h"
#include "data/dataset.h"
#include "policy/memory.h"

typedef struct bex_retrieval_options {
    int k;      // neighbours
    int among;  // one at random of so many best futures: 1 the best, 0 of all k
    int chunk;  // K actions played
    int future; // F
    double lambda;
    bex_feature_options phi; // sizes and statistics come from the data
    bool raw;                // phi of raw states; else standardised by the data
    double bin;              // onehot: side of a cell in the state's own unit
    int threads;             // for building; 0: all
} bex_retrieval_options;

#define BEX_RETRIEVAL_INIT                                                                         \
    ((bex_retrieval_options){.k = 64,                                                              \
                             .among = 1,                                                           \
                             .chunk = 8,                                                           \
                             .future = 100,                                                        \
                             .lambda = 0.01,                                                       \
                             .phi = {.kind = "cosine", .out = 32, .bandwidth = 2},                 \
                             .bin = 0.5})

typedef struct bex_retrieval bex_retrieval;

/* "best", "top:6", "random" to `among`. Negative with a message. */
int bex_retrieval_parse_choice(int *among, const char *text);

/* Borrows the data set. NULL with a message: fewer than k rows with a full future, a wrong phi. */
bex_retrieval *bex_retrieval_new(const bex_dataset *dataset, const bex_retrieval_options *options);
void bex_retrieval_free(bex_retrieval *r); // NULL is fine; after its actors

int bex_retrieval_starts(const bex_retrieval *r); // rows that may be chosen
const bex_feature *bex_retrieval_feature(const bex_retrieval *r);

/* history->O is set here. rng: this stream's own. NULL with a message. */
bex_actor *bex_retrieval_actor_new(const bex_retrieval *r, const bex_memory_options *history,
                                   bex_rng rng);

/* The memory of a retrieval actor: to save or fill it. Belongs to the actor. */
bex_memory *bex_retrieval_actor_history(bex_actor *actor);

/* The data row whose actions are being played; -1 before the first act of an episode. */
int bex_retrieval_actor_row(const bex_actor *actor);

#endif
