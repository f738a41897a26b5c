/* record/exploration_summary.h - what an exploration came to: filled by explore/results.h, shown by cli and
 * show, written as results.json and read back here, for reports. The one place that knows results.json:
 *
 *   run/provenance.h, trials, episodes (most of a trial), environment {name, episode_length, regions}
 *   agent        {name, run, history, exp, choose, candidates, guidance, noise, label, ..}: who explored;
 *                name is be, bc, bc-history, retrieval, or policy for what `run` holds; how it acts besides
 *   budget       steps of a trial, if it was one
 *   by_episode   after episode 1 .. E: regions {episode, mean, error, trials (E, trials)}, and repeated: the
 *                share of an episode's regions its trial had visited before {episode, mean, error}
 *   by_step      after step n (about 200 points, all trials present): regions {step, mean, error}; of a world
 *                that has goals: goals, the share of them found {step, mean, error, each: the share of trials
 *                that have found goal g (goals, points)}
 *   final        regions at the end: mean, error; goals: the share found {mean, error}
 *   attempts     regions: share of trials that reached each, mean attempt (episode from 1) of those, null:
 *                none; goal: the same for a first reward, trials: attempts of each (0: never)
 *   goals        of a world that has some: names; found: the share at the end {mean, error}; by_episode;
 *                reached: the share of trials that found each; first_step, first_attempt (from 1): (trials,
 *                goals), null: never
 *   conduct      how well it moved, of a world that has a view on it (bex_env_class.conduct): of each number
 *                {mean, error, trials}
 *   overlap      with a history segment, if one was given: mean, error, trials
 *   occupancy    share of states in each region; grid {left, top, unit, rows, columns, counts}: states in
 *                squares, row by row; null: too many squares
 *   map          walls, goal, start: [right, down, half width, half height]
 *   segment      that segment, [[right, down], ...]
 *   demonstrations  of those that were given: grid, their states in the same squares; conduct {name: value}
 *   rollouts     the first trials' paths, [trial][episode][[right, down], ...], thinned
 *
 * Errors are standard errors over trials, 0 for one trial. "down" is the second coordinate and is drawn
 * downwards, as mazes are written. Reading, every key but by_episode is optional, and what only tables
 * outside use is left aside: trials of by_episode, attempts, first_step. */
#ifndef BEX_RECORD_EXPLORATION_SUMMARY_H
#define BEX_RECORD_EXPLORATION_SUMMARY_H

#include "host/json.h"
#include "host/statistics.h"

#include <stdbool.h>

enum { BEX_GOALS_MOST = 32, BEX_CONDUCT_MOST = 8, BEX_SUMMARY_NAME = 96 };

typedef struct bex_curve {
    int n;                    // 0: none
    double *x, *mean, *error; // (n) each
} bex_curve;

typedef struct bex_grid {
    int rows, columns; // 0: none
    double left, top, unit;
    double *count; // (rows, columns), row 0 at the top
} bex_grid;

/* Rectangles seen from above. */
typedef struct bex_boxes {
    int n;
    double (*at)[4]; // (n): right, down, half width, half height
} bex_boxes;

typedef struct bex_path {
    int n;
    double (*at)[2]; // (n): right, down
} bex_path;

/* Who explored, as far as reports tell agents apart. Text: "" if missing; numbers: NAN. */
typedef struct bex_exploration_agent {
    char *name, *run, *history, *exp, *choose, *label;
    double candidates, guidance, noise;
    double quantile; // of exp "q:0.95"; NAN: another kind or none
} bex_exploration_agent;

typedef struct bex_conduct {
    char name[BEX_SUMMARY_NAME];
    bex_estimate value;
    double *trials; // (trials); NULL when read
    double shown;   // of the demonstrations; NAN: none
} bex_conduct;

typedef struct bex_exploration_summary {
    char *command, *environment;                               // "" if missing; read only
    bex_exploration_agent agent;                               // read only
    long long seed, trials, episodes, length, regions, budget; // -1: missing

    bex_curve by_episode, repeated; // regions; the share of those visited before
    int *by_episode_trials;         // (by_episode.n, trials); NULL when read
    bex_curve by_step, goals_by_step;
    bex_estimate final, final_goals; // NAN: missing

    double *region_reached, *region_attempt; // (regions); attempt NAN: none. NULL when read
    double goal_reached, goal_attempt;       // of a first reward
    int *attempts;                           // (trials); NULL when read

    int goals; // 0: none
    char (*goal_name)[BEX_SUMMARY_NAME];
    bex_curve *goal;    // (goals) share of trials that have found it, by step; n 0: not told
    double *goal_share; // (goals) of the trials that found each
    bex_curve goals_by_episode;
    int *goal_step;       // (trials, goals), -1: never; NULL when read
    int *goal_attempt_of; // (trials, goals) the episode of its first time, from 1; 0: never

    bex_conduct conduct[BEX_CONDUCT_MOST];
    int conducts;
    bool shown_conduct; // of demonstrations, too

    bex_estimate overlap;   // NAN: no segment was given
    double *overlap_trials; // (trials); NULL when read

    double *occupancy; // (regions) share of states; NULL when read
    bool map;          // seen from above: what follows was told
    bex_boxes walls, goal_boxes, start_boxes;
    bex_grid visits, demonstrations;
    bool shown_grid; // demonstrations were given, though there may be too many squares
    bex_path segment;
    int rollout_trials, *rollout_episodes; // (rollout_trials) how many of each follow in rollouts
    bex_path *rollouts;                    // trial after trial
} bex_exploration_summary;

/* Empty: nothing is told. Needs fini; fini of a zeroed one is fine. */
void bex_exploration_summary_init(bex_exploration_summary *s);
void bex_exploration_summary_fini(bex_exploration_summary *s);

/* n points, uninitialised. Aborts where memory runs out. */
bex_curve bex_curve_new(int n);
void bex_curve_fini(bex_curve *curve);
void bex_grid_fini(bex_grid *grid);

/* Add all of it to results.json, an object that holds the provenance already; agent is kept. */
void bex_exploration_summary_write(const bex_exploration_summary *s, json_t *results,
                                   json_t *agent);

/* From results.json. 0, or negative with a message naming the key. Needs fini either way. */
int bex_exploration_summary_read(bex_exploration_summary *s, const json_t *results);

#endif
