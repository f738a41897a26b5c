/* env/tabletop/libero.c - the world: options, resets, observations. */
#include "env/tabletop/libero.h"

#include "base/error.h"
#include "base/nearest.h"
#include "env/mj_env.h"
#include "env/tabletop/objects.h"
#include "env/tabletop/view.h"
#include "env/world_keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_LIMIT = 300, DRAWS = 3 };

static const double rest[BEX_OSC_JOINTS] = {
    0, -1.61037389e-01, 0, -2.44459747e+00, 0, 2.22675220e+00, 0.78539816339744831};

#define REST_FINGER 0.020833
#define REST_NOISE  0.02

typedef struct libero_world {
    bex_mj_world mj;
    bex_libero_options options;
    bex_parts parts;
    bex_bddl scene;
    bex_goals goals;
    bex_placing placing[BEX_BDDL_THINGS];
    bex_init_states states[BEX_BDDL_TASKS];
    int task;                       // -1: none chosen
    bool filed;                     // initial states of files
    int free_at;                    // qpos of the first object
    int camera[BEX_LIBERO_CAMERAS]; // of BEX_VIEW's, in the order observed
    bex_view *view;                 // NULL: no pictures
    char label[BEX_BDDL_TASKS][sizeof((bex_libero_options *)0)->scene + BEX_BDDL_TEXT];
    const char *labels[BEX_BDDL_TASKS]; // SCENE_task
} libero_world;

typedef struct libero_env {
    bex_mj_env mj;
    bex_osc osc;
    int steps;
    unsigned seen;   // tasks done so far
    double *objects; // (bex_objects_width()) of env.objects; NULL: not observed
} libero_env;

static const libero_world *world_of(const bex_env *env) {
    return (const libero_world *)env->world;
}

static void world_close(bex_world *world) {
    libero_world *w = (libero_world *)world;
    bex_columns_fini(&world->columns);
    bex_view_free(w->view);
    bex_goals_fini(&w->goals);
    for (int i = 0; i < BEX_BDDL_TASKS; i++) bex_init_states_fini(&w->states[i]);
    bex_mj_world_close(world);
}

static int choose_task(libero_world *w) {
    const char *names[BEX_BDDL_TASKS];
    w->task = -1;
    if (!*w->options.task) return 0;
    for (int i = 0; i < w->scene.tasks; i++) {
        names[i] = w->scene.task[i].name;
        if (!strcmp(names[i], w->options.task)) w->task = i;
    }
    if (w->task >= 0) return 0;
    bex_fail("no task '%s' in %s", w->options.task, w->options.scene);
    const char *near = bex_nearest(w->options.task, names, w->scene.tasks, sizeof *names);
    return near ? bex_fail_hint("did you mean %s?", near)
                : bex_fail_hint("see bex env libero --env.scene=%s", w->options.scene);
}

static int load_states(libero_world *w) {
    int width = 1 + w->mj.model->nq + w->mj.model->nv;
    w->filed = w->options.start == BEX_LIBERO_FILE ||
               (w->options.start == BEX_LIBERO_AUTO && !w->parts.own);
    if (!w->filed) return 0;
    if (w->parts.own)
        return bex_fail("env.start=file needs env.libero: our own parts have no such files");
    for (int i = 0; i < w->scene.tasks; i++) {
        char path[BEX_PATH_SIZE];
        if (bex_parts_init_file(path, &w->parts, w->options.scene, w->scene.task[i].name) < 0)
            return -1;
        if (bex_init_states_load(&w->states[i], path) < 0)
            return bex_fail_hint("env.start=sample draws initial states instead");
        if (w->states[i].width != width)
            return bex_fail("'%s': states of %d numbers, the scene has %d", path,
                            w->states[i].width, width);
    }
    return 0;
}

// as LIBERO's files call them, and as env.cameras does
static const char *const camera_keys[BEX_LIBERO_CAMERAS] = {"agentview_rgb", "eye_in_hand_rgb"};

static int camera_named(const char *name, size_t length) {
    for (int c = 0; c < BEX_LIBERO_CAMERAS; c++) {
        size_t whole = strlen(camera_keys[c]), shorter = whole - strlen("_rgb");
        if ((length == whole || length == shorter) && !strncmp(name, camera_keys[c], length))
            return c;
    }
    return -1;
}

static int choose_cameras(libero_world *w) {
    bex_world *base = &w->mj.base;
    const char *at = w->options.cameras;
    for (int n = 0;; n++) {
        size_t length = strcspn(at, ",");
        int c = n < BEX_LIBERO_CAMERAS ? camera_named(at, length) : -1;
        for (int i = 0; i < n && c >= 0; i++)
            if (w->camera[i] == c) c = -1;
        if (c < 0)
            return bex_fail("env.cameras '%s': agentview, eye_in_hand or both, by a comma",
                            w->options.cameras);
        w->camera[n] = c;
        base->camera[n] = camera_keys[c];
        base->spec.cameras = n + 1;
        if (!at[length]) return 0;
        at += length + 1;
    }
}

static int name_columns(libero_world *w) {
    const bex_libero_options *o = &w->options;
    bex_column_names *c = &w->mj.base.columns;
    bool joints = o->proprio;
    int code = joints ? bex_columns_add_key(c, "joint_states", 7)
                      : bex_columns_add_key(c, "robot_states", 9);
    if (code >= 0 && joints) code = bex_columns_add_key(c, "gripper_states", 2);
    if (code >= 0 && o->timestep) code = bex_columns_add_key(c, "timestep", 1);
    if (code >= 0 && o->poses)
        code = bex_columns_add_key(c, "poses", w->mj.model->nq - BEX_LIBERO_ROBOT);
    if (code >= 0 && o->objects) code = bex_columns_add_key(c, "objects", bex_objects_width());
    if (code >= 0 && o->tasks) code = bex_columns_add_key(c, "tasks", 1);
    return code;
}

// what demonstrations of it are labelled with, as LIBERO's files are called
static void label(libero_world *w) {
    bex_world *base = &w->mj.base;
    for (int i = 0; i < w->scene.tasks; i++) {
        snprintf(w->label[i], sizeof w->label[i], "%s_%s", w->options.scene, w->scene.task[i].name);
        w->labels[i] = w->label[i];
    }
    base->tasks = w->labels, base->task_count = w->scene.tasks, base->task = w->task;
}

static void describe(libero_world *w) {
    bex_world *base = &w->mj.base;
    const bex_libero_options *o = &w->options;
    base->spec.state = BEX_LIBERO_PROPRIO + o->timestep + o->tasks +
                       (o->poses ? w->mj.model->nq - BEX_LIBERO_ROBOT : 0) +
                       (o->objects ? bex_objects_width() : 0);
    base->recorded = o->tasks;
    label(w);
    if (o->images)
        base->spec.height = base->spec.width = (int)o->images;
    else
        base->spec.cameras = 0;
    base->scene = o->scene;
    base->A = BEX_OSC_ACTION;
    base->regions = 1;
    base->goals = o->tasks ? w->scene.tasks : 0;
    base->file = w->parts.own ? NULL : w->parts.libero;
    bex_mj_world_pace(&w->mj, BEX_OSC_SUBSTEPS);
}

static int load(libero_world *w) {
    bex_libero_options *o = &w->options;
    bex_composed made;
    bex_rng fixtures = bex_rng_split(bex_rng_seed((uint64_t)o->fixtures), "fixtures", 0);
    if (bex_parts_init(&w->parts, o->libero, o->robosuite) < 0 ||
        bex_parts_scene(&w->scene, &w->parts, o->scene) < 0 || choose_task(w) < 0 ||
        choose_cameras(w) < 0)
        return -1;
    const bex_looks looks = {(bex_detail)o->detail, (int)o->textures};
    if (bex_compose(&made, &w->scene, &w->parts, &looks, o->fixtures ? &fixtures : NULL, o->scene) <
        0)
        return -1;
    w->mj.model = made.model;
    memcpy(w->placing, made.placing, sizeof w->placing);
    if (bex_goals_init(&w->goals, &w->scene, w->mj.model) < 0 || load_states(w) < 0 ||
        (o->objects && bex_objects_check(&w->scene) < 0))
        return -1;
    bex_osc probe;
    int code = bex_osc_init(&probe, w->mj.model, rest);
    bex_osc_fini(&probe);
    if (code < 0) return -1;
    describe(w);
    if (name_columns(w) < 0) return -1;
    if (!o->images) return 0;
    const bex_view_options look = {.size = (int)o->images,
                                   .samples = (int)o->samples,
                                   .reflection = o->reflection,
                                   .solids = w->parts.own};
    return bex_view_new(&w->view, w->mj.model, &w->scene, &look);
}

static int world_open(bex_world **out, const bex_env_class *class, const bex_world_options *o,
                      const void *own) {
    libero_world *w = bex_mj_world_new(class, o, sizeof *w);
    if (!w) return -1;
    w->options = *(const bex_libero_options *)own;
    if (load(w) < 0) return world_close(&w->mj.base), -1;
    *out = &w->mj.base;
    return 0;
}

static bex_env *env_new(const bex_world *world) {
    bex_env *env = bex_mj_env_new(world);
    if (!env) return NULL;
    libero_env *e = (libero_env *)env;
    bool whole = bex_osc_init(&e->osc, e->mj.sim.model, rest) == 0;
    if (whole && world_of(env)->options.objects) {
        e->objects = calloc((size_t)bex_objects_width(), sizeof *e->objects);
        whole = e->objects || bex_fail("out of memory") == 0;
    }
    if (whole) return env;
    world->class->free(env);
    return NULL;
}

static void env_free(bex_env *env) {
    if (!env) return;
    bex_osc_fini(&((libero_env *)env)->osc);
    free(((libero_env *)env)->objects);
    bex_mj_env_free(env);
}

void bex_libero_see_arm(const bex_osc *o, const bex_mj_sim *sim, bex_libero_seen *s) {
    double R[9];
    bex_osc_grip(o, sim, s->at, R);
    bex_osc_hand(o, sim, s->quat);
    for (int i = 0; i < 7; i++) s->posture[i] = sim->qpos[o->qpos[i]];
    for (int i = 0; i < 2; i++) s->robot_states[i] = s->posture[7 + i] = sim->qpos[o->finger[i]];
    memcpy(s->robot_states + 2, s->at, sizeof s->at);
    memcpy(s->robot_states + 5, s->quat, sizeof s->quat);
}

void bex_libero_see(bex_env *env, bex_libero_seen *s) {
    const libero_env *e = (const libero_env *)env;
    bex_libero_see_arm(&e->osc, &e->mj.sim, s);
}

void bex_libero_see_objects(bex_env *env, const double grip[3], double *out) {
    bex_objects_see(&world_of(env)->goals, &((libero_env *)env)->mj.sim, grip, out);
}

void bex_libero_axis_angle(const double quat[4], double v[3]) {
    double sign = quat[3] < 0 ? -1 : 1, w = fmin(1, sign * quat[3]), s = sqrt(1 - w * w);
    double angle = 2 * acos(w);
    for (int i = 0; i < 3; i++) v[i] = s < 1e-9 ? 0 : sign * quat[i] / s * angle;
}

void bex_libero_turn_over(unsigned char *rgb, int size) {
    size_t row = 3 * (size_t)size;
    for (int y = 0; y < size / 2; y++)
        for (size_t x = 0; x < row; x++) {
            unsigned char *a = rgb + (size_t)y * row + x,
                          *b = rgb + (size_t)(size - 1 - y) * row + x, c = *a;
            *a = *b, *b = c;
        }
}

unsigned bex_libero_done(bex_env *env) {
    return bex_goals_done(&world_of(env)->goals, &((libero_env *)env)->mj.sim);
}

int bex_libero_look(bex_env *env, const bex_frame *out) {
    const libero_world *w = world_of(env);
    int size = (int)w->options.images;
    for (int c = 0; c < w->mj.base.spec.cameras && w->view; c++) {
        if (!out->image[c]) continue;
        if (bex_view_draw(w->view, &((libero_env *)env)->mj.sim, w->camera[c], out->image[c]) < 0)
            return -1;
        bex_libero_turn_over(out->image[c], size);
    }
    return 0;
}

static int observe(libero_env *e, const bex_frame *out, unsigned done) {
    const libero_world *w = world_of(&e->mj.base);
    bex_real *to = out->state;
    bex_libero_seen s;
    bex_libero_see(&e->mj.base, &s);
    bool joints = w->options.proprio;
    for (int i = 0; i < 9; i++) *to++ = (bex_real)(joints ? s.posture[i] : s.robot_states[i]);
    if (w->options.timestep) *to++ = (bex_real)e->steps;
    for (int i = BEX_LIBERO_ROBOT; w->options.poses && i < w->mj.model->nq; i++)
        *to++ = (bex_real)e->mj.sim.qpos[i];
    if (e->objects) bex_libero_see_objects(&e->mj.base, s.at, e->objects);
    for (int i = 0; e->objects && i < bex_objects_width(); i++) *to++ = (bex_real)e->objects[i];
    if (w->options.tasks) *to = (bex_real)done;
    return bex_libero_look(&e->mj.base, out);
}

// the middle of On(thing, region of a fixture): where the region's site is
static void on_fixture(const libero_world *w, const bex_mj_sim *sim, int region, double at[3]) {
    bex_mj_sim_site(sim, w->scene.region[region].name, at);
}

static double between(bex_rng *rng, double a, double b) {
    return a + (b - a) * bex_rng_uniform(rng);
}

// one object, drawn in the region its init names
static void sample_object(const libero_world *w, bex_mj_sim *sim, int thing, bex_rng *rng) {
    const bex_room *room = w->scene.room;
    const bex_kind *kind = w->scene.thing[thing].kind;
    double *q = sim->qpos + BEX_LIBERO_ROBOT + 7 * thing;
    for (int i = 0; i < w->scene.inits; i++) {
        const bex_bddl_fact *f = &w->scene.init[i];
        if (f->predicate != BEX_PREDICATE_ON || f->a != thing || f->b >= 0) continue;
        const bex_bddl_region *r = &w->scene.region[-1 - f->b];
        if (r->ranged) {
            for (int k = 0; k < 2; k++)
                q[k] = room->origin[k] + between(rng, r->range[k], r->range[2 + k]);
            q[2] = room->origin[2];
        } else {
            on_fixture(w, sim, -1 - f->b, q);
            for (int k = 0; k < 2; k++) q[k] += between(rng, -0.05, 0.05);
        }
    }
    q[2] += 0.01 - w->placing[thing].bottom;
    memcpy(q + 3, kind->quat, 4 * sizeof *q);
    if (kind->turn[0] >= kind->turn[1]) return;
    double turn = between(rng, kind->turn[0], kind->turn[1]);
    // LIBERO's sampler writes x y z w where w x y z is read: sine and cosine change places
    q[3] = sin(turn / 2), q[6] = cos(turn / 2);
}

// joints of what begins open, closed, on or off
static void sample_joints(const libero_world *w, bex_mj_sim *sim, bex_rng *rng) {
    for (int i = 0; i < w->scene.inits; i++) {
        const bex_bddl_fact *f = &w->scene.init[i];
        if (f->predicate <= BEX_PREDICATE_IN) continue;
        bool open = f->predicate == BEX_PREDICATE_OPEN || f->predicate == BEX_PREDICATE_TURNON;
        int thing = f->a < 0 ? w->scene.region[-1 - f->a].target : f->a;
        const bex_kind *k = w->scene.thing[thing].kind;
        if (!k) continue;
        double q =
            open ? between(rng, k->open[0], k->open[1]) : between(rng, k->closed[0], k->closed[1]);
        bex_goals_set_joints(&w->goals, sim, f, q);
    }
}

static int sample(libero_env *e, bex_rng rng) {
    const libero_world *w = world_of(&e->mj.base);
    bex_mj_sim *sim = &e->mj.sim;
    bex_rng things = bex_rng_split(rng, "things", 0), arm = bex_rng_split(rng, "arm", 0);
    for (int i = 0; i < BEX_OSC_JOINTS; i++)
        sim->qpos[e->osc.qpos[i]] = rest[i] + REST_NOISE * bex_rng_normal(&arm);
    for (int i = 0; i < 2; i++) sim->qpos[e->osc.finger[i]] = i ? -REST_FINGER : REST_FINGER;
    sample_joints(w, sim, &things);
    if (bex_mj_sim_pose(sim) < 0) return -1;
    for (int i = 0; i < w->scene.objects; i++) sample_object(w, sim, i, &things);
    return 0;
}

static void set_state(libero_env *e, const double *state) {
    bex_mj_sim *s = &e->mj.sim;
    size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv;
    memcpy(s->qpos, state + 1, nq * sizeof *state);
    memcpy(s->qvel, state + 1 + nq, nv * sizeof *state);
}

// state: NULL to draw one. Whatever was before is forgotten
static int start(libero_env *e, const double *state, bex_rng rng, long long settle,
                 const bex_frame *out) {
    static const double still[BEX_OSC_ACTION] = {0, 0, 0, 0, 0, 0, -1};
    bex_mj_sim *s = &e->mj.sim;
    bex_mj_sim_reset(s);
    if (bex_osc_rest(&e->osc, s) < 0) return -1;
    if (state)
        set_state(e, state);
    else if (sample(e, rng) < 0)
        return -1;
    if (bex_mj_sim_forward(s) < 0) return -1;
    for (long long i = 0; i < settle; i++)
        if (bex_osc_step(&e->osc, s, still) < 0) return -1;
    if (bex_mj_sim_forward(s) < 0) return -1;
    e->steps = 0;
    e->seen = bex_libero_done(&e->mj.base);
    return observe(e, out, e->seen);
}

int bex_libero_place(bex_env *env, const double *state, const bex_frame *out) {
    return start((libero_env *)env, state, bex_rng_seed(0), 0, out);
}

int bex_libero_begin(bex_env *env, int task, int row, const bex_frame *out) {
    const libero_world *w = world_of(env);
    const bex_init_states *s = &w->states[task];
    BEX_CHECK(row >= 0 && row < s->rows, "state %d of %d", row, s->rows);
    return start((libero_env *)env, s->state + (size_t)row * (size_t)s->width, bex_rng_seed(0),
                 w->options.settle, out);
}

static int draw_start(bex_env *env, bex_rng rng, long long settle, const bex_frame *out) {
    const libero_world *w = world_of(env);
    // what is let fall on stiff contacts may blow up: drawn again then
    for (uint64_t draw = 0; !w->filed; draw++) {
        bex_rng again = draw ? bex_rng_split(rng, "again", draw) : rng;
        if (start((libero_env *)env, NULL, again, settle, out) == 0) return 0;
        if (draw == DRAWS) return -1;
    }
    bex_rng row = bex_rng_split(rng, "row", 0);
    int task = w->task >= 0 ? w->task : (int)bex_rng_below(&row, (uint64_t)w->scene.tasks);
    const bex_init_states *s = &w->states[task];
    size_t n = (size_t)bex_rng_below(&row, (uint64_t)s->rows);
    return start((libero_env *)env, s->state + n * (size_t)s->width, rng, settle, out);
}

int bex_libero_fresh(bex_env *env, bex_rng rng, const bex_frame *out) {
    return draw_start(env, rng, 0, out);
}

static int env_reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    return draw_start(env, rng, world_of(env)->options.settle, out);
}

static int env_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                    bool *terminated) {
    libero_env *e = (libero_env *)env;
    const libero_world *w = world_of(env);
    double action[BEX_OSC_ACTION];
    for (int i = 0; i < BEX_OSC_ACTION; i++) action[i] = (double)act[i];
    if (bex_osc_step(&e->osc, &e->mj.sim, action) < 0) return -1;
    e->steps++;
    // mj_step leaves contacts of before it and positions of after it: see both as they are now
    if (bex_mj_sim_forward(&e->mj.sim) < 0) return -1;
    unsigned done = bex_libero_done(env), fresh = done & ~e->seen;
    e->seen |= done;
    *terminated = w->task >= 0 && done >> w->task & 1;
    *reward = w->task >= 0 ? (bex_real)*terminated : (bex_real)__builtin_popcount(fresh);
    return observe(e, out, done);
}

static unsigned env_found(const bex_world *world, const bex_real *obs) {
    return (unsigned)obs[world->spec.state - 1];
}

static void env_goal_name(const bex_world *world, int g, char name[BEX_GOAL_NAME]) {
    const char *task = ((const libero_world *)world)->scene.task[g].name;
    snprintf(name, BEX_GOAL_NAME, "%.*s", BEX_GOAL_NAME - 1, task);
}

static void env_camera(bex_env *env, bex_camera *camera) {
    const bex_room *room = world_of(env)->scene.room;
    *camera = (bex_camera){.at = {room->origin[0] - 0.1, room->origin[1], room->origin[2] + 0.12},
                           .distance = 1.35,
                           .azimuth = 180,
                           .elevation = -35};
}

static const libero_world *libero_of(const bex_world *world) {
    BEX_CHECK(bex_world_is(world, BEX_LIBERO_FAMILY), "%s is no LIBERO scene", world->name);
    return (const libero_world *)world;
}

const bex_bddl *bex_libero_scene(const bex_world *world) {
    return bex_world_is(world, BEX_LIBERO_FAMILY) ? &libero_of(world)->scene : NULL;
}

const bex_goals *bex_libero_goals(const bex_world *world) {
    return &libero_of(world)->goals;
}

const bex_libero_options *bex_libero_given(const bex_world *world) {
    return &libero_of(world)->options;
}

const bex_libero_options *bex_libero_options_read(const char *keys) {
    static bex_libero_options kept;
    bex_world_options shared = {0};
    void *own;
    if (bex_world_keys_read(&shared, &own, &bex_libero, keys) < 0) return NULL;
    kept = *(const bex_libero_options *)own;
    free(own);
    return &kept;
}

int bex_libero_task(const bex_world *world) {
    return libero_of(world)->task;
}

char *bex_libero_model_text(const bex_world *world) {
    const libero_world *w = libero_of(world);
    bex_rng fixtures = bex_rng_split(bex_rng_seed((uint64_t)w->options.fixtures), "fixtures", 0);
    return bex_compose_text(&w->scene, &w->parts, w->options.fixtures ? &fixtures : NULL,
                            w->options.scene);
}

int bex_libero_states(const bex_world *world, int task) {
    return libero_of(world)->states[task].rows;
}

int bex_libero_state_width(const bex_world *world) {
    const bex_mj_model *m = libero_of(world)->mj.model;
    return 1 + m->nq + m->nv;
}

void bex_libero_read(bex_env *env, double *state) {
    const bex_mj_sim *s = &((libero_env *)env)->mj.sim;
    size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv;
    state[0] = bex_mj_sim_time(s);
    memcpy(state + 1, s->qpos, nq * sizeof *state);
    memcpy(state + 1 + nq, s->qvel, nv * sizeof *state);
}

bex_osc *bex_libero_osc(bex_env *env) {
    return &((libero_env *)env)->osc;
}

static int list_worlds(const void *own, bex_world_label **out) {
    const bex_libero_options *o = own;
    bex_parts parts;
    int n = 0;
    *out = NULL;
    bex_bddl *s = malloc(sizeof *s);
    int code = s ? bex_parts_init(&parts, o->libero, o->robosuite) : bex_fail("out of memory");
    for (int i = 0; code >= 0 && bex_scene_at(i); i++) {
        code = bex_parts_scene(s, &parts, bex_scene_at(i));
        bex_world_label *more =
            code < 0 ? NULL : realloc(*out, (size_t)(n + s->tasks) * sizeof *more);
        if (code >= 0 && !more) code = bex_fail("out of memory");
        if (!more) break;
        *out = more;
        for (int t = 0; t < s->tasks; t++, n++) {
            snprintf(more[n].scene, sizeof more[n].scene, "%s", bex_scene_at(i));
            snprintf(more[n].task, sizeof more[n].task, "%s", s->task[t].name);
        }
    }
    free(s);
    if (code >= 0) return n;
    free(*out);
    *out = NULL;
    return -1;
}

const bex_env_class bex_libero = {
    .name = "libero",
    .family = BEX_LIBERO_FAMILY,
    .equals = "LIBERO-90",
    .about = "an arm at a table: 20 scenes, 90 tasks (--env.scene, --list)",
    .time_limit = TIME_LIMIT,
    .explore_limit = TIME_LIMIT,
    .rows = bex_libero_rows,
    .options_size = sizeof(bex_libero_options),
    .suit = bex_libero_suit,
    .open = world_open,
    .close = world_close,
    .list = list_worlds,
    .env_size = sizeof(libero_env),
    .new = env_new,
    .free = env_free,
    .sim = bex_mj_env_sim,
    .reset = env_reset,
    .step = env_step,
    .region = bex_one_region,
    .found = env_found,
    .goal_name = env_goal_name,
    .camera = env_camera};
