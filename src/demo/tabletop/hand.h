/* demo/tabletop/hand.h - what a script of tabletop manipulation says: go there, close, pull; each a loop
 * of control
 * steps that ends when it is done, and none of which does anything more once the episode is over.
 *
 *     bex_hand h;
 *     bex_hand_begin(&h, env, task, rng, noise, limit, on_step, payload);
 *     bex_hand_go(&h, at, R, 0.01, 60);  bex_hand_close(&h);  ...
 *     if (h.failed) ...  else h.held >= BEX_HAND_HOLD: success
 *
 * World frame, metres, radians. R are rotations of the grip site, row-major. An episode is over after
 * `limit` steps, or once the task has held for BEX_HAND_HOLD steps in a row. */
#ifndef BEX_DEMO_TABLETOP_HAND_H
#define BEX_DEMO_TABLETOP_HAND_H

#include "base/rng.h"
#include "env/tabletop/libero.h"
#include "env/tabletop/poses.h"

enum { BEX_HAND_HOLD = 5, BEX_HAND_SETTLE = 10 };

/* Before a control step is taken, action (7); negative to stop with a message. */
typedef int bex_hand_fn(bex_env *env, const double *action, void *payload);

typedef struct bex_hand {
    bex_env *env;
    const bex_bddl *scene;
    const bex_goals *goals;
    bex_mj_sim *sim;
    int task;
    bex_rng rng;
    double noise; // standard deviation on every component of an action
    int steps, limit, held;
    bool failed;  // a step could not be taken
    double grip;  // of the next steps: -1 opens, 1 closes, 0 holds
    double speed; // most of an action's translation, 1: as fast as it goes
    bex_hand_fn *on_step;
    void *payload;
    bex_real *state;       // scratch
    double where[3], R[9]; // grip site
    int holding;           // thing, -1: nothing
    double offset[3];      // of the thing held, seen from the hand
    const void *tried;     // the grasp tried last
    int tried_way;         // and how it was come to
    bool leans;            // the hand leant when it took hold
    double taken[9];       // its orientation then
} bex_hand;

int bex_hand_begin(bex_hand *h, bex_env *env, int task, bex_rng rng, double noise, int limit,
                   bex_hand_fn *on_step, void *payload);
void bex_hand_end(bex_hand *h);

/* No more to be done: success, the limit, or a failure. */
bool bex_hand_over(const bex_hand *h);

/* One control step by hand. */
void bex_hand_step(bex_hand *h, const double action[BEX_OSC_ACTION]);
void bex_hand_wait(bex_hand *h, int steps);

/* The pose of a hand that points straight down, its fingers opening along the horizontal direction
 * `along`; of the two
 * such, the one nearer to now. Then leant by `angle` towards the horizontal direction `towards`. */
void bex_hand_down(const bex_hand *h, double R[9], const double along[3]);
void bex_hand_lean(double R[9], const double towards[3], double angle);
void bex_hand_yaw(double R[9], double angle);

/* Servo to a pose until nearer than `near`, at most `most` steps. R NULL: keeps its own. */
void bex_hand_go(bex_hand *h, const double at[3], const double R[9], double near, int most);
void bex_hand_open(bex_hand *h, int steps);
void bex_hand_close(bex_hand *h, int steps);

/* Remember how a thing lies in the hand. */
void bex_hand_hold(bex_hand *h, int thing);

/* Where the hand must be for the held thing's origin to be at `thing` when the hand has orientation R. */
void bex_hand_for(const bex_hand *h, double at[3], const double R[9], const double thing[3]);

#endif
