/* agent/imitation/label_shares.h - what the coverage input tells: shares of its variance.
 *
 *   c(p,i,h)   the coverage input of future i of place p after history h: G places drawn as training windows
 *              are, the n futures that demonstrators took from nearly there (agent/imitation/here.h), H
 *              histories drawn as in training, the same for all places
 *
 *   c = mean + state(p) + history(h) + both(p,h) + future(p,i) + news(p,i,h)
 *
 * The parts are those of an analysis of variance, so their shares add up to 1. No action can change the first
 * three. `future` is which way covers more whatever the past; `news` is which way covers more given this
 * past: the only part for which a network must read its history. docs/agents/be.md. */
#ifndef BEX_AGENT_IMITATION_LABEL_SHARES_H
#define BEX_AGENT_IMITATION_LABEL_SHARES_H

#include "agent/imitation/imitation.h"

typedef struct bex_label_shares {
    int places, futures, histories;            // G, n, H
    double state, history, both, future, news; // of the variance
    double
        agree; // of a place's histories, how many have the most common best future; mean over places
    double decisions; // share of places whose best future is not the same for all histories
} bex_label_shares;

/* Of labels c (H,G,n). Negative with a message: out of memory. */
int bex_label_shares_split(const bex_real *c, int H, int G, int n, bex_label_shares *out);

/* Of an agent whose windows are labelled; the same each time, for any number of threads. Negative with a
 * message: no coverage, too few places. */
int bex_label_shares_of(const bex_imitation *a, bex_label_shares *out);

#endif
