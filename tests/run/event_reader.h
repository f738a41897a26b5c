/* tests/exp/event_reader.h - TensorBoard's event files read back, written from the format alone. */
#ifndef BEX_TESTS_EXP_EVENT_READER_H
#define BEX_TESTS_EXP_EVENT_READER_H

#include "base/file.h"
#include "run/events.h"

#include "test.h"

typedef struct span {
    const unsigned char *at, *end;
} span;

static inline uint64_t read_little(span *s, int bytes) {
    uint64_t v = 0;
    assert_true(s->end - s->at >= bytes);
    for (int i = 0; i < bytes; i++) v |= (uint64_t)*s->at++ << 8 * i;
    return v;
}

static inline uint64_t read_varint(span *s) {
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
        assert_true(s->at < s->end && shift < 64);
        v |= (uint64_t)(*s->at & 127) << shift;
        if (!(*s->at++ & 128)) return v;
    }
}

typedef struct field {
    int number, wire;
    uint64_t integer;
    double real;
    span bytes;
} field;

static inline int next_field(span *s, field *f) {
    if (s->at == s->end) return 0;
    uint64_t key = read_varint(s);
    *f = (field){.number = (int)(key >> 3), .wire = (int)(key & 7)};
    if (f->wire == 0) f->integer = read_varint(s);
    if (f->wire == 1) f->integer = read_little(s, 8), memcpy(&f->real, &f->integer, 8);
    if (f->wire == 5) {
        uint32_t bits = (uint32_t)read_little(s, 4);
        float narrow;
        memcpy(&narrow, &bits, 4);
        f->real = (double)narrow;
    }
    if (f->wire == 2) {
        uint64_t n = read_varint(s);
        assert_true(n <= (uint64_t)(s->end - s->at));
        f->bytes = (span){s->at, s->at + n};
        s->at += n;
    }
    assert_true(f->wire == 0 || f->wire == 1 || f->wire == 2 || f->wire == 5);
    return 1;
}

static inline span next_record(span *s) {
    const unsigned char *head = s->at;
    uint64_t n = read_little(s, 8);
    assert_int_equal(read_little(s, 4), bex_crc32c_masked(head, 8));
    span payload = {s->at, s->at + n};
    assert_true(n <= (uint64_t)(s->end - s->at));
    s->at += n;
    assert_int_equal(read_little(s, 4), bex_crc32c_masked(payload.at, n));
    return payload;
}

typedef struct event {
    double time;
    long long step;
    span version, summary, session;
} event;

static inline event read_event(span payload) {
    event e = {0};
    for (field f; next_field(&payload, &f);) {
        if (f.number == 1) assert_int_equal(f.wire, 1), e.time = f.real;
        if (f.number == 2) assert_int_equal(f.wire, 0), e.step = (long long)f.integer;
        if (f.number == 3) e.version = f.bytes;
        if (f.number == 5) e.summary = f.bytes;
        if (f.number == 7) e.session = f.bytes;
        assert_true(f.number == 1 || f.number == 2 || f.number == 3 || f.number == 5 ||
                    f.number == 7);
    }
    assert_true(e.time > 1e9 && e.time < 1e11);
    return e;
}

static inline int is(span s, const char *text) {
    return (size_t)(s.end - s.at) == strlen(text) && !memcmp(s.at, text, strlen(text));
}

static inline field value_of(span *summary, const char *tag) {
    field f = {0}, kept = {0};
    assert_true(next_field(summary, &f) && f.number == 1);
    span value = f.bytes;
    assert_true(next_field(&value, &f) && f.number == 1 && is(f.bytes, tag));
    assert_true(next_field(&value, &kept));
    assert_true(value.at == value.end);
    return kept;
}

static inline span load(char **text, const char *path) {
    size_t size;
    assert_int_equal(bex_file_read(text, &size, path, 1 << 20), 0);
    return (span){(unsigned char *)*text, (unsigned char *)*text + size};
}

#endif
