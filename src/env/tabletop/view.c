/* env/tabletop/view.c - renderers made as they are needed, kept for the next picture. */
#include "env/tabletop/view.h"

#include "base/error.h"
#include "env/offscreen.h"

#ifdef BEX_HAVE_MUJOCO

#include <mujoco/mujoco.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, SITES = 1024 }; // renderers kept; sites of a model

struct bex_view {
    const bex_mj_model *model;
    bex_view_options options;
    pthread_mutex_t lock; // of what follows
    bex_offscreen *free[MOST];
    int count;
    int lamp[BEX_BDDL_THINGS], knob[BEX_BDDL_THINGS]; // sites shown while the knob (qpos) is on
    double on[BEX_BDDL_THINGS];
    int lamps;
};

static void find_lamps(bex_view *v, const bex_bddl *scene) {
    const mjModel *m = v->model->handle;
    for (int i = scene->objects; i < scene->things; i++) {
        char site[BEX_BDDL_NAME + 16], joint[BEX_BDDL_NAME + 16];
        snprintf(site, sizeof site, "%s_burner", scene->thing[i].name);
        snprintf(joint, sizeof joint, "%s_button", scene->thing[i].name);
        int lamp = mj_name2id(m, mjOBJ_SITE, site), knob = mj_name2id(m, mjOBJ_JOINT, joint);
        if (lamp < 0 || knob < 0) continue;
        v->lamp[v->lamps] = lamp;
        v->knob[v->lamps] = m->jnt_qposadr[knob];
        v->on[v->lamps++] = scene->thing[i].kind->open[0];
    }
}

int bex_view_new(bex_view **out, const bex_mj_model *model, const bex_bddl *scene,
                 const bex_view_options *options) {
    *out = NULL;
    if (options->size < 16) return bex_fail("pictures of %d pixels: at least 16", options->size);
    if (model->handle->nsite > SITES)
        return bex_fail("pictures of a model with %d sites: at most %d", model->handle->nsite,
                        SITES);
    bex_view *v = calloc(1, sizeof *v);
    if (!v) return bex_fail("out of memory");
    v->model = model, v->options = *options;
    if (pthread_mutex_init(&v->lock, NULL)) return free(v), bex_fail("no lock");
    find_lamps(v, scene);
    *out = v;
    return 0;
}

void bex_view_free(bex_view *v) {
    if (!v) return;
    for (int i = 0; i < v->count; i++) bex_offscreen_close(v->free[i]);
    pthread_mutex_destroy(&v->lock);
    free(v);
}

// a renderer nobody uses, or a new one: opening is for one thread at a time
static int take(bex_view *v, bex_offscreen **o) {
    int code = 0;
    pthread_mutex_lock(&v->lock);
    if (v->count) {
        *o = v->free[--v->count];
    } else {
        const bex_offscreen_options look = {.width = v->options.size,
                                            .height = v->options.size,
                                            .samples = v->options.samples,
                                            .plain = !v->options.reflection,
                                            .looks = !v->options.solids};
        code = bex_offscreen_open_as(o, v->model, &look);
    }
    pthread_mutex_unlock(&v->lock);
    return code;
}

static void give_back(bex_view *v, bex_offscreen *o) {
    pthread_mutex_lock(&v->lock);
    bool room = v->count < MOST;
    if (room)
        v->free[v->count++] = o;
    else
        bex_offscreen_close(o);
    pthread_mutex_unlock(&v->lock);
}

int bex_view_draw(bex_view *v, const bex_mj_sim *sim, int camera, unsigned char *rgb) {
    static const char *const names[] = {"agentview", "robot0_eye_in_hand"};
    bex_offscreen *o;
    bool show[SITES] = {false};
    for (int i = 0; i < v->lamps; i++) show[v->lamp[i]] = sim->qpos[v->knob[i]] >= v->on[i];
    if (take(v, &o) < 0) return -1;
    int code = bex_offscreen_draw_named(o, sim, names[camera], show, rgb);
    give_back(v, o);
    return code;
}

#else

int bex_view_new(bex_view **out, const bex_mj_model *model, const bex_bddl *scene,
                 const bex_view_options *options) {
    (void)model, (void)scene, (void)options;
    *out = NULL;
    return bex_fail("this build has no MuJoCo");
}

void bex_view_free(bex_view *v) {
    (void)v;
}

int bex_view_draw(bex_view *v, const bex_mj_sim *sim, int camera, unsigned char *rgb) {
    (void)v, (void)sim, (void)camera, (void)rgb;
    return bex_fail("this build has no MuJoCo");
}

#endif
