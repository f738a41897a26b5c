/* cli/env_serve.h - a world as a pipe: what bindings/python/bex/env.py speaks.
 *
 *   we first       one line of JSON: name, state, action, time_limit, dt, regions, goals (their names)
 *   'r' i seed     (int32, uint64)            instance i begins an episode; i -1: all, seeds seed, seed +
 *   1, ..
 *   's'            (n,A) float32              all take a step
 *   'q'            or the end of the pipe     we leave
 *
 * Answer to 'r': state (O) of that instance, or of all; to 's': states (n,O) float32, rewards (n) float32,
 * terminated
 * (n) bytes, region (n) int32 (-1: none), goals reached (n) uint32, a bit each. An error is int32 -1, a
 * length and
 * that much text in place of the int32 0 every answer begins with. Numbers are this machine's. Time limits
 * and what
 * follows an end are the caller's. */
#ifndef BEX_CLI_ENV_SERVE_H
#define BEX_CLI_ENV_SERVE_H

#include "env/env.h"

/* From stdin to stdout until the pipe ends. Negative with a message. */
int bex_env_serve(const bex_world *world, int instances);

#endif
