/* draw/video.c - a child that encodes. It reads from a socket, not a pipe: writing to a child that has
 * died is then an error to report instead of a signal that ends us. */
#include "draw/video.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct bex_video {
    bex_file_out out;
    size_t frame; // bytes
    pid_t child;  // 0: none
    int to;       // its input; -1: closed
};

// the exit code of the child, after the end of its input
static int finish(bex_video *v) {
    int status = 0;
    if (v->to >= 0) close(v->to);
    v->to = -1;
    if (!v->child) return 0;
    while (waitpid(v->child, &status, 0) < 0 && errno == EINTR) continue;
    v->child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int spawn(bex_video *v, int input, int width, int height, double fps) {
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%g", fps);
    const char *const words[] = {
        "ffmpeg",   "-loglevel", "quiet", "-f",       "rawvideo", "-pix_fmt",       "rgb24",
        "-s",       size,        "-r",    rate,       "-i",       "pipe:0",         "-c:v",
        "libx264",  "-crf",      "20",    "-pix_fmt", "yuv420p",  "-movflags",      "+faststart",
        "-threads", "1",         "-f",    "mp4",      "-y",       v->out.temporary, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int why = posix_spawnp(&v->child, "ffmpeg", &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!why) return 0;
    v->child = 0;
    bex_fail("'%s': cannot run ffmpeg: %s", v->out.path, strerror(why));
    return bex_fail_hint("install ffmpeg; or name a .gif or a .png");
}

int bex_video_open(bex_video **out, const char *path, int width, int height, double fps) {
    BEX_CHECK(width > 0 && height > 0 && width % 2 == 0 && height % 2 == 0, "%d x %d", width,
              height);
    int ends[2];
    *out = NULL;
    bex_video *v = calloc(1, sizeof *v);
    if (!v) return bex_fail("out of memory");
    v->to = -1;
    v->frame = 3 * (size_t)width * (size_t)height;
    if (bex_file_create(&v->out, path, 1) < 0) return free(v), -1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) {
        bex_fail("'%s': %s", path, strerror(errno));
        return bex_video_free(v), -1;
    }
    v->to = ends[0];
    fcntl(v->to, F_SETFD, FD_CLOEXEC);
    int code = spawn(v, ends[1], width, height, fps);
    close(ends[1]);
    if (code < 0) return bex_video_free(v), -1;
    *out = v;
    return 0;
}

void bex_video_free(bex_video *v) {
    if (!v) return;
    finish(v);
    bex_file_discard(&v->out);
    free(v);
}

static int failed(bex_video *v, int code) {
    bex_fail("'%s': ffmpeg failed (code %d)", v->out.path, code);
    return bex_fail_hint("it needs the encoder libx264, as Debian's has");
}

int bex_video_add(bex_video *v, const unsigned char *rgb) {
    for (size_t at = 0; at < v->frame;) {
        ssize_t n = send(v->to, rgb + at, v->frame - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return failed(v, finish(v));
        at += (size_t)n;
    }
    return 0;
}

int bex_video_commit(bex_video *v) {
    BEX_CHECK(v->child, "a video committed twice");
    shutdown(v->to, SHUT_WR);
    int code = finish(v);
    if (code != 0) return failed(v, code);
    return bex_file_commit(&v->out);
}
