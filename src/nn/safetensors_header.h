/* nn/safetensors_header.h - the header of a safetensors file: JSON text to and from entries.
 *
 *     {"__metadata__":{"key":"value", ..}, "name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, ..}
 *
 * A reader of exactly this, strict: RFC 8259 with UTF-8, no duplicate, no key that is not known,
 * integers below 2^63. What the numbers mean (sizes, tiling) is safetensors.c's. Memory running out is
 * an error as any other. */
#ifndef BEX_NN_SAFETENSORS_HEADER_H
#define BEX_NN_SAFETENSORS_HEADER_H

#include "nn/safetensors.h"

typedef struct bex_st_entry {
    bex_st_tensor tensor; // without count and data
    uint64_t begin, end;  // in the data
} bex_st_entry;

typedef struct bex_st_pair {
    const char *key, *value;
} bex_st_pair;

typedef struct bex_st_header {
    bex_st_entry *entries; // in the order of the text
    int count;
    bex_st_pair *pairs; // metadata
    int pair_count;
    char *strings; // names, keys and values, unescaped
} bex_st_header;

/* Read `size` bytes of text, which begin with '{'. Negative with a message that says where (line and
 * column, or the tensor); nothing is left allocated then. */
int bex_st_header_read(bex_st_header *header, const char *text, size_t size);
void bex_st_header_free(bex_st_header *header); // a zeroed one is fine

/* The text of `count` entries and `pairs` of metadata, in their order, without spaces; malloced,
 * NUL-terminated. Names and metadata are valid UTF-8 (a bug otherwise). NULL with a message: out of
 * memory. */
char *bex_st_header_write(const bex_st_entry *entries, int count, const bex_st_pair *pairs,
                          int pair_count);

#endif
