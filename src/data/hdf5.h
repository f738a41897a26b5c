/* data/hdf5.h - reading through libhdf5: our errors, no handle left open, sizes checked first.
 *
 * Every failure is one line naming the key ('infos/goal'); the caller adds the file. libhdf5's own
 * error printing is switched off. Keys are paths from the root. One thread at a time, over all files:
 * libhdf5 is not thread safe. Only hdf5.c, hdf5_write.c, libero_file.c and chunks.c include <hdf5.h>; in a
 * build without it opening fails with a message (hdf5_absent.c).
 *
 * A header can claim anything: a shape is only returned after its product was checked for overflow
 * and, unless the layout is compact, after the file was found to hold storage for every row. What a
 * compressed file expands to is bounded by the caller's memory limit (dataset.h), not here. */
#ifndef BEX_DATA_HDF5_H
#define BEX_DATA_HDF5_H

#include "base/real.h"
#include "data/names.h"

#include <stddef.h>

typedef struct bex_h5 bex_h5;

typedef enum { BEX_H5_ABSENT, BEX_H5_GROUP, BEX_H5_DATASET, BEX_H5_OTHER } bex_h5_kind;
typedef enum { BEX_H5_NUMBERS, BEX_H5_BOOLEANS, BEX_H5_TEXT, BEX_H5_UNREADABLE } bex_h5_content;

enum { BEX_H5_MAX_RANK = 8 };

typedef struct bex_h5_shape {
    int rank; // 0..BEX_H5_MAX_RANK
    unsigned long long dims[BEX_H5_MAX_RANK];
    unsigned long long rows, columns; // dims[0] (1 for a scalar); product of the others
    bex_h5_content content;
} bex_h5_shape;

/* 0, or negative: unreadable, not HDF5, truncated or damaged. */
int bex_h5_open(bex_h5 **file, const char *path);
void bex_h5_close(bex_h5 *file); // NULL is fine

bex_h5_kind bex_h5_find(bex_h5 *file, const char *key);

/* Names directly under a group ("/" is the root), by name in byte order, appended to `names`. */
int bex_h5_names(bex_h5 *file, const char *group, bex_names *names);

/* Shape of a data set; missing, not a data set, absurd or hollow: negative. */
int bex_h5_measure(bex_h5 *file, const char *key, bex_h5_shape *shape);

/* Rows first..first+count-1 of a numeric data set (rank 1 and up, trailing dims flattened) as reals,
 * written to out[row * stride + column]. Streamed in whole chunks of a few MB; each block is searched
 * for NaN and infinity while in cache: *bad_row gets the first such row (from 0 = first), or -1. */
int bex_h5_read(bex_h5 *file, const char *key, int first, int count, bex_real *out, int stride,
                int *bad_row);

/* Rows first..first+count-1 in full precision, out (count, columns): for states that a simulation
 * resumes from.
 */
int bex_h5_read_doubles(bex_h5 *file, const char *key, int first, int count, double *out);

/* The same rows of a rank-1 (or (n,1)) data set as flags, 0 or 1: booleans, integers or reals. */
int bex_h5_read_flags(bex_h5 *file, const char *key, int first, int count, unsigned char *out);
int bex_h5_read_integers(bex_h5 *file, const char *key, int first, int count, int *out);

/* Pictures: (rows, height, width, 3) bytes. at: of the first byte in the file where they lie there as they
 * are, else negative; band: rows that are decoded together. */
typedef struct bex_h5_pictures {
    int rows, height, width, band;
    long long at;
} bex_h5_pictures;

/* 0; negative: missing, or not pictures, with what it is. */
int bex_h5_measure_pictures(bex_h5 *file, const char *key, bex_h5_pictures *pictures);

/* Rows first..first+count-1 of them as bytes. */
int bex_h5_read_pictures(bex_h5 *file, const char *key, int first, int count, unsigned char *out);

/* A scalar or rank-1 string data set (fixed or variable length), appended to `texts`. */
int bex_h5_read_texts(bex_h5 *file, const char *key, bex_names *texts);

/* A string attribute of an object: 1 and *text malloced, 0 if absent, negative on failure. */
int bex_h5_attribute(bex_h5 *file, const char *object, const char *name, char **text);

/* A number attribute, and one of exactly `count` numbers (*out malloced): 1, 0 if absent, negative on
 * failure. */
int bex_h5_attribute_integer(bex_h5 *file, const char *object, const char *name, long long *value);
int bex_h5_attribute_doubles(bex_h5 *file, const char *object, const char *name, double **out,
                             int count);

/* Before the first call of libhdf5 and any later one: it keeps quiet, and does nothing when the process ends
 * (it would write again what could not be written, and crash). */
void bex_h5_begin(void);

/* Why libhdf5 failed: the system's reason if the innermost message of its error stack has one, else that
 * message. To be asked at once: the next call that succeeds forgets it. */
const char *bex_h5_reason(char text[160]);

#endif
