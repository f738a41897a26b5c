/* data/recording.h - episodes that somebody played, in a file without HDF5: what Python writes with numpy
 * alone.
 *
 * Safetensors:
 *   observations     (n, O) float     rows of all episodes, end to end
 *   actions          (n, A) float     what was done in each; absent: states alone
 *   rewards          (n) float        absent: none
 *   episode.start    (E + 1) I64      first row of each episode, the last = n; absent: one episode
 *   episode.trial    (E) I64          whose episodes they are, 0 .., ascending; absent: one trial
 *   episode.terminal (E) I64          1: the world ended it; absent: nothing did
 *   episode.final    (E, O) float     the state after the last action; absent: not kept
 * metadata: columns "x,y,vx" names of the columns; environment, agent, command: who played where.
 *
 * A history file (policy/memory.h: history.states, history.start) is read as one trial of states alone. */
#ifndef BEX_DATA_RECORDING_H
#define BEX_DATA_RECORDING_H

#include "data/dataset.h"

#include <stdbool.h>

typedef struct bex_recording {
    int rows, O, A, episodes, trials; // A 0: no actions
    bex_real *obs, *act, *reward;     // (rows,O), (rows,A), (rows); NULL: absent
    int *start, *trial, *terminal;    // (episodes + 1), (episodes), (episodes)
    bex_real *final;                  // (episodes,O); NULL: absent
    bex_column_names columns;
    char environment[64], agent[64], command[400];
} bex_recording;

/* Does the name end in .safetensors? */
bool bex_is_recording(const char *path);

/* Negative with a message naming the file. Needs fini either way. */
int bex_recording_load(bex_recording *r, const char *path);
void bex_recording_fini(bex_recording *r);

/* As demonstrations: needs actions. NULL with a message. */
bex_dataset *bex_recording_dataset(bex_recording *r);

/* And back: the episodes of a data set as one trial. Negative with a message. */
int bex_recording_of(bex_recording *r, const bex_dataset *data);

#endif
