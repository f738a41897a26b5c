/* env/mj.c - the one place that steps MuJoCo.
 *
 * MuJoCo reports a fatal error by calling mju_user_error, which must not return. Ours copies the
 * text and jumps back to the guarded call of the same thread; without such a call it is a bug and
 * aborts. The jump leaves the scratch stack of mjData where it was: bex_mj_sim_reset clears it.
 *
 * MuJoCo 2.2.2 rules pairs of geoms out by bounding spheres only. A wall's sphere holds the whole room,
 * so nearly every pair reaches the narrow phase. Its table of collision functions is open to us: for
 * pairs with a box we first ask whether the other's sphere comes near the box itself.
 *
 * Two boxes that rest face to face, nearly without depth, now and then get one contact too many, as deep as
 * the larger box is wide (google-deepmind/mujoco issue 3476; 2.2.2 does it too): a book at rest on a table
 * flew off at 200 rad/s. No contact is deeper than the two overlap along its normal: a deeper one is
 * dropped. */
#include "env/mj.h"

#include "base/error.h"
#include "base/log.h"
#include "env/mj_scene.h"

#ifdef BEX_HAVE_MUJOCO

#include <mujoco/mujoco.h>

#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_EPS 1e-6 // m

static _Thread_local struct {
    jmp_buf back;
    bool armed;
    char text[512];
} guard;

static void on_error(const char *text) {
    BEX_CHECK(guard.armed, "MuJoCo: %s", text);
    snprintf(guard.text, sizeof guard.text, "%s", text);
    longjmp(guard.back, 1);
}

static void on_warning(const char *text) {
    bex_log(BEX_LOG_WARN, "MuJoCo: %s", text);
}

static mjfCollision with_box[mjNGEOMTYPES]; // MuJoCo's own, by type of the other geom; set once

// the bounding sphere of `geom` ends farther than `margin` from the box
static bool apart(const mjModel *m, const mjData *d, int geom, int box, mjtNum margin) {
    const mjtNum *at = d->geom_xpos + 3 * geom, *middle = d->geom_xpos + 3 * box;
    const mjtNum *axes = d->geom_xmat + 9 * box, *half = m->geom_size + 3 * box;
    mjtNum reach = m->geom_rbound[geom] + margin, squared = 0;
    for (int i = 0; i < 3; i++) {
        mjtNum local = 0;
        for (int k = 0; k < 3; k++) local += axes[3 * k + i] * (at[k] - middle[k]);
        mjtNum outside = mju_abs(local) - half[i];
        if (outside > 0) squared += outside * outside;
    }
    return squared > reach * reach;
}

// half the width of a box along a direction
static mjtNum half_along(const mjModel *m, const mjData *d, int box, const mjtNum n[3]) {
    const mjtNum *axes = d->geom_xmat + 9 * box, *half = m->geom_size + 3 * box;
    mjtNum sum = 0;
    for (int i = 0; i < 3; i++)
        sum += half[i] * mju_abs(axes[i] * n[0] + axes[3 + i] * n[1] + axes[6 + i] * n[2]);
    return sum;
}

static int drop_phantoms(const mjModel *m, const mjData *d, mjContact *contacts, int count, int a,
                         int b) {
    const mjtNum *p = d->geom_xpos + 3 * a, *q = d->geom_xpos + 3 * b;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const mjtNum *n = contacts[i].frame;
        mjtNum away = mju_abs((q[0] - p[0]) * n[0] + (q[1] - p[1]) * n[1] + (q[2] - p[2]) * n[2]);
        mjtNum overlap = half_along(m, d, a, n) + half_along(m, d, b, n) - away;
        if (-contacts[i].dist > mju_max(0, overlap) + DEPTH_EPS) continue;
        if (kept < i) contacts[kept] = contacts[i];
        kept++;
    }
    return kept;
}

static int collide_box(const mjModel *m, const mjData *d, mjContact *contacts, int geom, int box,
                       mjtNum margin) {
    int type = m->geom_type[geom];
    if (apart(m, d, geom, box, margin)) return 0;
    if (type == mjGEOM_BOX && apart(m, d, box, geom, margin)) return 0;
    int count = with_box[type](m, d, contacts, geom, box, margin);
    return type == mjGEOM_BOX ? drop_phantoms(m, d, contacts, count, geom, box) : count;
}

static void install_handlers(void) {
    mju_user_error = on_error;
    mju_user_warning = on_warning;
    for (int type = mjGEOM_SPHERE; type <= mjGEOM_BOX; type++) {
        with_box[type] = mjCOLLISIONFUNC[type][mjGEOM_BOX];
        if (with_box[type]) mjCOLLISIONFUNC[type][mjGEOM_BOX] = collide_box;
    }
}

int bex_mj_guarded(void (*work)(void *), void *payload) {
    guard.armed = true;
    if (setjmp(guard.back)) {
        guard.armed = false;
        return bex_fail("MuJoCo: %s", guard.text);
    }
    work(payload);
    guard.armed = false;
    return 0;
}

const char *bex_mj_version(void) {
    return mj_versionString();
}

struct load {
    const bex_mj_scene *scene;
    mjVFS *vfs;
    bool whole; // all files are among those of vfs
    mjModel *model;
    char error[512];
};

#define MODEL "model.xml" // what the scene's text is called among its files

static int add_file(mjVFS *vfs, const bex_mj_file *file) {
    if (!file->size) return bex_fail("file '%s' is empty", file->name);
    if (strchr(file->name, '/') || strlen(file->name) >= mjMAXVFSNAME || file->size > INT_MAX)
        return bex_fail("file '%.100s': a folder in its name, too long a name, or too large",
                        file->name);
    int code = mj_makeEmptyFileVFS(vfs, file->name, (int)file->size);
    if (code) return bex_fail("file '%s': %s", file->name, code == 2 ? "given twice" : "too many");
    memcpy(vfs->filedata[vfs->nfile - 1], file->bytes, file->size);
    return 0;
}

static int add_files(mjVFS *vfs, const bex_mj_scene *s) {
    if (add_file(vfs, &(bex_mj_file){MODEL, s->xml, strlen(s->xml)}) < 0) return -1;
    for (int i = 0; i < s->count; i++) {
        if (add_file(vfs, &s->files[i]) < 0) return -1;
        if (!s->take) continue;
        free((void *)s->files[i].bytes);
        s->files[i].bytes = NULL;
    }
    return 0;
}

static void load_work(void *payload) {
    struct load *l = payload;
    l->whole = add_files(l->vfs, l->scene) == 0;
    if (!l->whole) return;
    l->model = mj_loadXML(MODEL, l->vfs, l->error, sizeof l->error);
    mj_freeLastXML();
}

static int load(struct load *l) {
    if (bex_mj_scene_check(l->scene) < 0) return -1;
    if (bex_mj_guarded(load_work, l) < 0 || !l->whole) return -1;
    return l->model ? 0 : bex_fail("MuJoCo: %s", l->error);
}

// what compiling took, in small pieces: several times the model
static void give_memory_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

int bex_mj_scene_load(bex_mj_model **out, const bex_mj_scene *scene, const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_handlers);
    *out = NULL;
    if (mj_version() != mjVERSION_HEADER)
        return bex_fail("built for MuJoCo %d but %d is loaded (rebuild bex)", mjVERSION_HEADER,
                        mj_version());
    bex_mj_model *m = calloc(1, sizeof *m);
    struct load l = {.scene = scene, .vfs = malloc(sizeof *l.vfs)}; // 2 MB: not for the stack
    int code = -1;
    if (!m || !l.vfs) {
        bex_fail("%s: out of memory", name);
        goto done;
    }
    mj_defaultVFS(l.vfs);
    code = load(&l);
    mj_deleteVFS(l.vfs);
    give_memory_back();
    if (code < 0) {
        bex_fail_in("%s", name);
        goto done;
    }
    if (*l.error) bex_log(BEX_LOG_WARN, "%s: MuJoCo: %s", name, l.error);
    *m = (bex_mj_model){l.model, l.model->nq, l.model->nv, l.model->nu, l.model->opt.timestep};
    *out = m;
    m = NULL;
done:
    free(l.vfs);
    free(m);
    return code;
}

int bex_mj_model_load(bex_mj_model **out, const char *xml, const char *name) {
    return bex_mj_scene_load(out, &(bex_mj_scene){.xml = xml}, name);
}

void bex_mj_model_free(bex_mj_model *model) {
    if (!model) return;
    mj_deleteModel(model->handle);
    free(model);
}

static void make_work(void *payload) {
    bex_mj_sim *s = payload;
    s->handle = mj_makeData(s->model->handle);
}

int bex_mj_sim_init(bex_mj_sim *sim, const bex_mj_model *model) {
    *sim = (bex_mj_sim){.model = model};
    if (bex_mj_guarded(make_work, sim) < 0) return -1;
    if (!sim->handle) return bex_fail("out of memory for a simulation");
    sim->qpos = sim->handle->qpos;
    sim->qvel = sim->handle->qvel;
    sim->ctrl = sim->handle->ctrl;
    return 0;
}

void bex_mj_sim_fini(bex_mj_sim *sim) {
    if (sim->handle) mj_deleteData(sim->handle);
    sim->handle = NULL;
}

void bex_mj_sim_reset(bex_mj_sim *sim) {
    mj_resetData(sim->model->handle, sim->handle);
}

// the bad-number warnings after which MuJoCo has thrown the state or the controls away
static int check_numbers(const mjData *d) {
    static const struct {
        int warning;
        const char *what;
    } bad[] = {{mjWARN_BADQPOS, "position"},
               {mjWARN_BADQVEL, "velocity"},
               {mjWARN_BADQACC, "acceleration"},
               {mjWARN_BADCTRL, "control"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (d->warning[bad[i].warning].number)
            return bex_fail("MuJoCo: %s %d is not finite or too large", bad[i].what,
                            d->warning[bad[i].warning].lastinfo);
    return 0;
}

struct steps {
    bex_mj_sim *sim;
    int count;
    void (*control)(bex_mj_sim *, void *);
    void *payload;
};

static void step_work(void *payload) {
    const struct steps *s = payload;
    for (int i = 0; i < s->count; i++) mj_step(s->sim->model->handle, s->sim->handle);
}

int bex_mj_sim_step(bex_mj_sim *sim, int substeps) {
    if (bex_mj_guarded(step_work, &(struct steps){.sim = sim, .count = substeps}) < 0) return -1;
    return check_numbers(sim->handle);
}

static void step_by_work(void *payload) {
    const struct steps *s = payload;
    for (int i = 0; i < s->count; i++) {
        mj_step1(s->sim->model->handle, s->sim->handle);
        s->control(s->sim, s->payload);
        mj_step2(s->sim->model->handle, s->sim->handle);
    }
}

int bex_mj_sim_step_by(bex_mj_sim *sim, int substeps, void (*control)(bex_mj_sim *, void *),
                       void *payload) {
    struct steps s = {sim, substeps, control, payload};
    if (bex_mj_guarded(step_by_work, &s) < 0) return -1;
    return check_numbers(sim->handle);
}

static void forward_work(void *payload) {
    const bex_mj_sim *s = payload;
    mj_forward(s->model->handle, s->handle);
}

int bex_mj_sim_forward(bex_mj_sim *sim) {
    return bex_mj_guarded(forward_work, sim);
}

static void pose_work(void *payload) {
    const bex_mj_sim *s = payload;
    mj_kinematics(s->model->handle, s->handle);
}

int bex_mj_sim_pose(bex_mj_sim *sim) {
    return bex_mj_guarded(pose_work, sim);
}

static void inertia_work(void *payload) {
    const bex_mj_sim *s = payload;
    mj_kinematics(s->model->handle, s->handle);
    mj_comPos(s->model->handle, s->handle);
    mj_crb(s->model->handle, s->handle);
}

int bex_mj_sim_inertia(bex_mj_sim *sim) {
    return bex_mj_guarded(inertia_work, sim);
}

double bex_mj_sim_time(const bex_mj_sim *sim) {
    return sim->handle->time;
}

void bex_mj_sim_step_bare(bex_mj_sim *sim) {
    mj_step(sim->model->handle, sim->handle);
}

bool bex_mj_sim_site(const bex_mj_sim *sim, const char *name, double at[3]) {
    int site = mj_name2id(sim->model->handle, mjOBJ_SITE, name);
    if (site >= 0) mju_copy3(at, sim->handle->site_xpos + 3 * site);
    return site >= 0;
}

double bex_mj_model_mass(const bex_mj_model *model) {
    double kg = 0;
    for (int i = 0; i < model->handle->nbody; i++) kg += model->handle->body_mass[i];
    return kg;
}

#endif
