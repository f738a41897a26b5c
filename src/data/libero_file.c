/* data/libero_file.c - groups, attributes and contiguous arrays through libhdf5. */
#include "data/libero_file.h"

#include "base/error.h"
#include "base/file.h"
#include "data/hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BEX_HAVE_HDF5

#include <hdf5.h>

struct bex_libero_file {
    bex_file_out out; // holds the name; libhdf5 writes the same inode through its own handle
    hid_t file, data;
    int demos;
    long long rows;
};

static int unwritten(const char *what) {
    char text[160];
    return bex_fail("'%s' cannot be written: %s", what, bex_h5_reason(text));
}

static int attribute(hid_t at, const char *name, hid_t file_type, hid_t memory, hid_t space,
                     const void *value) {
    hid_t a = H5Acreate2(at, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    int code = a < 0 || H5Awrite(a, memory, value) < 0 ? unwritten(name) : 0;
    if (a >= 0) H5Aclose(a);
    return code;
}

// h5py's str: variable length, UTF-8
static int put_text(hid_t at, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    int code = attribute(at, name, type, type, space, &text);
    H5Tclose(type), H5Sclose(space);
    return code;
}

static int put_integer(hid_t at, const char *name, long long value) {
    hid_t space = H5Screate(H5S_SCALAR);
    int code = attribute(at, name, H5T_STD_I64LE, H5T_NATIVE_LLONG, space, &value);
    H5Sclose(space);
    return code;
}

static hid_t group(hid_t at, const char *name) {
    hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(plist, 0);
    hid_t g = H5Gcreate2(at, name, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Pclose(plist);
    if (g < 0) unwritten(name);
    return g;
}

static int array(hid_t at, const char *name, bool bytes, int rank, const hsize_t *dims,
                 const void *values) {
    hid_t space = H5Screate_simple(rank, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plist, 0);
    hid_t d = H5Dcreate2(at, name, bytes ? H5T_STD_U8LE : H5T_IEEE_F64LE, space, H5P_DEFAULT, plist,
                         H5P_DEFAULT);
    int code = 0;
    if (d < 0 || H5Dwrite(d, bytes ? H5T_NATIVE_UCHAR : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                          H5P_DEFAULT, values) < 0)
        code = unwritten(name);
    if (d >= 0) H5Dclose(d);
    H5Sclose(space), H5Pclose(plist);
    return code;
}

static int table(hid_t at, const char *name, int rows, int columns, const double *values) {
    const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)columns};
    return columns ? array(at, name, false, 2, dims, values) : 0;
}

int bex_libero_file_create(bex_libero_file **out, const char *path, const bex_libero_about *about) {
    *out = NULL;
    bex_libero_file *f = calloc(1, sizeof *f);
    if (!f) return bex_fail("out of memory");
    f->file = f->data = -1;
    if (bex_file_create(&f->out, path, 0) < 0) return free(f), -1;
    bex_h5_begin();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    f->file = H5Fcreate(f->out.temporary, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    int code = f->file < 0 ? unwritten(path) : 0;
    if (code == 0 && (f->data = group(f->file, "data")) < 0) code = -1;
    if (code < 0 || put_text(f->data, "env_name", about->env_name) < 0 ||
        put_text(f->data, "env_args", about->env_args) < 0 ||
        put_text(f->data, "problem_info", about->problem_info) < 0 ||
        put_text(f->data, "bddl_file_name", about->bddl_file_name) < 0 ||
        put_text(f->data, "bddl_file_content", about->bddl_file_content) < 0 ||
        put_text(f->data, "macros_image_convention", "opengl") < 0 ||
        put_integer(f->data, "settle", about->settle) < 0)
        return bex_libero_file_free(f), -1;
    *out = f;
    return 0;
}

// ee_states: place and orientation side by side
static int put_ends(hid_t obs, const bex_libero_demo *d) {
    double *both = malloc((size_t)d->rows * 6 * sizeof *both);
    if (!both) return bex_fail("out of memory");
    for (int t = 0; t < d->rows; t++) {
        memcpy(both + 6 * t, d->ee_pos + 3 * t, 3 * sizeof *both);
        memcpy(both + 6 * t + 3, d->ee_ori + 3 * t, 3 * sizeof *both);
    }
    int code = table(obs, "ee_states", d->rows, 6, both);
    free(both);
    return code;
}

static int put_observations(hid_t demo, const bex_libero_demo *d) {
    const hsize_t picture[4] = {(hsize_t)d->rows, (hsize_t)d->image, (hsize_t)d->image, 3};
    hid_t obs = group(demo, "obs");
    if (obs < 0) return -1;
    int code = 0;
    if (d->image && (array(obs, "agentview_rgb", true, 4, picture, d->agentview) < 0 ||
                     array(obs, "eye_in_hand_rgb", true, 4, picture, d->eye_in_hand) < 0))
        code = -1;
    if (code < 0 || table(obs, "joint_states", d->rows, 7, d->joints) < 0 ||
        table(obs, "gripper_states", d->rows, 2, d->fingers) < 0 || put_ends(obs, d) < 0 ||
        table(obs, "ee_pos", d->rows, 3, d->ee_pos) < 0 ||
        table(obs, "ee_ori", d->rows, 3, d->ee_ori) < 0 ||
        table(obs, "timestep", d->rows, 1, d->timestep) < 0 ||
        table(obs, "poses", d->rows, d->poses, d->pose) < 0 ||
        table(obs, "objects", d->rows, d->objects, d->object) < 0)
        code = -1;
    H5Gclose(obs);
    return code;
}

static int put_ending(hid_t demo, int rows) {
    const hsize_t dims[1] = {(hsize_t)rows};
    unsigned char *flags = calloc((size_t)rows, 1);
    if (!flags) return bex_fail("out of memory");
    flags[rows - 1] = 1;
    int code = array(demo, "rewards", true, 1, dims, flags);
    if (code == 0) code = array(demo, "dones", true, 1, dims, flags);
    free(flags);
    return code;
}

int bex_libero_file_add(bex_libero_file *f, const bex_libero_demo *d) {
    char name[32];
    const hsize_t width[1] = {(hsize_t)d->width};
    snprintf(name, sizeof name, "demo_%d", f->demos);
    hid_t demo = group(f->data, name), space = H5Screate_simple(1, width, NULL);
    int code = demo < 0 ? -1 : 0;
    if (code < 0 || put_integer(demo, "num_samples", d->rows) < 0 ||
        put_text(demo, "model_file", d->model_file) < 0 ||
        attribute(demo, "init_state", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, d->init_state) <
            0 ||
        table(demo, "actions", d->rows, 7, d->actions) < 0 ||
        table(demo, "states", d->rows, d->width, d->states) < 0 ||
        table(demo, "robot_states", d->rows, 9, d->robot_states) < 0 ||
        put_ending(demo, d->rows) < 0 || put_observations(demo, d) < 0)
        code = -1;
    H5Sclose(space);
    if (demo >= 0) H5Gclose(demo);
    f->demos++, f->rows += d->rows;
    return code < 0 ? bex_fail_in("'%s': %s", f->out.path, name) : 0;
}

static int finish(bex_libero_file *f) {
    int code = 0;
    if (f->data >= 0) H5Gclose(f->data);
    if (f->file >= 0 && (H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0 || H5Fclose(f->file) < 0))
        code = unwritten("file");
    f->file = f->data = -1;
    return code;
}

int bex_libero_file_commit(bex_libero_file *f) {
    int code = put_integer(f->data, "num_demos", f->demos);
    if (code == 0) code = put_integer(f->data, "total", f->rows);
    if (finish(f) < 0) code = -1;
    if (code < 0) {
        bex_file_discard(&f->out);
        return bex_fail_in("'%s'", f->out.path);
    }
    return bex_file_commit(&f->out);
}

void bex_libero_file_free(bex_libero_file *f) {
    if (!f) return;
    finish(f);
    bex_file_discard(&f->out);
    free(f);
}

#else

int bex_libero_file_create(bex_libero_file **out, const char *path, const bex_libero_about *about) {
    (void)path, (void)about;
    *out = NULL;
    return bex_fail("this build has no HDF5");
}

int bex_libero_file_add(bex_libero_file *f, const bex_libero_demo *demo) {
    (void)f, (void)demo;
    return bex_fail("this build has no HDF5");
}

int bex_libero_file_commit(bex_libero_file *f) {
    (void)f;
    return bex_fail("this build has no HDF5");
}

void bex_libero_file_free(bex_libero_file *f) {
    (void)f;
}

#endif
