/* demo/maze_demonstrations.h - D4RL's Maze2D data, made again: a pilot (demo/maze_pilot.h) drives the ball.
 *   continuing (episode_length 0): one long run per 20,000 rows; timeouts where a goal was reached
 *     or given up, which is D4RL's way, and at the end of a piece;
 *   episodes (episode_length L): a reset every L rows; timeouts at each last row and nowhere else.
 *
 * Differences from D4RL's Maze2D script: one run per piece instead of one endless run; where a goal is
 * reached the script writes the same observation twice, here rows are consecutive states; rewards
 * are those of the state after the action (D4RL's files have those of the state before). */
#ifndef BEX_DEMO_MAZE_DEMONSTRATIONS_H
#define BEX_DEMO_MAZE_DEMONSTRATIONS_H

#include "demo/demonstrator.h"

extern const bex_demonstrator_class bex_maze_demonstrator;

#endif
