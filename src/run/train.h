/* run/train.h - the training loop, once for every method: update, log, evaluate, save, stop, resume.
 *
 * The loop holds no randomness: update n depends on (state, n) alone, so a run that was stopped, or
 * killed, goes on from its last checkpoint bit for bit as if it never had been.
 *
 * Under mpirun all ranks (base/ranks.h) run this loop on the same data and update their own copies of the
 * weights by the same gradient; rank 0 alone has a run directory and progress. They end together. */
#ifndef BEX_RUN_TRAIN_H
#define BEX_RUN_TRAIN_H

#include "agent/agent.h"

#include <stdio.h>

typedef struct bex_train_options {
    const char *run;     // run directory
    const char *command; // the command line, for the record
    bool resume, force;
    FILE *progress; // live line; NULL: none
    FILE *about;    // where sizes are printed at the start; NULL: none
} bex_train_options;

typedef enum { BEX_TRAIN_FINISHED, BEX_TRAIN_STOPPED } bex_train_end;

/* Train to config->train.steps. SIGINT and SIGTERM finish the update, save and stop. Negative with a
 * message if something failed: non-finite loss, full disk; the last good checkpoint is intact. */
int bex_train(const bex_train_config *config, const bex_train_options *options, bex_train_end *end);

/* 0 if the ranks that have joined can train this; negative with a message: more than lanes, or an agent
 * that does not spread. */
int bex_train_ranks(const bex_train_config *config);

/* What the config's agent learns from: the demonstrations of [data], the world of [env]. For bex_agent_new to
 * take, or bex_sources_fini. Negative with a message, and nothing to free. */
int bex_train_sources(bex_sources *out, const bex_train_config *config);

#endif
