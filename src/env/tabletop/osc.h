/* env/tabletop/osc.h - operational-space control of a Panda arm: the law of robosuite 1.4's OSC_POSE and of
 * its Panda gripper, held to human demonstrations recorded there (tests/env/test_osc.c).
 *
 * A control step is 25 physics steps of 2 ms. Once in it, action a (7) in [-1, 1], p and R the grip site:
 *     goal_p = p + 0.05 a[0..2]                    always: a zero action anchors anew
 *     goal_R = exp(0.5 a[3..5]) R                  world frame; kept where a[3..5] is all zero
 * In each physics step, J = [Jp; Jr] the site's Jacobian (6,7), M the arm's mass matrix, L = J M^-1 J':
 *     F = 150 (goal_p - p) - 2 sqrt(150) Jp q'     T = 150 e_R - 2 sqrt(150) Jr q'
 *     tau = Jp' Lpp^-1 F + Jr' Lrr^-1 T + bias + (I - J' L^-1 J M^-1) M (10 (q0 - q) - 2 sqrt(10) q')
 * clipped to the motors' range. The gripper closes by +1, opens by -1 and holds at 0: each physics step moves
 * both fingers' targets by 1 % of half the range.
 *
 * Pitfalls, all needed for a replay: q0 is the rest pose of the robot, not where an episode begins; and the
 * very first control step after a state was set still takes pose, Jacobian, mass matrix and velocity of the
 * rest pose (bias forces are of the moment). Hence bex_osc_rest before the state is set.
 *
 * One thread an instance; stepping allocates nothing. */
#ifndef BEX_ENV_TABLETOP_OSC_H
#define BEX_ENV_TABLETOP_OSC_H

#include "env/mj.h"

enum { BEX_OSC_JOINTS = 7, BEX_OSC_ACTION = 7, BEX_OSC_SUBSTEPS = 25 };

/* Where the arm is, as the law sees it. */
typedef struct bex_osc_arm {
    double p[3], R[9];           // grip site, world; R row-major
    double J[6][BEX_OSC_JOINTS]; // position, then orientation
    double M[BEX_OSC_JOINTS][BEX_OSC_JOINTS];
    double q[BEX_OSC_JOINTS], v[BEX_OSC_JOINTS];
} bex_osc_arm;

typedef struct bex_osc {
    int site, body; // gripper0_grip_site, robot0_right_hand
    int qpos[BEX_OSC_JOINTS], dof[BEX_OSC_JOINTS], motor[BEX_OSC_JOINTS];
    int finger[2], finger_motor[2]; // qpos addresses, actuators
    double rest[BEX_OSC_JOINTS];
    double *jacobian; // (6,nv) scratch

    bex_osc_arm arm;
    double goal_p[3], goal_R[9], grip[2]; // grip in [-1, 1]
    bool stale;                           // `arm` is the rest pose, and the next step believes it
    double action[BEX_OSC_ACTION];
    bool begins; // the next physics step is the first of a control step
} bex_osc;

/* The arm's joints, motors and grip site by robosuite's names; rest: its pose at rest. Negative with a
 * message: the model has no such arm, or no memory. */
int bex_osc_init(bex_osc *o, const bex_mj_model *model, const double rest[BEX_OSC_JOINTS]);
void bex_osc_fini(bex_osc *o);

/* As robosuite's reset leaves its controller: the arm at rest, seen from there. Leaves the simulation posed
 * at rest; the caller then sets its state. Negative with a message. */
int bex_osc_rest(bex_osc *o, bex_mj_sim *sim);

/* Amid an episode of which a state alone was kept, after forward: the arm as it is now, the fingers' motors
 * gone all the way. way: 1 closed, -1 open. */
void bex_osc_resume(bex_osc *o, const bex_mj_sim *sim, int way);

/* One control step; actions beyond [-1, 1] are clipped. Negative with a message. */
int bex_osc_step(bex_osc *o, bex_mj_sim *sim, const double action[BEX_OSC_ACTION]);

/* The quaternion x y z w of the hand's body now, whose frame is not the grip site's. */
void bex_osc_hand(const bex_osc *o, const bex_mj_sim *sim, double quat[4]);

/* The grip site now: position, rotation row-major. After a pose, forward or step. */
void bex_osc_grip(const bex_osc *o, const bex_mj_sim *sim, double p[3], double R[9]);

#endif
