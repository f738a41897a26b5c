/* host/lock.c */
#include "host/lock.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int bex_lock_take(const char *folder, const char *what) {
    char file[1200], who[32] = "";
    if (snprintf(file, sizeof file, "%s/lock", folder) >= (int)sizeof file)
        return bex_fail("the name of '%s' is too long", folder);
    int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return bex_fail("cannot write '%s': %s", file, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        ssize_t n = read(fd, who, sizeof who - 1);
        who[n > 0 ? strspn(who, "0123456789") : 0] = 0;
        close(fd);
        return bex_fail("%s '%s' is in use%s%s", what, folder, *who ? " by process " : "", who);
    }
    int n = snprintf(who, sizeof who, "%d\n", (int)getpid());
    // only a courtesy to whom it will be refused
    if (ftruncate(fd, 0) < 0 || pwrite(fd, who, (size_t)n, 0) < 0) errno = 0;
    return fd;
}
