/* show/kitchen_picture.h - the kitchen from the front with the ways of the hand, and which tasks were done
 * when, as a figure. */
#ifndef BEX_SHOW_KITCHEN_PICTURE_H
#define BEX_SHOW_KITCHEN_PICTURE_H

#include "show/world_picture.h"

/* As bex_world_picture, for a kitchen world: left the kitchen with the hand of each trajectory, right the
 * share of the trajectories in which each task has been done by a time. paths NULL: the kitchen alone. */
int bex_kitchen_picture(const bex_world *world, const bex_paths *paths, const char *title,
                        const char *path);

#endif
