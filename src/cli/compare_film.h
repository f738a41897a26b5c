/* cli/compare_film.h - two explorations of one world side by side, as a GIF with counters. */
#ifndef BEX_CLI_COMPARE_FILM_H
#define BEX_CLI_COMPARE_FILM_H

#include "cli/env_options.h"

/* from: directories of both, with results.json and trajectories.hdf5; name: what to call them; trial: from 1.
 * Negative with a message. */
int bex_compare_film(const char *const from[2], const char *const name[2], int trial,
                     const bex_env_flags *flags, const char *path);

#endif
