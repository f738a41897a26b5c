/* demo/ant_demonstrations.h - D4RL's diverse AntMaze data, made again: pilot (where to), controller (how),
 * noise on actions.
 *
 * An episode is episode_length rows (D4RL: 1001) from one start towards one goal, whatever happens on the
 * way. Eight episodes walk together, so that the network runs on eight rows at once; each draws from a stream
 * of its own, and the network's rows do not mix: the bits do not depend on who walks beside whom.
 *
 * Rewards are for D4RL's test goal, as its files are relabelled: 1, and terminal, where the state after
 * the action is within 0.5 of the middle of the first goal's square; the episode goes on. */
#ifndef BEX_DEMO_ANT_DEMONSTRATIONS_H
#define BEX_DEMO_ANT_DEMONSTRATIONS_H

#include "demo/demonstrator.h"

extern const bex_demonstrator_class bex_ant_demonstrator;

#endif
