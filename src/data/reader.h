/* data/reader.h - what a file format is to load.c: one row in its table. */
#ifndef BEX_DATA_READER_H
#define BEX_DATA_READER_H

#include "data/hdf5.h"
#include "data/load.h"

typedef struct bex_reader {
    const char *name; // first member: base/nearest.h
    int (*recognise)(bex_h5 *file);
    /* Fill the empty data set. Messages name keys; load.c adds the file. */
    int (*load)(bex_dataset *d, bex_h5 *file, const char *path, const bex_load_options *o);
} bex_reader;

extern const bex_reader bex_reader_d4rl, bex_reader_minari, bex_reader_robomimic, bex_reader_libero;

/* ---- grouped.c: formats that keep each episode in a group of its own (minari, robomimic) -------- */

typedef struct bex_grouped {
    const bex_names *groups;       // episodes, in order
    const bex_names *observations; // keys under the group, concatenated
    const bex_names *actions;
    const char *rewards, *terminals, *timeouts; // keys, each optional in the file
    const bex_names *images;                    // keys of pictures, one a camera; NULL: none wanted
    const bex_names *cameras;                   // their names
    const char *path;                           // of the file
    int spare_rows; // observations may have this many rows more than actions; they are dropped
} bex_grouped;

/* Two passes: shapes of every group first (all of them checked before memory is taken), then rows. */
int bex_grouped_load(bex_dataset *d, bex_h5 *file, const bex_grouped *plan,
                     const bex_load_options *o);

/* Arrays of numbers with rank 1 or 2 under group/prefix, groups inside it entered, as keys relative to
 * `group`, in natural order of their names at each level. */
int bex_grouped_keys(bex_h5 *file, const char *group, const char *prefix, bex_names *keys);

/* The cameras a format has, under group/prefix, and of them those the options want: `there` gets all names
 * (the last part of each key), `cameras` and `keys` (relative to group) those wanted, in the order of the
 * options. NULL options->images: none. Negative with a message naming what there is: one is missing. */
int bex_grouped_cameras(bex_h5 *file, const char *group, const char *prefix,
                        const bex_load_options *o, bex_names *there, bex_names *cameras,
                        bex_names *keys);

/* bad_row >= 0: refuse naming key and row, or note it if the options keep such values. */
int bex_reader_check_finite(bex_dataset *d, const char *key, int bad_row,
                            const bex_load_options *o);

#endif
