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

int bex_file_read(char **text, size_t *size, const char *path, size_t limit) {
    int code = -1;
    char *bytes = NULL;
    FILE *f = fopen(path, "rb");
    if (!f) return bex_fail("cannot read '%s': %s", path, strerror(errno));
    struct stat st;
    if (fstat(fileno(f), &st) < 0 || !S_ISREG(st.st_mode)) {
        bex_fail("'%s' is not a regular file", path);
        goto done;
    }
    if ((unsigned long long)st.st_size > limit) {
        bex_fail("'%s' has %lld bytes, the limit is %zu", path, (long long)st.st_size, limit);
        goto done;
    }
    size_t want = (size_t)st.st_size;
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

int bex_file_create(bex_file_out *out, const char *path, int replace) {
    *out = (bex_file_out){.replace = replace};
    if (strlen(path) >= sizeof out->path) return bex_fail("path too long: '%.60s...'", path);
    strcpy(out->path, path);
    if (!replace && access(path, F_OK) == 0)
        return bex_fail("'%s' exists", path), bex_fail_hint("it is never overwritten");
    snprintf(out->temporary, sizeof out->temporary, "%s.tmp-%d", path, (int)getpid());
    out->stream = fopen(out->temporary, "wb");
    if (!out->stream) return bex_fail("cannot write '%s': %s", path, strerror(errno));
    return 0;
}

// the rename itself must reach the disk: fsync the directory that holds the name
static void sync_directory(const char *path) {
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

int bex_file_commit(bex_file_out *out) {
    int failed = ferror(out->stream) || fflush(out->stream) || fsync(fileno(out->stream));
    int why = errno;
    if (fclose(out->stream) && !failed) failed = 1, why = errno;
    out->stream = NULL;
    // link refuses an existing name, so two writers cannot both win; rename replaces
    if (!failed && !out->replace) {
        failed = link(out->temporary, out->path) < 0;
        why = errno;
        unlink(out->temporary);
    } else if (!failed) {
        failed = rename(out->temporary, out->path) < 0;
        why = errno;
    }
    if (failed) {
        unlink(out->temporary);
        return bex_fail("cannot write '%s': %s", out->path, strerror(why ? why : EIO));
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
