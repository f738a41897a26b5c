/* report/exploration.h - results.json of `bex explore` (record/exploration_summary.h), and several of them as
 * one series.
 *
 * A series is the same agent, history rule and settings, whatever the seed; its trials are pooled as
 * independent. Explorations that differ in exp alone are one series with several targets. */
#ifndef BEX_REPORT_EXPLORATION_H
#define BEX_REPORT_EXPLORATION_H

#include "draw/colour.h"
#include "record/exploration_summary.h"

#include <stdbool.h>

typedef struct bex_exploration {
    char *path;      // of results.json
    char *name;      // below the path that was given
    char label[160]; // "BE, with its past"
    json_t *machine; // where it was made: run/machine.h; NULL: not told
    bex_exploration_summary s;
} bex_exploration;

/* 0, or negative with a message naming path and key: not JSON, or a key of another type. */
int bex_exploration_load(bex_exploration *e, const char *path, const char *name);
void bex_exploration_fini(bex_exploration *e);

/* Was this exploration given its history ("file:...")? */
bool bex_exploration_given(const bex_exploration *e);

enum { BEX_SERIES_MOST = 16, BEX_SERIES_MEMBERS = 64 };

typedef struct bex_series {
    const char *label;
    bex_colour colour;
    int count;
    const bex_exploration *member[BEX_SERIES_MEMBERS];
} bex_series;

/* The series of one environment: BE, BC, retrieval, others, each in order of appearance; at most
 * BEX_SERIES_MOST. Explorations with a given history are another question and left out. */
int bex_series_gather(bex_series *out, const bex_exploration *all, int count,
                      const char *environment);

/* The members with the exp of most trials (of equals, the highest quantile). */
void bex_series_main(bex_series *out, const bex_series *series);

/* A curve of an exploration: n 0 where it has none. BEX_GOAL_BY_STEP + g: of goal g. */
enum { BEX_REGIONS_BY_STEP, BEX_REGIONS_BY_EPISODE, BEX_GOALS_BY_STEP, BEX_GOAL_BY_STEP };
const bex_curve *bex_exploration_curve(const bex_exploration *e, int which);

/* Pooled over members: trials count alike. False where no member has it, or where they do not share
 * their x (steps). Caller frees with bex_curve_fini. */
bool bex_series_curve(bex_curve *out, const bex_series *series, int which);

/* The same for one {mean, error}; conduct: which of them, NULL for others. */
typedef enum { BEX_FINAL_REGIONS, BEX_FINAL_GOALS, BEX_CONDUCT } bex_series_value;
bool bex_series_pool(double out[2], const bex_series *series, bex_series_value which,
                     const char *conduct);

/* Behaviour cloning among the series, what others are compared with: its index, -1 for none. */
int bex_series_cloned(const bex_series *series, int count);

/* Visits of the members that have a grid (published results are without), and how many those are: 0
 * also where they do not share their squares. Caller frees with bex_grid_fini. */
int bex_series_grid(bex_grid *out, const bex_series *series);
long long bex_series_trials(const bex_series *series);

/* Mean and standard error of all trials behind n estimates; trials[n]. */
void bex_pool(double out[2], const double *mean, const double *error, const double *trials, int n);

#endif
