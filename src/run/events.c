/* run/events.c - protobuf by hand: a field is varint(number << 3 | wire type), then its value. */
#include "run/events.h"

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "host/folder.h"
#include "host/nofollow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char PREFIX[] = "events.out.tfevents.";
static const size_t LARGEST_FILE = (size_t)1 << 31;
enum { HEAD = 12, TAIL = 4 }; // bytes of a record around its payload

struct bex_events {
    int fd;
    off_t size; // bytes of whole records
    char path[BEX_PATH_SIZE];
};

/* ---- checksum ---- */
uint32_t bex_crc32c(const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= b[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

uint32_t bex_crc32c_masked(const void *bytes, size_t size) {
    uint32_t crc = bex_crc32c(bytes, size);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

/* ---- messages ---- */
typedef struct message {
    unsigned char *bytes;
    size_t used, room;
} message;

static void put(message *m, const void *bytes, size_t n) {
    if (m->used + n > m->room) {
        m->room = 2 * (m->used + n) + 64;
        m->bytes = realloc(m->bytes, m->room);
        BEX_CHECK(m->bytes, "out of memory for an event of %zu bytes", m->room);
    }
    if (n) memcpy(m->bytes + m->used, bytes, n);
    m->used += n;
}

static void put_little(message *m, uint64_t value, int bytes) {
    unsigned char b[8];
    for (int i = 0; i < bytes; i++) b[i] = (unsigned char)(value >> 8 * i);
    put(m, b, (size_t)bytes);
}

static void put_varint(message *m, uint64_t value) {
    unsigned char b[10];
    size_t n = 0;
    for (; value > 127; value >>= 7) b[n++] = (unsigned char)(value | 128);
    b[n++] = (unsigned char)value;
    put(m, b, n);
}

enum { VARINT = 0, EIGHT_BYTES = 1, LENGTH = 2, FOUR_BYTES = 5 };

static void put_key(message *m, int field, int wire) {
    put_varint(m, (uint64_t)field << 3 | (uint64_t)wire);
}

static void put_bits(message *m, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_little(m, bits, 8);
}

static void put_double(message *m, int field, double value) {
    put_key(m, field, EIGHT_BYTES);
    put_bits(m, value);
}

static void put_float(message *m, int field, double value) {
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_key(m, field, FOUR_BYTES);
    put_little(m, bits, 4);
}

static void put_integer(message *m, int field, long long value) {
    put_key(m, field, VARINT);
    put_varint(m, (uint64_t)value);
}

static void put_bytes(message *m, int field, const void *bytes, size_t n) {
    put_key(m, field, LENGTH);
    put_varint(m, n);
    put(m, bytes, n);
}

// takes `inner` and frees it
static void put_message(message *m, int field, message *inner) {
    put_bytes(m, field, inner->bytes, inner->used);
    free(inner->bytes);
    *inner = (message){0};
}

/* ---- records ---- */
static void begin_event(message *m, long long step) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *m = (message){0};
    put_double(m, 1, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
    if (step) put_integer(m, 2, step);
}

// one write, whole or not at all; takes the event and frees it
static int write_event(bex_events *e, message *event) {
    message record = {0};
    put_little(&record, event->used, 8);
    put_little(&record, bex_crc32c_masked(record.bytes, 8), 4);
    put(&record, event->bytes, event->used);
    put_little(&record, bex_crc32c_masked(event->bytes, event->used), 4);
    size_t done = 0;
    int why = 0;
    while (done < record.used && !why) {
        ssize_t n = write(e->fd, record.bytes + done, record.used - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            why = errno;
    }
    if (why) {
        // readers stop at a half record: take it back
        if (ftruncate(e->fd, e->size) == 0) lseek(e->fd, e->size, SEEK_SET);
        bex_fail("cannot write '%s': %s", e->path, strerror(why));
    } else {
        e->size += (off_t)record.used;
    }
    free(record.bytes);
    free(event->bytes);
    return why ? -1 : 0;
}

// an event that holds one summary; takes it
static int write_summary(bex_events *e, long long step, message *summary) {
    message event;
    begin_event(&event, step);
    put_message(&event, 5, summary);
    return write_event(e, &event);
}

int bex_events_scalars(bex_events *e, long long step, const char *const *tags, const double *values,
                       int count) {
    message summary = {0};
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        message value = {0};
        put_bytes(&value, 1, tags[i], strlen(tags[i]));
        put_float(&value, 2, values[i]);
        put_message(&summary, 1, &value);
    }
    return summary.used ? write_summary(e, step, &summary) : 0;
}

static long long big_endian(const unsigned char *b) {
    return (long long)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

int bex_events_image(bex_events *e, long long step, const char *tag, const void *png, size_t size) {
    const unsigned char *b = png;
    if (size < 33 || memcmp(b, "\x89PNG\r\n\x1a\n", 8) != 0 || memcmp(b + 12, "IHDR", 4) != 0)
        return bex_fail("image '%s': not a PNG", tag);
    static const int channels[7] = {[0] = 1, [2] = 3, [3] = 3, [4] = 2, [6] = 4};
    message image = {0}, value = {0}, summary = {0};
    put_integer(&image, 1, big_endian(b + 20)); // height
    put_integer(&image, 2, big_endian(b + 16)); // width
    put_integer(&image, 3, b[25] < 7 ? channels[b[25]] : 3);
    put_bytes(&image, 4, png, size);
    put_bytes(&value, 1, tag, strlen(tag));
    put_message(&value, 4, &image);
    put_message(&summary, 1, &value);
    return write_summary(e, step, &summary);
}

static void put_packed(message *m, int field, const double *values, int n) {
    put_key(m, field, LENGTH);
    put_varint(m, 8 * (uint64_t)n);
    for (int i = 0; i < n; i++) put_bits(m, values[i]);
}

int bex_events_histogram(bex_events *e, long long step, const char *tag, const double *values,
                         size_t count, int bins) {
    BEX_CHECK(bins > 0, "%d bins", bins);
    double lo = INFINITY, hi = -INFINITY, sum = 0, squares = 0, number = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        lo = fmin(lo, values[i]), hi = fmax(hi, values[i]);
        sum += values[i], squares += values[i] * values[i], number++;
    }
    if (number == 0) return 0;
    double *limit = calloc(2 * (size_t)bins, sizeof *limit), *bucket = limit + bins;
    BEX_CHECK(limit, "out of memory for %d bins", bins);
    double breadth = hi > lo ? (hi - lo) / bins : 1.0 / bins;
    for (int i = 0; i < bins; i++) limit[i] = lo + breadth * (i + 1);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        int k = (int)((values[i] - lo) / breadth);
        bucket[k < bins ? k : bins - 1]++;
    }
    message histogram = {0}, value = {0}, summary = {0};
    const double moments[] = {lo, hi, number, sum, squares};
    for (int i = 0; i < 5; i++) put_double(&histogram, i + 1, moments[i]);
    put_packed(&histogram, 6, limit, bins);
    put_packed(&histogram, 7, bucket, bins);
    free(limit);
    put_bytes(&value, 1, tag, strlen(tag));
    put_message(&value, 5, &histogram);
    put_message(&summary, 1, &value);
    return write_summary(e, step, &summary);
}

/* ---- files ---- */
static bool is_event_file(const char *name) {
    return !strncmp(name, PREFIX, sizeof PREFIX - 1);
}

// the header of a file; step: where a TensorBoard forgets what it had shown
static int write_head(bex_events *e, long long step) {
    static const char version[] = "brain.Event:2";
    message event, session = {0};
    begin_event(&event, 0);
    put_bytes(&event, 3, version, sizeof version - 1);
    if (write_event(e, &event) < 0) return -1;
    begin_event(&event, step);
    put_integer(&session, 1, 1); // SessionLog.status = START
    put_message(&event, 7, &session);
    return write_event(e, &event);
}

// seconds in the newest file's name, 0 for none
static int newest_time(long long *seconds, const char *directory) {
    char **names;
    int count = bex_folder_list(&names, directory);
    if (count < 0) return -1;
    *seconds = 0;
    for (int i = 0; i < count; i++) {
        if (!is_event_file(names[i])) continue;
        long long t = strtoll(names[i] + sizeof PREFIX - 1, NULL, 10);
        if (t > *seconds && t < LLONG_MAX) *seconds = t;
    }
    free(names);
    return 0;
}

static bex_events *open_at(const char *directory, long long step) {
    long long newest, now = (long long)time(NULL);
    if (newest_time(&newest, directory) < 0) return NULL;
    if (now <= newest) now = newest + 1; // readers go by name: later files must sort later
    char host[65] = "";
    if (gethostname(host, sizeof host - 1) < 0 || !*host) strcpy(host, "localhost");
    for (char *c = host; *c; c++)
        if (*c == '/') *c = '_';
    bex_events *e = calloc(1, sizeof *e);
    BEX_CHECK(e, "out of memory");
    e->fd = -1;
    if (bex_path_join(e->path, directory, "%s%010lld.%s.%d.0", PREFIX, now, host, (int)getpid()) ==
        0)
        e->fd = bex_open_nofollow(e->path, O_WRONLY | O_CREAT | O_EXCL);
    if (e->fd >= 0 && write_head(e, step) == 0) return e;
    bex_events_close(e);
    return NULL;
}

bex_events *bex_events_open(const char *directory) {
    return open_at(directory, 0);
}

static uint64_t little(const unsigned char *b, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)b[i] << 8 * i;
    return value;
}

// the step of a payload we wrote: wall_time first, then step unless 0
static long long step_of(const unsigned char *b, size_t size) {
    size_t at = 9;
    uint64_t step = 0;
    if (size <= at || b[at++] != (2 << 3 | VARINT)) return 0;
    for (int shift = 0; at < size && shift < 64; shift += 7, at++) {
        step |= (uint64_t)(b[at] & 127) << shift;
        if (!(b[at] & 128)) break;
    }
    return (long long)step;
}

// bytes up to the first record past `step`, or to the first that is torn or not one
static size_t whole_records(const unsigned char *b, size_t size, long long step) {
    size_t at = 0;
    while (size - at >= HEAD + TAIL) {
        uint64_t n = little(b + at, 8);
        if (little(b + at + 8, 4) != bex_crc32c_masked(b + at, 8)) break;
        if (n > size - at - HEAD - TAIL) break;
        const unsigned char *payload = b + at + HEAD;
        if (little(payload + n, 4) != bex_crc32c_masked(payload, n)) break;
        if (step_of(payload, n) > step) break;
        at += HEAD + n + TAIL;
    }
    return at;
}

static int cut(const char *path, long long step) {
    char *text;
    size_t size;
    if (bex_file_read(&text, &size, path, LARGEST_FILE) < 0) return -1;
    size_t keep = whole_records((unsigned char *)text, size, step);
    free(text);
    if (keep == size) return 0;
    int fd = keep ? bex_open_nofollow(path, O_WRONLY) : -1;
    if (keep && fd < 0) return -1;
    int bad = keep ? ftruncate(fd, (off_t)keep) < 0 : unlink(path) < 0;
    if (bad) bex_fail("cannot cut '%s': %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    return bad ? -1 : 0;
}

bex_events *bex_events_resume(const char *directory, long long step) {
    char **names, path[BEX_PATH_SIZE];
    int count = bex_folder_list(&names, directory), bad = count < 0;
    for (int i = 0; i < count && !bad; i++) {
        if (!is_event_file(names[i])) continue;
        bad = bex_path_join(path, directory, "%s", names[i]) < 0 || cut(path, step) < 0;
    }
    free(names);
    return bad ? NULL : open_at(directory, step + 1);
}

int bex_events_sync(bex_events *e) {
    if (fsync(e->fd) == 0) return 0;
    return bex_fail("cannot write '%s': %s", e->path, strerror(errno));
}

const char *bex_events_path(const bex_events *e) {
    return e->path;
}

void bex_events_close(bex_events *e) {
    if (!e) return;
    if (e->fd >= 0) close(e->fd);
    free(e);
}
