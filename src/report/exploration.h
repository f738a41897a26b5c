/* report/exploration.h - results.json of `bex explore`, and several of them as one series.
 *
 * Read here, every key but `by_episode` optional (what is missing is left out of figures):
 *   command, seed, trials, episodes, environment {name, episode_length, regions}
 *   agent        {name, run, history, exp, choose, candidates, guidance, noise, label}: what tells series
 *                apart; name is be, bc, bc-history, retrieval, or policy for what `run` holds
 *   by_step      regions {step, mean, error}; by_episode regions {episode, mean, error}
 *   by_step      goals {step, mean, error, each [goal][step]}: the share of goals found; of each, of trials
 *   goals        {names}
 *   budget       steps of a trial
 *   final        {mean, error, goals {mean, error}}; overlap {mean, error}
 *   conduct      {name: {mean, error}, ...}: how well it moves
 *   occupancy    grid {left, top, unit, rows, columns, counts}: states in squares, row by row
 *   map          walls, goal, start: [right, down, half width, half height]
 *   rollouts     [trial][episode][[right, down], ...]
 *   segment      [[right, down], ...]: the history that was given
 *   demonstrations  {grid, conduct {name: value}}: as occupancy and conduct, of the demonstrations trained on
 * "down" is the second coordinate and is drawn downwards, as mazes are written.
 *
 * A series is the same agent, history rule and settings, whatever the seed; its trials are pooled as
 * independent. Explorations that differ in exp alone are one series with several targets. */
#ifndef BEX_REPORT_EXPLORATION_H
#define BEX_REPORT_EXPLORATION_H

#include "draw/colour.h"
#include "host/json.h"

#include <stdbool.h>

enum { BEX_GOALS_MOST = 32 };

typedef struct bex_curve {
    int n;
    double *x, *mean, *error; // (n) each
} bex_curve;

typedef struct bex_grid {
    int rows, columns; // 0: none
    double left, top, unit;
    double *count; // (rows, columns), row 0 at the top
} bex_grid;

typedef struct bex_exploration {
    char *path;      // of results.json
    char *name;      // below the path that was given
    json_t *results; // owned
    const char *environment, *agent, *history, *exp,
        *command;    // "" if missing; borrowed from results
    char label[160]; // "BE, online history"
    long long seed, trials, episodes, length, regions, budget; // -1: missing
    double quantile;                             // of exp "q:0.95"; NAN: another kind or none
    double final[2], final_goals[2], overlap[2]; // mean, error; NAN: missing
    bex_curve by_step, by_episode, goals;        // n 0: missing; goals: share found by step
    int goal_count;                              // 0: none, or not told of each
    const char *goal_name[BEX_GOALS_MOST];
    bex_curve goal[BEX_GOALS_MOST]; // the share of trials that have found it, by step
    bex_grid visits, demonstrations;
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

/* The series of one environment: BE, BC, retrieval, others, each in order of appearance; at most BEX_SERIES_MOST. Explorations with a
 * given history are another question and left out. */
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

/* The same for a pair {mean, error} below these keys of results.json (inside NULL: one key). */
bool bex_series_pair(double out[2], const bex_series *series, const char *key, const char *inside);

/* Behaviour cloning among the series, what others are compared with: its index, -1 for none. */
int bex_series_cloned(const bex_series *series, int count);

/* Visits of the members that have a grid (published results are without), and how many those are: 0
 * also where they do not share their squares. Caller frees with bex_grid_fini. */
int bex_series_grid(bex_grid *out, const bex_series *series);
long long bex_series_trials(const bex_series *series);

void bex_curve_fini(bex_curve *curve);
void bex_grid_fini(bex_grid *grid);

/* Mean and standard error of all trials behind n estimates; trials[n]. */
void bex_pool(double out[2], const double *mean, const double *error, const double *trials, int n);

#endif
