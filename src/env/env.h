/* env/env.h - worlds and their instances.
 *
 *   bex_world     what all instances of one environment share: dims, limits, grid, compiled model.
 *                 Immutable once open; any number of threads may read it.
 *   bex_env       one instance: state and random stream. One thread at a time.
 *   bex_env_class the functions and facts of one environment: one row of the table in env.c.
 *
 * An instance neither resets itself nor counts time: env/batch.h does both. Observations are
 * base/observation.h's; states and actions are rows of bex_real, (O) and (A), O short for spec.state;
 * actions are in [-1, 1], clipped by the environment.
 *
 *     bex_world *w;
 *     if (bex_world_open(&w, "maze2d-medium", &(bex_world_options){.keys = "start=3,3"}) < 0) ...
 *     bex_env *e = w->class->new(w);                         NULL with a message
 *     w->class->reset(e, rng, &out);                         out: a bex_frame, its arrays the caller's
 *     w->class->step(e, act, &out, &reward, &terminated);
 *     w->class->free(e);  bex_world_close(w); */
#ifndef BEX_ENV_ENV_H
#define BEX_ENV_ENV_H

#include "base/columns.h"
#include "base/config.h"
#include "base/observation.h"
#include "base/rng.h"

#include <stdbool.h>

typedef struct bex_env_class bex_env_class;

enum { BEX_ENV_MEASURES = 4, BEX_ENV_CONDUCT = 4, BEX_GOAL_NAME = 96 };

/* What a caller may change about a world: what all of them share, and the class's own options as text, lines
 * "key=value" (bex_env_class.rows; `bex env NAME --help`). NULL, or all zero apart from what is wanted. */
typedef struct bex_world_options {
    int time_limit;   // steps per episode; 0: the world's own; negative: none
    bool explore;     // the exploration protocol: its episode length, and no end at a goal
    const char *keys; // "start=3,3\nsplits=2"; a later line wins; NULL: none
} bex_world_options;

/* What a policy was trained on, as far as it knows. */
typedef struct bex_env_seen {
    const bex_column_names *columns; // of its state
    const char *scene;               // "": not known
    const char *cameras;             // by commas; "": none
    int pixels;                      // of a picture's side; 0: not known
} bex_env_seen;

typedef struct bex_world {
    const bex_env_class *class;
    const char *name;
    bex_observation_spec spec; // what is seen; no cameras today
    int A;                     // size of the action
    int time_limit;            // steps per episode; 0: none
    int regions;               // what coverage is counted in
    double dt;                 // seconds per step
    int substeps;              // physics steps in it
    int right, down; // observation entries a picture from above shows to the right and downwards
    bool posed;      // an observation begins with all of the simulation's qpos, maybe with noise
    int goals;       // what can be found besides regions: at most 32; see `found`
    int recorded;    // last columns of a state that `found` reads and no agent is shown
    const struct bex_maze *maze; // the grid (env/maze/maze.h), borrowed; NULL: none
    const char *file;            // what it was read from besides, borrowed; NULL: nothing

    // what files of demonstrations call all this, to be held against a policy's; unknown: NULL, no names
    const char *scene;               // borrowed
    const char *const *tasks;        // (task_count) as labels of demonstrations, borrowed
    int task_count, task;            // task: the one that is to be done; -1: none of them
    const char *camera[BEX_CAMERAS]; // borrowed
    bex_column_names columns;        // of the state; the world's own

    // a world that is a machine: its time passes by itself, and there are only so many of it
    bool realtime;      // a step takes dt by the clock: trials are played one after the other
    int instances_most; // at any moment; 0: as many as wanted

    // of bex_world_open: the options it was opened with
    const void *own;  // class->options_size bytes; NULL: the class has none
    const char *keys; // as given; "": none
} bex_world;

/* The head of every instance; a class keeps its own members behind it. */
typedef struct bex_env {
    const bex_world *world;
} bex_env;

/* A picture from above: rectangles, some with round corners, in the world's own coordinates (right, down). */
typedef enum { BEX_ENV_SHAPE_WALL, BEX_ENV_SHAPE_GOAL, BEX_ENV_SHAPE_START } bex_env_shape_kind;
typedef struct bex_env_shape {
    bex_env_shape_kind kind;
    double right, down;           // middle
    double half_right, half_down; // half sizes
    double round;                 // radius of its corners: all of half_right for a disc
} bex_env_shape;

/* A camera: what it looks at (metres), from how far, degrees round the vertical and above (negative:
 * looking down). */
typedef struct bex_camera {
    double at[3], distance, azimuth, elevation;
} bex_camera;

/* One of the worlds of a class that has several: keys "scene" and "task" choose it. */
typedef struct bex_world_label {
    char scene[64], task[160];
} bex_world_label;

struct bex_env_class {
    const char *name;
    const char *family;  // worlds of one kind: "maze2d"; what demonstrators and checks ask for
    const char *equals;  // the upstream environment it equals
    const char *about;   // one line
    const void *variant; // the class's own: a layout
    const char *picture; // how a still is drawn: a row of show/still.c; NULL: by a camera only
    int time_limit;      // v1 of the upstream
    int explore_limit;   // of the exploration protocol
    int explore_splits;  // of a cell in the exploration protocol, where nobody asks; 0 is 1
    double score[2];     // upstream's returns of a random and an expert policy; equal: none

    /* Its own options: keys of section [env], --env.KEY=VALUE on command lines, and the struct they fill.
     * NULL, 0: none. Kept by bex_world_open. */
    const bex_config_row *rows;
    size_t options_size;

    /* The lines of own options (bex_world_options.keys) under which it shows what a policy saw in
     * training, as far as it can; "" where nothing is known. NULL: always shows the same. */
    void (*suit)(const bex_env_seen *seen, char *keys, size_t size);

    /* The world with these options (never NULL) and these of its own (NULL without rows), or a message
     * naming what is wrong. */
    int (*open)(bex_world **out, const bex_env_class *class, const bex_world_options *options,
                const void *own);
    void (*close)(bex_world *world);

    /* All scenes with their tasks, scene by scene, under these options: how many, and in *out, malloced,
     * which. Negative with a message. NULL: one world. */
    int (*list)(const void *own, bex_world_label **out);

    size_t env_size; // bytes of an instance, for classes that share `new` (env/mj_env.h)
    bex_env *(*new)(const bex_world *world);
    void (*free)(bex_env *env); // NULL is fine

    /* ---- the two functions that make observations ---- */

    /* A new episode, all its randomness from `rng`; writes what is seen to `out`: the state, and the pictures
     * it has room for (image[c] NULL: not wanted). Negative with a message. */
    int (*reset)(bex_env *env, bex_rng rng, const bex_frame *out);

    /* act (A) -> out as above, reward, terminated (the world ended it; time limits are the batch's).
     * Negative with a message, e.g. for an action that is not finite. Allocates nothing. */
    int (*step)(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                bool *terminated);

    /* The region 0..regions-1 of a state, -1 for none; bex_one_region for worlds without regions. */
    int (*region)(const bex_world *world, const bex_real *obs);

    /* The goals a state reaches: bit g for goal g of world->goals. NULL: none ever. */
    unsigned (*found)(const bex_world *world, const bex_real *obs);

    /* What goal g is called: "kettle", "goal 1 (6,6)". NULL where `found` is. */
    void (*goal_name)(const bex_world *world, int g, char name[BEX_GOAL_NAME]);

    /* Writes up to `most` shapes, walls first; returns how many there are. NULL: no picture. */
    int (*draw)(const bex_world *world, bex_env_shape *shapes, int most);

    /* Numbers about an episode beside its return, at most BEX_ENV_MEASURES: their names, ended by NULL, and
     * their values so far. NULL: none. */
    const char *const *measures;
    void (*measure)(const bex_env *env, double *values);

    /* How well an agent moves, from all states it saw: names ended by NULL, at most BEX_ENV_CONDUCT, and
     * their values over episodes, obs (start[episodes],O), episode k from row start[k] on. NULL: nothing to
     * say.
     * Negative with a message. */
    const char *const *conduct;
    int (*judge)(const bex_world *world, const bex_real *obs, const int *start, int episodes,
                 double *values);

    /* Where a camera should stand now. NULL: the whole model from its middle. */
    void (*camera)(bex_env *env, bex_camera *camera);

    /* The physics inside, for benchmarks and tests (env/mj.h); belongs to the instance. */
    struct bex_mj_sim *(*sim)(bex_env *env);
};

/* Columns of a state that an agent is shown: the first ones. */
static inline int bex_world_shown(const bex_world *world) {
    return world->spec.state - world->recorded;
}

/* Open by name; options NULL for none. Unknown names and keys get a hint. Not for two threads at once. */
int bex_world_open(bex_world **out, const char *name, const bex_world_options *options);
void bex_world_close(bex_world *world); // NULL is fine

/* Steps per episode by options and class, 0 for none: for classes that open. */
int bex_world_limit(const bex_env_class *class, const bex_world_options *options);

/* `region` of a world that is one region: 0. */
int bex_one_region(const bex_world *world, const bex_real *obs);

/* Whether a world is of this family. */
bool bex_world_is(const bex_world *world, const char *family);

/* class->list under options as text (bex_world_options.keys). Negative with a message, also where a class
 * has but one world. */
int bex_world_list(const char *name, const char *keys, bex_world_label **out);

/* The keys of a class with their defaults and what is allowed, as `bex env NAME --help` lists them. */
void bex_world_help(const bex_env_class *class, FILE *out);

/* The table: class i, NULL past the end; by name, NULL for none. */
const bex_env_class *bex_env_class_at(int i);
const bex_env_class *bex_env_class_named(const char *name);

/* 100 (return - random) / (expert - random), as D4RL scores; NaN where upstream gives no returns. */
double bex_env_score(const bex_env_class *class, double episode_return);

#endif
