/* demo/maze_demonstrations.h - a demonstrator's rows by the million, over all cores.
 *
 * Rows come in pieces that are made alone, in any order, by any thread: piece p of a file depends on
 * (world, options, seed, p) and nothing else. Rows follow one another in order of pieces.
 *   continuing (episode_length 0): one long run per 20,000 rows; timeouts where a goal was reached
 *     or given up, which is D4RL's way, and at the end of a piece;
 *   episodes (episode_length L): a reset every L rows; timeouts at each last row and nowhere else.
 *
 * A world with an ant has a demonstrator of its own (demo/ant_demonstrations.h): set `controller`, `start`
 * and `goal_spread`; episodes only.
 *
 * Differences from D4RL's Maze2D script: one run per piece instead of one endless run; where a goal is
 * reached the script writes the same observation twice, here rows are consecutive states; rewards
 * are those of the state after the action (D4RL's files have those of the state before). */
#ifndef BEX_DEMO_MAZE_DEMONSTRATIONS_H
#define BEX_DEMO_MAZE_DEMONSTRATIONS_H

#include "demo/maze_demonstrator.h"

enum { BEX_ANT_EPISODE = 1001 }; // rows of D4RL's AntMaze episodes

typedef struct bex_demonstrations {
    const bex_world *world; // borrowed
    bex_demonstrator_options options;
    int episode_length; // 0: continuing
    uint64_t seed;
    const struct bex_ant_controller *controller; // AntMaze: who walks, borrowed; else NULL
    int start;                                   // AntMaze: cell of every start; -1: any
    double goal_spread;                          // AntMaze: metres (demo/ant_pilot.h)

    int room;            // rows the arrays hold
    bex_real *obs, *act; // (room,O), (room,A)
    bex_real *reward;    // (room)
    bex_real *goal;      // (room,2)
    bex_real *after;     // (room,O) the state after the action; AntMaze only, else NULL
    unsigned char *terminal, *timeout; // (room)
    double test_goal[2];               // AntMaze: where rewards are paid
} bex_demonstrations;

/* Set world, options, episode_length, seed and room (an ant: controller, start); the arrays are made
 * here. */
int bex_demonstrations_init(bex_demonstrations *d);
void bex_demonstrations_fini(bex_demonstrations *d);

/* Rows of one piece. */
int bex_demonstrations_piece(const bex_demonstrations *d);

/* Make rows 0..count-1 of the arrays (count <= room) from piece `first` on, the last piece cut short
 * if need be. Pieces are what threads take. */
int bex_demonstrations_make(bex_demonstrations *d, long long first, int count);

#endif
