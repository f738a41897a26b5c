/* The page builder: well formed whatever the text, figures inside, files beside, same bytes. */
#include "report/page.h"

#include "base/file.h"
#include "host/folder.h"

#include "report/html_check.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static char root[512];

static char *load(const char *name) {
    char path[700], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", root, name);
    if (bex_file_read(&text, &size, path, 1 << 26) < 0) fail_msg("%s", bex_error());
    return text;
}

static bex_figure *sample(int points) {
    bex_figure *f = bex_figure_new(1, 1, 200, 120);
    double *v = malloc(2 * (size_t)points * sizeof *v);
    for (int i = 0; i < points; i++) v[i] = i, v[points + i] = sin(0.37 * i);
    bex_panel_labels(bex_figure_panel(f, 0, 0), "A < B & C", "x", "y");
    bex_panel_line(bex_figure_panel(f, 0, 0), v, v + points, NULL, points, NULL);
    free(v);
    return f;
}

static const char nasty[] = "<b> & \"q\" 'a' </p><script>x</script> \xff \x01 \u00b1";
static const char tamed[] = "&lt;b&gt; &amp; &quot;q&quot; &#39;a&#39; &lt;/p&gt;&lt;script&gt;x"
                            "&lt;/script&gt; \uFFFD \uFFFD \u00b1";

static void build(const char *name) {
    char folder[600], path[700];
    snprintf(folder, sizeof folder, "%s/figures", root);
    snprintf(path, sizeof path, "%s/%s", root, name);
    bex_folder_make(folder);
    bex_page *p = bex_page_new(nasty, nasty, folder);
    bex_page_section(p, nasty);
    bex_page_heading(p, nasty);
    bex_page_text(p, "%s %d%%", nasty, 5);
    bex_page_note(p, "%s", nasty);
    bex_page_code(p, nasty);
    bex_page_tiles_begin(p);
    bex_page_tile(p, nasty, nasty, BEX_BLUE);
    bex_page_tiles_end(p);
    bex_page_details_begin(p, nasty);
    bex_page_table_begin(p, (const char *const[]){nasty, "b", "c"}, "lrc", 3);
    for (int i = 0; i < 6; i++) bex_page_cell(p, "%s", nasty);
    bex_page_table_end(p);
    bex_page_details_end(p);
    bex_page_section(p, "Figures");
    bex_page_figure_begin(p, 2, nasty);
    bex_figure *f = sample(30);
    bex_page_show(p, f, nasty);
    bex_page_keep(p, f, "curve");
    bex_page_scale(p, nasty, "high");
    bex_page_figure_end(p, "%s", nasty);
    bex_figure_free(f);
    assert_int_equal(bex_page_save(p, path), 0);
    bex_page_free(p);
}

static void everything_is_escaped(void **state) {
    (void)state;
    build("a.html");
    char *html = load("a.html");
    check_html(html);
    int seen = 0;
    for (const char *s = html; (s = strstr(s, tamed)); s++) seen++;
    // title, h1, about, contents, section, heading, text, note, code, 2 tile, summary, 7 table,
    // look, alt, scale, caption
    assert_int_equal(seen, 23);
    assert_null(strstr(html, "\xff"));
    assert_non_null(strstr(html, " 5%</p>"));
    build("b.html");
    char *again = load("b.html");
    assert_string_equal(html, again);
    free(html), free(again);
}

static void figures_are_inside_and_beside(void **state) {
    (void)state;
#ifdef BEX_HAVE_CAIRO
    char *html = load("a.html"), *svg = load("figures/curve.svg"), *png = load("figures/curve.png");
    assert_non_null(strstr(html, "src=\"data:image/svg+xml;base64,PD94bWwg"));
    assert_non_null(strstr(svg, "<svg"));
    assert_memory_equal(png, "\x89PNG", 4);
    free(html), free(svg), free(png);
    // a figure of very many points is smaller as pixels
    char path[700];
    snprintf(path, sizeof path, "%s/large.html", root);
    bex_page *p = bex_page_new("t", "a", NULL);
    bex_page_figure_begin(p, 0, "l");
    bex_figure *f = sample(20000);
    bex_page_show(p, f, "many");
    bex_page_keep(p, f, "nowhere"); // no folder: nothing is written
    bex_page_figure_end(p, "c");
    bex_figure_free(f);
    assert_int_equal(bex_page_save(p, path), 0);
    bex_page_free(p);
    html = load("large.html");
    assert_non_null(strstr(html, "src=\"data:image/png;base64,iVBOR"));
    check_html(html);
    free(html);
#endif
}

static void a_full_disk_is_reported(void **state) {
    (void)state;
    char path[700];
    snprintf(path, sizeof path, "%s/full.html", root);
    bex_page *p = bex_page_new("t", NULL, NULL);
    struct rlimit was, small;
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = 500;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int code = bex_page_save(p, path);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(code, -1);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(bex_page_save(p, "/no/such/page.html"), -1);
    assert_message("/no/such/page.html");
    bex_page_free(p);
    bex_page_free(NULL);
}

int main(void) {
    snprintf(root, sizeof root, "%s", scratch_path("page"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_escaped),
        cmocka_unit_test(figures_are_inside_and_beside),
        cmocka_unit_test(a_full_disk_is_reported),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_folder_remove(root);
    return code;
}
