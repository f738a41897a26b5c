/* cli/options.h - one table of options drives parsing, ranges, nearest-name errors and --help.
 *
 *     static long long trials = 100; static bool json;
 *     static const bex_option options[] = {
 *         {"trials", BEX_OPTION_INTEGER, &trials, "N", "random worlds to play", 1, 1e9},
 *         {"json", BEX_OPTION_FLAG, &json, NULL, "print results as JSON", 0, 0},
 *     };
 * Given as --trials 5 or --trials=5; a value that starts with -- must be given with =. `--` ends
 * options; -h is --help, -o is --out. The variables hold the defaults. */
#ifndef BEX_CLI_OPTIONS_H
#define BEX_CLI_OPTIONS_H

#include "base/config.h"

#include <stdbool.h>

enum { BEX_EXIT_OK = 0, BEX_EXIT_FAILED = 1, BEX_EXIT_USAGE = 2 };

typedef enum {
    BEX_OPTION_FLAG,    // bool *
    BEX_OPTION_INTEGER, // long long *, in [least, most]
    BEX_OPTION_NUMBER,  // double *, in [least, most], finite
    BEX_OPTION_TEXT,    // const char **, never empty
    BEX_OPTION_KEYS,    // bex_option_keys *: --name.KEY=VALUE, as often as wanted
} bex_option_type;

/* The keys of one section that were given, lines "KEY=VALUE\n" in order; emptied when parsing begins. */
typedef struct bex_option_keys {
    char lines[1024];
} bex_option_keys;

typedef struct bex_option {
    const char *name; // without dashes; of keys the section; the first member (base/nearest.h)
    bex_option_type type;
    void *value;
    const char *metavar; // what --help calls the value; NULL for a flag
    const char *help;
    double least, most;
} bex_option;

typedef struct bex_usage {
    const char *command;  // "theory"
    const char *synopsis; // "[WORLD.txt] [options]"
    const char *about;    // one paragraph, lines at most 90 wide
    const char *example;  // commands that work as they stand, one per line
    const bex_option *options;
    int count;
    const bex_config_section *settings; // also --section.key=value or --key value; NULL: none
} bex_usage;

/* Parse argv[1..]. Returns the number of positional arguments (pointers into argv), or one of
 * BEX_OPTIONS_HELP: --help was given and printed to stdout, return BEX_EXIT_OK;
 * BEX_OPTIONS_WRONG: one line is on stderr, return BEX_EXIT_USAGE. */
enum { BEX_OPTIONS_HELP = -1, BEX_OPTIONS_WRONG = -2 };
int bex_options_parse(const bex_usage *usage, int argc, char **argv, const char **positional,
                      int most_positional);

/* Ends a command: prints "bex COMMAND: message" to stderr, from rank 0; returns `code`. */
int bex_command_fail(const bex_usage *usage, int code);

#endif
