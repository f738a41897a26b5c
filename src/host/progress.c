/* host/progress.c - the live line. */
#include "host/progress.h"

#include "base/clock.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double LIVE_EVERY = 0.1, PLAIN_EVERY = 10.0; // seconds

void bex_progress_start(bex_progress *p, FILE *out, const char *label, long long total) {
    *p = (bex_progress){.out = out, .label = label, .total = total};
    p->live = out && isatty(fileno(out));
    p->started = p->drawn = bex_seconds();
}

void bex_progress_resume(bex_progress *p, long long done) {
    p->first = p->done = done;
    p->started = bex_seconds();
}

// 1234567 -> 1,234,567
static void grouped(char *out, size_t size, long long n) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", n), k = 0;
    for (int i = 0; i < length && k + 2 < (int)size; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-') out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = 0;
}

static void duration(char *out, size_t size, double s) {
    long t = (long)(s + 0.5);
    if (t >= 3600)
        snprintf(out, size, "%ldh%02ldm", t / 3600, t / 60 % 60);
    else if (t >= 60)
        snprintf(out, size, "%ldm%02lds", t / 60, t % 60);
    else
        snprintf(out, size, "%lds", t);
}

static int columns(FILE *out) {
    struct winsize w;
    return ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

static void draw(bex_progress *p, double now, const char *extra) {
    char done[32], total[32], eta[32], line[512];
    double elapsed = now - p->started;
    double rate = elapsed > 0 ? (double)(p->done - p->first) / elapsed : 0;
    grouped(done, sizeof done, p->done);
    grouped(total, sizeof total, p->total);
    duration(eta, sizeof eta, rate > 0 ? (double)(p->total - p->done) / rate : 0);
    int n = snprintf(line, sizeof line, "%s  %s/%s %5.1f%%  %.4g/s  ETA %s  %s", p->label, done,
                     total, p->total ? 100.0 * (double)p->done / (double)p->total : 100.0, rate,
                     rate > 0 ? eta : "-", extra);
    if (n >= (int)sizeof line) n = (int)sizeof line - 1;
    if (p->live) {
        int wide = columns(p->out) - 1;
        if (n > wide) n = wide;
        // overwrite what a longer previous line left
        fprintf(p->out, "\r%.*s%*s", n, line, p->width > n ? p->width - n : 0, "");
        p->width = n;
    } else {
        fprintf(p->out, "%.*s\n", n, line);
    }
    fflush(p->out);
    p->drawn = now;
}

void bex_progress_update(bex_progress *p, long long done, const char *fmt, ...) {
    p->done = done;
    if (!p->out) return;
    double now = bex_seconds();
    if (now - p->drawn < (p->live ? LIVE_EVERY : PLAIN_EVERY) && done < p->total) return;
    char extra[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(extra, sizeof extra, fmt, args);
    va_end(args);
    draw(p, now, extra);
}

void bex_progress_finish(bex_progress *p) {
    if (p->out && p->live) fputc('\n', p->out), fflush(p->out);
}
