/* run/run.h - one training run on disk, safe against kill -9, a full disk and a second process.
 *
 *   runs/x/config.ini        the resolved config: `bex train runs/x/config.ini` repeats the run
 *          command.txt       the command lines, one a line: the first, then each resume
 *          provenance.json   command, seed, version, commit, compiler, machine, time; resumes
 *          metrics.csv       a row a log (host/csv.h)
 *          events.out.*      the same for TensorBoard (run/events.h)
 *          checkpoints/      run/checkpoint.h
 *          status            "running", "finished", "stopped" or "failed: why"
 *          lock              held by the process that writes; a kill releases it
 *
 *     bex_run *run = bex_run_create(&setup);                  or bex_run_resume(&setup, &start)
 *     for (...) {
 *         bex_run_log(run, step, values);
 *         bex_run_checkpoint_begin(run, step, folder);  ... save model and state into folder ...
 *         bex_run_checkpoint_commit(run, step, held_out_loss);
 *     }
 *     bex_run_close(run, BEX_RUN_FINISHED, NULL);
 *
 * A new run is made beside its place and moved there whole (host/staging.h): a kill leaves it, and with
 * `force` the one before, whole or not there, and of several that start at once one wins. A directory that
 * holds anything is never written into by create; `force` replaces it if it is a run and nobody writes it.
 * Symbolic links in a run are not followed by what is written. A failed write (full disk) leaves the last
 * good checkpoint as it was. */
#ifndef BEX_RUN_RUN_H
#define BEX_RUN_RUN_H

#include "base/config.h"
#include "base/path.h"

#include <stdbool.h>

typedef struct bex_run bex_run;
typedef struct bex_events bex_events;

enum { BEX_RUN_PATH_SIZE = BEX_PATH_SIZE };

typedef struct bex_run_setup {
    const char *path;                // runs/x; parents are made
    const bex_config_schema *schema; // of config; both are used during the call only
    const void *config;
    const char *command; // bex_command_line()
    long long seed;
    const char *const *columns; // of metrics.csv beside step, and tags of events; must stay
    int column_count;
    int keep;   // newest checkpoints kept beside the best one; 0: all
    bool force; // create: replace a run that is there
} bex_run_setup;

/* NULL with a message: exists, no run to replace, in use, unwritable; then nothing has changed. */
bex_run *bex_run_create(const bex_run_setup *setup);

/* Where a resumed run goes on. */
typedef struct bex_run_start {
    long long step;                 // of the checkpoint; -1: none was written yet, begin anew
    char folder[BEX_RUN_PATH_SIZE]; // with model.safetensors and state.safetensors; "" if none
} bex_run_start;

/* Go on from the newest complete checkpoint: half-written ones are removed, metrics and events past
 * its step cut. config.ini is rewritten if the config has changed (more steps, say). NULL with a
 * message: not a run, in use, other columns. */
bex_run *bex_run_resume(const bex_run_setup *setup, bex_run_start *start);

/* The newest complete checkpoint of a run, for a look before it is resumed. 0 or negative. */
int bex_run_find_start(bex_run_start *start, const char *run);

/* config.ini of a run into a config, for resuming it. 0, or negative with a message. */
int bex_run_config(const char *path, const bex_config_schema *schema, void *config);

/* values[column_count], NaN where not measured: a row of metrics.csv and an event. 0 or negative. */
int bex_run_log(bex_run *run, long long step, const double *values);

/* run/checkpoint.h for this run. Metrics and events reach the disk before the checkpoint counts. */
int bex_run_checkpoint_begin(bex_run *run, long long step, char folder[BEX_RUN_PATH_SIZE]);
int bex_run_checkpoint_commit(bex_run *run, long long step, double score);
void bex_run_checkpoint_discard(bex_run *run, long long step);

const char *bex_run_path(const bex_run *run);
bex_events *bex_run_events(bex_run *run); // for images and histograms

typedef enum { BEX_RUN_RUNNING, BEX_RUN_FINISHED, BEX_RUN_STOPPED, BEX_RUN_FAILED } bex_run_state;

/* Writes the status and frees, whatever happens; message: NULL for none. 0, or negative with a
 * message if the status could not be written. run NULL is fine. */
int bex_run_close(bex_run *run, bex_run_state state, const char *message);

#endif
