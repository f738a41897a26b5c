/* demo/ant_demonstrations.h - D4RL's diverse AntMaze data, made again: pilot (where to), controller (how),
 * noise on actions. Called by demo/maze_demonstrations.c for worlds with an ant.
 *
 * An episode is BEX_ANT_EPISODE rows from one start towards one goal, whatever happens on the way. Eight
 * episodes walk together, so that the network runs on eight rows at once; each draws from a stream of its
 * own, and the network's rows do not mix: the bits do not depend on who walks beside whom.
 *
 * Rewards are for D4RL's test goal, as its files are relabelled: 1, and terminal, where the state after
 * the action is within 0.5 of the middle of the first goal's square; the episode goes on. */
#ifndef BEX_DEMO_ANT_DEMONSTRATIONS_H
#define BEX_DEMO_ANT_DEMONSTRATIONS_H

#include "demo/maze_demonstrations.h"

/* Rows 0..count-1 of the arrays from episode `first` on: bex_demonstrations_make for an ant. */
int bex_ant_demonstrations_make(bex_demonstrations *d, long long first, int count);

#endif
