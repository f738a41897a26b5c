/* tests/data/make_pictures.h - small robomimic files with pictures, good and bad. A pixel of row r, camera
 * c holds
 * tone_of(r, c, y, x, k), so that every byte is known. */
#ifndef BEX_TESTS_DATA_MAKE_PICTURES_H
#define BEX_TESTS_DATA_MAKE_PICTURES_H

#include "data/make_file.h"

typedef struct pictured {
    const char *cameras[4]; // ended by NULL
    int demos, rows, height, width;
    hsize_t chunk[4]; // 0: contiguous
    int gzip;
} pictured;

static inline unsigned char tone_of(int row, int camera, int y, int x, int k) {
    return (unsigned char)(row * 11 + camera * 101 + y * 7 + x * 3 + k);
}

static inline void make_pictures(make *m, const char *key, int first, int camera, const pictured *p,
                                 hid_t type) {
    hsize_t dims[4] = {(hsize_t)p->rows, (hsize_t)p->height, (hsize_t)p->width, 3};
    unsigned char *v = malloc((size_t)(p->rows * p->height * p->width * 3)), *to = v;
    for (int r = 0; r < p->rows; r++)
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++)
                for (int k = 0; k < 3; k++) *to++ = tone_of(first + r, camera, y, x, k);
    hid_t space = H5Screate_simple(4, dims, NULL), links = H5Pcreate(H5P_LINK_CREATE);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (p->chunk[0]) H5Pset_chunk(plist, 4, p->chunk);
    if (p->gzip) H5Pset_shuffle(plist), H5Pset_deflate(plist, 4);
    hid_t set = H5Dcreate2(m->file, key, type, space, links, plist, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
    H5Dclose(set), H5Pclose(plist), H5Pclose(links), H5Sclose(space);
    free(v);
}

static inline void make_robomimic(make *m, const pictured *p) {
    char key[200];
    for (int e = 0; e < p->demos; e++) {
        snprintf(key, sizeof key, "data/demo_%d/actions", e);
        make_ramp_array(m, key, p->rows, 2, (float)e);
        snprintf(key, sizeof key, "data/demo_%d/obs/position", e);
        make_ramp_array(m, key, p->rows, 3, (float)(10 * e));
        for (int c = 0; p->cameras[c]; c++) {
            snprintf(key, sizeof key, "data/demo_%d/obs/%s", e, p->cameras[c]);
            make_pictures(m, key, e * p->rows, c, p, H5T_STD_U8LE);
        }
    }
}

#endif
