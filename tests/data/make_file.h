/* tests/data/make_file.h - small HDF5 files, good and bad, by the C API. */
#ifndef BEX_TESTS_DATA_MAKE_FILE_H
#define BEX_TESTS_DATA_MAKE_FILE_H

#include "test.h"

#include <hdf5.h>

typedef struct make {
    hid_t file;
    char path[512];
} make;

static inline make make_open(const char *name) {
    make m;
    snprintf(m.path, sizeof m.path, "%s", scratch_path(name));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    m.file = H5Fcreate(m.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(m.file >= 0);
    return m;
}

static inline const char *make_close(make *m) {
    assert_true(H5Fclose(m->file) >= 0);
    return m->path;
}

// columns 0: rank 1. chunk > 0: gzip in chunks of that many rows
static inline void make_array_as(make *m, const char *key, hid_t stored, hid_t memory,
                                 const void *values, hsize_t rows, hsize_t columns, hsize_t chunk) {
    hsize_t dims[2] = {rows, columns}, piece[2] = {chunk, columns};
    int rank = columns ? 2 : 1;
    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (chunk) H5Pset_chunk(plist, rank, piece), H5Pset_deflate(plist, 4);
    hid_t set = H5Dcreate2(m->file, key, stored, space, links, plist, H5P_DEFAULT);
    assert_true(set >= 0);
    if (values) assert_true(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set), H5Pclose(plist), H5Pclose(links), H5Sclose(space);
}

static inline void make_array(make *m, const char *key, const float *values, hsize_t rows,
                              hsize_t columns) {
    make_array_as(m, key, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, values, rows, columns, 0);
}

static inline void make_flags(make *m, const char *key, const unsigned char *values, hsize_t rows) {
    hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    signed char no = 0, yes = 1;
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    make_array_as(m, key, type, type, values, rows, 0, 0);
    H5Tclose(type);
}

static inline void make_group(make *m, const char *key) {
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t g = H5Gcreate2(m->file, key, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(g >= 0);
    H5Gclose(g), H5Pclose(links);
}

// a variable-length string, as h5py stores str
static inline void make_attribute(make *m, const char *object, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    hid_t a = H5Acreate_by_name(m->file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT,
                                H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, type, &text) >= 0);
    H5Aclose(a), H5Sclose(space), H5Tclose(type);
}

// row r, column c holds 100 r + c + offset
static inline float *make_ramp(int rows, int columns, float offset) {
    float *v = malloc(sizeof *v * (size_t)rows * (size_t)(columns ? columns : 1));
    int width = columns ? columns : 1;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < width; c++) v[r * width + c] = 100.0f * (float)r + (float)c + offset;
    return v;
}

static inline void make_ramp_array(make *m, const char *key, int rows, int columns, float offset) {
    float *v = make_ramp(rows, columns, offset);
    make_array(m, key, v, (hsize_t)rows, (hsize_t)columns);
    free(v);
}

// the D4RL layout: 10 rows, obs 3, act 2, episodes of 4, 3 (terminal) and 3 rows
static inline void make_d4rl(make *m) {
    static const unsigned char terminals[10] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    static const unsigned char timeouts[10] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    make_ramp_array(m, "observations", 10, 3, 0);
    make_ramp_array(m, "actions", 10, 2, 0.5f);
    make_ramp_array(m, "rewards", 10, 0, 0);
    make_flags(m, "terminals", terminals, 10);
    make_flags(m, "timeouts", timeouts, 10);
}

#endif
