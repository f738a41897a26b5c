/* demo/tabletop/libero_import.h - recorded demonstrations of LIBERO or robosuite through our control
 * law: each in the
 * model it was recorded with, its actions played open loop, the states compared with those recorded. */
#ifndef BEX_DEMO_TABLETOP_LIBERO_IMPORT_H
#define BEX_DEMO_TABLETOP_LIBERO_IMPORT_H

#include "data/libero_file.h"

#include <stdbool.h>

typedef struct bex_libero_replay {
    char name[64]; // "demo_3"
    int rows;
    double arm, things; // worst difference of a joint of the robot (rad, m), of any other position
    int first_off;      // the first row that is off by more than 1e-3; -1: none
    bool checked;       // there was a goal to check
    bool success;       // it held at some time
} bex_libero_replay;

typedef struct bex_libero_import_options {
    const char *libero, *robosuite; // directories of meshes, "" where the model names none
    const char *out;                // NULL: only replayed; else a file in LIBERO's layout
    int images;                     // pixels of pictures in it; 0: none
} bex_libero_import_options;

/* All demonstrations of a file, each told to `tell`. Negative with a message; what was replayed before
 * has been told. */
int bex_libero_import(const char *path, const bex_libero_import_options *options,
                      void (*tell)(const bex_libero_replay *, void *), void *payload);

#endif
