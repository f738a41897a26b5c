/* cli/comparison.h - two results of one kind, measured alike: rows of numbers, one a trial or episode of each
 * side. A kind is a row of the table in cmd_compare.c. */
#ifndef BEX_CLI_COMPARISON_H
#define BEX_CLI_COMPARISON_H

#include "draw/figure.h"
#include "host/json.h"

#include <stdbool.h>

enum { BEX_COMPARED_MOST = 64, BEX_COMPARED_NAME = 48 };

typedef struct bex_compared {
    const char *path;
    json_t *results; // owned
    char name[BEX_COMPARED_NAME];
    const char *of;    // the world, or the demonstrations
    long long seed;    // -1: none
    int n;             // trials or episodes
    int *at, episodes; // of an evaluation: (n) its episodes that are compared; how many it has
} bex_compared;

typedef struct bex_measure {
    char name[BEX_COMPARED_NAME];
    double *value[2]; // (n) of each side, owned
    bool rate;        // 0 or 1 each
} bex_measure;

typedef struct bex_comparison {
    bex_compared side[2];
    bool paired;
    bex_measure row[BEX_COMPARED_MOST];
    int rows;
} bex_comparison;

typedef struct bex_comparison_kind {
    const char *name, *unit; // "exploration", "trial"
    const char *why;         // "other seeds or numbers of trials": not paired
    bool (*is)(const json_t *results);
    int (*look)(bex_compared *side);                  // its numbers; negative with a message
    int (*measure)(bex_comparison *c, bool unpaired); // pairs what can be, adds rows
    void (*draw)(const bex_comparison *c, bex_panel *panel);
} bex_comparison_kind;

extern const bex_comparison_kind bex_compare_explorations, bex_compare_evaluations;

/* A row of n numbers each, to be filled; NULL: no room. */
bex_measure *bex_comparison_add(bex_comparison *c, bool rate);
double *bex_comparison_numbers(long long n); // zeros, the caller's

#endif
