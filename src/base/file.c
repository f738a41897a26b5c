/* base/file.c - whole-file reading and crash-safe writing. */
#include "base/file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *bex_file_open(const char *path, size_t *size) {
    int fd = open(path, O_RDONLY | O_NONBLOCK); // a fifo without a writer would hang otherwise
    FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
    struct stat st;
    if (!f) {
        bex_fail("cannot read '%s': %s", path, strerror(errno));
        if (fd >= 0) close(fd);
        return NULL;
    }
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        bex_fail("'%s' is not a regular file", path);
        fclose(f);
        return NULL;
    }
    *size = (size_t)st.st_size;
    return f;
}

int bex_file_read(char **text, size_t *size, const char *path, size_t limit) {
    int code = -1;
    char *bytes = NULL;
    size_t want;
    FILE *f = bex_file_open(path, &want);
    if (!f) return -1;
    if (want > limit) {
        bex_fail("'%s' has %zu bytes, the limit is %zu", path, want, limit);
        goto done;
    }
    bytes = malloc(want + 1);
    if (!bytes) {
        bex_fail("out of memory: %zu bytes for '%s'", want, path);
        goto done;
    }
    if (fread(bytes, 1, want, f) != want) {
        bex_fail("cannot read '%s' whole: %s", path, ferror(f) ? strerror(errno) : "it shrank");
        goto done;
    }
    bytes[want] = 0;
    *text = bytes, *size = want;
    bytes = NULL;
    code = 0;
done:
    free(bytes);
    fclose(f);
    return code;
}

int bex_file_digest(unsigned long long *digest, long long *bytes, const char *path) {
    unsigned char block[1 << 16];
    size_t size;
    FILE *f = bex_file_open(path, &size);
    if (!f) return -1;
    *digest = 0xcbf29ce484222325ull, *bytes = 0;
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0; *bytes += (long long)n)
        for (size_t i = 0; i < n; i++) *digest = (*digest ^ block[i]) * 0x100000001b3ull;
    int failed = ferror(f);
    fclose(f);
    return failed ? bex_fail("cannot read '%s'", path) : 0;
}

int bex_file_create(bex_file_out *out, const char *path, int replace) {
    *out = (bex_file_out){.replace = replace};
    if (strlen(path) >= sizeof out->path) return bex_fail("path too long: '%.60s...'", path);
    strcpy(out->path, path);
    if (!replace && access(path, F_OK) == 0)
        return bex_fail("'%s' exists", path), bex_fail_hint("it is never overwritten");
    // a name of its own: two threads may write the same path, and a crash may have left one
    int fd = -1;
    for (int i = 0; i < 1000 && (fd < 0 && (i == 0 || errno == EEXIST)); i++) {
        snprintf(out->temporary, sizeof out->temporary, "%s.tmp-%d-%d", path, (int)getpid(), i);
        fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    }
    if (fd >= 0 && !(out->stream = fdopen(fd, "wb"))) {
        int why = errno; // unlink has one of its own
        close(fd);
        unlink(out->temporary);
        errno = why;
    }
    if (!out->stream) return bex_fail("cannot write '%s': %s", path, strerror(errno));
    return 0;
}

// the rename itself must reach the disk: fsync the directory that holds the name
static void sync_directory(const char *path) {
    char copy[BEX_PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

// everything written is on the disk and the stream closed: 0, or the errno of what failed
static int settle(FILE *stream) {
    int why = 0;
    if (fflush(stream))
        why = errno;
    else if (ferror(stream)) // an earlier write: its errno is gone, a full disk the usual reason
        why = ENOSPC;
    else if (fsync(fileno(stream)))
        why = errno;
    if (fclose(stream) && !why) why = errno;
    return why;
}

// give the temporary its name. link refuses an existing one, so that two writers cannot both win;
// rename replaces it, and serves file systems without hard links
static int publish(const bex_file_out *out) {
    if (out->replace) return rename(out->temporary, out->path) < 0 ? errno : 0;
    if (link(out->temporary, out->path) == 0) return unlink(out->temporary), 0;
    if (errno != EPERM && errno != EOPNOTSUPP) return errno;
    if (access(out->path, F_OK) == 0) return EEXIST;
    return rename(out->temporary, out->path) < 0 ? errno : 0;
}

int bex_file_commit(bex_file_out *out) {
    int why = settle(out->stream);
    out->stream = NULL;
    if (!why) why = publish(out);
    if (why) {
        unlink(out->temporary);
        return bex_fail("cannot write '%s': %s", out->path, strerror(why));
    }
    sync_directory(out->path);
    return 0;
}

void bex_file_discard(bex_file_out *out) {
    if (!out->stream) return;
    fclose(out->stream);
    out->stream = NULL;
    unlink(out->temporary);
}
