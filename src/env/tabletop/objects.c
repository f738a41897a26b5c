/* env/tabletop/objects.c - places by the table of kinds. */
#include "env/tabletop/objects.h"

#include "base/error.h"

#ifdef BEX_HAVE_MUJOCO

#include <mujoco/mujoco.h>
#include <string.h>

enum { AT = 3, QUAT = 4 };

// numbers of one copy
static int size_of(const bex_kind *k) {
    return AT + (k->fixture ? k->joints : QUAT);
}

static int copies_of(const bex_kind *k) {
    return k->copies ? k->copies : 1;
}

// where a kind's places begin
static int begin_of(const bex_kind *kind) {
    const bex_kind *k;
    int n = 0;
    for (int i = 0; (k = bex_kind_at(i)) && k != kind; i++) n += copies_of(k) * size_of(k);
    return n;
}

int bex_objects_width(void) {
    return begin_of(NULL);
}

// how many things before this one are of its kind
static int copy_of(const bex_bddl *s, int thing) {
    int n = 0;
    for (int i = 0; i < thing; i++) n += s->thing[i].kind == s->thing[thing].kind;
    return n;
}

int bex_objects_check(const bex_bddl *s) {
    for (int i = 0; i < s->things; i++) {
        const bex_kind *k = s->thing[i].kind;
        if (copy_of(s, i) >= copies_of(k))
            return bex_fail("env.objects: '%s' is one more %s than the %d there are places for",
                            s->thing[i].name, k->name, copies_of(k));
    }
    return 0;
}

// hinges and slides of a fixture, in the model's order; what it has beyond its kind's has no place
static void see_joints(const bex_goals *g, const bex_mj_sim *sim, int thing, int joints,
                       double *out) {
    const mjModel *m = sim->model->handle;
    for (int j = 0, n = 0; j < m->njnt && n < joints; j++)
        if (g->thing[m->jnt_bodyid[j]] == thing) out[n++] = sim->qpos[m->jnt_qposadr[j]];
}

void bex_objects_see(const bex_goals *g, const bex_mj_sim *sim, const double grip[3], double *out) {
    const bex_bddl *s = g->scene;
    memset(out, 0, (size_t)bex_objects_width() * sizeof *out);
    for (int i = 0; i < s->things; i++) {
        const bex_kind *k = s->thing[i].kind;
        double *to = out + begin_of(k) + copy_of(s, i) * size_of(k);
        for (int c = 0; c < AT; c++) to[c] = sim->handle->xpos[3 * g->body[i] + c] - grip[c];
        if (k->fixture)
            see_joints(g, sim, i, k->joints, to + AT);
        else
            memcpy(to + AT, sim->handle->xquat + 4 * g->body[i], QUAT * sizeof *to);
    }
}

#else

int bex_objects_width(void) {
    return 0;
}
int bex_objects_check(const bex_bddl *scene) {
    (void)scene;
    return bex_fail("built without MuJoCo");
}
void bex_objects_see(const bex_goals *g, const bex_mj_sim *sim, const double grip[3], double *out) {
    (void)g, (void)sim, (void)grip, (void)out;
}

#endif
