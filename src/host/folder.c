/* host/folder.c - directories over POSIX. */
#include "host/folder.h"

#include "base/error.h"
#include "base/number.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool bex_folder_exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int bex_folder_make(const char *path) {
    char part[BEX_PATH_SIZE];
    size_t n = strlen(path);
    if (bex_path_print(part, "%s", path) < 0) return -1;
    if (n == 0) return bex_fail("a directory without a name");
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        part[i] = 0;
        int why = mkdir(part, 0777) < 0 ? errno : 0;
        if (why && !bex_folder_exists(part))
            return bex_fail("cannot make directory '%s': %s", part, strerror(why));
        part[i] = path[i];
    }
    return 0;
}

/* ---- listing ---- */
static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_self(const char *name) {
    return !strcmp(name, ".") || !strcmp(name, "..");
}

// count and bytes of the names, and the names themselves where there is room for them
static int walk(DIR *dir, char **names, char *text, size_t *bytes, int most) {
    int count = 0;
    size_t used = 0;
    for (struct dirent *d; (d = readdir(dir));) {
        if (is_self(d->d_name)) continue;
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

/* ---- removal ---- */
static int remove_at(int parent, const char *name);

// all below a directory: through its descriptor, so that no name on the way can become a link
static int empty(int parent, const char *name) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), why = 0;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        why = errno;
        if (fd >= 0) close(fd);
        return why;
    }
    for (struct dirent *d; !why && (d = readdir(dir));)
        if (!is_self(d->d_name)) why = remove_at(fd, d->d_name);
    closedir(dir);
    return why;
}

// 0, or the errno of what failed
static int remove_at(int parent, const char *name) {
    struct stat st;
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0) return errno == ENOENT ? 0 : errno;
    bool folder = S_ISDIR(st.st_mode);
    int why = folder ? empty(parent, name) : 0;
    if (why) return why == ENOENT ? 0 : why;
    if (unlinkat(parent, name, folder ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT) return 0;
    return errno;
}

int bex_folder_remove(const char *path) {
    char plain[BEX_PATH_SIZE];
    if (bex_path_print(plain, "%s", path) < 0) return -1;
    // "link/" would be the directory behind it
    for (size_t n = strlen(plain); n > 1 && plain[n - 1] == '/'; n--) plain[n - 1] = 0;
    int why = remove_at(AT_FDCWD, plain);
    return why ? bex_fail("cannot remove '%s': %s", path, strerror(why)) : 0;
}

int bex_folder_sync(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int bad = fd < 0 || fsync(fd) < 0;
    int why = errno;
    if (fd >= 0) close(fd);
    // some network file systems cannot sync a directory: nothing a caller could do
    if (bad && why != EINVAL) return bex_fail("cannot sync '%s': %s", path, strerror(why));
    return 0;
}

/* ---- tidying ---- */
bool bex_process_lives(long long pid) {
    if (pid == getpid() || pid < 1 || pid > INT_MAX) return false;
    return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

// X.tmp-PID-N of a dead writer
static bool is_orphan(const char *name) {
    static const char mark[] = ".tmp-";
    char number[2][24];
    long long pid, count;
    int end = 0;
    const char *at = strstr(name, mark);
    for (const char *next = at; next; next = strstr(next + 1, mark)) at = next;
    if (!at || at == name) return false;
    if (sscanf(at, ".tmp-%20[0-9]-%20[0-9]%n", number[0], number[1], &end) != 2 || at[end])
        return false;
    return bex_integer_parse(&pid, number[0]) == 0 && bex_integer_parse(&count, number[1]) == 0 &&
           !bex_process_lives(pid);
}

int bex_folder_tidy(const char *path) {
    char **names, file[BEX_PATH_SIZE];
    if (!bex_folder_exists(path)) return 0;
    int count = bex_folder_list(&names, path), bad = count < 0;
    for (int i = 0; i < count && !bad; i++) {
        if (!is_orphan(names[i])) continue;
        bad = bex_path_join(file, path, "%s", names[i]) < 0;
        if (!bad && unlink(file) < 0 && errno != ENOENT)
            bad = bex_fail("cannot remove '%s': %s", file, strerror(errno));
    }
    free(names);
    return bad ? -1 : 0;
}
