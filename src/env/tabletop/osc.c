/* env/tabletop/osc.c - the law, with linear solves where robosuite inverts. */
#include "env/tabletop/osc.h"

#include "base/error.h"

#ifdef BEX_HAVE_MUJOCO

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = BEX_OSC_JOINTS };

#define REACH        0.05 // metres at action 1
#define TURN         0.5  // rad at action 1
#define KP           150.0
#define REST_KP      10.0
#define FINGER_SPEED 0.01 // of half the range, a physics step

static int motor_of(const mjModel *m, int joint) {
    for (int i = 0; i < m->nu; i++)
        if (m->actuator_trntype[i] == mjTRN_JOINT && m->actuator_trnid[2 * i] == joint) return i;
    return -1;
}

static int find_joint(const mjModel *m, const char *name, int *qpos, int *dof, int *motor) {
    int joint = mj_name2id(m, mjOBJ_JOINT, name);
    if (joint < 0) return bex_fail("no joint '%s' in the model", name);
    *motor = motor_of(m, joint);
    if (*motor < 0) return bex_fail("nothing moves joint '%s'", name);
    *qpos = m->jnt_qposadr[joint];
    *dof = m->jnt_dofadr[joint];
    return 0;
}

int bex_osc_init(bex_osc *o, const bex_mj_model *model, const double rest[N]) {
    const mjModel *m = model->handle;
    char name[64];
    int dof;
    *o = (bex_osc){.site = mj_name2id(m, mjOBJ_SITE, "gripper0_grip_site"),
                   .body = mj_name2id(m, mjOBJ_BODY, "robot0_right_hand")};
    if (o->site < 0 || o->body < 0) return bex_fail("the model has no Panda with its gripper");
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "robot0_joint%d", i + 1);
        if (find_joint(m, name, &o->qpos[i], &o->dof[i], &o->motor[i]) < 0) return -1;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "gripper0_finger_joint%d", i + 1);
        if (find_joint(m, name, &o->finger[i], &dof, &o->finger_motor[i]) < 0) return -1;
    }
    memcpy(o->rest, rest, sizeof o->rest);
    o->jacobian = malloc(6 * (size_t)m->nv * sizeof *o->jacobian);
    return o->jacobian ? 0 : bex_fail("out of memory");
}

void bex_osc_fini(bex_osc *o) {
    free(o->jacobian);
    o->jacobian = NULL;
}

void bex_osc_grip(const bex_osc *o, const bex_mj_sim *sim, double p[3], double R[9]) {
    memcpy(p, sim->handle->site_xpos + 3 * o->site, 3 * sizeof *p);
    memcpy(R, sim->handle->site_xmat + 9 * o->site, 9 * sizeof *R);
}

void bex_osc_hand(const bex_osc *o, const bex_mj_sim *sim, double quat[4]) {
    const double *q = sim->handle->xquat + 4 * o->body;
    for (int i = 0; i < 4; i++) quat[i] = q[(i + 1) % 4];
}

static void see(bex_osc *o, const bex_mj_sim *sim) {
    const mjModel *m = sim->model->handle;
    const mjData *d = sim->handle;
    bex_osc_arm *a = &o->arm;
    bex_osc_grip(o, sim, a->p, a->R);
    mj_jacSite(m, d, o->jacobian, o->jacobian + 3 * m->nv, o->site);
    for (int i = 0; i < N; i++) {
        for (int r = 0; r < 6; r++) a->J[r][i] = o->jacobian[r * m->nv + o->dof[i]];
        a->q[i] = d->qpos[o->qpos[i]];
        a->v[i] = d->qvel[o->dof[i]];
        memset(a->M[i], 0, sizeof a->M[i]);
    }
    // qM holds, for each dof, its row from the diagonal back to the root
    for (int i = 0; i < N; i++) {
        int at = m->dof_Madr[o->dof[i]];
        for (int dof = o->dof[i]; dof >= 0; dof = m->dof_parentid[dof], at++)
            for (int k = 0; k <= i; k++)
                if (o->dof[k] == dof) a->M[i][k] = a->M[k][i] = d->qM[at];
    }
}

int bex_osc_rest(bex_osc *o, bex_mj_sim *sim) {
    for (int i = 0; i < N; i++) sim->qpos[o->qpos[i]] = o->rest[i];
    memset(sim->qvel, 0, (size_t)sim->model->nv * sizeof *sim->qvel);
    if (bex_mj_sim_inertia(sim) < 0) return -1;
    see(o, sim);
    memcpy(o->goal_p, o->arm.p, sizeof o->goal_p);
    memcpy(o->goal_R, o->arm.R, sizeof o->goal_R);
    memset(o->grip, 0, sizeof o->grip);
    o->stale = true;
    return 0;
}

void bex_osc_resume(bex_osc *o, const bex_mj_sim *sim, int way) {
    see(o, sim);
    memcpy(o->goal_p, o->arm.p, sizeof o->goal_p);
    memcpy(o->goal_R, o->arm.R, sizeof o->goal_R);
    for (int i = 0; i < 2; i++) o->grip[i] = (i ? 1 : -1) * way;
    o->stale = false;
}

/* A = C C' of the n x n symmetric A, row stride `stride`, into C (n,n). A direction in which the arm cannot
 * move
 * gets no force, as a pseudoinverse would have it. */
static void factor(double *C, const double *A, int n, int stride) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, A[i * stride + i]);
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            double sum = A[i * stride + k];
            for (int j = 0; j < k; j++) sum -= C[i * n + j] * C[k * n + j];
            if (i == k)
                C[i * n + i] = sum > 1e-13 * largest ? sqrt(sum) : (double)INFINITY;
            else
                C[i * n + k] = sum / C[k * n + k];
        }
}

// x := (C C')^-1 x
static void solve(const double *C, int n, double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= C[i * n + k] * x[k];
        x[i] /= C[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= C[k * n + i] * x[k];
        x[i] /= C[i * n + i];
    }
}

// L = J M^-1 J' (6,6)
static void task_inertia(const bex_osc_arm *a, double L[6][6]) {
    double C[N * N], column[6][N];
    factor(C, &a->M[0][0], N, N);
    for (int r = 0; r < 6; r++) {
        memcpy(column[r], a->J[r], sizeof column[r]);
        solve(C, N, column[r]);
    }
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) {
            L[r][c] = 0;
            for (int i = 0; i < N; i++) L[r][c] += a->J[r][i] * column[c][i];
        }
}

// half the sum over columns k of R_k x goal_k
static void turn_error(const double R[9], const double goal[9], double e[3]) {
    memset(e, 0, 3 * sizeof *e);
    for (int k = 0; k < 3; k++) {
        double r[3] = {R[k], R[3 + k], R[6 + k]}, g[3] = {goal[k], goal[3 + k], goal[6 + k]}, x[3];
        mju_cross(x, r, g);
        for (int i = 0; i < 3; i++) e[i] += 0.5 * x[i];
    }
}

static void torques(const bex_osc *o, const double *bias, double tau[N]) {
    const bex_osc_arm *a = &o->arm;
    double L[6][6], C[36], force[6], turn[3], pull[N], along[6];
    task_inertia(a, L);
    turn_error(a->R, o->goal_R, turn);
    for (int r = 0; r < 6; r++) {
        double speed = 0;
        for (int i = 0; i < N; i++) speed += a->J[r][i] * a->v[i];
        force[r] = KP * (r < 3 ? o->goal_p[r] - a->p[r] : turn[r - 3]) - 2 * sqrt(KP) * speed;
    }
    factor(C, &L[0][0], 3, 6);
    solve(C, 3, force);
    factor(C, &L[3][3], 3, 6);
    solve(C, 3, force + 3);

    // back to rest, as far as the hand does not notice
    for (int i = 0; i < N; i++)
        pull[i] = REST_KP * (o->rest[i] - a->q[i]) - 2 * sqrt(REST_KP) * a->v[i];
    for (int r = 0; r < 6; r++) {
        along[r] = 0;
        for (int i = 0; i < N; i++) along[r] += a->J[r][i] * pull[i];
    }
    factor(C, &L[0][0], 6, 6);
    solve(C, 6, along);
    for (int i = 0; i < N; i++) {
        tau[i] = bias[i];
        for (int k = 0; k < N; k++) tau[i] += a->M[i][k] * pull[k];
        for (int r = 0; r < 6; r++) tau[i] += a->J[r][i] * (force[r] - along[r]);
    }
}

static double clip(double x, double least, double most) {
    return x < least ? least : x > most ? most : x;
}

static void set_goal(bex_osc *o) {
    double turn[3], angle, quat[4], R[9];
    for (int i = 0; i < 3; i++) {
        o->goal_p[i] = o->arm.p[i] + REACH * clip(o->action[i], -1, 1);
        turn[i] = TURN * clip(o->action[3 + i], -1, 1);
    }
    angle = mju_normalize3(turn);
    if (angle < 1e-9) return;
    mju_axisAngle2Quat(quat, turn, angle);
    mju_quat2Mat(R, quat);
    mju_mulMatMat(o->goal_R, R, o->arm.R, 3, 3, 3);
}

static void control(bex_mj_sim *sim, void *payload) {
    bex_osc *o = payload;
    const mjModel *m = sim->model->handle;
    double bias[N], tau[N];
    if (!o->stale) see(o, sim);
    if (o->begins) set_goal(o);
    o->begins = o->stale = false;
    for (int i = 0; i < N; i++) bias[i] = sim->handle->qfrc_bias[o->dof[i]];
    torques(o, bias, tau);
    for (int i = 0; i < N; i++) {
        const double *range = m->actuator_ctrlrange + 2 * o->motor[i];
        sim->ctrl[o->motor[i]] = clip(tau[i], range[0], range[1]);
    }
    double way = o->action[6] > 0 ? 1 : o->action[6] < 0 ? -1 : 0;
    for (int i = 0; i < 2; i++) {
        const double *range = m->actuator_ctrlrange + 2 * o->finger_motor[i];
        o->grip[i] = clip(o->grip[i] + (i ? 1 : -1) * FINGER_SPEED * way, -1, 1);
        sim->ctrl[o->finger_motor[i]] =
            0.5 * (range[0] + range[1]) + 0.5 * (range[1] - range[0]) * o->grip[i];
    }
}

int bex_osc_step(bex_osc *o, bex_mj_sim *sim, const double action[BEX_OSC_ACTION]) {
    for (int i = 0; i < BEX_OSC_ACTION; i++) {
        if (!isfinite(action[i])) return bex_fail("action %d is %g", i, action[i]);
        o->action[i] = action[i];
    }
    o->begins = true;
    return bex_mj_sim_step_by(sim, BEX_OSC_SUBSTEPS, control, o);
}

#else

int bex_osc_init(bex_osc *o, const bex_mj_model *model, const double rest[BEX_OSC_JOINTS]) {
    (void)model, (void)rest;
    *o = (bex_osc){0};
    return bex_fail("this build has no MuJoCo");
}

void bex_osc_fini(bex_osc *o) {
    (void)o;
}

int bex_osc_rest(bex_osc *o, bex_mj_sim *sim) {
    (void)o, (void)sim;
    return bex_fail("this build has no MuJoCo");
}

int bex_osc_step(bex_osc *o, bex_mj_sim *sim, const double action[BEX_OSC_ACTION]) {
    (void)o, (void)sim, (void)action;
    return bex_fail("this build has no MuJoCo");
}

void bex_osc_resume(bex_osc *o, const bex_mj_sim *sim, int way) {
    (void)o, (void)sim, (void)way;
}

void bex_osc_hand(const bex_osc *o, const bex_mj_sim *sim, double quat[4]) {
    (void)o, (void)sim, (void)quat;
}

void bex_osc_grip(const bex_osc *o, const bex_mj_sim *sim, double p[3], double R[9]) {
    (void)o, (void)sim, (void)p, (void)R;
}

#endif
