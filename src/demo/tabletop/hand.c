/* demo/tabletop/hand.c - a servo on the grip site, and small geometry. */
#include "demo/tabletop/hand.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REACH     0.05 // metres of action 1
#define TURN      0.5  // rad of action 1
#define GAIN      2.5
#define TURN_NEAR 0.02
#define TURN_DONE 0.08
enum { STUCK = 14 };

#define PI 3.14159265358979323846

static void see(bex_hand *h) {
    bex_osc_grip(bex_libero_osc(h->env), h->sim, h->where, h->R);
}

int bex_hand_begin(bex_hand *h, bex_env *env, int task, bex_rng rng, double noise, int limit,
                   bex_hand_fn *on_step, void *payload) {
    const bex_world *w = env->world;
    *h = (bex_hand){.env = env,
                    .scene = bex_libero_scene(w),
                    .goals = bex_libero_goals(w),
                    .sim = w->class->sim(env),
                    .task = task,
                    .rng = rng,
                    .noise = noise,
                    .limit = limit,
                    .grip = -1,
                    .speed = 1,
                    .on_step = on_step,
                    .payload = payload,
                    .state = malloc((size_t)w->spec.state * sizeof *h->state),
                    .holding = -1};
    if (!h->state) return bex_fail("out of memory");
    see(h);
    return 0;
}

void bex_hand_end(bex_hand *h) {
    free(h->state);
    h->state = NULL;
}

bool bex_hand_over(const bex_hand *h) {
    return h->failed || h->steps >= h->limit || (h->held >= BEX_HAND_HOLD && h->holding < 0);
}

void bex_hand_step(bex_hand *h, const double wanted[BEX_OSC_ACTION]) {
    bex_real act[BEX_OSC_ACTION], reward;
    double action[BEX_OSC_ACTION];
    bool terminated;
    if (bex_hand_over(h)) return;
    for (int i = 0; i < BEX_OSC_ACTION; i++) {
        double noisy = wanted[i] + (i < 6 && h->noise > 0 ? h->noise * bex_rng_normal(&h->rng) : 0);
        act[i] = (bex_real)fmin(1, fmax(-1, noisy));
        action[i] = (double)act[i];
    }
    if ((h->on_step && h->on_step(h->env, action, h->payload) < 0) ||
        h->env->world->class->step(h->env, act, &(bex_frame){.state = h->state}, &reward,
                                   &terminated) < 0) {
        h->failed = true;
        return;
    }
    h->steps++;
    h->held = bex_libero_done(h->env) >> h->task & 1 ? h->held + 1 : 0;
    see(h);
}

void bex_hand_wait(bex_hand *h, int steps) {
    const double still[BEX_OSC_ACTION] = {0, 0, 0, 0, 0, 0, h->grip};
    for (int i = 0; i < steps; i++) bex_hand_step(h, still);
}

void bex_hand_open(bex_hand *h, int steps) {
    h->grip = -1;
    h->holding = -1;
    bex_hand_wait(h, steps);
}

void bex_hand_close(bex_hand *h, int steps) {
    h->grip = 1;
    bex_hand_wait(h, steps);
}

static void multiply(double out[9], const double a[9], const double b[9]) {
    double c[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    memcpy(out, c, sizeof c);
}

static void about(double R[9], const double axis[3], double angle) {
    double c = cos(angle), s = sin(angle),
           n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double x = axis[0] / n, y = axis[1] / n, z = axis[2] / n;
    const double r[9] = {c + x * x * (1 - c),     x * y * (1 - c) - z * s, x * z * (1 - c) + y * s,
                         y * x * (1 - c) + z * s, c + y * y * (1 - c),     y * z * (1 - c) - x * s,
                         z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)};
    memcpy(R, r, sizeof r);
}

/* Of the two hands with fingers along a line, the one whose last joint stays nearer to its middle: near
 * its ends a
 * lean or a carried turn would end at its stop. Joint 7 turns against yaw, 1 to 1, while the hand points
 * down. */
static double last_joint(const bex_hand *h, double x, double y) {
    const bex_osc *o = bex_libero_osc(h->env);
    // a hand that leans along its fingers' way shows its yaw by its other axis
    bool flat = hypot(h->R[0], h->R[3]) > hypot(h->R[1], h->R[4]);
    double now = flat ? atan2(h->R[3], h->R[0]) : atan2(h->R[4], h->R[1]) + PI / 2;
    double yaw = atan2(y, x) - now;
    while (yaw > PI) yaw -= 2 * PI;
    while (yaw < -PI) yaw += 2 * PI;
    return fabs(h->sim->qpos[o->qpos[6]] - yaw) + 0.3 * fabs(yaw);
}

// the site's z points down and x along the fingers' way
void bex_hand_down(const bex_hand *h, double R[9], const double along[3]) {
    double n = hypot(along[0], along[1]);
    double x = along[0] / n, y = along[1] / n;
    if (last_joint(h, -x, -y) < last_joint(h, x, y)) x = -x, y = -y;
    // columns: x, y = z cross x, z = down
    const double r[9] = {x, y, 0, y, -x, 0, 0, 0, -1};
    memcpy(R, r, sizeof r);
}

void bex_hand_lean(double R[9], const double towards[3], double angle) {
    const double axis[3] = {towards[1], -towards[0], 0}; // turns down towards it
    double turn[9];
    about(turn, axis, angle);
    multiply(R, turn, R);
}

void bex_hand_yaw(double R[9], double angle) {
    const double up[3] = {0, 0, 1};
    double turn[9];
    about(turn, up, angle);
    multiply(R, turn, R);
}

// the rotation vector of R from now
static double turn_left(const bex_hand *h, const double R[9], double v[3]) {
    double D[9], now[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) now[3 * i + j] = h->R[3 * j + i];
    multiply(D, R, now);
    double angle = acos(fmin(1, fmax(-1, (D[0] + D[4] + D[8] - 1) / 2)));
    double scale = angle < 1e-6 ? 0.5 : angle / (2 * sin(angle));
    v[0] = scale * (D[7] - D[5]), v[1] = scale * (D[2] - D[6]), v[2] = scale * (D[3] - D[1]);
    return angle;
}

static double clip(double x, double most) {
    return x > most ? most : x < -most ? -most : x;
}

void bex_hand_go(bex_hand *h, const double at[3], const double R[9], double near, int most) {
    double target[9];
    memcpy(target, R ? R : h->R, sizeof target);
    double best = 1e9; // how far it was at its nearest; a loop that comes no nearer is given up
    for (int n = 0, stuck = 0; n < most && stuck < STUCK && !bex_hand_over(h); n++) {
        double action[BEX_OSC_ACTION] = {0, 0, 0, 0, 0, 0, h->grip}, turn[3], far = 0;
        for (int i = 0; i < 3; i++) {
            action[i] = clip(GAIN * (at[i] - h->where[i]) / REACH, h->speed);
            far += (at[i] - h->where[i]) * (at[i] - h->where[i]);
        }
        double angle = turn_left(h, target, turn);
        if (R && angle > TURN_NEAR)
            for (int i = 0; i < 3; i++) action[3 + i] = clip(GAIN * turn[i] / TURN, 1);
        if (sqrt(far) + 0.1 * angle < best - 0.001)
            best = sqrt(far) + 0.1 * angle, stuck = 0;
        else
            stuck++;
        if (sqrt(far) < near && (!R || angle < TURN_DONE + near)) return;
        bex_hand_step(h, action);
    }
}

void bex_hand_hold(bex_hand *h, int thing) {
    bex_pose p = bex_pose_thing(h->goals, h->sim, thing);
    h->holding = thing;
    for (int i = 0; i < 3; i++) {
        h->offset[i] = 0;
        for (int k = 0; k < 3; k++) h->offset[i] += h->R[3 * k + i] * (p.p[k] - h->where[k]);
    }
}

void bex_hand_for(const bex_hand *h, double at[3], const double R[9], const double thing[3]) {
    for (int i = 0; i < 3; i++) {
        at[i] = thing[i];
        for (int k = 0; k < 3; k++) at[i] -= R[3 * i + k] * h->offset[k];
    }
}
