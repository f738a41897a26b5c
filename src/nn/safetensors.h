/* nn/safetensors.h - read and write safetensors files: weights, statistics, states, goldens.
 *
 *   [u64 little-endian N][N bytes of JSON, space-padded][tensor bytes]
 *
 * Reading maps nothing and trusts nothing: every rule of the format is checked (offsets cover the
 * data exactly, no overlap, no gap, no overflow, no duplicate, known dtype) before a byte is used. */
#ifndef BEX_NN_SAFETENSORS_H
#define BEX_NN_SAFETENSORS_H

#include "base/real.h"

#include <stddef.h>
#include <stdint.h>

enum { BEX_ST_RANK = 8 };

typedef enum {
    BEX_ST_F32,
    BEX_ST_F64,
    BEX_ST_I64,
    BEX_ST_I32,
    BEX_ST_U8,
    BEX_ST_BOOL,
    BEX_ST_F16,
    BEX_ST_BF16,
    BEX_ST_I8,
    BEX_ST_I16,
    BEX_ST_U16,
    BEX_ST_U32,
    BEX_ST_U64,
} bex_st_dtype;

typedef struct bex_st_tensor {
    const char *name;
    bex_st_dtype dtype;
    int rank;
    int64_t dim[BEX_ST_RANK]; // outermost first
    size_t count;             // elements
    const void *data;         // count elements, little endian; 64-byte aligned in a bex_st_file
} bex_st_tensor;

/* ---- reading ---- */

typedef struct bex_st_file bex_st_file; // owns names and data

/* NULL with a message naming the file and, where there is one, the tensor; also when there is no
 * memory. The header is checked against the size of the file before memory for the data is taken.
 * `name` is what messages call the bytes; they are copied. A loaded file is immutable and may be shared
 * by threads. */
bex_st_file *bex_st_load(const char *path);
bex_st_file *bex_st_parse(const void *bytes, size_t size, const char *name);
void bex_st_free(bex_st_file *file);

int bex_st_count(const bex_st_file *file);
const bex_st_tensor *bex_st_at(const bex_st_file *file, int i);              // order of bytes
const bex_st_tensor *bex_st_find(const bex_st_file *file, const char *name); // NULL, no message
const char *bex_st_metadata(const bex_st_file *file, const char *key);       // NULL if absent

/* The tensor of this name and shape, of any dtype. NULL with a message naming file and tensor. */
const bex_st_tensor *bex_st_expect(const bex_st_file *file, const char *name, int rank,
                                   const int64_t *dim);

/* Copy tensor `name`, which must have exactly this dtype and the shape dim[rank], into out. Negative
 * with a message naming file and tensor, wanted and found. */
int bex_st_read(const bex_st_file *file, const char *name, bex_st_dtype dtype, void *out, int rank,
                const int64_t *dim);

/* The same, converting any floating dtype to bex_real or double. A value that is not finite, or too
 * large for bex_real, is refused with its index. */
int bex_st_read_real(const bex_st_file *file, const char *name, bex_real *out, int rank,
                     const int64_t *dim);
int bex_st_read_f64(const bex_st_file *file, const char *name, double *out, int rank,
                    const int64_t *dim);

/* ---- writing ---- */

typedef struct bex_st_writer bex_st_writer;

/* Memory running out is told once, by the save: new returns NULL with a message, and to a writer that
 * is NULL or has failed nothing is added. */
bex_st_writer *bex_st_writer_new(void);
void bex_st_writer_free(bex_st_writer *w); // NULL is fine
/* Data is borrowed until save: it must outlive it. Names are unique, UTF-8 without control
 * characters, and not "__metadata__" (a bug otherwise). Metadata keys are unique too. */
void bex_st_add(bex_st_writer *w, const char *name, bex_st_dtype dtype, int rank,
                const int64_t *dim, const void *data);
void bex_st_add_real(bex_st_writer *w, const char *name, int rank, const int64_t *dim,
                     const bex_real *data); // F32, or F64 in the f64 build
/* F16, to the nearest of its 11 bits, ties to even; the data is copied. Negative with a message: a value
 * beyond 65,504, no memory. */
int bex_st_add_half(bex_st_writer *w, const char *name, int rank, const int64_t *dim,
                    const bex_real *data);
void bex_st_add_metadata(bex_st_writer *w, const char *key, const char *value);
/* Equal contents give equal bytes: metadata first in the order added, tensors by descending element
 * size, then name; header padded to 8 bytes. Temporary name, fsync, rename over what was there. 0, or
 * negative with a message (full disk, no memory, now or when something was added, metadata that is not
 * UTF-8): then the old file is untouched. */
int bex_st_save(const bex_st_writer *w, const char *path);

enum { BEX_ST_DTYPES = BEX_ST_U64 + 1 };
size_t bex_st_dtype_size(bex_st_dtype dtype);      // bytes of an element
const char *bex_st_dtype_name(bex_st_dtype dtype); // as the header spells it

/* The largest header the format allows, in bytes. */
enum { BEX_ST_HEADER_MOST = 100000000 };

#endif
