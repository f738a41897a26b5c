/* env/d4rl.h - numbers that D4RL's Maze2D and AntMaze share. */
#ifndef BEX_ENV_D4RL_H
#define BEX_ENV_D4RL_H

#define BEX_GOAL_RADIUS 0.5 // metres: this near to a goal or target is there
#define BEX_RESET_NOISE 0.1 // uniform, +- this, on every position of a reset
#define BEX_RESET_SPEED 0.1 // standard deviation of every velocity of a reset

#endif
