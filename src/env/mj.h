/* env/mj.h - MuJoCo behind our rules: one shared const model, one simulation per instance, and
 * fatal errors that come back as messages instead of ending the process.
 *
 *     bex_mj_model *m;  bex_mj_model_load(&m, xml, "maze2d-medium");     shared by all threads
 *     bex_mj_sim s;     bex_mj_sim_init(&s, m);                          one thread at a time
 *     s.ctrl[0] = 0.3;  bex_mj_sim_step(&s, 1);  ... s.qpos[0] ...
 *
 * Far pairs with a box are dropped before MuJoCo's own collision functions see them: the same
 * contacts, in half the time where boxes are large (mj.c).
 *
 * mj.c owns the program's only setjmp. In a build without MuJoCo loading a model fails with a message saying
 * so, and nothing else here can be reached. */
#ifndef BEX_ENV_MJ_H
#define BEX_ENV_MJ_H

#include <stdbool.h>
#include <stddef.h>

struct mjModel_;
struct mjData_;

typedef struct bex_mj_model {
    struct mjModel_ *handle; // never written after loading
    int nq, nv, nu;          // positions, velocities, controls
    double timestep;         // seconds
} bex_mj_model;

typedef struct bex_mj_sim {
    const bex_mj_model *model; // borrowed
    struct mjData_ *handle;
    double *qpos, *qvel, *ctrl; // into handle: (nq), (nv), (nu)
} bex_mj_sim;

/* A scene: MJCF text and the files it names (meshes, textures, height fields, included MJCF), held in memory.
 * MuJoCo finds a file by its name without folders, capital or small letters alike. */
typedef struct bex_mj_file {
    const char *name; // "cup.stl": no folder, at most 999 bytes
    const void *bytes;
    size_t size; // below 2 GB
} bex_mj_file;

typedef struct bex_mj_scene {
    const char *xml;
    bex_mj_file *files;
    int count; // at most 1999
    bool take; // bytes are malloced: each is freed and NULL as soon as MuJoCo has its copy
} bex_mj_scene;

/* Compile a scene; what is not taken is borrowed until this returns. A file that is named and not among
 * `files` is a message: nothing is ever read from the disk. Otherwise as bex_mj_model_load. */
int bex_mj_scene_load(bex_mj_model **out, const bex_mj_scene *scene, const char *name);

/* Compile MJCF text that names no files; `name` is what messages call it. Not for two threads at once
 * (MuJoCo's XML
 * reader keeps the last model in a global). Warnings go to the log. */
int bex_mj_model_load(bex_mj_model **out, const char *xml, const char *name);
void bex_mj_model_free(bex_mj_model *model); // NULL is fine

int bex_mj_sim_init(bex_mj_sim *sim, const bex_mj_model *model);
void bex_mj_sim_fini(bex_mj_sim *sim);

/* Back to the model's initial state: time, warm start, warnings and scratch included. */
void bex_mj_sim_reset(bex_mj_sim *sim);

/* `substeps` times mj_step. Negative with a message if MuJoCo calls an error fatal or finds a bad
 * number in state or control (it would otherwise reset the state silently). The simulation must
 * then be reset. No allocation. */
int bex_mj_sim_step(bex_mj_sim *sim, int substeps);

/* The same with a control law: in each of them mj_step1 (where everything is, and bias forces), then
 * control(sim, payload), which sets ctrl, then mj_step2. */
int bex_mj_sim_step_by(bex_mj_sim *sim, int substeps, void (*control)(bex_mj_sim *, void *),
                       void *payload);

/* mj_forward: everything that follows from qpos, qvel and ctrl, without moving. */
int bex_mj_sim_forward(bex_mj_sim *sim);

/* Where bodies and sites are, from qpos; no contacts, no forces. Negative with a message. */
int bex_mj_sim_pose(bex_mj_sim *sim);

/* The same with the mass matrix. */
int bex_mj_sim_inertia(bex_mj_sim *sim);

/* Seconds since the reset. */
double bex_mj_sim_time(const bex_mj_sim *sim);

/* mj_step with nothing round it: the reference of `bex bench env`. */
void bex_mj_sim_step_bare(bex_mj_sim *sim);

/* Where a named site is, world coordinates, as of the last pose, forward or step. False: none such. */
bool bex_mj_sim_site(const bex_mj_sim *sim, const char *name, double at[3]);

/* Negative with a message if work(payload) ends in a fatal error of MuJoCo: for what drives MuJoCo
 * elsewhere (env/offscreen.c). What work allocated meanwhile is lost. */
int bex_mj_guarded(void (*work)(void *), void *payload);

/* Total mass of the model, kg. */
double bex_mj_model_mass(const bex_mj_model *model);

/* "2.2.2", or NULL in a build without MuJoCo. */
const char *bex_mj_version(void);

#endif
