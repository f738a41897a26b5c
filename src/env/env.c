/* env/env.c - the table of environments. */
#include "env/env.h"

#include "base/error.h"
#include "base/nearest.h"
#include "env/ant/ant.h"
#include "env/ant/ant_walker.h"
#include "env/ant/antmaze.h"
#include "env/kitchen/kitchen.h"
#include "env/maze/maze2d.h"

#include <math.h>
#include <string.h>

static const bex_env_class *const classes[] = {
    &bex_maze2d_umaze,     &bex_maze2d_medium,
    &bex_maze2d_large,     &bex_maze2d_open,
    &bex_maze2d_any,       &bex_antmaze_umaze,
    &bex_antmaze_medium,   &bex_antmaze_large,
    &bex_antmaze_any,      &bex_ant,
    &bex_ant_walker,       &bex_kitchen,
    &bex_kitchen_complete, &bex_kitchen_partial,
    &bex_kitchen_mixed,
};
enum { CLASSES = sizeof classes / sizeof *classes };

const bex_env_class *bex_env_class_at(int i) {
    return i >= 0 && i < CLASSES ? classes[i] : NULL;
}

int bex_world_open(bex_world **out, const char *name, const bex_world_options *options) {
    static const bex_world_options none = BEX_WORLD_INIT;
    const char *names[CLASSES];
    *out = NULL;
    for (int i = 0; i < CLASSES; i++) {
        names[i] = classes[i]->name;
        if (!strcmp(names[i], name))
            return classes[i]->open(out, classes[i], options ? options : &none);
    }
    bex_fail("no environment '%s'", name);
    const char *near = bex_nearest(name, names, CLASSES, sizeof *names);
    return near ? bex_fail_hint("did you mean %s?", near) : bex_fail_hint("see bex env --list");
}

void bex_world_close(bex_world *world) {
    if (world) world->class->close(world);
}

double bex_env_score(const bex_env_class *class, double episode_return) {
    double range = class->score[1] - class->score[0];
    return range > 0 ? 100 * (episode_return - class->score[0]) / range : (double)NAN;
}
