/* data/load.h - a file or directory of demonstrations into a data set.
 *
 *     bex_load_options o = BEX_LOAD_INIT;
 *     bex_dataset *d = bex_dataset_load("maze.hdf5", &o);       NULL with a message
 *
 * The kind is recognised from what the file holds:
 *   d4rl       observations, actions at the root                                reader_d4rl.c
 *   minari     episode_0, ... ; main_data.hdf5 with metadata.json beside it     reader_minari.c
 *   robomimic  data/demo_0, ...                                                 reader_robomimic.c
 *   libero     the same, with LIBERO's attributes
 * Without HDF5: safetensors as data/recording.h has them, by the name's end.
 * A directory is a Minari data set (main_data.hdf5 in it or in data/) or a set of files of one kind,
 * appended in natural order of their names (LIBERO: a file a task). */
#ifndef BEX_DATA_LOAD_H
#define BEX_DATA_LOAD_H

#include "data/dataset.h"
#include "data/split.h"

typedef struct bex_load_options {
    const char *format; // NULL: recognise
    bex_split split;    // d4rl only: the others store episodes apart
    const char *keys;   // observation keys to concatenate, by commas; NULL: the reader's choice
    const char *filter; // robomimic: only the demos listed in mask/<filter>
    const char *images; // cameras whose pictures are wanted, by commas, or "all"; NULL: none
    bex_pictures_options pictures;
    int limit;               // keep the first episodes only; 0: all
    int keep_nonfinite;      // load NaN and infinite values (for statistics) instead of refusing
    unsigned long long most; // bytes of memory; 0: three quarters of the machine's
} bex_load_options;

#define BEX_LOAD_INIT ((bex_load_options){.split = {.position = {0, 1}}})

bex_dataset *bex_dataset_load(const char *path, const bex_load_options *options);

/* "d4rl, minari, robomimic, libero" for help texts. */
const char *bex_load_formats(void);

#endif
