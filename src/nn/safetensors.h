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
    const void *data;         // count elements, little endian, 8-byte aligned for reader files
} bex_st_tensor;

/* ---- reading ---- */

typedef struct bex_st_file bex_st_file; // owns names and data

/* NULL with a message. `name` is what messages call the bytes; they are copied. */
bex_st_file *bex_st_load(const char *path);
bex_st_file *bex_st_parse(const void *bytes, size_t size, const char *name);
void bex_st_free(bex_st_file *file);

int bex_st_count(const bex_st_file *file);
const bex_st_tensor *bex_st_at(const bex_st_file *file, int i);              // file order
const bex_st_tensor *bex_st_find(const bex_st_file *file, const char *name); // NULL, no message
const char *bex_st_metadata(const bex_st_file *file, const char *key);       // NULL if absent

/* Copy tensor `name` into out[count], converting any floating dtype to bex_real. The shape must be
 * exactly dim[rank]. Negative with a message naming tensor, wanted and found shape, or a non-finite
 * value. */
int bex_st_read_real(const bex_st_file *file, const char *name, bex_real *out, int rank,
                     const int64_t *dim);
int bex_st_read_f64(const bex_st_file *file, const char *name, double *out, int rank,
                    const int64_t *dim);

/* ---- writing ---- */

typedef struct bex_st_writer bex_st_writer;

bex_st_writer *bex_st_writer_new(void);
void bex_st_writer_free(bex_st_writer *w);
/* Data is borrowed until save: it must outlive it. Names must be unique (a bug otherwise). */
void bex_st_add(bex_st_writer *w, const char *name, bex_st_dtype dtype, int rank,
                const int64_t *dim, const void *data);
void bex_st_add_real(bex_st_writer *w, const char *name, int rank, const int64_t *dim,
                     const bex_real *data); // F32, or F64 in the f64 build
void bex_st_add_metadata(bex_st_writer *w, const char *key, const char *value);
/* Header padded to 8 bytes; tensors by descending alignment, then name; temporary name, fsync,
 * rename. */
int bex_st_save(const bex_st_writer *w, const char *path);

size_t bex_st_dtype_size(bex_st_dtype dtype);
const char *bex_st_dtype_name(bex_st_dtype dtype);

#endif
