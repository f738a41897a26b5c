/* env/maze/maze.h - grid mazes: text to cells, coordinates, shortest ways.
 *
 *     ########      # wall    O or . free    G free, and the goal (at most one)
 *     #OO##OO#      Lines that are empty or start with ; are skipped. All others have one length.
 *     #OO#OOO#      The border is wall, every free cell reaches every other, at most 64 x 64.
 *     ...
 *
 * Row r is the line from the top, column c the place in it. Free cells are numbered row by row:
 * that number is what "cell" means below, and the region number of maze worlds.
 *
 * Coordinates are Maze2D's observations: x goes with rows, y with columns, cells are 1 x 1.
 * Pitfall (the offset trap of D4RL): cell (r,c) covers [r-0.7, r+0.3] x [c-0.7, c+0.3], so the point
 * (r,c) itself, where D4RL puts starts, targets and waypoints, is 0.2 beyond its middle, and
 * rounding a position to whole numbers does not always give the cell it is in. */
#ifndef BEX_ENV_MAZE_MAZE_H
#define BEX_ENV_MAZE_MAZE_H

#include <stddef.h>

enum { BEX_MAZE_SIDE = 64 }; // most rows, most columns
#define BEX_MAZE_OFFSET 0.7  // cell r begins at x = r - 0.7
#define BEX_MAZE_MIDDLE 0.2  // the middle of cell r is x = r - 0.2

typedef struct bex_maze {
    int rows, cols, cells;  // cells: free ones
    int goal;               // cell, -1 for none
    short *number;          // (rows, cols): the cell there, -1 for wall
    unsigned char (*at)[2]; // (cells): row, column
} bex_maze;

/* From text; `name` is what messages call it. Caller frees. */
int bex_maze_parse(bex_maze **out, const char *text, size_t size, const char *name);
int bex_maze_load(bex_maze **out, const char *path);
void bex_maze_free(bex_maze *maze); // NULL is fine

/* The cell at row, column; -1 for wall and outside. */
int bex_maze_cell(const bex_maze *maze, int row, int col);

/* The cell that contains the point; -1 for wall and outside. */
int bex_maze_cell_at(const bex_maze *maze, double x, double y);

/* The cell D4RL's planner takes the point to be in: coordinates rounded. Where that is a wall (a
 * point in the 0.2 the trap leaves over), the cell that contains the point. -1 outside. */
int bex_maze_cell_rounded(const bex_maze *maze, double x, double y);

/* steps[cell] = moves to `target`, for all cells. queue: scratch (cells). */
void bex_maze_distances(const bex_maze *maze, int target, int *steps, int *queue);

/* The neighbour one step nearer by `steps`; among several the first of column-1, column+1, row-1,
 * row+1, as D4RL's tabular Q-iteration breaks ties. At the target: the target. */
int bex_maze_next(const bex_maze *maze, const int *steps, int cell);

#endif
