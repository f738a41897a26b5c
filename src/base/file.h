/* base/file.h - whole files: read with a size limit, written so that a crash leaves old or new. */
#ifndef BEX_BASE_FILE_H
#define BEX_BASE_FILE_H

#include "base/path.h"

#include <stddef.h>
#include <stdio.h>

/* A regular file to read, and its size. Anything else (a directory, a device, a fifo) is refused at
 * once: none is waited for. NULL with a message naming the path; the caller closes. */
FILE *bex_file_open(const char *path, size_t *size);

/* Read a regular file whole. *text is malloced, NUL-terminated past `size` bytes; caller frees.
 * Longer than `limit` bytes, missing, a directory: negative with a message naming the path. */
int bex_file_read(char **text, size_t *size, const char *path, size_t limit);

/* A number that tells two contents of a file apart (FNV-1a, 64 bits; no defence against malice), and its
 * size. Negative with a message naming the path. */
int bex_file_digest(unsigned long long *digest, long long *bytes, const char *path);

/* An output that appears under its name only when complete:
 *     bex_file_out out;
 *     if (bex_file_create(&out, path, replace) < 0) ...
 *     fwrite(..., out.stream); ...
 *     if (bex_file_commit(&out) < 0) ...     flush, fsync, rename; on any error nothing is left
 *     bex_file_discard(&out)                 instead of commit; also fine after it
 * replace 0: an existing path is refused with a message. Write errors (full disk) surface in
 * commit. The directory must exist. */
typedef struct bex_file_out {
    FILE *stream;
    char path[BEX_PATH_SIZE], temporary[BEX_PATH_SIZE + 32];
    int replace;
} bex_file_out;

int bex_file_create(bex_file_out *out, const char *path, int replace);
int bex_file_commit(bex_file_out *out);
void bex_file_discard(bex_file_out *out);

#endif
