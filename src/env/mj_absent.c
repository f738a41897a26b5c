/* env/mj_absent.c - a build without MuJoCo: loading a model says so; the rest is unreachable. */
#include "env/mj.h"

#include "base/error.h"

#ifndef BEX_HAVE_MUJOCO

#include <stddef.h>

int bex_mj_model_load(bex_mj_model **out, const char *xml, const char *name) {
    return bex_mj_scene_load(out, &(bex_mj_scene){.xml = xml}, name);
}

int bex_mj_scene_load(bex_mj_model **out, const bex_mj_scene *scene, const char *name) {
    (void)scene;
    *out = NULL;
    bex_fail("%s: this build has no MuJoCo", name);
    return bex_fail_hint("install libmujoco-dev and build again");
}

void bex_mj_model_free(bex_mj_model *model) {
    (void)model;
}

int bex_mj_sim_init(bex_mj_sim *sim, const bex_mj_model *model) {
    *sim = (bex_mj_sim){.model = model};
    return bex_fail("this build has no MuJoCo");
}

void bex_mj_sim_fini(bex_mj_sim *sim) {
    (void)sim;
}

void bex_mj_sim_reset(bex_mj_sim *sim) {
    (void)sim;
}

int bex_mj_sim_step(bex_mj_sim *sim, int substeps) {
    (void)sim, (void)substeps;
    return bex_fail("this build has no MuJoCo");
}

int bex_mj_sim_step_by(bex_mj_sim *sim, int substeps, void (*control)(bex_mj_sim *, void *),
                       void *payload) {
    (void)sim, (void)substeps, (void)control, (void)payload;
    return bex_fail("this build has no MuJoCo");
}

int bex_mj_sim_forward(bex_mj_sim *sim) {
    (void)sim;
    return bex_fail("this build has no MuJoCo");
}

int bex_mj_sim_pose(bex_mj_sim *sim) {
    (void)sim;
    return bex_fail("this build has no MuJoCo");
}

int bex_mj_sim_inertia(bex_mj_sim *sim) {
    (void)sim;
    return bex_fail("this build has no MuJoCo");
}

double bex_mj_sim_time(const bex_mj_sim *sim) {
    (void)sim;
    return 0;
}

void bex_mj_sim_step_bare(bex_mj_sim *sim) {
    (void)sim;
}

bool bex_mj_sim_site(const bex_mj_sim *sim, const char *name, double at[3]) {
    (void)sim, (void)name, (void)at;
    return false;
}

int bex_mj_guarded(void (*work)(void *), void *payload) {
    (void)work, (void)payload;
    return bex_fail("this build has no MuJoCo");
}

double bex_mj_model_mass(const bex_mj_model *model) {
    (void)model;
    return 0;
}

const char *bex_mj_version(void) {
    return NULL;
}

#endif
