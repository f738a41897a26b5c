/* suggest/suggest.h - settings that choose themselves: one table, a row a setting (suggest.c).
 *
 * A setting that is auto (base/config.h) gets a value from the demonstrations and from the settings before
 * it in the
 * table, and a reason of one line. What was given stays; what is given narrows the rest: with
 * model.waypoints = false
 * nothing asks for candidates.
 *
 *     bex_config_all_auto(&bex_train_schema, &config)           `bex train --data FILE`, and no config file
 *     bex_suggest_settle(&config, data, &suggestions)           names of columns to numbers, auto to values
 *
 * The same data and settings give the same values, whatever the machine. */
#ifndef BEX_SUGGEST_SUGGEST_H
#define BEX_SUGGEST_SUGGEST_H

#include "agent/train_config.h"
#include "suggest/column_choice.h"

#include <stdio.h>

enum { BEX_SUGGESTIONS = 32, BEX_REASON = 200 };

typedef struct bex_suggestion {
    const char *key; // "model.chunk"
    char value[BEX_CONFIG_TEXT_SIZE], reason[BEX_REASON];
} bex_suggestion;

typedef struct bex_suggestions {
    int count;
    bex_suggestion row[BEX_SUGGESTIONS];
    bex_column_choice columns;       // made where coverage.dims was auto; else its O is 0
    char dims[BEX_CONFIG_TEXT_SIZE]; // the columns that count, by name
} bex_suggestions;

/* The config is settled in place, what was chosen told in `out` (which needs fini either way). Without
 * data (an agent that learns in a world) only marks are taken
 * away. Negative with a message: columns that are not there, none that can be chosen. */
int bex_suggest_settle(bex_train_config *config, const bex_dataset *data, bex_suggestions *out);
void bex_suggestions_fini(bex_suggestions *s);

/* A line each: key, value, reason. */
void bex_suggestions_print(const bex_suggestions *s, FILE *out);

#endif
