/* draw/walls.h - walls of a plan: rectangles that touch are drawn as one, for single ones would show
 * hairlines between them at some zoom. */
#ifndef BEX_DRAW_WALLS_H
#define BEX_DRAW_WALLS_H

#include "draw/figure.h"

typedef struct bex_wall {
    double right, down;           // middle; down is positive downwards, as a maze is written
    double half_right, half_down; // half sizes
} bex_wall;

/* In BEX_WALL, the panel's y being -down. In any order. Aborts when out of memory, as panels do. */
void bex_panel_walls(bex_panel *p, const bex_wall *walls, int count);

#endif
