/* data/hdf5_handle.h - an open file as libhdf5 has it, for the files that read through it. */
#ifndef BEX_DATA_HDF5_HANDLE_H
#define BEX_DATA_HDF5_HANDLE_H

#include "data/hdf5.h"

#include <hdf5.h>

struct bex_h5 {
    hid_t file;
};

/* Says that what `key` names cannot be read, with libhdf5's reason; returns -1. */
int bex_h5_damaged(const char *key);

#endif
