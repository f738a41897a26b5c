/* Piped: whole lines, seldom. On a terminal: one line redrawn in place, no wider than the screen. */
#define _XOPEN_SOURCE 700 // posix_openpt
#include "host/progress.h"

#include "test.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

static void piped_it_prints_whole_lines(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bex_progress p;
    bex_progress_start(&p, f, "train", 1234567);
    assert_false(p.live);
    for (long long i = 0; i < 1234567; i += 1000) bex_progress_update(&p, i, "loss %.3f", 0.5);
    bex_progress_update(&p, 1234567, "loss %.3f", 0.25);
    bex_progress_finish(&p);
    fclose(f);
    // far less than 10 s went by: only the end is printed
    assert_int_equal(strncmp(text, "train  1,234,567/1,234,567 100.0%", 33), 0);
    assert_non_null(strstr(text, "loss 0.250"));
    assert_null(strchr(text, '\r'));
    assert_ptr_equal(strchr(text, '\n'), text + size - 1);
    free(text);
}

static void silent_when_told(void **state) {
    (void)state;
    bex_progress p;
    bex_progress_start(&p, NULL, "train", 10);
    bex_progress_update(&p, 10, "%s", "");
    bex_progress_finish(&p);
    assert_int_equal(p.done, 10);
}

static void a_resumed_run_counts_its_own_rate(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bex_progress p;
    bex_progress_start(&p, f, "train", 1000);
    bex_progress_resume(&p, 900);
    p.started -= 10; // as if 10 s ago
    p.drawn -= 10;
    bex_progress_update(&p, 950, "%s", "x");
    fclose(f);
    assert_non_null(strstr(text, "950/1,000  95.0%"));
    assert_non_null(strstr(text, "  5/s  ETA 10s"));
    free(text);
}

static void a_long_wait_reads_in_hours(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bex_progress p;
    bex_progress_start(&p, f, "train", 5000);
    p.started -= 100;
    p.drawn -= 100;
    bex_progress_update(&p, 100, "%s", "x"); // 1/s, 4900 s to go
    fclose(f);
    assert_non_null(strstr(text, "ETA 1h21m"));
    free(text);
}

// both ends of a pseudo terminal `columns` wide; returns 0 where there are none
static int terminal(int *controller, FILE **screen, unsigned short columns) {
    *controller = posix_openpt(O_RDWR | O_NOCTTY);
    if (*controller < 0 || grantpt(*controller) < 0 || unlockpt(*controller) < 0) return 0;
    *screen = fopen(ptsname(*controller), "w");
    struct winsize size = {.ws_col = columns, .ws_row = 24};
    return *screen && ioctl(*controller, TIOCSWINSZ, &size) == 0;
}

static void live_it_redraws_one_line(void **state) {
    (void)state;
    int controller;
    FILE *screen = NULL;
    if (!terminal(&controller, &screen, 50)) skip();
    bex_progress p;
    bex_progress_start(&p, screen, "train", 100);
    assert_true(p.live);
    for (int i = 0; i < 5; i++) {
        p.drawn -= 1; // as if a second ago
        bex_progress_update(&p, i * 10 + 1, "%s",
                            i % 2 ? "short" : "a text far too long for a screen of fifty columns");
    }
    bex_progress_update(&p, 42, "%s", "too soon to draw");
    bex_progress_finish(&p);
    // it arrives in pieces; finish ends it with the only newline
    char text[4096];
    ssize_t n = 0, got;
    do n += got = read(controller, text + n, sizeof text - 1 - (size_t)n);
    while (got > 0 && text[n - 1] != '\n');
    assert_true(got > 0);
    fclose(screen);
    close(controller);
    text[n] = 0;
    assert_null(strstr(text, "too soon"));
    // five drawings, each from the left edge, none wider than the screen, one newline in all
    int drawings = 0, column = 0, newlines = 0;
    for (ssize_t i = 0; i < n; i++) {
        if (text[i] == '\r') {
            drawings += text[i + 1] != '\n';
            column = 0;
        } else if (text[i] == '\n') {
            newlines++;
        } else {
            assert_true(++column < 50);
        }
    }
    assert_int_equal(drawings, 5);
    assert_int_equal(newlines, 1);
    assert_int_equal(text[n - 1], '\n');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piped_it_prints_whole_lines),
        cmocka_unit_test(silent_when_told),
        cmocka_unit_test(a_resumed_run_counts_its_own_rate),
        cmocka_unit_test(a_long_wait_reads_in_hours),
        cmocka_unit_test(live_it_redraws_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
