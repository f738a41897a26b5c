/* libFuzzer target: any text is a maze whose cells can all be walked to and from, or one clear line. */
#include "env/maze/maze.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    bex_maze *maze;
    bex_error_clear();
    if (bex_maze_parse(&maze, (const char *)bytes, size, "fuzz") < 0) {
        demand(is_one_line(bex_error()));
        return 0;
    }
    int *steps = malloc((size_t)maze->cells * sizeof *steps),
        *queue = malloc((size_t)maze->cells * sizeof *queue);
    demand(steps && queue && maze->cells > 0);
    bex_maze_distances(maze, 0, steps, queue);
    for (int c = 0; c < maze->cells; c++) {
        int next = bex_maze_next(maze, steps, c);
        demand(next >= 0 && next < maze->cells && steps[next] <= steps[c]);
    }
    free(steps), free(queue);
    bex_maze_free(maze);
    return 0;
}
