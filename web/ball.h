/* web/ball.h - the ball of Maze2D without MuJoCo: what env/maze/maze2d.h simulates, for the playground's
 * page.
 *
 *   a0    = (100 u - v) / m                             force of the motors, damping 1 N s/m
 *   a     = argmin  m/2 |a - a0|^2 + sum_i D_i/2 min(0, n_i a - r_i)^2       MuJoCo's soft contacts,
 *   without friction v    += h (100 u - v + sum_i n_i f_i) / (m + h)     Euler, implicit in the damping
 *   x    += h v
 *
 * D_i and r_i follow MuJoCo's defaults of solref and solimp from the depth of contact i and its speed; a
 * contact is the nearest point of one wall cell, with a margin of 2 mm. The minimum is found exactly, by
 * its active set. tests/web/test_ball.c holds it to the MuJoCo world: the same states within 1e-6 for 300
 * steps. A plain struct, the caller's; the walls are borrowed. Nothing allocates. */
#ifndef BEX_WEB_BALL_H
#define BEX_WEB_BALL_H

#include "base/real.h"

#include <stdbool.h>

/* Which cells are wall; cell (r,c) covers [r - 0.7, r + 0.3] x [c - 0.7, c + 0.3], as in env/maze/maze.h.
 * Beyond the grid all is wall. */
typedef struct ball_walls {
    int rows, cols;
    const unsigned char *wall; // (rows, cols) 1: wall
} ball_walls;

/* Whether (x,y) lies in a wall cell; its whole cell counts. */
bool ball_in_wall(const ball_walls *w, double x, double y);

typedef struct ball {
    double position[2], velocity[2]; // metres, metres per second; x goes with rows
} ball;

/* 0.01 s with this action (2), clipped to [-1, 1]; one that is not finite is 0. */
void ball_step(ball *b, const ball_walls *walls, const bex_real *action);

/* x, y, vx, vy as a policy sees them. */
void ball_observe(const ball *b, bex_real *state);

#endif
