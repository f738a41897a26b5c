/* base/config.h - one const table drives defaults, INI files, overrides, --help and config.ini.
 *
 *     typedef struct train_config { double lr; long long steps; bool ema; int rule; char out[64]; } ...
 *     static const char *const rules[] = {"uniform", "last3", NULL};
 *     static const bex_config_row train_rows[] = {
 *         BEX_CONFIG_NUMBER(train_config, lr, "3e-4", 0, 1, "learning rate after warm-up"),
 *         BEX_CONFIG_INTEGER(train_config, steps, "50000", 1, 1e9, "optimiser steps"),
 *         BEX_CONFIG_BOOL(train_config, ema, "true", "keep an average of the weights"),
 *         BEX_CONFIG_CHOICE(train_config, rule, "uniform", rules, "how a history is drawn"),
 *         BEX_CONFIG_TEXT(train_config, out, "", "run directory"),
 *         BEX_CONFIG_END,
 *     };
 *     typedef struct config { train_config train; data_config data; } config;
 *     static const bex_config_section sections[] = {
 *         {"train", train_rows, offsetof(config, train), "optimisation"},
 *         {"data", data_rows, offsetof(config, data), "demonstrations"},
 *     };
 *     static const bex_config_schema schema = {.sections = sections, .count = 2};
 *
 * A module owns its struct and rows; a program composes sections. Code reads cfg->train.lr. The key
 * is the member's name, and the macros refuse a member of another type at compile time. Texts are
 * char arrays inside the struct: a config is a plain value, copied by =, freed by nobody.
 *
 * Files are INI as inih reads it: `[section]`, `key = value`, comment lines with ; or #, after a
 * value only " ;". UTF-8, with or without BOM, LF or CRLF. A key may stand once per file. Every
 * failure is one line: "x.ini:12: train.lr = 'fast': not a number in [0, 1]".
 *
 * A key that moved keeps its old spelling as an alias, given behind the help:
 *
 *         BEX_CONFIG_NUMBER(train_config, lr, "3e-4", 0, 1, "learning rate", .was = "optimiser.rate"),
 *
 * What a beginner wants to know besides, a typical value and when to raise it, is .advice = "..": listed by
 * bex_config_help and docs/settings, not saved with a run.
 *
 * A row with .automatic = true may be given as "auto": its value is then whoever's who knows better, e.g.
 * what the data say (suggest/), and stays as it is meanwhile. Any other value takes the mark away.
 *
 * Files and overrides may use either, a file not both; only the new one is written. A key that is gone may
 * stay as a row with .retired = true, for its module to say in today's keys; an alias of the same spelling
 * goes before it. */
#ifndef BEX_BASE_CONFIG_H
#define BEX_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum {
    BEX_CONFIG_IS_END,
    BEX_CONFIG_IS_INTEGER, // long long, in [least, most], both within 2^53
    BEX_CONFIG_IS_NUMBER,  // double, finite, in [least, most]
    BEX_CONFIG_IS_BOOL,    // bool: true/false, yes/no, on/off, 1/0
    BEX_CONFIG_IS_TEXT,    // char[size], at most size - 1 bytes of one-line UTF-8, may be empty
    BEX_CONFIG_IS_CHOICE,  // int or enum: index into choices
    BEX_CONFIG_IS_KEYS,    // char[size]: every other key of its section, as lines "key=value\n"
} bex_config_type;

/* inih holds a line of at most 200 bytes: these bounds keep whatever we write readable. */
enum { BEX_CONFIG_NAME_SIZE = 33, BEX_CONFIG_TEXT_SIZE = 160 };

typedef struct bex_config_row {
    const char *name; // must stay the first member (base/nearest.h)
    bex_config_type type;
    size_t offset, size; // of the member in the section's struct
    const char *initial; // the default, as a file would give it
    double least, most;
    const char *const *choices; // NULL-terminated
    const char *help;           // one line
    const char *advice; // a typical value, and when to raise it: "8; raise when .."; NULL: none
    const char *was;    // "section.key" of before, which is read as this one; NULL: none
    bool retired;       // read from old files, never written or listed
    bool automatic;     // may be "auto", in a schema that keeps marks
} bex_config_row;

typedef struct bex_config_section {
    const char *name; // must stay the first member (base/nearest.h)
    const bex_config_row *rows;
    size_t offset;    // of the section's struct in the whole config
    const char *help; // one line
} bex_config_section;

typedef struct bex_config_schema {
    const bex_config_section *sections;
    int count;
    /* Where the config keeps which of its rows are "auto": an array of so many bytes, one a row of the
     * schema; its offset, and its size. size 0: no row may be. */
    size_t marks, marks_size;
} bex_config_schema;

// a row whose key is the member's name; `guard` does not compile for a member of another type
#define BEX_CONFIG_ROW(S, member, kind, guard, ...)                                                \
    {                                                                                              \
        .name = #member, .type = kind, .offset = offsetof(S, member) + 0 * sizeof(guard),          \
        .size = sizeof(((S *)0)->member), __VA_ARGS__                                              \
    }
#define BEX_CONFIG_OF(S, member, T) _Generic(&((S *)0)->member, T * : 1)

#define BEX_CONFIG_INTEGER(S, member, value, low, high, ...)                                       \
    BEX_CONFIG_ROW(S, member, BEX_CONFIG_IS_INTEGER, BEX_CONFIG_OF(S, member, long long),          \
                   .initial = value, .least = low, .most = high, .help = __VA_ARGS__)
#define BEX_CONFIG_NUMBER(S, member, value, low, high, ...)                                        \
    BEX_CONFIG_ROW(S, member, BEX_CONFIG_IS_NUMBER, BEX_CONFIG_OF(S, member, double),              \
                   .initial = value, .least = low, .most = high, .help = __VA_ARGS__)
#define BEX_CONFIG_BOOL(S, member, value, ...)                                                     \
    BEX_CONFIG_ROW(S, member, BEX_CONFIG_IS_BOOL, BEX_CONFIG_OF(S, member, bool),                  \
                   .initial = value, .help = __VA_ARGS__)
#define BEX_CONFIG_CHOICE(S, member, value, names, ...)                                            \
    BEX_CONFIG_ROW(S, member, BEX_CONFIG_IS_CHOICE,                                                \
                   char[sizeof(((S *)0)->member) == sizeof(int) ? 1 : -1], .initial = value,       \
                   .choices = names, .help = __VA_ARGS__)
#define BEX_CONFIG_TEXT(S, member, value, ...)                                                     \
    BEX_CONFIG_ROW(S, member, BEX_CONFIG_IS_TEXT,                                                  \
                   _Generic(&((S *)0)->member, char(*)[sizeof(((S *)0)->member)] : 1),             \
                   .initial = value, .help = __VA_ARGS__)
/* A section whose keys are known only later, e.g. [env] before the world is chosen: whoever reads the lines
 * judges them. At most one row of a section. */
#define BEX_CONFIG_KEYS(S, member, text)                                                           \
    BEX_CONFIG_ROW(S, member, BEX_CONFIG_IS_KEYS,                                                  \
                   _Generic(&((S *)0)->member, char(*)[sizeof(((S *)0)->member)] : 1),             \
                   .initial = "", .help = text)
#define BEX_CONFIG_END                                                                             \
    { .name = NULL }

/* Zero is not a default: call this first. A wrong table (bad default, long name) is a bug. */
void bex_config_defaults(const bex_config_schema *schema, void *config);

/* Read a file, or text that messages call `name`; keys absent from it keep their values. 0, or
 * negative with a message; keys before the failing line are then already set. */
int bex_config_load(const bex_config_schema *schema, void *config, const char *path);
int bex_config_parse(const bex_config_schema *schema, void *config, const char *text, size_t size,
                     const char *name);

/* Apply one override, "section.key=value" or "--section.key=value". 0, or negative with a message. */
int bex_config_set(const bex_config_schema *schema, void *config, const char *override);

/* The value of a key as a file would give it. 0, or negative with a message. */
int bex_config_get(const bex_config_schema *schema, const void *config, const char *section,
                   const char *key, char out[BEX_CONFIG_TEXT_SIZE]);

/* Is "section.key" auto? Make every row that may be so auto. */
bool bex_config_is_auto(const bex_config_schema *schema, const void *config, const char *name);
void bex_config_all_auto(const bex_config_schema *schema, void *config);

/* Move every override out of argv[1..] into out (room for *argc) and close the gaps; arguments
 * after "--" are left alone. Returns how many. Done first, applied last: after the file. */
int bex_config_take_overrides(int *argc, char **argv, const char **out);

/* The whole config as INI text with help as comments: parsing it gives the same bits. malloced,
 * the caller frees; NULL with a message: no memory. For config.ini of a run, and for the metadata of a
 * checkpoint. */
char *bex_config_text(const bex_config_schema *schema, const void *config);

/* bex_config_text into a file, atomically. 0, or negative with a message. */
int bex_config_save(const bex_config_schema *schema, const void *config, const char *path,
                    int replace);

/* What a row accepts, in words: "a number in [0, 1]"; empty for keys known only later. */
void bex_config_allowed(char *out, size_t size, const bex_config_row *row);

/* The list of keys by section, with defaults, what is allowed, and advice. */
void bex_config_help(const bex_config_schema *schema, FILE *out);

#endif
