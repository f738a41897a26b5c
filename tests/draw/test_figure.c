/* Figures: files appear whole in each format, SVG is well formed, names its words and repeats to
 * the byte; what cannot be written says so and leaves nothing. Axes: ticks at 1-2-5 steps. */
#include "draw/figure.h"

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "draw/axis.h"

#include "test.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

// cmocka compares in float
#define assert_close(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void sample_first_row(bex_figure *f) {
    bex_rng rng = bex_rng_seed(1);
    bex_panel *p = bex_figure_panel(f, 0, 0);
    enum { N = 60 };
    double x[N], y[3][N], e[N];
    for (int i = 0; i < N; i++) {
        x[i] = 100.0 * i, e[i] = 2 + 0.05 * i;
        y[0][i] = 100 * (1 - exp(-i / 8.0)), y[1][i] = 60 * (1 - exp(-i / 20.0));
        y[2][i] = 30 * (1 - exp(-i / 15.0));
    }
    bex_panel_labels(p, "Coverage <a & b>", "steps", "cells reached (%)");
    bex_panel_line(p, x, y[0], e, N, &(bex_mark){.label = "BE \u03b2"});
    bex_panel_line(p, x, y[1], e, N, &(bex_mark){.label = "BC"});
    y[2][20] = NAN;
    bex_panel_line(p, x, y[2], NULL, N, &(bex_mark){.label = "random", .dashed = true});
    bex_panel_hline(p, 100, &(bex_mark){.dashed = true});
    bex_panel_legend(p, BEX_LEGEND_BEST);

    p = bex_figure_panel(f, 0, 1);
    bex_panel_labels(p, "Trajectories", NULL, NULL);
    bex_panel_aspect(p, 1);
    bex_panel_hide_axes(p);
    for (int i = 0; i < 12; i++)
        bex_panel_rectangle(p, i, i % 3 ? -1 : 2, i + 1, i % 3 ? 0 : 4, NULL);
    bex_panel_rectangle(p, 0, 8, 12, 9, NULL);
    for (int k = 0; k < 40; k++) {
        double px[50], py[50], turn = 0.6;
        px[0] = 1, py[0] = 1;
        for (int i = 1; i < 50; i++) {
            turn += 0.25 * bex_rng_normal(&rng);
            px[i] = px[i - 1] + 0.2 * cos(turn), py[i] = py[i - 1] + 0.2 * sin(turn);
        }
        bex_panel_path(p, px, py, 50, &(bex_mark){.alpha = 0.5, .colour = bex_palette(k % 2)});
    }
    bex_panel_symbol(p, 1, 1, &(bex_mark){.start = true, .label = "start"});
    bex_panel_symbol(p, 10, 7, &(bex_mark){.goal = true, .label = "goal", .colour = BEX_VERMILION});
    bex_panel_legend(p, BEX_LEGEND_OUTSIDE);

    p = bex_figure_panel(f, 0, 2);
    double heat[20 * 30];
    for (int r = 0; r < 20; r++)
        for (int c = 0; c < 30; c++)
            heat[r * 30 + c] = r > 6 && r < 12 && c > 10 && c < 18
                                   ? (double)NAN
                                   : 250 * exp(-0.01 * ((r - 5) * (r - 5) + (c - 8) * (c - 8)));
    bex_panel_labels(p, "Visits", "x (m)", "y (m)");
    bex_panel_heat(p, heat, 20, 30, 0, 30, 0, 20, 0, 0, "visits");
    bex_panel_aspect(p, 1);
}

static void sample_second_row(bex_figure *f) {
    bex_rng rng = bex_rng_seed(2);
    bex_panel *p = bex_figure_panel(f, 1, 0);
    double v[2000];
    for (int i = 0; i < 2000; i++) v[i] = exp(1.2 * bex_rng_normal(&rng) + 3);
    bex_panel_labels(p, "Episodes needed", "episodes", "worlds");
    bex_panel_log(p, true, false);
    bex_panel_histogram(p, v, 2000, 30, &(bex_mark){.colour = BEX_SKY});
    bex_panel_vline(p, 20, &(bex_mark){.dashed = true, .colour = BEX_BLACK});

    p = bex_figure_panel(f, 1, 1);
    static const char *const names[] = {"BE", "BC", "random", "oracle"};
    bex_panel_labels(p, "Goals found", NULL, "goals");
    bex_panel_x_names(p, names, 4);
    for (int i = 0; i < 4; i++) {
        bex_panel_bar(p, i, 0.62, 8 - 1.7 * i, 0.5, NULL);
        bex_panel_text(p, i, 0.5, i ? "n = 10" : "best", 0, &(bex_mark){.colour = 0xFFFFFF});
    }

    p = bex_figure_panel(f, 1, 2);
    double sx[300], sy[300];
    for (int i = 0; i < 300; i++)
        sx[i] = bex_rng_normal(&rng), sy[i] = 1e5 * (0.5 * sx[i] + bex_rng_normal(&rng));
    bex_panel_labels(p, "Scatter", "z", "score");
    bex_panel_scatter(p, sx, sy, 150, &(bex_mark){.label = "train", .alpha = 0.6});
    bex_panel_scatter(p, sx + 150, sy + 150, 150, &(bex_mark){.label = "test", .alpha = 0.6});
    bex_panel_legend(p, BEX_LEGEND_BOTTOM_RIGHT);
}

// every kind of mark, as a report would use them
static bex_figure *sample(void) {
    bex_figure *f = bex_figure_new(2, 3, 230, 170);
    bex_figure_title(f, "Everything a figure can show");
    sample_first_row(f);
    sample_second_row(f);
    return f;
}

#ifdef BEX_HAVE_CAIRO
static char *slurp(const char *path, size_t *size) {
    char *text = NULL;
    assert_int_equal(bex_file_read(&text, size, path, 1 << 28), 0);
    return text;
}

// tags balance and nest, nothing stray after the root; enough of XML for what cairo writes
static void assert_well_formed(const char *s) {
    char open[64][32];
    int depth = 0, roots = 0;
    while ((s = strchr(s, '<'))) {
        const char *end = strchr(s, '>');
        assert_non_null(end);
        if (s[1] == '/') {
            assert_true(depth > 0);
            char name[32];
            snprintf(name, sizeof name, "%.*s", (int)(end - s - 2), s + 2);
            assert_string_equal(name, open[--depth]);
        } else if (s[1] != '?' && s[1] != '!') {
            assert_true(isalpha((unsigned char)s[1]) && depth < 64);
            roots += depth == 0;
            snprintf(open[depth], sizeof open[depth], "%.*s", (int)strcspn(s + 1, " />\n"), s + 1);
            if (end[-1] != '/') depth++;
        }
        s = end + 1;
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
}

static int be32(const char *s) {
    const unsigned char *u = (const unsigned char *)s;
    return (int)(u[0] << 24 | u[1] << 16 | u[2] << 8 | u[3]);
}

static void three_formats_from_one_figure(void **state) {
    (void)state;
    char svg[512], png[512], pdf[512], all[1600];
    snprintf(svg, sizeof svg, "%s", scratch_path("figure.svg"));
    snprintf(png, sizeof png, "%s", scratch_path("figure.PNG"));
    snprintf(pdf, sizeof pdf, "%s", scratch_path("figure.pdf"));
    snprintf(all, sizeof all, "%s,%s,%s", svg, png, pdf);
    bex_figure *f = sample();
    assert_int_equal(bex_figure_save(f, all), 0);
    size_t size;
    char *text = slurp(svg, &size);
    assert_well_formed(text);
    static const char *const words[] = {"Everything a figure can show",
                                        "cells reached (%)",
                                        "BE \u03b2",
                                        "Coverage &lt;a &amp; b&gt;",
                                        "oracle",
                                        "visits"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(text, words[i])) fail_msg("the SVG lacks '%s'", words[i]);
    free(text);
    text = slurp(png, &size);
    assert_memory_equal(text, "\x89PNG\r\n\x1a\n", 8);
    // three panels of 230 points at two pixels a point, and margins
    assert_in_range(be32(text + 16), 3 * 230 * 2, 3 * 230 * 2 + 1000);
    assert_in_range(be32(text + 20), 2 * 170 * 2, 2 * 170 * 2 + 400);
    free(text);
    text = slurp(pdf, &size);
    assert_memory_equal(text, "%PDF-", 5);
    free(text);
    bex_figure_free(f);
    if (!getenv("BEX_KEEP")) unlink(svg), unlink(png), unlink(pdf);
}

static void same_figure_same_bytes(void **state) {
    (void)state;
    static const char *const kinds[] = {"again.svg", "again.png", "again.pdf"};
    for (int k = 0; k < 3; k++) {
        char *text[2];
        size_t size[2];
        char path[512];
        snprintf(path, sizeof path, "%s", scratch_path(kinds[k]));
        for (int i = 0; i < 2; i++) {
            bex_figure *f = sample();
            assert_int_equal(bex_figure_save(f, path), 0);
            text[i] = slurp(path, &size[i]);
            bex_figure_free(f);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(text[0], text[1], size[0]);
        free(text[0]), free(text[1]);
        unlink(path);
    }
}

static void bad_paths_say_why(void **state) {
    (void)state;
    bex_figure *f = sample();
    char path[600], good[512];
    snprintf(good, sizeof good, "%s", scratch_path("never.svg"));
    snprintf(path, sizeof path, "%s,x.jpeg", good);
    assert_true(bex_figure_save(f, path) < 0);
    assert_message("x.jpeg");
    assert_message(".svg, .png or .pdf");
    assert_int_equal(access(good, F_OK), -1); // checked before anything is written
    static const char *const wrong[] = {"", "plain", "dir.svg/plain", ".svg", "a.svg,,b.svg"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(bex_figure_save(f, wrong[i]) < 0);
        assert_message("unknown extension");
    }
    assert_true(bex_figure_save(f, "/nowhere/at/all.svg") < 0);
    assert_message("cannot write '/nowhere/at/all.svg'");
    bex_figure_free(f);
}

static void full_disk_is_an_error(void **state) {
    (void)state;
    // a limit on the size of files stands in for a full disk
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("full.svg"));
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    bex_figure *f = sample();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int code = bex_figure_save(f, path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(code < 0);
    assert_message("cannot write");
    assert_int_equal(access(path, F_OK), -1);
    bex_figure_free(f);
}

static void odd_content_still_draws(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("odd.png"));
    bex_figure *f = bex_figure_new(1, 4, 100, 80);
    bex_panel *p = bex_figure_panel(f, 0, 0); // 0,1: empty panels
    bex_panel_legend(p, BEX_LEGEND_BEST);
    bex_panel_labels(p, "bad \xff\xc3 utf-8\n", "\xed\xa0\x80", "");
    p = bex_figure_panel(f, 0, 2);
    const double wild[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 5};
    bex_panel_line(p, wild, wild, wild, 6, &(bex_mark){.label = ""});
    bex_panel_histogram(p, wild, 1, 5, NULL);
    bex_panel_line(p, NULL, NULL, NULL, 0, NULL);
    p = bex_figure_panel(f, 0, 3);
    const double zero[] = {0, -3, 7};
    bex_panel_log(p, true, true);
    bex_panel_line(p, zero, zero, zero, 3, NULL);
    bex_panel_heat(p, (double[]){NAN}, 1, 1, 0, 1, 0, 1, 0, 0, "nothing");
    if (bex_figure_save(f, path) < 0) fail_msg("%s", bex_error());
    bex_figure_free(f);
    unlink(path);
}
#endif

static void ticks_step_by_1_2_5(void **state) {
    (void)state;
    static const struct {
        double lo, hi;
        int most;
        const char *first, *second, *last;
    } cases[] = {
        {0, 10, 5, "0", "2", "10"},
        {0, 97, 5, "0", "20", "100"},
        {-0.3, 0.31, 4, "\u22120.4", "\u22120.2", "0.4"},
        {0, 50000, 5, "0", "10,000", "50,000"},
        {0, 5e6, 5, "0", "1M", "5M"},
        {3, 3, 4, "1", "2", "5"},
        {0, 0, 4, "\u22120.5", "0.0", "0.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_axis a;
        bex_axis_fit(&a, cases[i].lo, cases[i].hi, false, false, cases[i].most);
        assert_true(a.count >= 2 && a.lo <= cases[i].lo && a.hi >= cases[i].hi);
        assert_string_equal(a.text[0], cases[i].first);
        assert_string_equal(a.text[1], cases[i].second);
        assert_string_equal(a.text[a.count - 1], cases[i].last);
    }
    bex_axis a;
    bex_axis_fit(&a, 0.02, 3e5, true, false, 6);
    assert_string_equal(a.text[0], "0.01");
    assert_close(bex_axis_place(&a, a.lo), 0, 1e-12);
    assert_close(bex_axis_place(&a, a.hi), 1, 1e-12);
    bex_axis_fit(&a, NAN, 1, false, false, 5); // empty data
    assert_true(a.lo == 0 && a.hi == 1);
}

static void colours_are_ordered(void **state) {
    (void)state;
    assert_int_equal(bex_colour_map(-1), bex_colour_map(0));
    assert_int_equal(bex_colour_map(2), bex_colour_map(1));
    double before = -1;
    // perceptual: lightness grows all the way
    for (int i = 0; i <= 100; i++) {
        bex_colour c = bex_colour_map(i / 100.0);
        double light = 0.2126 * (c >> 16 & 255) + 0.7152 * (c >> 8 & 255) + 0.0722 * (c & 255);
        assert_true(light > before);
        before = light;
    }
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < i; k++) assert_true(bex_palette(i) != bex_palette(k));
}

#ifndef BEX_HAVE_CAIRO
static void no_cairo_is_said(void **state) {
    (void)state;
    bex_figure *f = sample();
    assert_true(bex_figure_save(f, scratch_path("none.svg")) < 0);
    assert_message("this build has no cairo");
    bex_figure_free(f);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_step_by_1_2_5),
        cmocka_unit_test(colours_are_ordered),
#ifdef BEX_HAVE_CAIRO
        cmocka_unit_test(three_formats_from_one_figure),
        cmocka_unit_test(same_figure_same_bytes),
        cmocka_unit_test(bad_paths_say_why),
        cmocka_unit_test(full_disk_is_an_error),
        cmocka_unit_test(odd_content_still_draws),
#else
        cmocka_unit_test(no_cairo_is_said),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
