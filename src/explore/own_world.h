/* explore/own_world.h - a world of somebody else's, of which there are states only: regions to count, and
 * nothing that
 * could be stepped. So that what was explored in it is judged, written and drawn as in our own worlds.
 *
 * Regions are squares of up to three columns of a state (those that count as explored, or as asked), sides
 * of half a
 * standard deviation of the demonstrations, from four below their mean to four above: what lies beyond
 * counts into the
 * last. */
#ifndef BEX_EXPLORE_OWN_WORLD_H
#define BEX_EXPLORE_OWN_WORLD_H

#include "data/recording.h"
#include "env/env.h"
#include "explore/explored.h"
#include "policy/policy.h"

enum { BEX_OWN_COLUMNS = 3 };

typedef struct bex_own_world {
    bex_world
        world; // to give to whoever wants one; not of bex_world_open, so not for bex_world_close
    bex_env_class class;
    int columns[BEX_OWN_COLUMNS], count, across; // across: squares along each
    double low[BEX_OWN_COLUMNS], side[BEX_OWN_COLUMNS];
} bex_own_world;

/* columns: at most three of the policy's state; count 0: the first that count as explored. visited says
 * how long
 * episodes are. Keeps pointers into itself: stay where it is. Negative with a message. */
int bex_own_world_init(bex_own_world *w, const bex_policy *policy, const bex_recording *visited,
                       const int *columns, int count);

/* The recording as an exploration of that world. All trials must have as many episodes as the least: the
 * others' are
 * cut. Negative with a message. Needs bex_explored_fini either way. */
int bex_own_world_explored(bex_explored *e, const bex_own_world *w, const bex_recording *visited);

#endif
