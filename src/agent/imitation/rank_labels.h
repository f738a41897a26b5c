/* agent/imitation/rank_labels.h - coverage inputs as ranks: how much a future adds to the history, among the
 * futures that demonstrators took from nearly the same state (coverage.normalise = rank; docs/agents/be.md).
 *
 *     place     a state, and the k windows of training episodes nearest to it (agent/imitation/here.h)
 *     cov_i     cov(h u tau_i) of each of them, the state's own window included
 *     value     bex_condition_of_rank of cov_i among them (coverage/condition.h)
 *
 * Training windows are drawn by place: train.samples_per_place of one, so that k + 1 coverages serve several.
 * A share train.near of the places lies at a state of the history: elsewhere the history cannot change what
 * is best. A share train.best of the windows is the best of its place: what is asked for in deployment.
 * Both choose by h and s alone, so p(a | s, h, c) is what it was; only where it is learned changes. */
#ifndef BEX_AGENT_IMITATION_RANK_LABELS_H
#define BEX_AGENT_IMITATION_RANK_LABELS_H

#include "agent/imitation/imitation.h"

/* Of a part whose rows are in the world's units still; the windows of a->train are the alternatives: its
 * labeller comes first. Negative with a message. */
int bex_rank_labels_add(bex_imitation_part *part, const bex_imitation *a);

/* The policy's condition. NULL with a message. */
bex_condition *bex_rank_labels_condition(const bex_imitation *a);

#endif
