/* env/tabletop/poses.h - where the things and regions of a scene are now: for demonstrators and
 * pictures. After a pose, forward or step. */
#ifndef BEX_ENV_TABLETOP_POSES_H
#define BEX_ENV_TABLETOP_POSES_H

#include "env/tabletop/goals.h"

typedef struct bex_pose {
    double p[3], R[9]; // world; R row-major, columns are the axes
} bex_pose;

bex_pose bex_pose_thing(const bex_goals *g, const bex_mj_sim *sim, int thing);
bex_pose bex_pose_region(const bex_goals *g, const bex_mj_sim *sim, int region, double half[3]);

/* How far a thing reaches below and above its origin, by its collision geoms as it lies now. */
void bex_pose_extent(const bex_goals *g, const bex_mj_sim *sim, int thing, double *below,
                     double *above);

/* The middle of the box along the world's axes that holds a thing's collision boxes. */
void bex_pose_middle(const bex_goals *g, const bex_mj_sim *sim, int thing, double at[3]);

/* Metres from a point to the nearest collision geom of a thing, the tables and all other furniture among
 * them, but not of thing `except` (-1: none) or the robot; negative inside. Meshes and planes are left
 * out. */
double bex_pose_clearance(const bex_goals *g, const bex_mj_sim *sim, const double at[3],
                          int except);

#endif
