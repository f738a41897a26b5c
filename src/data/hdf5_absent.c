/* data/hdf5_absent.c - a build without libhdf5: opening and creating say so; the rest is unreachable. */
#include "base/error.h"
#include "data/hdf5.h"
#include "data/hdf5_write.h"

#ifndef BEX_HAVE_HDF5

static int absent(void) {
    bex_fail("this build of bex cannot read or write HDF5");
    return bex_fail_hint("install libhdf5-dev and build again");
}

#define UNREACHABLE BEX_CHECK(0, "no HDF5 file can be open in this build")

int bex_h5_open(bex_h5 **file, const char *path) {
    *file = NULL;
    (void)path;
    return absent();
}
void bex_h5_close(bex_h5 *f) {
    (void)f;
}
bex_h5_kind bex_h5_find(bex_h5 *f, const char *key) {
    (void)f, (void)key;
    UNREACHABLE;
}
int bex_h5_names(bex_h5 *f, const char *group, bex_names *names) {
    (void)f, (void)group, (void)names;
    UNREACHABLE;
}
int bex_h5_measure(bex_h5 *f, const char *key, bex_h5_shape *s) {
    (void)f, (void)key, (void)s;
    UNREACHABLE;
}
int bex_h5_read(bex_h5 *f, const char *key, int first, int count, bex_real *out, int stride,
                int *bad_row) {
    (void)f, (void)key, (void)first, (void)count, (void)out, (void)stride, (void)bad_row;
    UNREACHABLE;
}
int bex_h5_read_flags(bex_h5 *f, const char *key, int first, int count, unsigned char *out) {
    (void)f, (void)key, (void)first, (void)count, (void)out;
    UNREACHABLE;
}
int bex_h5_read_doubles(bex_h5 *f, const char *key, int first, int count, double *out) {
    (void)f, (void)key, (void)first, (void)count, (void)out;
    UNREACHABLE;
}
int bex_h5_read_integers(bex_h5 *f, const char *key, int first, int count, int *out) {
    (void)f, (void)key, (void)first, (void)count, (void)out;
    UNREACHABLE;
}
int bex_h5_measure_pictures(bex_h5 *f, const char *key, bex_h5_pictures *p) {
    (void)f, (void)key, (void)p;
    UNREACHABLE;
}
int bex_h5_read_pictures(bex_h5 *f, const char *key, int first, int count, unsigned char *out) {
    (void)f, (void)key, (void)first, (void)count, (void)out;
    UNREACHABLE;
}
int bex_h5_attribute_integer(bex_h5 *f, const char *object, const char *name, long long *value) {
    (void)f, (void)object, (void)name, (void)value;
    UNREACHABLE;
}
int bex_h5_attribute_doubles(bex_h5 *f, const char *object, const char *name, double **out,
                             int count) {
    (void)f, (void)object, (void)name, (void)out, (void)count;
    UNREACHABLE;
}
int bex_h5_read_texts(bex_h5 *f, const char *key, bex_names *texts) {
    (void)f, (void)key, (void)texts;
    UNREACHABLE;
}
int bex_h5_attribute(bex_h5 *f, const char *object, const char *name, char **text) {
    (void)f, (void)object, (void)name, (void)text;
    UNREACHABLE;
}
const char *bex_h5_reason(char text[160]) {
    text[0] = 0;
    return text;
}

int bex_h5_out_create(bex_h5_out **file, const char *path) {
    *file = NULL;
    (void)path;
    return absent();
}
int bex_h5_out_column(bex_h5_out *f, const char *key, bex_column_type type, int width, int chunk) {
    (void)f, (void)key, (void)type, (void)width, (void)chunk;
    UNREACHABLE;
}
int bex_h5_out_append(bex_h5_out *f, int number, int rows, const void *block) {
    (void)f, (void)number, (void)rows, (void)block;
    UNREACHABLE;
}
int bex_h5_out_texts(bex_h5_out *f, const char *key, char *const *texts, int count) {
    (void)f, (void)key, (void)texts, (void)count;
    UNREACHABLE;
}
int bex_h5_out_array(bex_h5_out *f, const char *key, bex_column_type type, int rank,
                     const int *dims, const void *values) {
    (void)f, (void)key, (void)type, (void)rank, (void)dims, (void)values;
    UNREACHABLE;
}
int bex_h5_out_text(bex_h5_out *f, const char *object, const char *name, const char *text) {
    (void)f, (void)object, (void)name, (void)text;
    UNREACHABLE;
}
int bex_h5_out_integer(bex_h5_out *f, const char *object, const char *name, long long value) {
    (void)f, (void)object, (void)name, (void)value;
    UNREACHABLE;
}
int bex_h5_out_finish(bex_h5_out *f) {
    (void)f;
    return 0;
}

#endif
