/* run/provenance.h - where a result comes from: command, seed, version, commit, machine, time. */
#ifndef BEX_RUN_PROVENANCE_H
#define BEX_RUN_PROVENANCE_H

#include "host/json.h"

/* "bex train --data 'my file.hdf5'": argv as a shell would take it back, after "bex ". argv[0] is
 * the command's name. malloced, the caller frees. Call it before anything rearranges argv. */
char *bex_command_line(int argc, char *const *argv);

/* The commit this was built from, "-dirty" appended if files differed; "unknown" without git. */
const char *bex_build_commit(void);

enum { BEX_TIME_SIZE = 24 };

/* "2026-11-15T22:34:00Z"; returns out. */
const char *bex_time_now(char out[BEX_TIME_SIZE]);

/* {command, seed, version, commit, compiler, started, machine}: caller json_decrefs. started: bex_time_now
 * when it began; NULL: it begins now. */
json_t *bex_provenance(const char *command, long long seed, const char *started);

#endif
