/* data/hdf5_write.h - writing through libhdf5: growing arrays in gzip chunks, strings. For writer.c.
 *
 * No timestamps are stored: same calls, same bytes. One thread at a time. */
#ifndef BEX_DATA_HDF5_WRITE_H
#define BEX_DATA_HDF5_WRITE_H

#include "data/writer.h"

typedef struct bex_h5_out bex_h5_out;

/* Create the file at `path`, or empty it. */
int bex_h5_out_create(bex_h5_out **file, const char *path);

/* A growing array of 0 rows, gzip 4, chunks of `chunk` whole rows; width 0: rank 1. Groups on the way
 * to `key` are made. Returns its number for bex_h5_out_append, or negative. */
int bex_h5_out_column(bex_h5_out *file, const char *key, bex_column_type type, int width,
                      int chunk);

/* Rows at the end of array `number`, memory as writer.h says. In whole chunks: nothing is cached. */
int bex_h5_out_append(bex_h5_out *file, int number, int rows, const void *block);

/* A whole array, contiguous; a bex_real in memory, 4 or 8 bytes in the file. */
int bex_h5_out_array(bex_h5_out *file, const char *key, bex_column_type type, int rank,
                     const int *dims, const void *values);

/* Attributes of an object: a string of variable length, as h5py writes str; an integer of 8 bytes. */
int bex_h5_out_text(bex_h5_out *file, const char *object, const char *name, const char *text);
int bex_h5_out_integer(bex_h5_out *file, const char *object, const char *name, long long value);

/* Strings, fixed length: count < 0 a scalar (texts[0]), else a list. */
int bex_h5_out_texts(bex_h5_out *file, const char *key, char *const *texts, int count);

/* Flush and close, whatever happens; negative if anything could not be written. NULL is fine. */
int bex_h5_out_finish(bex_h5_out *file);

#endif
