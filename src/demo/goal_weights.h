/* demo/goal_weights.h - how often each cell of a maze is a demonstrator's goal, from a short text:
 *
 *     6,1:0.05         the cell at row 6, column 1 is a goal 0.05 times as often as the others
 *     4,1-6,2:0.05     so are all free cells of the rectangle; without :W it is 0.05
 *     4,1-6,2+1,5      several, joined by +
 *     far:3            exp(-steps / 3), steps from `from`, or from the most central cell if that is -1 */
#ifndef BEX_DEMO_GOAL_WEIGHTS_H
#define BEX_DEMO_GOAL_WEIGHTS_H

#include "env/maze/maze.h"

/* weights (cells). Wrong text, a rectangle without free cells, all weights 0: a message. */
int bex_goal_weights(double *weights, const bex_maze *maze, const char *text, int from);

#endif
