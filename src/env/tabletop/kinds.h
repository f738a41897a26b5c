/* env/tabletop/kinds.h - the kinds of things LIBERO's scenes are made of, and the rooms they stand in:
 * one table each. */
#ifndef BEX_ENV_TABLETOP_KINDS_H
#define BEX_ENV_TABLETOP_KINDS_H

#include <stdbool.h>

typedef struct bex_kind {
    const char *name; // as in BDDL: "akita_black_bowl"
    const char
        *folder; // of LIBERO's assets; an articulated one has its file there, others a folder
    bool fixture;
    /* How a movable one is put down. LIBERO's samplers write (x,y,z,w) where (w,x,y,z) is read; these are
     * the quaternions that result, as read. A yaw of two ends is drawn between them. */
    double quat[4];
    double turn[2];   // of books: the angle, written as (sin(a/2), 0, 0, cos(a/2)); equal: none
    double open[2];   // joint range that counts as open, or on; equal: has no such state
    double closed[2]; // closed, or off
    // of env/tabletop/objects.h: most of it in one of LIBERO's scenes, 0 is 1; joints of a fixture
    int copies, joints;
} bex_kind;

/* NULL: unknown. */
const bex_kind *bex_kind_named(const char *name);
const bex_kind *bex_kind_at(int i); // NULL past the end

typedef struct bex_room {
    const char *problem; // LIBERO_Kitchen_Tabletop_Manipulation
    const char *table;   // the fixture that is the table: kitchen_table
    const char *arena;   // file among LIBERO's scenes
    const char *body;    // the table's body, which region sites are in
    double origin[3];    // of the workspace; regions are relative to it
    double top;          // world z of the table's top, by its collision geoms
    double thickness;    // of the table: fixtures stand that much lower
    double region_z;     // of region sites in that body
    double base[3];      // the robot's
    bool mount;
    double camera[3], view[4]; // agentview: position, quaternion w first
    const char *floor, *wall;  // LIBERO's textures; NULL: as in the arena's file
} bex_room;

const bex_room *bex_room_of(const char *problem); // by its problem, capital or small; NULL: unknown

#endif
