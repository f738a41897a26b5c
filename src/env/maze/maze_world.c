#include "env/maze/maze_world.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define O bex_maze_options
const bex_config_row bex_maze_rows[] = {
    BEX_CONFIG_TEXT(O, maze, "", "text grid, for maze2d and antmaze"),
    BEX_CONFIG_TEXT(O, start, "", "ROW,COLUMN where episodes start; empty: the world's own rule"),
    BEX_CONFIG_TEXT(O, goal, "", "ROW,COLUMN of the goal; empty: the world's own"),
    BEX_CONFIG_INTEGER(O, splits, "0", 0, 16,
                       "a cell counts as N x N regions; 0: 1, exploring maze2d 2"),
    BEX_CONFIG_BOOL(O, dense, "false", "reward exp(-distance to the goal) instead of 0 or 1"),
    BEX_CONFIG_END,
};

int bex_maze_world_load(bex_maze **out, const bex_env_class *class, const char *layout,
                        const bex_maze_options *options) {
    if (layout && options->maze[0]) {
        bex_fail("%s has a maze of its own", class->name);
        return bex_fail_hint("use %s for a maze from a file", class->family);
    }
    if (layout) return bex_maze_parse(out, layout, strlen(layout), class->name);
    if (options->maze[0]) return bex_maze_load(out, options->maze);
    bex_fail("%s needs a maze", class->name);
    return bex_fail_hint("--maze FILE, a text grid; or %s-medium", class->family);
}

static int parse_cell(int at[2], const char *text, const char *what) {
    char end;
    if (sscanf(text, "%4d,%4d%c", &at[0], &at[1], &end) == 2 && at[0] >= 0 && at[1] >= 0) return 0;
    bex_fail("%s takes ROW,COLUMN, not '%s'", what, text);
    return bex_fail_hint("rows from the top, columns from the left, both from 0");
}

int bex_maze_world_cell(int *cell, const bex_maze *maze, const char *text, int otherwise,
                        const char *what, const char *name) {
    int at[2];
    *cell = otherwise;
    if (!*text) return 0;
    if (parse_cell(at, text, what) < 0) return -1;
    *cell = bex_maze_cell(maze, at[0], at[1]);
    if (*cell >= 0) return 0;
    bool inside = at[0] < maze->rows && at[1] < maze->cols;
    bex_fail("%s %d,%d is %s %s", what, at[0], at[1], inside ? "a wall of" : "outside", name);
    return bex_fail_hint("rows 0 to %d from the top, columns 0 to %d", maze->rows - 1,
                         maze->cols - 1);
}

int bex_maze_world_start(const bex_world *world) {
    const bex_maze_options *own = world->own;
    int cell = -1;
    BEX_CHECK(world->maze && world->class->rows == bex_maze_rows, "%s has no cells", world->name);
    if (own) bex_maze_world_cell(&cell, world->maze, own->start, -1, "start", world->name);
    return cell;
}

int bex_maze_world_splits(const bex_env_class *class, const bex_world_options *o,
                          const bex_maze_options *own) {
    int usual = o->explore && class->explore_splits ? class->explore_splits : 1;
    return own->splits > 0 ? (int)own->splits : usual;
}
