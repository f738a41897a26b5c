/* data/chunks.h - the fast and careful way to read chunked arrays: raw chunks from libhdf5, inflated
 * here, on all cores.
 *
 * libhdf5 1.10 inflates on one core and does not check that a chunk inflates to its full size: a damaged file
 * makes H5Dread read past the end of a buffer. Here the size is checked. Handled: 4- and 8-byte little-endian
 * floats, one-byte flags, pictures; no filter, gzip, shuffle + gzip; anything else is left to H5Dread. For
 * hdf5.c, which has measured the array; without zlib nothing is handled. */
#ifndef BEX_DATA_CHUNKS_H
#define BEX_DATA_CHUNKS_H

#include "base/real.h"

#include <stdint.h>

/* dataset: libhdf5's hid_t. Rows first..first+count-1 of a (rows, columns) array (rank 1: columns 1),
 * to reals out[row * stride + column], or, where out is NULL, to flags[row].
 * 1: done; 0: not handled; negative: damaged, with a message that leaves the key to the caller. */
int bex_chunks_read(int64_t dataset, int rank, unsigned long long columns, int first, int count,
                    bex_real *out, int stride, unsigned char *flags);

/* Rows first..first+count-1 of an array of bytes of rank 1..8 and these dims, to out (count, ...). Shared by
 * all cores where it is worth it. The same results. */
int bex_chunks_read_bytes(int64_t dataset, int rank, const unsigned long long *dims, int first,
                          int count, unsigned char *out);

#endif
