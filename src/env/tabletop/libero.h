/* env/tabletop/libero.h - twenty scenes on three tables, ninety tasks: LIBERO-90, by its own parts or by
 * ours.
 *
 *   state      proprioception (9): robot_states = finger positions 2, grip site 3, quaternion x y z w of
 *              the hand 4; or joints 7 and fingers 2. Then, as chosen: the step since the reset (1),
 *              everything in qpos behind the robot (poses), the same vector for all scenes (objects:
 *              env/tabletop/objects.h), and, for records alone, the tasks done now as a number (its bits)
 *   pictures   agentview, then the wrist's camera, or as chosen, square; bottom row first, as LIBERO's; drawn
 *              only into frames that want them
 *   action (7) dx dy dz, rotation, gripper: env/tabletop/osc.h; 20 Hz
 *   reset      a row of the task's file of initial states, or everything drawn in its region; then settled
 *              with the hand still
 *   reward     a task chosen: 1 and the end when it is done. None chosen: tasks done for the first time
 *   found      with env.tasks: bits of the tasks done now, all of the scene's at once
 *
 * Instances share model and pictures' renderers. Deliberate differences from LIBERO: docs/tabletop.md. */
#ifndef BEX_ENV_TABLETOP_LIBERO_H
#define BEX_ENV_TABLETOP_LIBERO_H

#include "env/env.h"
#include "env/tabletop/compose.h"
#include "env/tabletop/goals.h"
#include "env/tabletop/init_states.h"
#include "env/tabletop/libero_options.h"
#include "env/tabletop/osc.h"

extern const bex_env_class bex_libero;

#define BEX_LIBERO_FAMILY "libero"

enum { BEX_LIBERO_CAMERAS = 2, BEX_LIBERO_PROPRIO = 9, BEX_LIBERO_ROBOT = 9 };

/* The scene behind a world of this family; NULL: another family. */
const bex_bddl *bex_libero_scene(const bex_world *world);
const bex_goals *bex_libero_goals(const bex_world *world);
const bex_libero_options *bex_libero_given(const bex_world *world);
/* Options as lines "key=value", before a world is opened; valid until the next call, one thread at a
 * time. NULL with a message. */
const bex_libero_options *bex_libero_options_read(const char *keys);
int bex_libero_task(const bex_world *world); // -1: none chosen

/* The composed MJCF, malloced: model_file of demonstrations. NULL with a message. */
char *bex_libero_model_text(const bex_world *world);

/* Rows of a task's own initial states, 0: none; state (width): time, qpos, qvel. */
int bex_libero_states(const bex_world *world, int task);
int bex_libero_state_width(const bex_world *world);

/* Start an episode at this state (width) instead, unsettled, as LIBERO's set_init_state does. */
int bex_libero_place(bex_env *env, const double *state, const bex_frame *out);
/* Start at row `row` of a task's file, settled as a reset is. */
int bex_libero_begin(bex_env *env, int task, int row, const bex_frame *out);
/* Like a reset, without settling: the demonstration that begins here holds those steps itself. */
int bex_libero_fresh(bex_env *env, bex_rng rng, const bex_frame *out);

/* The state now, (width). */
void bex_libero_read(bex_env *env, double *state);
unsigned bex_libero_done(bex_env *env); // tasks done now, bits
bex_osc *bex_libero_osc(bex_env *env);

/* What both forms of proprioception hold, the grip site, the hand's quaternion x y z w. posture: joints
 * 7, fingers 2. */
typedef struct bex_libero_seen {
    double robot_states[9], posture[9], at[3], quat[4];
} bex_libero_seen;
void bex_libero_see(bex_env *env, bex_libero_seen *out);
void bex_libero_see_arm(const bex_osc *osc, const bex_mj_sim *sim, bex_libero_seen *out);
/* Where everything is, (bex_objects_width()) of env/tabletop/objects.h. */
void bex_libero_see_objects(bex_env *env, const double grip[3], double *out);

/* Of demonstration files: a quaternion x y z w as axis times angle, the shorter way; a picture (size,
 * size, 3) top row first turned into bottom row first. */
void bex_libero_axis_angle(const double quat[4], double v[3]);
void bex_libero_turn_over(unsigned char *rgb, int size);

/* Draw what the cameras see now into the frame's pictures that are not NULL, bottom row first. */
int bex_libero_look(bex_env *env, const bex_frame *out);

#endif
