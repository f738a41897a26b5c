#include "host/nofollow.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_link(const char *path) {
    bex_fail("'%s' is a symbolic link", path);
    return bex_fail_hint("links are not followed here");
}

int bex_open_nofollow(const char *path, int flags) {
    int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0) return fd;
    return errno == ELOOP ? refuse_link(path)
                          : bex_fail("cannot write '%s': %s", path, strerror(errno));
}

int bex_folder_nofollow(const char *path) {
    struct stat st;
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : bex_fail("'%s': %s", path, strerror(errno));
    if (S_ISLNK(st.st_mode)) return refuse_link(path);
    return S_ISDIR(st.st_mode) ? 0 : bex_fail("'%s' is not a directory", path);
}
