/* env/tabletop/goals.c - the predicates as LIBERO's code computes them. */
#include "env/tabletop/goals.h"

#include "base/error.h"

#ifdef BEX_HAVE_MUJOCO

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

#define NEAR 0.03 // middles of things on one another
#define LOW  0.01 // how much lower a box's lower face is
#define SINK 0.005
#define TALL 0.10

static int check_names(const bex_goals *g) {
    const bex_bddl *s = g->scene;
    for (int t = 0; t < s->tasks; t++)
        for (int i = 0; i < s->task[t].facts; i++) {
            const bex_bddl_fact *f = &s->task[t].goal[i];
            int ends[2] = {f->a, f->predicate <= BEX_PREDICATE_IN ? f->b : f->a};
            for (int k = 0; k < 2; k++)
                if (ends[k] < 0 ? g->site[-1 - ends[k]] < 0 : g->body[ends[k]] < 0)
                    return bex_fail("task '%s' speaks of '%s', which the model has not",
                                    s->task[t].name, bex_bddl_name(s, ends[k]));
            if (f->predicate == BEX_PREDICATE_IN && f->b >= 0)
                return bex_fail("task '%s': In needs a region", s->task[t].name);
        }
    return 0;
}

int bex_goals_init(bex_goals *g, const bex_bddl *scene, const bex_mj_model *model) {
    const mjModel *m = model->handle;
    *g = (bex_goals){.scene = scene, .thing = malloc((size_t)m->nbody * sizeof *g->thing)};
    if (!g->thing) return bex_fail("out of memory");
    for (int i = 0; i < scene->all; i++) {
        char name[BEX_BDDL_NAME + 8];
        snprintf(name, sizeof name, "%s_main", scene->thing[i].name);
        g->body[i] = mj_name2id(m, mjOBJ_BODY, name);
    }
    for (int i = 0; i < scene->regions; i++)
        g->site[i] = mj_name2id(m, mjOBJ_SITE, scene->region[i].name);
    for (int b = 0; b < m->nbody; b++) {
        g->thing[b] = b ? g->thing[m->body_parentid[b]] : -1;
        for (int i = 0; i < scene->all; i++)
            if (b && g->body[i] == b) g->thing[b] = (short)i;
    }
    return check_names(g);
}

void bex_goals_fini(bex_goals *g) {
    free(g->thing);
    g->thing = NULL;
}

bool bex_goals_touch(const bex_goals *g, const bex_mj_sim *sim, int a, int b) {
    const mjModel *m = sim->model->handle;
    const mjData *d = sim->handle;
    for (int i = 0; i < d->ncon; i++) {
        int one = g->thing[m->geom_bodyid[d->contact[i].geom1]];
        int two = g->thing[m->geom_bodyid[d->contact[i].geom2]];
        if ((one == a && two == b) || (one == b && two == a)) return true;
    }
    return false;
}

static bool on_thing(const bex_goals *g, const bex_mj_sim *sim, int a, int b) {
    const double *top = sim->handle->xpos + 3 * g->body[a],
                 *below = sim->handle->xpos + 3 * g->body[b];
    return below[2] <= top[2] && hypot(top[0] - below[0], top[1] - below[1]) < NEAR &&
           bex_goals_touch(g, sim, a, b);
}

static bool on_region(const bex_goals *g, const bex_mj_sim *sim, int a, int region) {
    int site = g->site[region], parent = g->scene->region[region].target;
    const double *at = sim->handle->site_xpos + 3 * site, *M = sim->handle->site_xmat + 9 * site;
    const double *size = sim->model->handle->site_size + 3 * site;
    double off[3], local[3];
    mju_sub3(off, sim->handle->xpos + 3 * g->body[a], at);
    mju_rotVecMat(local, off, M); // M off, as upstream has it
    if (!(size[2] - SINK < local[2] && local[2] < size[2] + TALL)) return false;
    if (!(fabs(local[0]) < size[0] && fabs(local[1]) < size[1])) return false;
    return parent >= g->scene->things || bex_goals_touch(g, sim, parent, a);
}

static bool in_region(const bex_goals *g, const bex_mj_sim *sim, int a, int region) {
    int site = g->site[region];
    const double *at = sim->handle->site_xpos + 3 * site, *M = sim->handle->site_xmat + 9 * site;
    const double *p = sim->handle->xpos + 3 * g->body[a];
    double half[3];
    mju_rotVecMat(half, sim->model->handle->site_size + 3 * site, M);
    for (int i = 0; i < 3; i++) {
        half[i] = fabs(half[i]);
        if (!(p[i] > at[i] - half[i] - (i == 2 ? LOW : 0) && p[i] < at[i] + half[i])) return false;
    }
    return true;
}

static bool holds(const bex_kind *k, bex_predicate p, double q) {
    switch (p) {
    case BEX_PREDICATE_OPEN:
        return q < k->open[1];
    case BEX_PREDICATE_CLOSE:
        return q > k->closed[0];
    case BEX_PREDICATE_TURNON:
        return q >= k->open[0];
    default:
        return q < k->closed[1];
    }
}

// of a region: the joints of the body its site is in; of a thing: all of its joints
static bool speaks_of(const bex_goals *g, const mjModel *m, const bex_bddl_fact *f, int joint) {
    int body = m->jnt_bodyid[joint];
    bool ours = f->a < 0 ? body == m->site_bodyid[g->site[-1 - f->a]] : g->thing[body] == f->a;
    return ours && m->jnt_type[joint] != mjJNT_FREE;
}

void bex_goals_set_joints(const bex_goals *g, bex_mj_sim *sim, const bex_bddl_fact *f, double q) {
    const mjModel *m = sim->model->handle;
    for (int j = 0; j < m->njnt; j++)
        if (speaks_of(g, m, f, j)) sim->qpos[m->jnt_qposadr[j]] = q;
}

double bex_goals_joint(const bex_goals *g, const bex_mj_sim *sim, const bex_bddl_fact *f) {
    const mjModel *m = sim->model->handle;
    for (int j = 0; j < m->njnt; j++)
        if (speaks_of(g, m, f, j)) return sim->qpos[m->jnt_qposadr[j]];
    return (double)NAN;
}

static bool joints(const bex_goals *g, const bex_mj_sim *sim, const bex_bddl_fact *f) {
    const mjModel *m = sim->model->handle;
    int thing = f->a < 0 ? g->scene->region[-1 - f->a].target : f->a;
    const bex_kind *kind = g->scene->thing[thing].kind;
    bool any = f->predicate == BEX_PREDICATE_OPEN || f->predicate == BEX_PREDICATE_TURNON;
    if (!kind) return false;
    for (int j = 0; j < m->njnt; j++) {
        if (!speaks_of(g, m, f, j)) continue;
        bool here = holds(kind, f->predicate, sim->qpos[m->jnt_qposadr[j]]);
        if (here == any) return any;
    }
    return !any;
}

bool bex_goals_fact(const bex_goals *g, const bex_mj_sim *sim, const bex_bddl_fact *f) {
    switch (f->predicate) {
    case BEX_PREDICATE_ON:
        return f->b < 0 ? on_region(g, sim, f->a, -1 - f->b) : on_thing(g, sim, f->a, f->b);
    case BEX_PREDICATE_IN:
        return in_region(g, sim, f->a, -1 - f->b);
    default:
        return joints(g, sim, f);
    }
}

unsigned bex_goals_done(const bex_goals *g, const bex_mj_sim *sim) {
    unsigned done = 0;
    for (int t = 0; t < g->scene->tasks; t++) {
        bool all = true;
        for (int i = 0; i < g->scene->task[t].facts && all; i++)
            all = bex_goals_fact(g, sim, &g->scene->task[t].goal[i]);
        done |= (unsigned)all << t;
    }
    return done;
}

#else

int bex_goals_init(bex_goals *g, const bex_bddl *scene, const bex_mj_model *model) {
    (void)model;
    *g = (bex_goals){.scene = scene};
    return bex_fail("this build has no MuJoCo");
}

void bex_goals_fini(bex_goals *g) {
    (void)g;
}

void bex_goals_set_joints(const bex_goals *g, bex_mj_sim *sim, const bex_bddl_fact *f, double q) {
    (void)g, (void)sim, (void)f, (void)q;
}

bool bex_goals_touch(const bex_goals *g, const bex_mj_sim *sim, int a, int b) {
    (void)g, (void)sim, (void)a, (void)b;
    return false;
}

bool bex_goals_fact(const bex_goals *g, const bex_mj_sim *sim, const bex_bddl_fact *f) {
    (void)g, (void)sim, (void)f;
    return false;
}

double bex_goals_joint(const bex_goals *g, const bex_mj_sim *sim, const bex_bddl_fact *f) {
    (void)g, (void)sim, (void)f;
    return 0;
}

unsigned bex_goals_done(const bex_goals *g, const bex_mj_sim *sim) {
    (void)g, (void)sim;
    return 0;
}

#endif
