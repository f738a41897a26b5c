/* cli/env_options.h - the options that say how a world is opened, for every command that opens one:
 * `static bex_env_flags world;`, BEX_ENV_OPTIONS(world) in its table, and bex_env_flags_open.
 *
 * --env.KEY=VALUE is an option of the world itself (`bex env NAME --help` lists them); the others are short
 * for one of these. */
#ifndef BEX_CLI_ENV_OPTIONS_H
#define BEX_CLI_ENV_OPTIONS_H

#include "cli/options.h"
#include "env/env.h"

typedef struct bex_env_flags {
    const char *maze, *start; // NULL: not given
    long long splits;         // 0: not given
    long long time_limit;     // 0: not given
    bex_option_keys own;
} bex_env_flags;

// clang-format off
#define BEX_ENV_OPTIONS(f) \
    {"env", BEX_OPTION_KEYS, &(f).own, "KEY=VALUE", \
     "an option of the world: bex env NAME --help lists them", 0, 0}, \
    {"maze", BEX_OPTION_TEXT, &(f).maze, "FILE", "text grid, for ENV maze2d or antmaze: --env.maze", 0, 0}
#define BEX_ENV_START_OPTION(f) \
    {"start", BEX_OPTION_TEXT, &(f).start, "ROW,COL", \
     "cell where episodes start; else any: --env.start", 0, 0}
// clang-format on

/* The flags as keys of a world (bex_world_options.keys), behind those of `before` (NULL: none): short forms
 * first, --env.KEY=VALUE last, so that the latter wins. keys: room for size bytes. */
int bex_env_flags_keys(char *keys, size_t size, const bex_env_flags *flags, const char *before);

/* The world by name with these flags; options->keys is ignored. Negative with a message: a usage error. */
int bex_env_flags_open(bex_world **out, const char *name, const bex_world_options *options,
                       const bex_env_flags *flags);

#endif
