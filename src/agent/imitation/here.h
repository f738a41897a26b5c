/* agent/imitation/here.h - where else demonstrators went on from nearly the same state: data/alternatives.h
 * over the columns that say where one is (coverage.here; empty: coverage.dims; empty too: all), in the
 * network's units. Demonstrations of several scenes are apart: what can be done in another kitchen from the
 * same posture is no alternative. */
#ifndef BEX_AGENT_IMITATION_HERE_H
#define BEX_AGENT_IMITATION_HERE_H

#include "agent/imitation/imitation.h"
#include "data/alternatives.h"

typedef struct bex_here {
    const bex_imitation_part *part; // whose windows are found
    bex_alternatives *alternatives;
    int column[BEX_FEATURE_DIMS], columns;
    int D;      // of a point: the columns, and the scene where there are several
    int stride; // of a row of states
} bex_here;

/* Of a part before or after its rows became states. Borrows the part. Negative with a message. */
int bex_here_init(bex_here *here, const bex_imitation *a, const bex_imitation_part *part);
void bex_here_fini(bex_here *here); // zeroed memory is fine

/* Up to k windows nearest to a row of `of`, whose states are there, nearest first, as
 * bex_alternatives_find: none of the pass of the row itself. How many. */
int bex_here_find(const bex_here *here, const bex_imitation_part *of, int row, int k,
                  bex_window *found);

#endif
