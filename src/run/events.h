/* run/events.h - TensorBoard event files without protobuf: scalars, images, histograms.
 *
 *   record = u64 length | u32 masked crc of those 8 bytes | payload | u32 masked crc of payload
 *   payload = Event { 1 wall_time, 2 step, 5 Summary { 1 Value { 1 tag, 2 | 4 | 5 value } } }
 *
 * all little endian; crc is CRC-32C, masked by a rotation and a constant. Each record is one write:
 * what a call returned from survives kill -9, and a failed write leaves no half record behind.
 *
 * Resuming at step s makes curves right for every reader. Records past s are cut off the files that
 * are there (a curve must not have two branches, in tools that merely parse the files too); then a
 * new file goes on, whose first events tell a TensorBoard that already showed the lost steps to
 * forget them (SessionLog START at s + 1). One thread at a time. */
#ifndef BEX_RUN_EVENTS_H
#define BEX_RUN_EVENTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct bex_events bex_events;

/* A new file events.out.tfevents.<time>.<host>.<pid>.<n> in an existing directory; it sorts after
 * those already there, which stay as they are. NULL with a message. */
bex_events *bex_events_open(const char *directory);

/* The same after cutting every event past `step` (and torn records) off the directory's files. */
bex_events *bex_events_resume(const char *directory, long long step);

/* All of one step in one record; NaN and infinities are left out (a column not measured at this
 * step). 0, or negative with a message (full disk). */
int bex_events_scalars(bex_events *e, long long step, const char *const *tags, const double *values,
                       int count);

/* A PNG file's bytes, shown as they are; its size is read from its header. Not a PNG: negative. */
int bex_events_image(bex_events *e, long long step, const char *tag, const void *png, size_t size);

/* `bins` equal bins over the range of values[count]; non-finite values are left out. */
int bex_events_histogram(bex_events *e, long long step, const char *tag, const double *values,
                         size_t count, int bins);

/* Onto the disk itself. 0 or negative with a message. */
int bex_events_sync(bex_events *e);

const char *bex_events_path(const bex_events *e);
void bex_events_close(bex_events *e); // NULL is fine

/* CRC-32C (Castagnoli) and the form event files carry. */
uint32_t bex_crc32c(const void *bytes, size_t size);
uint32_t bex_crc32c_masked(const void *bytes, size_t size);

#endif
