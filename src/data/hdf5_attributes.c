/* data/hdf5_attributes.c - numbers that stand beside data sets and groups. */
#include "data/hdf5.h"

#ifdef BEX_HAVE_HDF5

#include "base/error.h"
#include "data/hdf5_handle.h"

#include <math.h>
#include <stdlib.h>

static int read_numbers(bex_h5 *f, const char *object, const char *name, hid_t type, void *out,
                        int count) {
    hid_t attribute = H5Aopen_by_name(f->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return bex_h5_damaged(name);
    hid_t space = H5Aget_space(attribute), stored = H5Aget_type(attribute);
    H5T_class_t class = stored < 0 ? H5T_NO_CLASS : H5Tget_class(stored);
    int code = 0;
    if (space < 0 || H5Sget_simple_extent_npoints(space) != count ||
        (class != H5T_INTEGER && class != H5T_FLOAT))
        code = bex_fail("attribute '%s' of '%s' is not %d numbers", name, object, count);
    else if (H5Aread(attribute, type, out) < 0)
        code = bex_h5_damaged(name);
    if (space >= 0) H5Sclose(space);
    if (stored >= 0) H5Tclose(stored);
    H5Aclose(attribute);
    return code < 0 ? -1 : 1;
}

int bex_h5_attribute_integer(bex_h5 *f, const char *object, const char *name, long long *value) {
    if (H5Aexists_by_name(f->file, object, name, H5P_DEFAULT) <= 0) return 0;
    return read_numbers(f, object, name, H5T_NATIVE_LLONG, value, 1);
}

int bex_h5_attribute_doubles(bex_h5 *f, const char *object, const char *name, double **out,
                             int count) {
    *out = NULL;
    if (H5Aexists_by_name(f->file, object, name, H5P_DEFAULT) <= 0) return 0;
    *out = malloc((size_t)count * sizeof **out + 1);
    if (!*out) return bex_fail("out of memory");
    int code = read_numbers(f, object, name, H5T_NATIVE_DOUBLE, *out, count);
    for (int i = 0; code == 1 && i < count; i++)
        if (!isfinite((*out)[i]))
            code = bex_fail("attribute '%s' of '%s' is not finite", name, object);
    if (code < 0) free(*out), *out = NULL;
    return code;
}

#endif
