/* env/kitchen/kitchen.h - a Franka arm in a kitchen of seven things to move.
 *
 * Equals D4RL's kitchen-{complete,partial,mixed}-v0 (KitchenTaskRelaxV1 with four tasks) in interface,
 * control law, noise, reset, tasks and physics; the model is our own in primitives, models/kitchen.xml.
 *
 *   observation (60)  0-6 arm, 7-8 fingers, 9-29 things, each + its uniform noise; 30-59 the goal: the
 *                     four tasks' values, 0 elsewhere
 *   action (9)        joint velocity / 2 (rad/s, m/s), clipped to [-1, 1]
 *   step (0.08 s)     servo target = last *observed* (noisy) position + 0.08 * velocity, clipped to
 *                     bounds, held for 40 steps of 2 ms
 *   reset             one fixed pose at rest, as D4RL's
 *   reward            tasks of the four that come within 0.3 of their goal in this step, each once an episode
 *   end               all four done; never while exploring (bex_world_options)
 *   found             which of the four are within 0.3 now, as bits in the order of bex_kitchen_tasks
 *   region            the same bits as a number: 16 regions
 *
 * Pitfall: noise enters the control law, the reward and the region, not the picture alone. The state
 * cannot be read back from an observation.
 *
 * Deliberate differences from D4RL: docs/environments/kitchen.md. */
#ifndef BEX_ENV_KITCHEN_KITCHEN_H
#define BEX_ENV_KITCHEN_KITCHEN_H

#include "env/env.h"

extern const bex_env_class bex_kitchen, bex_kitchen_complete, bex_kitchen_partial,
    bex_kitchen_mixed;

enum {
    BEX_KITCHEN_O = 60,
    BEX_KITCHEN_A = 9,
    BEX_KITCHEN_QPOS = 30,
    BEX_KITCHEN_QVEL = 29,
    BEX_KITCHEN_TASKS = 7,
    BEX_KITCHEN_GOALS = 4, // tasks of one world
};

typedef struct bex_kitchen_task {
    const char *name;  // "bottom burner"
    const char *label; // in names of demonstrations: "bottomknob"
    int first, count;  // observation entries
    double goal[7];    // (count)
} bex_kitchen_task;

extern const bex_kitchen_task bex_kitchen_tasks[BEX_KITCHEN_TASKS];

/* Tasks within 0.3 of their goal, bit k for bex_kitchen_tasks[k]; positions (30) may be the head of an
 * observation. */
unsigned bex_kitchen_done(const bex_real *positions);

/* The four tasks of a kitchen world, as bits; 0 for any other world. */
unsigned bex_kitchen_goals(const bex_world *world);

/* Start an episode at this state instead, qpos (30), qvel (29); noise from `rng`; writes obs (60). */
int bex_kitchen_place(bex_env *env, bex_rng rng, const bex_real *qpos, const bex_real *qvel,
                      bex_real *obs);

#endif
