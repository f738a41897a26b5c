#include "demo/tabletop/libero_import.h"

#include "base/error.h"
#include "base/path.h"
#include "data/hdf5.h"
#include "env/tabletop/goals.h"
#include "env/tabletop/libero.h"
#include "env/tabletop/recorded.h"
#include "env/tabletop/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI  3.14159265358979323846
#define OFF 1e-3

// where the controller was made: LIBERO's own Panda, robosuite's
static const double rests[2][BEX_OSC_JOINTS] = {
    {0, PI / 16, 0, -5 * PI / 6, 0, PI - 0.2, PI / 4},
    {0, -1.61037389e-01, 0, -2.44459747e+00, 0, 2.22675220e+00, PI / 4}};

typedef struct source {
    bex_h5 *file;
    const bex_libero_import_options *options;
    bool libero;      // it has a BDDL task
    bex_bddl scene;   // of libero
    long long settle; // steps before row 0
} source;

typedef struct replay {
    char key[BEX_PATH_SIZE]; // "data/demo_0"
    int rows, width;
    double *actions, *states;
    double *start; // (width): what is set first, settle steps before row 0; NULL: row 0
    char *model_text;
    bex_mj_model *model;
    bex_mj_sim sim;
    bex_osc osc;
    bex_goals goals;
    bool posed, driven, has_goals;
} replay;

static int text_of(const source *s, const char *object, const char *name, char **out) {
    int code = bex_h5_attribute(s->file, object, name, out);
    return code;
}

static int read_task(source *s) {
    char *text = NULL;
    int there = text_of(s, "data", "bddl_file_content", &text);
    if (there < 0) return -1;
    s->libero = there > 0;
    int code = there ? bex_bddl_read(&s->scene, text, strlen(text), "bddl_file_content") : 0;
    free(text);
    if (code < 0) return -1;
    return bex_h5_attribute_integer(s->file, "data", "settle", &s->settle) < 0 ? -1 : 0;
}

static int read_table(bex_h5 *f, const char *demo, const char *name, double **out, int *rows,
                      int *columns) {
    char key[BEX_PATH_SIZE];
    bex_h5_shape shape;
    if (bex_path_join(key, demo, "%s", name) < 0 || bex_h5_measure(f, key, &shape) < 0) return -1;
    if (!shape.rows || shape.rows > 1000000 || shape.columns > 100000)
        return bex_fail("'%s' has %llu rows of %llu", key, shape.rows, shape.columns);
    *rows = (int)shape.rows, *columns = (int)shape.columns;
    *out = malloc((size_t)shape.rows * (size_t)shape.columns * sizeof **out + 1);
    return *out ? bex_h5_read_doubles(f, key, 0, *rows, *out) : bex_fail("out of memory");
}

static int read_demo(replay *r, const source *s) {
    int rows, columns;
    if (read_table(s->file, r->key, "actions", &r->actions, &r->rows, &columns) < 0) return -1;
    if (columns != BEX_OSC_ACTION) return bex_fail("actions of %d numbers, expected 7", columns);
    if (read_table(s->file, r->key, "states", &r->states, &rows, &r->width) < 0) return -1;
    if (rows != r->rows) return bex_fail("%d states, %d actions", rows, r->rows);
    int there = text_of(s, r->key, "model_file", &r->model_text);
    if (there < 0) return -1;
    return there ? 0 : bex_fail("no attribute model_file");
}

static int make_ready(replay *r, const source *s) {
    if (bex_recorded_load(&r->model, r->model_text, s->options->robosuite, s->options->libero,
                          "model_file") < 0)
        return -1;
    if (r->width != 1 + r->model->nq + r->model->nv)
        return bex_fail("states of %d numbers, its model has %d", r->width,
                        1 + r->model->nq + r->model->nv);
    if (bex_mj_sim_init(&r->sim, r->model) < 0) return -1;
    r->posed = true;
    if (bex_osc_init(&r->osc, r->model, rests[s->libero]) < 0) return -1;
    r->driven = true;
    if (s->libero && bex_goals_init(&r->goals, &s->scene, r->model) < 0) return -1;
    r->has_goals = s->libero;
    return 0;
}

static int begin(replay *r, const source *s) {
    static const double still[BEX_OSC_ACTION] = {0, 0, 0, 0, 0, 0, -1};
    int there = s->settle
                    ? bex_h5_attribute_doubles(s->file, r->key, "init_state", &r->start, r->width)
                    : 0;
    if (there < 0) return -1;
    const double *state = there ? r->start : r->states;
    bex_mj_sim_reset(&r->sim);
    int code = bex_osc_rest(&r->osc, &r->sim);
    memcpy(r->sim.qpos, state + 1, (size_t)r->model->nq * sizeof *state);
    memcpy(r->sim.qvel, state + 1 + r->model->nq, (size_t)r->model->nv * sizeof *state);
    if (code == 0) code = bex_mj_sim_forward(&r->sim);
    // LIBERO keeps neither the first five actions nor their state: by then the fingers had gone all the way
    if (code == 0 && s->libero && !there)
        bex_osc_resume(&r->osc, &r->sim, r->actions[6] > 0 ? 1 : -1);
    for (long long i = 0; there && i < s->settle && code == 0; i++) {
        code = bex_osc_step(&r->osc, &r->sim, still);
        if (code == 0) code = bex_mj_sim_forward(&r->sim);
    }
    return code;
}

static void compare(const replay *r, int row, bex_libero_replay *out) {
    const double *recorded = r->states + (size_t)row * (size_t)r->width + 1;
    double worst = 0;
    for (int i = 0; i < r->model->nq; i++) {
        double off = fabs(r->sim.qpos[i] - recorded[i]);
        if (i < BEX_LIBERO_ROBOT)
            out->arm = fmax(out->arm, off);
        else
            out->things = fmax(out->things, off);
        worst = fmax(worst, off);
    }
    if (worst > OFF && out->first_off < 0) out->first_off = row;
}

// what a new file holds of a row besides states and actions
typedef struct fresh {
    bex_libero_demo demo;
    double *robot, *joints, *fingers, *at, *turn, *step, *pose;
    int poses; // numbers of qpos behind the robot
    unsigned char *picture[BEX_LIBERO_CAMERAS];
    bex_view *view;
} fresh;

static void free_fresh(fresh *f) {
    free(f->robot), free(f->joints), free(f->fingers), free(f->at), free(f->turn), free(f->step);
    free(f->pose);
    for (int c = 0; c < BEX_LIBERO_CAMERAS; c++) free(f->picture[c]);
    bex_view_free(f->view);
}

static int make_fresh(fresh *f, const replay *r, const source *s) {
    size_t n = (size_t)r->rows, size = (size_t)s->options->images, bytes = 3 * size * size * n;
    int poses = r->model->nq - BEX_LIBERO_ROBOT;
    *f = (fresh){.poses = poses,
                 .pose = malloc((size_t)poses * n * sizeof(double) + 1),
                 .robot = malloc(9 * n * sizeof(double)),
                 .joints = malloc(7 * n * sizeof(double)),
                 .fingers = malloc(2 * n * sizeof(double)),
                 .at = malloc(3 * n * sizeof(double)),
                 .turn = malloc(3 * n * sizeof(double)),
                 .step = malloc(n * sizeof(double))};
    bool whole = f->robot && f->joints && f->fingers && f->at && f->turn && f->step && f->pose;
    for (int c = 0; c < BEX_LIBERO_CAMERAS && size; c++)
        whole = (f->picture[c] = malloc(bytes)) != NULL && whole;
    if (!whole) return bex_fail("out of memory for %d rows", r->rows);
    if (!size) return 0;
    const bex_view_options look = {
        .size = (int)size, .samples = -1, .solids = !strstr(r->model_text, "mesh=")};
    return bex_view_new(&f->view, r->model, &s->scene, &look);
}

static int see(fresh *f, const replay *r, int t, int size) {
    bex_libero_seen seen;
    bex_libero_see_arm(&r->osc, &r->sim, &seen);
    memcpy(f->robot + 9 * t, seen.robot_states, sizeof seen.robot_states);
    memcpy(f->joints + 7 * t, seen.posture, 7 * sizeof(double));
    memcpy(f->fingers + 2 * t, seen.posture + 7, 2 * sizeof(double));
    memcpy(f->at + 3 * t, seen.at, sizeof seen.at);
    bex_libero_axis_angle(seen.quat, f->turn + 3 * t);
    f->step[t] = t;
    size_t n = (size_t)f->poses;
    memcpy(f->pose + n * (size_t)t, r->states + (size_t)t * (size_t)r->width + 1 + BEX_LIBERO_ROBOT,
           n * sizeof(double));
    for (int c = 0; c < BEX_LIBERO_CAMERAS && f->view; c++) {
        size_t bytes = 3 * (size_t)size * (size_t)size;
        unsigned char *rgb = f->picture[c] + bytes * (size_t)t;
        if (bex_view_draw(f->view, &r->sim, c, rgb) < 0) return -1;
        bex_libero_turn_over(rgb, size);
    }
    return 0;
}

static bool done(const replay *r) {
    return r->has_goals && bex_goals_done(&r->goals, &r->sim) & 1;
}

static int play(replay *r, const source *s, fresh *f, bex_libero_replay *out) {
    if (begin(r, s) < 0) return -1;
    for (int t = 0; t < r->rows; t++) {
        compare(r, t, out);
        if (f && see(f, r, t, s->options->images) < 0) return -1;
        if (bex_osc_step(&r->osc, &r->sim, r->actions + BEX_OSC_ACTION * t) < 0 ||
            bex_mj_sim_forward(&r->sim) < 0)
            return bex_fail_in("row %d", t);
        out->success = out->success || done(r);
    }
    return 0;
}

static int save(bex_libero_file *file, const replay *r, const source *s, const fresh *f) {
    const bex_libero_demo d = {.rows = r->rows,
                               .width = r->width,
                               .image = s->options->images,
                               .actions = r->actions,
                               .states = r->states,
                               .robot_states = f->robot,
                               .joints = f->joints,
                               .fingers = f->fingers,
                               .ee_pos = f->at,
                               .ee_ori = f->turn,
                               .timestep = f->step,
                               .poses = f->poses,
                               .pose = f->pose,
                               .agentview = f->picture[0],
                               .eye_in_hand = f->picture[1],
                               .model_file = r->model_text,
                               .init_state = r->start ? r->start : r->states};
    return bex_libero_file_add(file, &d);
}

static int replay_demo(const source *s, const char *name, bex_libero_file *file,
                       bex_libero_replay *out) {
    replay r = {.rows = 0};
    fresh f = {.view = NULL};
    *out = (bex_libero_replay){.first_off = -1, .checked = s->libero};
    snprintf(out->name, sizeof out->name, "%.60s", name);
    int code = bex_path_join(r.key, "data", "%s", name);
    if (code == 0) code = read_demo(&r, s);
    if (code == 0) code = make_ready(&r, s);
    if (code == 0 && file) code = make_fresh(&f, &r, s);
    if (code == 0) code = play(&r, s, file ? &f : NULL, out);
    if (code == 0 && file) code = save(file, &r, s, &f);
    out->rows = r.rows;
    free_fresh(&f);
    if (r.has_goals || r.goals.thing) bex_goals_fini(&r.goals);
    if (r.driven) bex_osc_fini(&r.osc);
    if (r.posed) bex_mj_sim_fini(&r.sim);
    bex_mj_model_free(r.model);
    free(r.actions), free(r.states), free(r.start), free(r.model_text);
    return code < 0 ? bex_fail_in("%s", name) : 0;
}

// the same attributes as the file that was read
static int create(bex_libero_file **file, const source *s) {
    static const char *const names[] = {"env_name", "env_args", "problem_info", "bddl_file_name",
                                        "bddl_file_content"};
    char *text[5] = {NULL};
    int code = 0;
    for (int i = 0; i < 5 && code == 0; i++) {
        code = text_of(s, "data", names[i], &text[i]) < 0 ? -1 : 0;
        if (code == 0 && !text[i] && !(text[i] = strdup(""))) code = bex_fail("out of memory");
    }
    const bex_libero_about about = {text[0], text[1], text[2], text[3], text[4], (int)s->settle};
    if (code == 0) code = bex_libero_file_create(file, s->options->out, &about);
    for (int i = 0; i < 5; i++) free(text[i]);
    return code;
}

int bex_libero_import(const char *path, const bex_libero_import_options *options,
                      void (*tell)(const bex_libero_replay *, void *), void *payload) {
    source *s = calloc(1, sizeof *s);
    bex_names names = {0};
    bex_libero_file *file = NULL;
    int code = -1, demos = 0;
    if (!s) return bex_fail("out of memory");
    s->options = options;
    if (bex_h5_open(&s->file, path) < 0) goto done;
    if (read_task(s) < 0 || bex_h5_names(s->file, "data", &names) < 0 ||
        (options->out && create(&file, s) < 0))
        goto done;
    bex_names_sort_natural(&names);
    code = 0;
    for (int i = 0; i < names.count && code == 0; i++) {
        bex_libero_replay one;
        if (strncmp(names.text[i], "demo_", 5)) continue;
        code = replay_demo(s, names.text[i], file, &one);
        if (code == 0) tell(&one, payload), demos++;
    }
    if (code == 0 && !demos) code = bex_fail("no demonstrations in 'data'");
    if (code == 0 && file) code = bex_libero_file_commit(file);
done:
    bex_libero_file_free(file);
    bex_names_fini(&names);
    bex_h5_close(s->file);
    free(s);
    return code < 0 ? bex_fail_in("'%s'", path) : 0;
}
