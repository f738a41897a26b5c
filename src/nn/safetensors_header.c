/* nn/safetensors_header.c - two passes over the text: is it JSON, and how much of what; then what it says.
 *
 * The first pass knows the grammar and where it was broken; the second reads text that is known to be
 * good, into arrays of the sizes the first one counted. A string unescaped is never longer than in the
 * text: one buffer as long as that holds them all. */
#include "nn/safetensors_header.h"

#include "base/error.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64 }; // of nesting; a header has three

typedef struct reader {
    const char *begin, *at, *end;
    char *out;          // where the next string goes; NULL: the first pass, which keeps none
    int members, pairs; // of the outermost object, of the objects in it
} reader;

/* ---- the first pass: grammar ---- */

BEX_PRINTF(2, 3) static int broken(const reader *r, const char *fmt, ...) {
    char why[120];
    int line = 1, column = 1;
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    for (const char *c = r->begin; c < r->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return bex_fail("header: JSON line %d column %d: %s", line, column, why);
}

static void skip_space(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

// the next character is c: past it
static bool take(reader *r, char c) {
    skip_space(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static int expected(const reader *r, const char *what) {
    if (r->at == r->end) return broken(r, "it ends where %s is expected", what);
    return broken(r, "%s is expected", what);
}

// four hexadecimal digits, negative without a message
static int hex4(reader *r) {
    int value = 0;
    if (r->end - r->at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        char c = *r->at++;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return -1;
        value = 16 * value + digit;
    }
    return value;
}

static void put(reader *r, int byte) {
    if (r->out) *r->out++ = (char)byte;
}

static void put_utf8(reader *r, int code) {
    if (code < 0x80) {
        put(r, code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const int lead[] = {0, 0xc0, 0xe0, 0xf0};
    put(r, lead[more] | code >> 6 * more);
    while (more--) put(r, 0x80 | (code >> 6 * more & 0x3f));
}

// behind a backslash
static int escape(reader *r) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *known = r->at < r->end ? memchr(from, *r->at, sizeof from - 1) : NULL;
    if (known) {
        r->at++;
        put(r, to[known - from]);
        return 0;
    }
    if (r->at == r->end || *r->at++ != 'u') return broken(r, "no such escape");
    int code = hex4(r);
    if (code < 0) return broken(r, "no such escape");
    if (code >= 0xd800 && code < 0xdc00 && r->end - r->at >= 2 && r->at[0] == '\\' &&
        r->at[1] == 'u') {
        r->at += 2;
        int low = hex4(r);
        if (low < 0xdc00 || low > 0xdfff) return broken(r, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code >= 0xd800 && code < 0xe000) return broken(r, "half of a surrogate pair");
    if (code == 0) return broken(r, "a NUL in a string");
    put_utf8(r, code);
    return 0;
}

// a string, its opening quote included
static int string(reader *r) {
    if (!take(r, '"')) return expected(r, "a string");
    while (r->at < r->end && *r->at != '"') {
        unsigned char c = (unsigned char)*r->at;
        if (c == '\\') {
            r->at++;
            if (escape(r) < 0) return -1;
            continue;
        }
        if (c < 0x20) return broken(r, "control character 0x%02x in a string", c);
        int n = bex_utf8_sequence(r->at, (size_t)(r->end - r->at));
        if (n == 0) return broken(r, "unable to decode byte 0x%02x", c);
        for (; n > 0; n--) put(r, *r->at++);
    }
    if (r->at == r->end) return broken(r, "it ends in a string");
    r->at++;
    put(r, 0);
    return 0;
}

static bool digits(reader *r) {
    const char *first = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    return r->at > first;
}

// a number; *integer: its value, or negative if it is a fraction, negative or none
static int number(reader *r, int64_t *integer) {
    const char *first = r->at;
    bool negative = *r->at == '-', whole = true;
    r->at += negative;
    const char *digit = r->at;
    if (!digits(r) || (*digit == '0' && r->at - digit > 1)) {
        r->at = first;
        return broken(r, "no number");
    }
    const char *end = r->at;
    if (r->at < r->end && *r->at == '.') {
        r->at++, whole = false;
        if (!digits(r)) return broken(r, "no number");
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        r->at++, whole = false;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-')) r->at++;
        if (!digits(r)) return broken(r, "no number");
    }
    *integer = -1;
    if (!whole || negative) return 0;
    for (*integer = 0; digit < end; digit++)
        if (__builtin_mul_overflow(*integer, 10, integer) ||
            __builtin_add_overflow(*integer, *digit - '0', integer))
            return broken(r, "too big integer");
    return 0;
}

static int value(reader *r, int depth);

// members or items up to the closing character; which ones are counted depends on how deep they are
static int several(reader *r, bool object, int depth) {
    char close = object ? '}' : ']';
    if (depth > DEPTH) return broken(r, "nested too deeply");
    r->at++;
    if (take(r, close)) return 0;
    do {
        if (object) {
            skip_space(r);
            if (string(r) < 0) return -1;
            if (!take(r, ':')) return expected(r, "':'");
            if (depth == 1) r->members++;
            if (depth == 2) r->pairs++;
        }
        if (value(r, depth) < 0) return -1;
    } while (take(r, ','));
    return take(r, close) ? 0 : expected(r, object ? "',' or '}'" : "',' or ']'");
}

// any value
static int value(reader *r, int depth) {
    static const char *const words[] = {"true", "false", "null"};
    int64_t ignored;
    skip_space(r);
    if (r->at == r->end) return expected(r, "a value");
    if (*r->at == '"') return string(r);
    if (*r->at == '{' || *r->at == '[') return several(r, *r->at == '{', depth + 1);
    if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9')) return number(r, &ignored);
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(r->end - r->at) >= n && !memcmp(r->at, words[i], n)) return r->at += n, 0;
    }
    return broken(r, "no value");
}

static int check(reader *r) {
    if (value(r, 0) < 0) return -1;
    skip_space(r);
    return r->at == r->end ? 0 : broken(r, "something behind the end");
}

/* ---- the second pass: what it says. The text is known to be good ---- */

// the value that comes next begins with this character
static bool next_is(reader *r, char c) {
    skip_space(r);
    return *r->at == c;
}

static const char *take_string(reader *r) {
    const char *text = r->out;
    string(r);
    return text;
}

// `[` or `{` and all that is in it, or any other value
static void pass_over(reader *r) {
    char *out = r->out;
    r->out = NULL;
    value(r, 0);
    r->out = out;
}

// at most `most` non-negative integers, at least `least`; how many
static int take_integers(reader *r, const char *key, int64_t *out, int least, int most) {
    int n = 0;
    if (!next_is(r, '[')) return bex_fail("key '%s' is not an array", key);
    r->at++;
    if (!take(r, ']')) {
        do {
            int64_t x = -1;
            skip_space(r);
            if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'))
                number(r, &x);
            else
                pass_over(r);
            if (x < 0 && n < most)
                return bex_fail("'%s'[%d] is not a non-negative integer", key, n);
            if (n < most) out[n] = x;
            n++;
        } while (take(r, ','));
        take(r, ']');
    }
    if (n >= least && n <= most) return n;
    return bex_fail("'%s' has %d numbers, at %s %d are allowed", key, n,
                    n < least ? "least" : "most", n < least ? least : most);
}

static int take_dtype(reader *r, bex_st_dtype *dtype) {
    if (!next_is(r, '"')) return bex_fail("key 'dtype' is not a string");
    const char *name = take_string(r);
    for (int i = 0; i < BEX_ST_DTYPES; i++)
        if (!strcmp(bex_st_dtype_name((bex_st_dtype)i), name)) return *dtype = (bex_st_dtype)i, 0;
    return bex_fail("unknown dtype '%.40s'", name);
}

static int take_entry(reader *r, bex_st_entry *e) {
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    static const char *const types[] = {"a string", "an array", "an array"};
    bool seen[3] = {false};
    int64_t offsets[2] = {0, 0};
    if (!next_is(r, '{')) return bex_fail("its entry is not an object");
    r->at++;
    if (!take(r, '}')) {
        do {
            skip_space(r);
            const char *key = take_string(r);
            int which = 0, code = 0;
            while (which < 3 && strcmp(keys[which], key) != 0) which++;
            if (which == 3) return bex_fail("unexpected key '%.60s'", key);
            if (seen[which]) return bex_fail("duplicate key '%s'", key);
            seen[which] = true;
            take(r, ':');
            if (which == 0) code = take_dtype(r, &e->tensor.dtype);
            if (which == 1)
                code = e->tensor.rank = take_integers(r, key, e->tensor.dim, 0, BEX_ST_RANK);
            if (which == 2) code = take_integers(r, key, offsets, 2, 2);
            if (code < 0) return -1;
        } while (take(r, ','));
        take(r, '}');
    }
    for (int i = 0; i < 3; i++)
        if (!seen[i]) return bex_fail("key '%s' is missing (%s)", keys[i], types[i]);
    e->begin = (uint64_t)offsets[0], e->end = (uint64_t)offsets[1];
    return 0;
}

static int take_metadata(reader *r, bex_st_header *h) {
    if (!next_is(r, '{')) return bex_fail("__metadata__ is not an object");
    r->at++;
    if (take(r, '}')) return 0;
    do {
        skip_space(r);
        const char *key = take_string(r);
        take(r, ':');
        if (!next_is(r, '"')) return bex_fail("__metadata__ '%.60s' is not a string", key);
        h->pairs[h->pair_count++] = (bex_st_pair){key, take_string(r)};
    } while (take(r, ','));
    take(r, '}');
    return 0;
}

static int take_members(reader *r, bex_st_header *h, int *metadata) {
    r->at++;
    if (take(r, '}')) return 0;
    do {
        skip_space(r);
        const char *name = take_string(r);
        take(r, ':');
        if (!strcmp(name, "__metadata__")) {
            ++*metadata;
            if (take_metadata(r, h) < 0) return -1;
            continue;
        }
        if (!bex_utf8_is_name(name))
            return bex_fail("tensor '%.60s': its name is empty or has control characters", name);
        bex_st_entry *e = &h->entries[h->count];
        e->tensor.name = name;
        if (take_entry(r, e) < 0) return bex_fail_in("tensor '%.200s'", name);
        h->count++;
    } while (take(r, ','));
    return 0;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// names in `scratch`, sorted: 0, or negative with a message if two are one
static int all_different(const char **scratch, int n) {
    qsort(scratch, (size_t)n, sizeof *scratch, by_text);
    for (int i = 1; i < n; i++)
        if (!strcmp(scratch[i - 1], scratch[i]))
            return bex_fail("header: duplicate key '%.200s'", scratch[i]);
    return 0;
}

static int check_duplicates(const bex_st_header *h, const char **scratch, int metadata) {
    if (metadata > 1) return bex_fail("header: duplicate key '__metadata__'");
    for (int i = 0; i < h->count; i++) scratch[i] = h->entries[i].tensor.name;
    if (all_different(scratch, h->count) < 0) return -1;
    for (int i = 0; i < h->pair_count; i++) scratch[i] = h->pairs[i].key;
    return all_different(scratch, h->pair_count);
}

int bex_st_header_read(bex_st_header *h, const char *text, size_t size) {
    reader r = {.begin = text, .at = text, .end = text + size};
    *h = (bex_st_header){0};
    if (check(&r) < 0) return -1;
    size_t members = (size_t)r.members + 1, pairs = (size_t)r.pairs + 1;
    h->strings = malloc(size + 1);
    h->entries = calloc(members, sizeof *h->entries);
    h->pairs = calloc(pairs, sizeof *h->pairs);
    const char **scratch = malloc((members > pairs ? members : pairs) * sizeof *scratch);
    int metadata = 0, code = 0;
    if (!h->strings || !h->entries || !h->pairs || !scratch)
        code = bex_fail("out of memory: a header of %zu bytes", size);
    r.at = text, r.out = h->strings;
    if (code == 0) code = take_members(&r, h, &metadata);
    if (code == 0) code = check_duplicates(h, scratch, metadata);
    free(scratch);
    if (code < 0) bex_st_header_free(h);
    return code;
}

void bex_st_header_free(bex_st_header *h) {
    free(h->entries);
    free(h->pairs);
    free(h->strings);
    *h = (bex_st_header){0};
}

/* ---- writing ---- */

typedef struct text {
    char *bytes;
    size_t size, room;
    bool failed; // memory ran out
} text;

static void add(text *t, const char *bytes, size_t n) {
    if (t->failed) return;
    if (t->size + n + 1 > t->room) {
        size_t room = 2 * (t->size + n) + 256;
        char *more = realloc(t->bytes, room);
        if (!more) {
            t->failed = true;
            return;
        }
        t->bytes = more, t->room = room;
    }
    memcpy(t->bytes + t->size, bytes, n);
    t->size += n;
    t->bytes[t->size] = 0;
}

static void add_text(text *t, const char *s) {
    add(t, s, strlen(s));
}

static void add_string(text *t, const char *s) {
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    BEX_CHECK(bex_utf8_valid(s), "a string that is not UTF-8");
    add_text(t, "\"");
    for (; *s; s++) {
        const char *known = memchr(from, *s, sizeof from - 1);
        char code[8];
        if (known) {
            code[0] = '\\', code[1] = to[known - from];
            add(t, code, 2);
        } else if ((unsigned char)*s < 0x20) {
            snprintf(code, sizeof code, "\\u%04X", (unsigned)*s);
            add(t, code, 6);
        } else {
            add(t, s, 1);
        }
    }
    add_text(t, "\"");
}

static void add_entry(text *t, const bex_st_entry *e) {
    char number[64];
    add_string(t, e->tensor.name);
    add_text(t, ":{\"dtype\":\"");
    add_text(t, bex_st_dtype_name(e->tensor.dtype));
    add_text(t, "\",\"shape\":[");
    for (int i = 0; i < e->tensor.rank; i++) {
        snprintf(number, sizeof number, "%s%lld", i ? "," : "", (long long)e->tensor.dim[i]);
        add_text(t, number);
    }
    snprintf(number, sizeof number, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)e->begin,
             (unsigned long long)e->end);
    add_text(t, number);
}

char *bex_st_header_write(const bex_st_entry *entries, int count, const bex_st_pair *pairs,
                          int pair_count) {
    text t = {0};
    add_text(&t, "{");
    if (pair_count) add_text(&t, "\"__metadata__\":{");
    for (int i = 0; i < pair_count; i++) {
        if (i) add_text(&t, ",");
        add_string(&t, pairs[i].key);
        add_text(&t, ":");
        add_string(&t, pairs[i].value);
    }
    if (pair_count) add_text(&t, count ? "}," : "}");
    for (int i = 0; i < count; i++) {
        if (i) add_text(&t, ",");
        add_entry(&t, &entries[i]);
    }
    add_text(&t, "}");
    if (!t.failed) return t.bytes;
    free(t.bytes);
    bex_fail("out of memory: a header of %zu bytes and more", t.size);
    return NULL;
}
