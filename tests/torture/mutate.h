/* tests/torture/mutate.h - a small change of a file, the same for the same number: bits, bytes, numbers,
 * cuts, copies, and in text digits, lines and words. */
#ifndef BEX_TESTS_TORTURE_MUTATE_H
#define BEX_TESTS_TORTURE_MUTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct mutation {
    unsigned char *bytes;
    size_t size, room;
    uint64_t state;
} mutation;

// splitmix64: neighbouring seeds give unrelated numbers
static inline uint64_t mutation_next(mutation *m) {
    uint64_t z = m->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static inline size_t mutation_below(mutation *m, size_t n) {
    return n ? (size_t)(mutation_next(m) % n) : 0;
}

// most of a safetensors file is weights: half of all places are in the first 2 kB, where the header is
static inline size_t mutation_place(mutation *m) {
    size_t head = m->size < 2048 ? m->size : 2048;
    return mutation_below(m, mutation_next(m) & 1 ? head : m->size);
}

static inline void mutation_splice(mutation *m, size_t at, size_t gone, const void *put, size_t n) {
    unsigned char copy[256];
    if (gone > m->size - at) gone = m->size - at;
    if (n > sizeof copy || m->size - gone + n > m->room) return;
    memcpy(copy, put, n); // put may lie in the file itself
    memmove(m->bytes + at + n, m->bytes + at + gone, m->size - at - gone);
    memcpy(m->bytes + at, copy, n);
    m->size = m->size - gone + n;
}

static inline void mutation_number(mutation *m, size_t at) {
    static const int64_t odd[] = {
        0,         1,         -1,         127,           255,
        32767,     65535,     2147483647, -2147483648ll, 4294967295ll,
        INT64_MAX, INT64_MIN, 0x7f800000, 0x7fc00000,    0x7ff0000000000000ll};
    int64_t value = odd[mutation_below(m, sizeof odd / sizeof *odd)];
    size_t width = (size_t)1 << mutation_below(m, 4);
    if (at + width <= m->size) memcpy(m->bytes + at, &value, width);
}

static inline void mutation_word(mutation *m, size_t at) {
    static const char *const words[] = {
        "0",    "-1",   "1e308",   "nan",  "inf", "99999999999999999999",
        "",     "null", "{}",      "[]",   "\"",  "\n",
        "true", "=",    "\\u0000", "\xff", "sac", "1e-320",
        "..",   "/",    "#",       ",",    " "};
    const char *word = words[mutation_below(m, sizeof words / sizeof *words)];
    // in place of a number or a name, if one is here
    size_t end = at;
    while (end < m->size && end < at + 40 &&
           strchr("0123456789.+-eEabcdfghijklmnopqrstuvwxyz_", m->bytes[end]) && m->bytes[end])
        end++;
    mutation_splice(m, at, end - at, word, strlen(word));
}

// another digit: the text stays what it was, but for a number
static inline void mutation_digit(mutation *m, size_t at) {
    while (at < m->size && (m->bytes[at] < '0' || m->bytes[at] > '9')) at++;
    if (at < m->size) m->bytes[at] = (unsigned char)('0' + mutation_below(m, 10));
}

static inline void mutation_step(mutation *m) {
    size_t at = mutation_place(m), n = 1 + mutation_below(m, 64), from = mutation_below(m, m->size);
    if (!m->size) return;
    if (from + n > m->size) n = m->size - from;
    switch (mutation_below(m, 14)) {
    case 0:
        m->bytes[at] ^= (unsigned char)(1u << mutation_below(m, 8));
        break;
    case 1:
        m->bytes[at] = (unsigned char)mutation_next(m);
        break;
    case 2:
    case 3:
        mutation_number(m, at);
        break;
    case 4:
        mutation_splice(m, at, n, "", 0);
        break;
    case 5:
        mutation_splice(m, at, 0, m->bytes + from, n);
        break;
    case 6:
        mutation_splice(m, at, n, m->bytes + from, n);
        break;
    case 7:
        if (mutation_below(m, 4) == 0) m->size = at;
        break;
    case 8:
    case 9:
    case 10:
        mutation_word(m, at);
        break;
    default:
        mutation_digit(m, at);
    }
}

// safetensors: the length of the header, which comes first, made true again, or hardly a mutation would be
// looked at
static inline void mutation_mend(mutation *m, size_t size, uint64_t header) {
    if (header > size || size - header < 8 || m->size < size - header || m->size < 8) return;
    uint64_t now = m->size - (size - header);
    memcpy(m->bytes, &now, sizeof now);
}

/* bytes[room] holds the file's `size` bytes and becomes mutation `number` of it; 0 is the file itself.
 * Returns the new size. */
static inline size_t mutate(unsigned char *bytes, size_t size, size_t room, uint64_t number) {
    mutation m = {bytes, size, room, number * 0x2545f4914f6cdd1dull};
    uint64_t header = 0;
    bool tensors = size > 9 && bytes[8] == '{';
    memcpy(&header, bytes, tensors ? sizeof header : 0);
    size_t steps = number ? 1 + mutation_below(&m, 1 + mutation_below(&m, 4)) : 0;
    for (size_t i = 0; i < steps; i++) mutation_step(&m);
    if (tensors && steps && mutation_below(&m, 8)) mutation_mend(&m, size, header);
    return m.size;
}

#endif
