/* cli/cmd_env.c - `bex env`: the worlds, their facts, and pictures of them with trajectories. */
#include "cli/command.h"
#include "cli/env_options.h"
#include "cli/env_serve.h"
#include "show/still.h"
#include "show/world_camera.h"

#include "base/error.h"
#include "data/load.h"
#include "demo/demonstrator.h"
#include "env/maze/maze.h"
#include "env/mj.h"
#include "env/tabletop/libero.h"
#include "host/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STILL_EPISODES = 30, GIF_EPISODES = 6, GIF_FRAMES = 120, VIDEO_EPISODES = 1 };

typedef struct request {
    const char *env, *render, *data, *view;
    bex_env_flags world;
    long long episodes, every, row, seed, serve;
    bool list, json, explore;
} request;

static json_t *facts(const bex_world *w) {
    const bex_bddl *scene = bex_libero_scene(w);
    json_t *j =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:s}", "name", w->name, "equals",
                  w->class->equals, "observation", w->spec.state, "action", w->A, "time_limit",
                  w->time_limit, "regions", w->regions, "dt", w->dt, "mujoco", bex_mj_version());
    if (!scene) return j;
    json_t *tasks = json_array();
    for (int t = 0; t < scene->tasks; t++)
        json_array_append_new(tasks, json_string(scene->task[t].name));
    json_object_set_new(j, "scene", json_string(w->scene));
    json_object_set_new(j, "tasks", tasks);
    return j;
}

// the keys of a class itself
static json_t *own_keys(const bex_env_class *class) {
    json_t *keys = json_array();
    for (const bex_config_row *row = class->rows; row && row->name; row++)
        json_array_append_new(keys, json_string(row->name));
    return keys;
}

static int list_worlds(bool json) {
    json_t *rows = json_array();
    for (int i = 0; bex_env_class_at(i); i++) {
        const bex_env_class *c = bex_env_class_at(i);
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:i, s:o}", "name", c->name,
                                              "equals", c->equals, "about", c->about, "time_limit",
                                              c->time_limit, "options", own_keys(c)));
        if (!json) printf("  %-16s %-30s %s\n", c->name, c->equals, c->about);
    }
    if (json) bex_json_print(rows);
    json_decref(rows);
    return BEX_EXIT_OK;
}

static void print_maze(const bex_maze *m) {
    for (int r = 0; r < m->rows; r++) {
        printf("  ");
        for (int c = 0; c < m->cols; c++) {
            int cell = bex_maze_cell(m, r, c);
            putchar(cell < 0 ? '#' : cell == m->goal ? 'G' : 'O');
        }
        putchar('\n');
    }
}

// its parts and tasks; the one that is chosen is marked
static void print_scene(const bex_world *w, const bex_bddl *scene) {
    const char *libero = bex_libero_given(w)->libero;
    printf("  %s, %s%s\n", w->scene, *libero ? "parts of " : "our own parts", libero);
    for (int t = 0; t < scene->tasks; t++)
        printf("  %c %s\n", t == bex_libero_task(w) ? '*' : ' ', scene->task[t].name);
}

static void show(const bex_world *w, bool json) {
    const bex_bddl *scene = bex_libero_scene(w);
    if (json) {
        json_t *f = facts(w);
        bex_json_print(f);
        json_decref(f);
        return;
    }
    printf("%s: %s\n  equals %s, MuJoCo %s\n  observation %d, action %d in [-1, 1], %g s a step, "
           "%d steps an episode, %d regions\n",
           w->name, w->class->about, w->class->equals, bex_mj_version(), w->spec.state, w->A, w->dt,
           w->time_limit, w->regions);
    if (w->maze) print_maze(w->maze);
    if (scene) print_scene(w, scene);
}

// `most` episodes spread over the data set
static int choose_paths(bex_paths *paths, const bex_dataset *d, int most, int behind) {
    int n = d->episodes < most ? d->episodes : most;
    const bex_real **obs = malloc((size_t)n * sizeof *obs);
    int *length = malloc((size_t)n * sizeof *length);
    *paths = (bex_paths){n, obs, length, d->O, d->observations, d->rows, behind};
    if (!obs || !length) return bex_fail("out of memory");
    for (int i = 0; i < n; i++) {
        int e = (int)((long long)i * d->episodes / n);
        obs[i] = d->observations + (size_t)d->start[e] * (size_t)d->O;
        length[i] = bex_dataset_length(d, e);
    }
    return 0;
}

static bool ends_in(const char *path, const char *ending) {
    const char *dot = strrchr(path, '.');
    return dot && !strcasecmp(dot, ending);
}

static int render_paths(const bex_world *w, const bex_dataset *d, const request *q, bool camera) {
    bool gif = ends_in(q->render, ".gif"), moves = gif || camera;
    int usual = camera ? VIDEO_EPISODES : gif ? GIF_EPISODES : STILL_EPISODES;
    bex_paths paths;
    int behind = bex_world_is(w, BEX_LIBERO_FAMILY) ? 1 : 0; // a state begins with the time
    char title[160];
    int code = choose_paths(&paths, d, q->episodes ? (int)q->episodes : usual, behind), longest = 0;
    for (int i = 0; code == 0 && i < paths.count; i++)
        if (paths.length[i] > longest) longest = paths.length[i];
    int every = q->every || !gif ? (int)q->every : (longest + GIF_FRAMES - 1) / GIF_FRAMES;
    if (code == 0 && camera)
        code = bex_world_video(w, &paths, every, q->render);
    else if (code == 0 && gif)
        code = bex_world_moving(w, &paths, w->name, every, q->render);
    if (code == 0 && !moves) {
        snprintf(title, sizeof title, "%s: %d of %d episodes", w->name, paths.count, d->episodes);
        code = bex_world_still(w, &paths, title, q->render);
    }
    free((void *)paths.obs);
    free((void *)paths.length);
    return code;
}

static int render_data(const bex_world *w, const bex_dataset *d, const request *q, bool camera) {
    if (bex_world_is(w, BEX_LIBERO_FAMILY) && d->O != bex_libero_state_width(w))
        return bex_fail("'%s' has states of %d numbers, %s %d: another scene?", q->data, d->O,
                        bex_libero_given(w)->scene, bex_libero_state_width(w));
    if (!bex_world_is(w, BEX_LIBERO_FAMILY) && d->O != w->spec.state)
        return bex_fail("'%s' has %d observation columns, %s has %d", q->data, d->O, w->name,
                        w->spec.state);
    size_t behind = bex_world_is(w, BEX_LIBERO_FAMILY) ? 1 : 0;
    if (!camera || ends_in(q->render, ".mp4")) return render_paths(w, d, q, camera);
    if (q->row >= d->rows) return bex_fail("'%s' has %d rows", q->data, d->rows);
    return bex_world_frame(w, d->observations + (size_t)q->row * (size_t)d->O + behind, 0,
                           q->render);
}

// map or camera: as asked, else by the kind of file and by what the world has
static int choose_view(bool *camera, const bex_world *w, const request *q) {
    bool video = ends_in(q->render, ".mp4");
    const bex_picture_kind *kind = bex_picture_kind_of(w);
    bool figure = kind && !(kind->camera_first && ends_in(q->render, ".png"));
    *camera = q->view ? !strcmp(q->view, "camera") : video || !figure;
    if (q->view && !*camera && strcmp(q->view, "map"))
        return bex_fail("--view takes map or camera, not '%s'", q->view);
    if (!*camera && video) return bex_fail("a map is no video: .png, .svg, .pdf or .gif");
    if (*camera && !video && !ends_in(q->render, ".png"))
        return bex_fail("a camera makes .png or .mp4, not '%s'", q->render);
    return 0;
}

static int render(const bex_world *w, const request *q) {
    bool camera, moves = ends_in(q->render, ".gif") || ends_in(q->render, ".mp4");
    if (choose_view(&camera, w, q) < 0) return -1;
    if (!q->data && moves) {
        const bex_demonstrator_class *shows = bex_demonstrator_for(w);
        bex_fail("'%s' would show trajectories: which? (--data FILE)", q->render);
        if (!shows) return -1;
        return shows->instead ? bex_fail_hint("%s", shows->instead)
                              : bex_fail_hint("bex data gen %s --out FILE makes some", w->name);
    }
    if (!q->data && camera) return bex_world_frame(w, NULL, (uint64_t)q->seed, q->render);
    if (!q->data) return bex_world_still(w, NULL, w->name, q->render);
    bex_load_options o = BEX_LOAD_INIT;
    if (bex_world_is(w, BEX_LIBERO_FAMILY)) o.keys = "states";
    bex_dataset *d = bex_dataset_load(q->data, &o);
    if (!d) return -1;
    int code = render_data(w, d, q, camera);
    bex_dataset_free(d);
    return code;
}

// `bex env libero --list`: the scenes and their tasks; with --env.scene those of one
static int list_tasks(const request *q) {
    static bex_parts parts;
    char keys[2048];
    json_t *rows = json_array();
    int code = 0, tasks = 0, scenes = 0;
    if (bex_env_flags_keys(keys, sizeof keys, &q->world, NULL) < 0) return -1;
    const bex_libero_options *given = bex_libero_options_read(keys);
    if (!given) return -1;
    code = bex_parts_init(&parts, given->libero, given->robosuite);
    for (int i = 0; code == 0 && bex_scene_at(i); i++) {
        bex_bddl s;
        if (strstr(keys, "scene=") && strcmp(given->scene, bex_scene_at(i))) continue;
        code = bex_parts_scene(&s, &parts, bex_scene_at(i));
        if (code == 0 && !q->json) printf("%s\n", bex_scene_at(i));
        for (int t = 0; code == 0 && t < s.tasks; t++, tasks++) {
            json_array_append_new(rows,
                                  json_pack("{s:s, s:s, s:s}", "scene", bex_scene_at(i), "task",
                                            s.task[t].name, "language", s.task[t].language));
            if (!q->json) printf("  %s\n", s.task[t].name);
        }
        scenes++;
    }
    if (code == 0 && q->json) bex_json_print(rows);
    if (code == 0 && !q->json) printf("%d scenes, %d tasks\n", scenes, tasks);
    json_decref(rows);
    return code;
}

static int run(const bex_usage *usage, const request *q) {
    bex_world *w;
    const bex_world_options how = {.explore = q->explore};
    if (bex_env_flags_open(&w, q->env, &how, &q->world) < 0)
        return bex_command_fail(usage, bex_mj_version() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED);
    int code = BEX_EXIT_OK;
    if (q->serve)
        code = bex_env_serve(w, (int)q->serve) < 0 ? bex_command_fail(usage, BEX_EXIT_FAILED)
                                                   : BEX_EXIT_OK;
    else if (!q->render)
        show(w, q->json);
    else if (render(w, q) < 0)
        code = bex_command_fail(usage, BEX_EXIT_FAILED);
    else
        printf("%s\n", q->render);
    bex_world_close(w);
    return code;
}

// `bex env NAME --help`: the world's own options behind those of the command
static void help_of_world(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const bex_env_class *class = bex_env_class_named(argv[i]);
        if (!class) continue;
        printf("\noptions of %s:\n", class->name);
        bex_world_help(class, stdout);
        return;
    }
}

static request q;
static const bex_option options[] = {
    {"list", BEX_OPTION_FLAG, &q.list, NULL,
     "the environments there are; of libero its scenes and tasks", 0, 0},
    {"render", BEX_OPTION_TEXT, &q.render, "OUT", "draw it: .png, .svg, .pdf, .gif or .mp4", 0, 0},
    {"view", BEX_OPTION_TEXT, &q.view, "VIEW",
     "map: from above; camera: .png or .mp4; else map if there is one", 0, 0},
    {"data", BEX_OPTION_TEXT, &q.data, "FILE", "trajectories to draw: any file bex reads", 0, 0},
    {"episodes", BEX_OPTION_INTEGER, &q.episodes, "N",
     "so many of them; 0: 30, in a GIF 6, in a video 1", 0, 10000},
    {"every", BEX_OPTION_INTEGER, &q.every, "N",
     "rows a frame; 0: a GIF has 120 frames, a video is as fast as life", 0, 1e6},
    {"row", BEX_OPTION_INTEGER, &q.row, "N", "of the data: what a camera's .png shows", 0, 2e9},
    {"seed", BEX_OPTION_INTEGER, &q.seed, "N", "of the reset a camera's .png shows without data", 0,
     9e15},
    BEX_ENV_OPTIONS(q.world),
    {"json", BEX_OPTION_FLAG, &q.json, NULL, "facts as JSON", 0, 0},
    {"serve", BEX_OPTION_INTEGER, &q.serve, "N",
     "be N instances for a program at the other end of a pipe: bex.Env of the Python package", 0,
     4096},
    {"explore", BEX_OPTION_FLAG, &q.explore, NULL, "served as in exploration: no end at a goal", 0,
     0},
};

int bex_cmd_env(int argc, char **argv) {
    static const bex_usage usage = {
        .command = "env",
        .synopsis = "ENV [options] | --list | check ENV FILE",
        .about =
            "Facts about an environment, or a picture of it from above: the world alone, or with\n"
            "trajectories from a file of demonstrations and a map of where they go. Laid out as\n"
            "the maze is written: rows downwards, columns to the right. --view camera is MuJoCo's\n"
            "own picture, and .mp4 a video of episodes of a file; the kitchen is drawn from the\n"
            "front, with the tasks done over time. `bex env check` replays recorded transitions\n"
            "(bex env check --help). `bex env NAME --help` lists the options a world has itself.",
        .example = "bex env --list\n"
                   "bex env maze2d-medium\n"
                   "bex env maze2d-medium --env.splits=2\n"
                   "bex env maze2d-large --render large.png\n"
                   "bex env maze2d-medium --data demos.hdf5 --render demos.gif\n"
                   "bex env antmaze-medium --view camera --render ant.png\n"
                   "bex env antmaze-medium --data ants.hdf5 --every 2 --render ants.mp4\n"
                   "bex env kitchen --render kitchen.png\n"
                   "bex env libero --list\n"
                   "bex env libero --env.scene=STUDY_SCENE1 --render study.png",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *env[1];
    if (argc > 1 && !strcmp(argv[1], "check")) return bex_cmd_env_check(argc - 1, argv + 1);
    int n = bex_options_parse(&usage, argc, argv, env, 1);
    if (n == BEX_OPTIONS_HELP) return help_of_world(argc, argv), BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (q.list && n && !strcmp(env[0], "libero"))
        return list_tasks(&q) < 0 ? bex_command_fail(&usage, BEX_EXIT_USAGE) : BEX_EXIT_OK;
    if (q.list) return list_worlds(q.json);
    if (n == 0) {
        bex_fail("which environment? (bex env --list)");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    q.env = env[0];
    return run(&usage, &q);
}
