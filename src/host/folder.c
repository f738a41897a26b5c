/* host/folder.c - directories over POSIX. */
#include "host/folder.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 1024 };

bool bex_folder_exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int bex_folder_make(const char *path) {
    char part[PATH_SIZE];
    size_t n = strlen(path);
    if (n >= sizeof part) return bex_fail("path too long: '%.60s...'", path);
    if (n == 0) return bex_fail("a directory without a name");
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0777) == 0 || bex_folder_exists(part)) continue;
        return bex_fail("cannot make directory '%s': %s", part, strerror(errno));
    }
    return 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// count and bytes of the names, and the names themselves where there is room for them
static int walk(DIR *dir, char **names, char *text, size_t *bytes, int most) {
    int count = 0;
    size_t used = 0;
    for (struct dirent *d; (d = readdir(dir));) {
        if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..")) continue;
        size_t n = strlen(d->d_name) + 1;
        if (names) {
            if (count == most || used + n > *bytes) break; // it grew meanwhile
            names[count] = memcpy(text + used, d->d_name, n);
        }
        used += n;
        count++;
    }
    *bytes = used;
    return count;
}

int bex_folder_list(char ***names, const char *path) {
    *names = NULL;
    DIR *dir = opendir(path);
    if (!dir) return bex_fail("cannot list '%s': %s", path, strerror(errno));
    size_t bytes = 0;
    int count = walk(dir, NULL, NULL, &bytes, 0);
    char **block = malloc(((size_t)count + 1) * sizeof *block + bytes);
    if (block) {
        rewinddir(dir);
        count = walk(dir, block, (char *)(block + count + 1), &bytes, count);
        qsort(block, (size_t)count, sizeof *block, by_name);
    }
    closedir(dir);
    if (!block) return bex_fail("out of memory to list '%s'", path);
    *names = block;
    return count;
}

int bex_folder_remove(const char *path) {
    struct stat st;
    if (lstat(path, &st) < 0 && errno == ENOENT) return 0;
    if (S_ISDIR(st.st_mode)) {
        char **names;
        int count = bex_folder_list(&names, path), bad = count < 0;
        for (int i = 0; i < count && !bad; i++) {
            char below[PATH_SIZE];
            int n = snprintf(below, sizeof below, "%s/%s", path, names[i]);
            bad = n >= (int)sizeof below ? bex_fail("path too long: '%.60s...'", path)
                                         : bex_folder_remove(below);
        }
        free(names);
        if (bad) return -1;
    }
    if (remove(path) == 0 || errno == ENOENT) return 0;
    return bex_fail("cannot remove '%s': %s", path, strerror(errno));
}

int bex_folder_sync(const char *path) {
    int fd = open(path, O_RDONLY);
    int bad = fd < 0 || fsync(fd) < 0;
    int why = errno;
    if (fd >= 0) close(fd);
    // some network file systems cannot sync a directory: nothing a caller could do
    if (bad && why != EINVAL) return bex_fail("cannot sync '%s': %s", path, strerror(why));
    return 0;
}
