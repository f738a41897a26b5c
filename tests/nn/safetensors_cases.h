/* tests/nn/safetensors_cases.h - files that break one rule each: the test wants the message, the fuzz
 * target takes them as seeds. A case is a header and a number of data bytes (0, 1, 0, 1, ...). */
#ifndef BEX_TESTS_SAFETENSORS_CASES_H
#define BEX_TESTS_SAFETENSORS_CASES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct st_case {
    const char *header;
    int data;
    const char *message; // part of it; NULL: the file is valid
} st_case;

#define ENTRY(name, dtype, shape, begin, end)                                                      \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":[" shape "],\"data_offsets\":[" begin "," end \
    "]}"

static const st_case st_cases[] = {
    // valid, and easily taken for wrong
    {"{}", 0, NULL},
    {"{}      ", 0, NULL},
    {"{" ENTRY("a", "F32", "", "0", "4") "}", 4, NULL},
    {"{" ENTRY("a", "F32", "0,3", "0", "0") "}", 0, NULL},
    {"{" ENTRY("a", "U8", "3", "0", "3") "," ENTRY("b", "F32", "1", "3", "7") "}", 7, NULL},
    {"{" ENTRY("b", "F32", "1", "0", "4") "," ENTRY("a", "I8", "0", "4", "4") "}", 4, NULL},
    {"{" ENTRY("a", "U8", "1,1,1,1,1,1,1,2", "0", "2") "}", 2, NULL},
    {"{\"__metadata__\":{},\"a\\u00e9\\\"\":{\"shape\":[2],\"data_offsets\":[0,2],\"dtype\":\"BOOL\"}}",
     2, NULL},
    // the header as JSON
    {"", 0, "does not begin with '{'"},
    {"[]", 0, "does not begin with '{'"},
    {" {}", 0, "does not begin with '{'"},
    {"\xef\xbb\xbf{}", 0, "does not begin with '{'"},
    {"{", 0, "JSON line 1"},
    {"{}x", 0, "JSON line 1"},
    {"{\"a\":1,}", 0, "JSON line 1"},
    {"{\"a\xff\":1}", 0, "unable to decode byte 0xff"},
    {"{\"a\\u0000\":1}", 0, "JSON line 1"},
    {"{\"a\\ud800\":1}", 0, "JSON line 1"},
    {"{" ENTRY("a", "U8", "1", "0", "1") "," ENTRY("a", "U8", "1", "1", "2") "}", 2, "duplicate"},
    // names
    {"{" ENTRY("", "U8", "1", "0", "1") "}", 1, "its name is empty"},
    {"{" ENTRY("a\\n", "U8", "1", "0", "1") "}", 1,
     "tensor 'a?': its name is empty or has control"},
    {"{" ENTRY("a\\u007f", "U8", "1", "0", "1") "}", 1, "control characters"},
    // metadata
    {"{\"__metadata__\":[]}", 0, "__metadata__ is not an object"},
    {"{\"__metadata__\":{\"k\":1}}", 0, "__metadata__ 'k' is not a string"},
    {"{\"__metadata__\":{\"k\":null}}", 0, "__metadata__ 'k' is not a string"},
    {"{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0, "duplicate"},
    // entries
    {"{\"a\":1}", 0, "tensor 'a': its entry is not an object"},
    {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "tensor 'a': key 'dtype' is missing"},
    {"{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1, "tensor 'a': key 'shape' is missing"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, "tensor 'a': key 'data_offsets' is missing"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":0}}", 1,
     "tensor 'a': unexpected key 'x'"},
    {"{" ENTRY("a", "U7", "1", "0", "1") "}", 1, "tensor 'a': unknown dtype 'U7'"},
    {"{" ENTRY("a", "f32", "1", "0", "4") "}", 4, "tensor 'a': unknown dtype 'f32'"},
    {"{\"a\":{\"dtype\":8,\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "'dtype' is not a string"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":1,\"data_offsets\":[0,1]}}", 1, "'shape' is not an array"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":1}}", 1, "'data_offsets' is not"},
    {"{" ENTRY("a", "U8", "-1", "0", "1") "}", 1, "'shape'[0] is not a non-negative integer"},
    {"{" ENTRY("a", "U8", "1.0", "0", "1") "}", 1, "'shape'[0] is not a non-negative integer"},
    {"{" ENTRY("a", "U8", "1,\"1\"", "0", "1") "}", 1, "'shape'[1] is not a non-negative integer"},
    {"{" ENTRY("a", "U8", "true", "0", "1") "}", 1, "'shape'[0] is not a non-negative integer"},
    {"{" ENTRY("a", "U8", "1,1,1,1,1,1,1,1,1", "0", "1") "}", 1, "at most 8"},
    {"{" ENTRY("a", "U8", "1", "0", "1,2") "}", 1, "'data_offsets' has 3 numbers, at most 2"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0]}}", 0, "at least 2"},
    {"{" ENTRY("a", "U8", "1", "-1", "0") "}", 1, "'data_offsets'[0] is not a non-negative"},
    {"{" ENTRY("a", "U8", "1", "0", "1.0") "}", 1, "'data_offsets'[1] is not a non-negative"},
    {"{" ENTRY("a", "U8", "1", "1", "0") "}", 1, "tensor 'a': data_offsets [1, 0) run backwards"},
    // sizes
    {"{" ENTRY("a", "F32", "1", "0", "3") "}", 3, "it has 3 bytes, its shape and dtype need 4"},
    {"{" ENTRY("a", "F32", "", "0", "0") "}", 0, "it has 0 bytes, its shape and dtype need 4"},
    {"{" ENTRY("a", "F32", "0", "0", "4") "}", 4, "it has 4 bytes, its shape and dtype need 0"},
    {"{" ENTRY("a", "U8", "4294967296,4294967296", "0", "0") "}", 0, "its shape overflows"},
    {"{" ENTRY("a", "F64", "2305843009213693952", "0", "0") "}", 0, "its shape overflows"},
    {"{" ENTRY("a", "F64", "1152921504606846976", "0", "0") "}", 0, "its shape overflows"},
    {"{" ENTRY("a", "U8", "0,4294967296,4294967296", "0", "0") "}", 0, "its shape overflows"},
    {"{" ENTRY("a", "U8", "9223372036854775808", "0", "1") "}", 1, "too big integer"},
    {"{" ENTRY("a", "U8", "1", "18446744073709551615", "0") "}", 1, "too big integer"},
    {"{" ENTRY("a", "U8", "1", "9223372036854775806", "9223372036854775807") "}", 1, "truncated"},
    {"{" ENTRY("a", "U8", "9223372036854775807", "0", "9223372036854775807") "}", 1, "truncated"},
    // the tiling
    {"{" ENTRY("a", "U8", "2", "0", "2") "}", 1,
     "tensor 'a': it ends at byte 2 of 1 bytes of data"},
    {"{" ENTRY("a", "U8", "2", "0", "2") "}", 3, "1 bytes at the end belong to no tensor"},
    {"{}", 1, "1 bytes at the end belong to no tensor"},
    {"{" ENTRY("a", "U8", "2", "0", "2") "," ENTRY("b", "U8", "2", "1", "3") "}", 3,
     "tensor 'b': it begins at byte 1, the data before it ends at 2: an overlap"},
    {"{" ENTRY("a", "U8", "2", "0", "2") "," ENTRY("b", "U8", "2", "0", "2") "}", 2, "an overlap"},
    {"{" ENTRY("a", "U8", "3", "0", "3") "," ENTRY("b", "U8", "0", "1", "1") "}", 3, "an overlap"},
    {"{" ENTRY("a", "U8", "1", "0", "1") "," ENTRY("b", "U8", "1", "2", "3") "}", 3,
     "tensor 'b': it begins at byte 2, the data before it ends at 1: a gap"},
    {"{" ENTRY("a", "U8", "1", "1", "2") "}", 2, "a gap"},
    {"{" ENTRY("a", "U8", "0", "1", "1") "}", 1, "a gap"},
    // values
    {"{" ENTRY("a", "U8", "1", "0", "1") "," ENTRY("b", "BOOL", "2", "1", "3") "}", 3, NULL},
};
enum { ST_CASES = sizeof st_cases / sizeof *st_cases };

// the bytes of a case; the caller frees
static inline unsigned char *st_case_bytes(const st_case *c, size_t *size) {
    uint64_t length = strlen(c->header);
    *size = 8 + length + (size_t)c->data;
    unsigned char *bytes = malloc(*size);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(length >> 8 * i);
    memcpy(bytes + 8, c->header, length);
    for (int i = 0; i < c->data; i++) bytes[8 + length + (size_t)i] = (unsigned char)(i % 2);
    return bytes;
}

#endif
