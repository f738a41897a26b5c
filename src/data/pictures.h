/* data/pictures.h - the pictures of demonstrations, decoded when they are wanted.
 *
 *     frames  0 .. frames - 1      of all cameras; a piece is an episode's, in one file
 *
 * Memory is bounded whatever the files hold: nothing is read in advance, and of what was decoded the first
 * `memory` bytes stay (a uniform draw hits them as often as the newest would be hit). Pictures that lie in
 * their file as they are (LIBERO, most of robomimic) are read one by one; gzip chunks are decoded whole, so a
 * compressed set that is larger than `memory` is slow: `bex data convert` unpacks it.
 *
 * Each picture is turned (data.flip) and resized (kernel/picture.h) as it is read. While frames are added one
 * thread owns it; then any number of threads may read. A data set and its subsets share one. */
#ifndef BEX_DATA_PICTURES_H
#define BEX_DATA_PICTURES_H

#include "base/observation.h"
#include "data/names.h"
#include "kernel/picture.h"

typedef struct bex_pictures bex_pictures;
struct bex_h5_pictures; // data/hdf5.h

typedef struct bex_pictures_options {
    int size;                  // of a side, in pixels; 0: as stored
    bex_flip flip;             // before anything else
    unsigned long long memory; // bytes of decoded pictures kept; 0: BEX_PICTURES_MEMORY
} bex_pictures_options;

static const unsigned long long BEX_PICTURES_MEMORY = 1ull << 30;

/* Without frames; height and width of the result: `size`, or those stored. NULL with a message. */
bex_pictures *bex_pictures_new(const bex_names *cameras, int stored_height, int stored_width,
                               const bex_pictures_options *options);
bex_pictures *bex_pictures_share(bex_pictures *p); // one more owner
void bex_pictures_free(bex_pictures *p);           // one fewer; NULL is fine

/* An episode's pictures in an HDF5 file: keys (cameras) as bex_h5_measure_pictures found them. Its first
 * frame, or negative with a message. */
int bex_pictures_add(bex_pictures *p, const char *path, const char *const *keys,
                     const struct bex_h5_pictures *found);

/* Frames in memory, (n, cameras, height, width, 3), copied; turned and resized here. */
int bex_pictures_add_memory(bex_pictures *p, const unsigned char *pictures, int n, int height,
                            int width);

/* Other's frames behind p's, of the same cameras, in their order, and size. The first of them. */
int bex_pictures_append(bex_pictures *p, const bex_pictures *other);

int bex_pictures_frames(const bex_pictures *p);
const bex_names *bex_pictures_cameras(const bex_pictures *p);
int bex_pictures_height(const bex_pictures *p);
int bex_pictures_width(const bex_pictures *p);

/* The size in the files, of the first frames; what data show tells. */
void bex_pictures_stored(const bex_pictures *p, int camera, int *height, int *width);

/* out (height, width, 3). Any number of threads. Negative with a message naming file and key: damaged,
 * gone. */
int bex_pictures_read(bex_pictures *p, int frame, int camera, unsigned char *out);

#endif
