// web/page/mazes.js - the mazes of the package (src/env/maze/maze2d.c), and one's own walls in them.
//
// x goes with rows, y with columns; cell (r, c) covers [r - 0.7, r + 0.3] x [c - 0.7, c + 0.3]. A half-cell is a quarter
// of a cell: what the exploration protocol counts.
"use strict";

const MAZES = {
  medium: { name: "Medium: the one it was shown", rows: "######## #OO##OO# #OO#OOO# ##OOO### #OO#OOO# #O#OO#O# #OOO#OO# ########", start: [3, 3] },
  umaze: { name: "U", rows: "##### #OOO# ###O# #OOO# #####", start: [3, 1] },
  large: { name: "Large", rows: "############ #OOOO#OOOOO# #O##O#O#O#O# #OOOOOO#OOO# #O####O###O# #OO#O#OOOOO# ##O#O#O#O### #OO#OOO#OOO# ############", start: [3, 4] },
  open: { name: "Open", rows: "####### #OOOOO# #OOOOO# #OOOOO# #######", start: [2, 3] },
};

// {rows, cols, start, walls: Uint8Array}, with the cells of `flipped` ("r.c") turned over
function layMaze(layout, flipped) {
  const lines = MAZES[layout].rows.split(" "), rows = lines.length, cols = lines[0].length;
  const walls = Uint8Array.from(lines.join(""), (c) => (c === "#" ? 1 : 0));
  for (const cell of flipped) {
    const [r, c] = cell.split(".").map(Number);
    walls[r * cols + c] ^= 1;
  }
  return { rows, cols, walls, start: MAZES[layout].start };
}

const isWall = (maze, r, c) => r < 0 || c < 0 || r >= maze.rows || c >= maze.cols || maze.walls[r * maze.cols + c] === 1;
const cellOf = (x) => Math.floor(x + 0.7);

// whether a cell may be turned over: not the border, not the start
const mayFlip = (maze, r, c) =>
  r > 0 && c > 0 && r < maze.rows - 1 && c < maze.cols - 1 && (r !== maze.start[0] || c !== maze.start[1]);

const halvesIn = (maze) => 4 * maze.walls.reduce((n, w) => n + (w ? 0 : 1), 0);

// the number of the half-cell at (x, y); -1 in a wall
function halfAt(maze, x, y) {
  if (isWall(maze, cellOf(x), cellOf(y))) return -1;
  return Math.floor(2 * (x + 0.7)) * 2 * maze.cols + Math.floor(2 * (y + 0.7));
}
