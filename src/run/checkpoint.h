/* run/checkpoint.h - RUN/checkpoints/<step>/: complete or not there.
 *
 *   checkpoints/20000.tmp/  model.safetensors state.safetensors   being written
 *   checkpoints/20000/      the same and checkpoint.json          fsynced, then renamed
 *   checkpoints/last, best  symbolic links for people; the program goes by the directories
 *
 * checkpoint.json is {"step": 20000, "score": 0.0312}; the score (held-out loss) is lower for better
 * and null where it was not measured. A kill at any moment leaves the checkpoints of before; what it
 * leaves half-written or half-deleted ends in .tmp and counts for nothing. */
#ifndef BEX_RUN_CHECKPOINT_H
#define BEX_RUN_CHECKPOINT_H

#include "base/path.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct bex_checkpoint {
    long long step;
    double score;   // NAN: not measured
    bool resumable; // has the state beside the model
} bex_checkpoint;

/* Those that have a model, by ascending step; *list is malloced. Their number (0 also without a
 * checkpoints directory), or negative with a message. */
int bex_checkpoint_list(bex_checkpoint **list, const char *run);

/* RUN/checkpoints/<step>; 0, or negative with a message (path too long). */
int bex_checkpoint_path(char out[BEX_PATH_SIZE], const char *run, long long step);

/* The model file that `path` means: such a file, a checkpoint directory, or a run, whose newest
 * checkpoint it is, or with `best` its best-scored. Negative with a message: neither, or none yet. */
int bex_checkpoint_model(char *out, size_t size, const char *path, bool best);

/* Write one: begin gives the directory to put model.safetensors and state.safetensors in, commit
 * makes it count, moves `last` and `best`, and deletes all but the `keep` newest (0: none are
 * deleted) and the best. Discard instead of commit after a failure. A step that is already there is
 * kept and the new one dropped: same step, same bits. 0, or negative with a message, and then the
 * checkpoints of before are all there. */
int bex_checkpoint_begin(char out[BEX_PATH_SIZE], const char *run, long long step);
int bex_checkpoint_commit(const char *run, long long step, double score, int keep);
void bex_checkpoint_discard(const char *run, long long step);

/* Finish what a kill left half-done: remove halves, set the links right, delete as commit does (`keep`). 0 or
 * negative with a message: `checkpoints` is a symbolic link, among others. */
int bex_checkpoint_tidy(const char *run, int keep);

#endif
