#include "host/lock.h"

#include "base/error.h"
#include "base/path.h"
#include "host/nofollow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 100 };

// the file that was locked may have been removed or moved away between open and flock: then it guards nothing
static bool still_named(int fd, const char *file) {
    struct stat locked, named;
    return fstat(fd, &locked) == 0 && lstat(file, &named) == 0 && locked.st_ino == named.st_ino &&
           locked.st_dev == named.st_dev;
}

int bex_lock_take(const char *folder, const char *what) {
    char file[BEX_PATH_SIZE], who[32] = "";
    int fd = -1;
    if (bex_path_join(file, folder, "lock") < 0) return -1;
    for (int i = 0; i < ATTEMPTS; i++) {
        fd = bex_open_nofollow(file, O_RDWR | O_CREAT);
        if (fd < 0) return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
            ssize_t n = read(fd, who, sizeof who - 1);
            who[n > 0 ? strspn(who, "0123456789") : 0] = 0;
            close(fd);
            return bex_fail("%s '%s' is in use%s%s", what, folder, *who ? " by process " : "", who);
        }
        if (still_named(fd, file)) break;
        close(fd);
        fd = -1;
    }
    if (fd < 0) return bex_fail("%s '%s' is in use", what, folder);
    int n = snprintf(who, sizeof who, "%d\n", (int)getpid());
    // only a courtesy to whom it will be refused
    if (ftruncate(fd, 0) < 0 || pwrite(fd, who, (size_t)n, 0) < 0) errno = 0;
    return fd;
}
