/* env/ant/ant_body.h - D4RL's ant: its model, how it is put down and how it moves. Shared by
 * env/ant/ant.h, ant_walker.h and antmaze.h.
 *
 *   state     qpos (15) x, y, z, quaternion wxyz, 8 joints (hip and ankle of legs 1 to 4);
 *             qvel (14) 3 linear, 3 angular, 8 joints
 *   action    (8) torque / 30 Nm in [-1, 1], in D4RL's order: leg 4, 1, 2, 3, hip then ankle
 *   step      0.1 s: 5 RK4 steps of 0.02 s
 *
 * Pitfall: D4RL ran a MuJoCo older than 2.1.1, which takes a capsule for a cylinder lengthened by half
 * its radius at either end. The legs therefore carry those masses and inertias written out; with the
 * exact ones a step differs by 1e-4 from D4RL's data instead of 1e-6. */
#ifndef BEX_ENV_ANT_ANT_BODY_H
#define BEX_ENV_ANT_ANT_BODY_H

#include "base/real.h"
#include "base/rng.h"
#include "env/env.h"
#include "env/maze/maze.h"
#include "env/mj_env.h"

enum { BEX_ANT_QPOS = 15, BEX_ANT_QVEL = 14, BEX_ANT_STATE = 29, BEX_ANT_ACTIONS = 8 };
enum { BEX_ANT_SUBSTEPS = 5 };
#define BEX_ANT_CELL 4.0 // metres a cell of a maze; the middle of cell (1,1) is the origin

/* Maze coordinates: x with columns, y with rows. The middle of a row or column; and back: the cell
 * that contains the point, -1 for walls and outside. */
double bex_ant_place(int row_or_column);
int bex_ant_cell(const bex_maze *maze, double x, double y);

/* The ant on an endless floor, among the walls of `maze` (NULL: none). */
int bex_ant_model_load(bex_mj_model **out, const bex_maze *maze, const char *name);

/* D4RL's reset: U(-0.1, 0.1) on every entry of the initial position (joints 0, quaternion not
 * renormalised), speeds N(0, 0.1^2). x and y are added to. */
void bex_ant_reset(bex_mj_sim *sim, bex_rng *rng, double x, double y);

/* Clip, scale and apply the action for one step; negative with a message. */
int bex_ant_step(bex_mj_sim *sim, const bex_real *act);

/* `camera` of the ant's worlds: it goes with the ant, well above the walls; x is right, y is away from it. */
void bex_ant_camera(bex_env *env, bex_camera *camera);

/* obs (29) = qpos, qvel. */
void bex_ant_observe(const bex_mj_sim *sim, bex_real *obs);

#endif
