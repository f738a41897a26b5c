/* tests/torture/shim.c - loaded before libc: counts the calls that change the file system, and kills the
 * process before one of them.
 *
 *     TORTURE_COUNT=FILE LD_PRELOAD=shim.so bex ...     writes the number of calls to FILE at the end
 *     TORTURE_AT=N       LD_PRELOAD=shim.so bex ...     SIGKILL before call N, from 1
 *
 * Buffered writing (fprintf, fputs) is not counted: it reaches the disk in fwrite, fflush and fclose, which
 * are. */
#pragma GCC diagnostic ignored                                                                     \
    "-Wpedantic" // dlsym gives an object pointer, POSIX says it may be called
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;
static long last; // kill before this one; 0: never

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("TORTURE_AT");
    last = at ? atol(at) : 0;
}

__attribute__((destructor)) static void end(void) {
    const char *file = getenv("TORTURE_COUNT");
    char text[32];
    if (!file) return;
    int n = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
    int (*real_open)(const char *, int, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    ssize_t (*real_write)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    int fd = real_open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0 && real_write(fd, text, (size_t)n) == n) close(fd);
}

static void count(void) {
    if (atomic_fetch_add(&calls, 1) + 1 == last) raise(SIGKILL);
}

// the function after us in the search order: libc's
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define COUNTED(result, name, parameters, arguments)                                               \
    result name parameters {                                                                       \
        count();                                                                                   \
        return REAL(name) arguments;                                                               \
    }

COUNTED(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
COUNTED(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at))
COUNTED(ssize_t, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at))
COUNTED(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f))
COUNTED(int, fflush, (FILE * f), (f))
COUNTED(int, fclose, (FILE * f), (f))
COUNTED(int, rename, (const char *a, const char *b), (a, b))
COUNTED(int, link, (const char *a, const char *b), (a, b))
COUNTED(int, symlink, (const char *a, const char *b), (a, b))
COUNTED(int, mkdir, (const char *path, mode_t mode), (path, mode))
COUNTED(int, unlink, (const char *path), (path))
COUNTED(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
COUNTED(int, remove, (const char *path), (path))
COUNTED(int, rmdir, (const char *path), (path))
COUNTED(int, fsync, (int fd), (fd))
COUNTED(int, ftruncate, (int fd, off_t size), (fd, size))
COUNTED(int, ftruncate64, (int fd, off64_t size), (fd, size))
COUNTED(int, truncate, (const char *path, off_t size), (path, size))
COUNTED(int, flock, (int fd, int what), (fd, what))

static mode_t mode_of(int flags, va_list args) {
    return flags & O_CREAT ? (mode_t)va_arg(args, int) : 0;
}

// only those that may write
#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode_t mode = mode_of(flags, args);                                                        \
        va_end(args);                                                                              \
        if (flags & (O_WRONLY | O_RDWR | O_CREAT)) count();                                        \
        return REAL(name)(path, flags, mode);                                                      \
    }
OPEN(open)
OPEN(open64)

int dprintf(int fd, const char *format, ...) {
    va_list args;
    count();
    va_start(args, format);
    int n = vdprintf(fd, format, args);
    va_end(args);
    return n;
}
