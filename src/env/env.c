/* env/env.c - the table of environments. */
#include "env/env.h"

#include "base/error.h"
#include "base/nearest.h"
#include "env/ant/ant.h"
#include "env/ant/ant_walker.h"
#include "env/ant/antmaze.h"
#include "env/kitchen/kitchen.h"
#include "env/maze/maze2d.h"
#include "env/tabletop/libero.h"
#include "env/world_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bex_env_class *const classes[] = {
    &bex_maze2d_umaze,     &bex_maze2d_medium,
    &bex_maze2d_large,     &bex_maze2d_open,
    &bex_maze2d_any,       &bex_antmaze_umaze,
    &bex_antmaze_medium,   &bex_antmaze_large,
    &bex_antmaze_any,      &bex_ant,
    &bex_ant_walker,       &bex_kitchen,
    &bex_kitchen_complete, &bex_kitchen_partial,
    &bex_kitchen_mixed,    &bex_libero,
};
enum { CLASSES = sizeof classes / sizeof *classes };

const bex_env_class *bex_env_class_at(int i) {
    return i >= 0 && i < CLASSES ? classes[i] : NULL;
}

const bex_env_class *bex_env_class_named(const char *name) {
    for (int i = 0; i < CLASSES; i++)
        if (!strcmp(classes[i]->name, name)) return classes[i];
    return NULL;
}

static int unknown(const char *name) {
    const char *names[CLASSES];
    for (int i = 0; i < CLASSES; i++) names[i] = classes[i]->name;
    bex_fail("no environment '%s'", name);
    const char *near = bex_nearest(name, names, CLASSES, sizeof *names);
    return near ? bex_fail_hint("did you mean %s?", near) : bex_fail_hint("see bex env --list");
}

int bex_world_open(bex_world **out, const char *name, const bex_world_options *options) {
    const bex_env_class *class = bex_env_class_named(name);
    bex_world_options o = options ? *options : (bex_world_options){0};
    const char *given = o.keys ? o.keys : "";
    void *own = NULL;
    *out = NULL;
    if (!class) return unknown(name);
    char *keys = strdup(given);
    if (!keys) return bex_fail("out of memory");
    int code = bex_world_keys_read(&o, &own, class, given);
    if (code == 0) code = class->open(out, class, &o, own);
    if (code < 0) {
        free(own);
        free(keys);
        return -1;
    }
    (*out)->own = own;
    (*out)->keys = keys;
    return 0;
}

int bex_world_list(const char *name, const char *keys, bex_world_label **out) {
    const bex_env_class *class = bex_env_class_named(name);
    bex_world_options o = {0};
    void *own = NULL;
    *out = NULL;
    if (!class) return unknown(name);
    if (!class->list) return bex_fail("%s is one world, without scenes", name);
    if (bex_world_keys_read(&o, &own, class, keys ? keys : "") < 0) return -1;
    int n = class->list(own, out);
    free(own);
    return n;
}

void bex_world_close(bex_world *world) {
    if (!world) return;
    void *own = (void *)world->own;
    char *keys = (char *)world->keys;
    world->class->close(world);
    free(own);
    free(keys);
}

int bex_world_limit(const bex_env_class *class, const bex_world_options *o) {
    int own = o->explore ? class->explore_limit : class->time_limit;
    return o->time_limit < 0 ? 0 : o->time_limit ? o->time_limit : own;
}

int bex_one_region(const bex_world *world, const bex_real *obs) {
    (void)world, (void)obs;
    return 0;
}

bool bex_world_is(const bex_world *world, const char *family) {
    return world->class->family && !strcmp(world->class->family, family);
}

double bex_env_score(const bex_env_class *class, double episode_return) {
    double range = class->score[1] - class->score[0];
    return range > 0 ? 100 * (episode_return - class->score[0]) / range : (double)NAN;
}
