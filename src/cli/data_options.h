/* cli/data_options.h - the options that say how a demonstration file is read, for every command that
 * reads one: `static bex_data_flags in = BEX_DATA_FLAGS_INIT;` and BEX_DATA_OPTIONS(in) in its table. */
#ifndef BEX_CLI_DATA_OPTIONS_H
#define BEX_CLI_DATA_OPTIONS_H

#include "data/load.h"

typedef struct bex_data_flags {
    const char *format, *split_at, *position, *keys, *filter, *images, *flip;
    long long image_size;
    long long limit, length;
    double jump;
} bex_data_flags;

// clang-format off
#define BEX_DATA_OPTIONS(f) \
    {"format", BEX_OPTION_TEXT, &(f).format, "KIND", \
     "d4rl, minari, libero, robomimic; else recognised", 0, 0}, \
    {"split-at", BEX_OPTION_TEXT, &(f).split_at, "RULES", \
     "d4rl: flags, terminals, timeouts, jumps, length; by commas [flags]", 0, 0}, \
    {"episode-length", BEX_OPTION_INTEGER, &(f).length, "N", \
     "d4rl: cut after N rows (0: no), for files without timeouts", 0, 2e9}, \
    {"jump", BEX_OPTION_NUMBER, &(f).jump, "X", \
     "d4rl: a longer step is a jump (0: 5 times the 90th percentile)", 0, 1e300}, \
    {"position", BEX_OPTION_TEXT, &(f).position, "I,J", \
     "d4rl: observation columns jumps are seen in [0,1]", 0, 0}, \
    {"obs-keys", BEX_OPTION_TEXT, &(f).keys, "A,B", "observation keys to join, in this order", 0, 0}, \
    {"images", BEX_OPTION_TEXT, &(f).images, "A,B", "cameras whose pictures are read; none [all]", 0, 0}, \
    {"image-size", BEX_OPTION_INTEGER, &(f).image_size, "N", "pixels of a side (0: as stored)", 0, 4096}, \
    {"flip", BEX_OPTION_TEXT, &(f).flip, "HOW", "turn pictures: vertical, rot180 [none]", 0, 0}, \
    {"filter", BEX_OPTION_TEXT, &(f).filter, "NAME", "robomimic: only the demos of mask/NAME", 0, 0}, \
    {"limit", BEX_OPTION_INTEGER, &(f).limit, "N", "only the first N episodes (0: all)", 0, 2e9}
// clang-format on

/* 0, or negative with a message: a usage error. */
int bex_data_flags_resolve(bex_load_options *options, const bex_data_flags *flags);

/* "3,0" into two column numbers below `columns` (0: any). */
int bex_parse_pair(int pair[2], const char *text, const char *option, int columns);

/* Two columns of the data, by number or name: base/columns.h. */
int bex_parse_columns(int pair[2], const char *text, const char *option, const bex_dataset *data);

#endif
