/* env/tabletop/poses.c - bodies, sites and collision geoms of a model, by what they belong to. */
#include "env/tabletop/poses.h"

#ifdef BEX_HAVE_MUJOCO

#include <math.h>
#include <mujoco/mujoco.h>
#include <string.h>

bex_pose bex_pose_thing(const bex_goals *g, const bex_mj_sim *sim, int thing) {
    bex_pose p;
    memcpy(p.p, sim->handle->xpos + 3 * g->body[thing], sizeof p.p);
    memcpy(p.R, sim->handle->xmat + 9 * g->body[thing], sizeof p.R);
    return p;
}

bex_pose bex_pose_region(const bex_goals *g, const bex_mj_sim *sim, int region, double half[3]) {
    bex_pose p;
    int site = g->site[region];
    memcpy(p.p, sim->handle->site_xpos + 3 * site, sizeof p.p);
    memcpy(p.R, sim->handle->site_xmat + 9 * site, sizeof p.R);
    if (half) memcpy(half, sim->model->handle->site_size + 3 * site, 3 * sizeof *half);
    return p;
}

// half the height of a geom as it lies
static double half_height(const mjModel *m, const mjData *d, int geom) {
    const double *size = m->geom_size + 3 * geom, *R = d->geom_xmat + 9 * geom;
    switch (m->geom_type[geom]) {
    case mjGEOM_BOX:
        return fabs(R[6]) * size[0] + fabs(R[7]) * size[1] + fabs(R[8]) * size[2];
    case mjGEOM_CYLINDER:
        return fabs(R[8]) * size[1] + sqrt(fmax(0, 1 - R[8] * R[8])) * size[0];
    case mjGEOM_CAPSULE:
        return fabs(R[8]) * size[1] + size[0];
    default:
        return m->geom_rbound[geom];
    }
}

void bex_pose_extent(const bex_goals *g, const bex_mj_sim *sim, int thing, double *below,
                     double *above) {
    const mjModel *m = sim->model->handle;
    const mjData *d = sim->handle;
    double z = d->xpos[3 * g->body[thing] + 2];
    *below = *above = 0;
    for (int i = 0; i < m->ngeom; i++) {
        if (g->thing[m->geom_bodyid[i]] != thing || !(m->geom_contype[i] | m->geom_conaffinity[i]))
            continue;
        double half = half_height(m, d, i), at = d->geom_xpos[3 * i + 2] - z;
        *below = fmax(*below, half - at);
        *above = fmax(*above, half + at);
    }
}

void bex_pose_middle(const bex_goals *g, const bex_mj_sim *sim, int thing, double at[3]) {
    const mjModel *m = sim->model->handle;
    const mjData *d = sim->handle;
    double least[3] = {1e9, 1e9, 1e9}, most[3] = {-1e9, -1e9, -1e9};
    for (int i = 0; i < m->ngeom; i++) {
        if (g->thing[m->geom_bodyid[i]] != thing || m->geom_type[i] != mjGEOM_BOX) continue;
        const double *R = d->geom_xmat + 9 * i, *size = m->geom_size + 3 * i;
        for (int k = 0; k < 3; k++) {
            double half = fabs(R[3 * k]) * size[0] + fabs(R[3 * k + 1]) * size[1] +
                          fabs(R[3 * k + 2]) * size[2];
            least[k] = fmin(least[k], d->geom_xpos[3 * i + k] - half);
            most[k] = fmax(most[k], d->geom_xpos[3 * i + k] + half);
        }
    }
    for (int k = 0; k < 3; k++) at[k] = (least[k] + most[k]) / 2;
}

// from a point to a geom as the box round it
static double box_distance(const mjModel *m, const mjData *d, int geom, const double at[3]) {
    const double *size = m->geom_size + 3 * geom, *R = d->geom_xmat + 9 * geom;
    double half[3] = {size[0], size[1], size[2]}, out = 0, in = -1e9;
    if (m->geom_type[geom] == mjGEOM_CYLINDER) half[1] = size[0], half[2] = size[1];
    if (m->geom_type[geom] == mjGEOM_CAPSULE) half[1] = size[0], half[2] = size[1] + size[0];
    for (int i = 0; i < 3; i++) {
        double local = 0;
        for (int k = 0; k < 3; k++) local += R[3 * k + i] * (at[k] - d->geom_xpos[3 * geom + k]);
        double over = fabs(local) - half[i];
        if (over > 0) out += over * over;
        in = fmax(in, over);
    }
    return in > 0 ? sqrt(out) : in;
}

double bex_pose_clearance(const bex_goals *g, const bex_mj_sim *sim, const double at[3],
                          int except) {
    const mjModel *m = sim->model->handle;
    int robot = mj_name2id(m, mjOBJ_BODY, "robot0_base");
    double least = 1e9;
    for (int i = 0; i < m->ngeom; i++) {
        int type = m->geom_type[i], body = m->geom_bodyid[i];
        if (!(m->geom_contype[i] | m->geom_conaffinity[i]) || type == mjGEOM_MESH ||
            type == mjGEOM_PLANE)
            continue;
        while (m->body_parentid[body]) {
            if (body == robot) break;
            body = m->body_parentid[body];
        }
        if (body == robot || (except >= 0 && g->thing[m->geom_bodyid[i]] == except)) continue;
        least = fmin(least, box_distance(m, sim->handle, i, at));
    }
    return least;
}

#else

bex_pose bex_pose_thing(const bex_goals *g, const bex_mj_sim *sim, int thing) {
    (void)g, (void)sim, (void)thing;
    return (bex_pose){.p = {0}};
}

bex_pose bex_pose_region(const bex_goals *g, const bex_mj_sim *sim, int region, double half[3]) {
    (void)g, (void)sim, (void)region, (void)half;
    return (bex_pose){.p = {0}};
}

void bex_pose_extent(const bex_goals *g, const bex_mj_sim *sim, int thing, double *below,
                     double *above) {
    (void)g, (void)sim, (void)thing;
    *below = *above = 0;
}

double bex_pose_clearance(const bex_goals *g, const bex_mj_sim *sim, const double at[3],
                          int except) {
    (void)g, (void)sim, (void)at, (void)except;
    return 0;
}

void bex_pose_middle(const bex_goals *g, const bex_mj_sim *sim, int thing, double at[3]) {
    (void)g, (void)sim, (void)thing, (void)at;
}

#endif
