/* env/tabletop/bddl.h - task files of LIBERO (BDDL): what stands where, and when a task is done.
 *
 *   (define (problem LIBERO_Kitchen_Tabletop_Manipulation) (:language put the bowl on the plate)
 *     (:regions (plate_init_region (:target kitchen_table) (:ranges ((-0.1 0 0.1 0.2)))
 *                                  (:yaw_rotation ((0 0)))))
 *     (:fixtures kitchen_table - kitchen_table) (:objects plate_1 - plate)
 *     (:init (On plate_1 kitchen_table_plate_init_region))
 *     (:goal (And (On akita_black_bowl_1 plate_1))))
 *
 * LIBERO has one file a task; all tasks of a scene agree in everything but language and goal. Our own
 * files hold a scene, with any number of (:task NAME (:language ...) (:goal ...)) instead.
 *
 * A file is refused, with its line, for: brackets that do not match or are more than 16 deep, an unknown
 * section, kind or predicate, a predicate of a thing or region that is not declared, a number that is
 * none, more than the sizes below. Words are compared as LIBERO does: capital or small alike. */
#ifndef BEX_ENV_TABLETOP_BDDL_H
#define BEX_ENV_TABLETOP_BDDL_H

#include "env/tabletop/kinds.h"

#include <stddef.h>

enum {
    BEX_BDDL_THINGS = 16,
    BEX_BDDL_REGIONS = 32,
    BEX_BDDL_FACTS = 24,
    BEX_BDDL_GOAL = 4,
    BEX_BDDL_TASKS = 16,
    BEX_BDDL_NAME = 64,
    BEX_BDDL_TEXT = 160
};

typedef enum bex_predicate {
    BEX_PREDICATE_ON,
    BEX_PREDICATE_IN,
    BEX_PREDICATE_OPEN,
    BEX_PREDICATE_CLOSE,
    BEX_PREDICATE_TURNON,
    BEX_PREDICATE_TURNOFF
} bex_predicate;

const char *bex_predicate_name(bex_predicate p);

typedef struct bex_bddl_thing {
    char name[BEX_BDDL_NAME]; // "plate_1"
    const bex_kind *kind;     // NULL: the table
} bex_bddl_thing;

typedef struct bex_bddl_region {
    char name[BEX_BDDL_NAME]; // with its target: "kitchen_table_plate_init_region"
    int target;               // thing
    bool ranged;
    double range[4], yaw[2]; // x0 y0 x1 y1, relative to the workspace
} bex_bddl_region;

/* A predicate of thing a, or region -1 - a; likewise b. */
typedef struct bex_bddl_fact {
    bex_predicate predicate;
    int a, b; // b: of On and In
} bex_bddl_fact;

typedef struct bex_bddl_task {
    char name[BEX_BDDL_TEXT];     // "open_the_microwave"; "" in a file of one task
    char language[BEX_BDDL_TEXT]; // "open the microwave"
    bex_bddl_fact goal[BEX_BDDL_GOAL];
    int facts; // all of them at once
} bex_bddl_task;

typedef struct bex_bddl {
    const bex_room *room;
    bex_bddl_thing
        thing[BEX_BDDL_THINGS]; // objects first, then fixtures, each in their order; tables last
    int objects, things;        // things: objects and fixtures without tables
    int all;                    // with tables
    bex_bddl_region region[BEX_BDDL_REGIONS];
    int regions;
    bex_bddl_fact init[BEX_BDDL_FACTS];
    int inits;
    bex_bddl_task task[BEX_BDDL_TASKS];
    int tasks;
} bex_bddl;

/* name: what messages call the text. Negative with a message. */
int bex_bddl_read(bex_bddl *out, const char *text, size_t size, const char *name);

/* Add the task of another file of the same scene under a name. Negative with a message if they differ in what
 * there is, or there are too many. */
int bex_bddl_merge(bex_bddl *scene, const bex_bddl *task, const char *name);

/* A BDDL file of one of the tasks, malloced; NULL with a message. */
char *bex_bddl_text(const bex_bddl *scene, int task);

/* The name of a thing or region as facts number them. */
const char *bex_bddl_name(const bex_bddl *s, int which);

#endif
