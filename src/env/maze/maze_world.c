/* env/maze/maze_world.c */
#include "env/maze/maze_world.h"

#include "base/error.h"

#include <string.h>

int bex_maze_world_load(bex_maze **out, const bex_env_class *class, const char *layout,
                        const bex_world_options *options, const char *family) {
    if (layout && options->maze) {
        bex_fail("%s has a maze of its own", class->name);
        return bex_fail_hint("use %s for a maze from a file", family);
    }
    if (layout) return bex_maze_parse(out, layout, strlen(layout), class->name);
    if (options->maze) return bex_maze_load(out, options->maze);
    bex_fail("%s needs a maze", class->name);
    return bex_fail_hint("--maze FILE, a text grid; or %s-medium", family);
}

int bex_maze_world_cell(int *cell, const bex_maze *maze, const int at[2], int otherwise,
                        const char *what, const char *name) {
    *cell = otherwise;
    if (at[0] < 0 && at[1] < 0) return 0;
    *cell = bex_maze_cell(maze, at[0], at[1]);
    if (*cell >= 0) return 0;
    bool inside = at[0] >= 0 && at[1] >= 0 && at[0] < maze->rows && at[1] < maze->cols;
    bex_fail("%s %d,%d is %s %s", what, at[0], at[1], inside ? "a wall of" : "outside", name);
    return bex_fail_hint("rows 0 to %d from the top, columns 0 to %d", maze->rows - 1,
                         maze->cols - 1);
}

int bex_maze_world_limit(const bex_env_class *class, const bex_world_options *o) {
    int own = o->explore ? class->explore_limit : class->time_limit;
    return o->time_limit < 0 ? 0 : o->time_limit ? o->time_limit : own;
}

int bex_maze_world_splits(const bex_env_class *class, const bex_world_options *o) {
    int own = o->explore && class->explore_splits ? class->explore_splits : 1;
    return o->region_splits > 0 ? o->region_splits : own;
}
