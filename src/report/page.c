/* report/page.c - HTML written forward into memory: contents and body apart, joined by save. */
#include "report/page.h"

#include "base/file.h"
#include "base/number.h"
#include "base/path.h"
#include "host/base64.h"
#include "report/page_style.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 8, COLUMNS = 24 };
static const size_t LARGE_SVG = 300000; // bytes; PNG from here on, if smaller

struct bex_page {
    char *title, *about, *folder;
    char *body_text, *contents_text;
    size_t body_size, contents_size;
    FILE *body, *contents;
    int sections;
    const char *open[DEPTH]; // what begin opened
    int depth;
    char align[COLUMNS];
    int columns, cell;
};

/* ---- text ---- */
// bytes of a well-formed UTF-8 sequence at s, 0 if none
static int utf8_length(const unsigned char *s) {
    if (s[0] < 0x80) return 1;
    int n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    bool long_form = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool no_character = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
    return long_form || no_character ? 0 : n;
}

static void escape(FILE *out, const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_length(s);
        bool control = (*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f;
        if (n == 0 || control)
            fputs("\xEF\xBF\xBD", out), n = 1;
        else if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else if (*s == '"')
            fputs("&quot;", out);
        else if (*s == '\'')
            fputs("&#39;", out);
        else
            fwrite(s, 1, (size_t)n, out);
        s += n;
    }
}

static void escape_format(FILE *out, const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *text = malloc((size_t)(n > 0 ? n : 0) + 1);
    BEX_CHECK(text && n >= 0, "page text '%s'", fmt);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    escape(out, text);
    free(text);
}

static void element(bex_page *p, const char *tag, const char *text) {
    fprintf(p->body, "<%s>", tag);
    escape(p->body, text);
    fprintf(p->body, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

#define ELEMENT_FORMAT(p, before, after, fmt)                                                      \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, fmt);                                                                       \
        fputs(before, (p)->body);                                                                  \
        escape_format((p)->body, fmt, args);                                                       \
        fputs(after, (p)->body);                                                                   \
        va_end(args);                                                                              \
    } while (0)

static void begin(bex_page *p, const char *what, const char *html) {
    BEX_CHECK(p->depth < DEPTH, "a %s too deep", what);
    p->open[p->depth++] = what;
    fputs(html, p->body);
}

static void end(bex_page *p, const char *what, const char *html) {
    BEX_CHECK(p->depth && !strcmp(p->open[p->depth - 1], what), "end of a %s inside a %s", what,
              p->depth ? p->open[p->depth - 1] : "page");
    p->depth--;
    fputs(html, p->body);
}

/* ---- the page ---- */
static char *copy(const char *text) {
    char *c = text ? strdup(text) : NULL;
    BEX_CHECK(c || !text, "out of memory");
    return c;
}

bex_page *bex_page_new(const char *title, const char *about, const char *folder) {
    bex_page *p = calloc(1, sizeof *p);
    BEX_CHECK(p, "out of memory");
    p->title = copy(title), p->about = copy(about), p->folder = copy(folder);
    p->body = open_memstream(&p->body_text, &p->body_size);
    p->contents = open_memstream(&p->contents_text, &p->contents_size);
    BEX_CHECK(p->body && p->contents, "out of memory");
    return p;
}

void bex_page_free(bex_page *p) {
    if (!p) return;
    fclose(p->body), fclose(p->contents);
    free(p->body_text), free(p->contents_text);
    free(p->title), free(p->about), free(p->folder), free(p);
}

int bex_page_save(bex_page *p, const char *path) {
    bex_file_out out;
    BEX_CHECK(p->depth == 0, "an unclosed %s", p->open[p->depth - 1]);
    if (fflush(p->body) || ferror(p->body) || fflush(p->contents) || ferror(p->contents))
        return bex_fail("page '%s': out of memory", path);
    if (bex_file_create(&out, path, 1) < 0) return -1;
    FILE *f = out.stream;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light\">\n<title>",
          f);
    escape(f, p->title);
    fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header><div>\n<h1>", page_style);
    escape(f, p->title);
    fputs("</h1>\n<p>", f);
    escape(f, p->about ? p->about : "");
    fputs("</p>\n", f);
    if (p->sections > 1) fprintf(f, "<nav>\n%s</nav>\n", p->contents_text);
    fputs("</div></header>\n<main>\n", f);
    fwrite(p->body_text, 1, p->body_size, f);
    fputs("</main>\n<footer>Made by bex " BEX_VERSION ".</footer>\n</body>\n</html>\n", f);
    return bex_file_commit(&out);
}

/* ---- text and tables ---- */
void bex_page_section(bex_page *p, const char *title) {
    p->sections++;
    fprintf(p->contents, "<a href=\"#s%d\">", p->sections);
    escape(p->contents, title);
    fputs("</a>\n", p->contents);
    fprintf(p->body, "<h2 id=\"s%d\">", p->sections);
    escape(p->body, title);
    fputs("</h2>\n", p->body);
}

void bex_page_heading(bex_page *p, const char *title) {
    element(p, "h3", title);
}

void bex_page_text(bex_page *p, const char *fmt, ...) {
    ELEMENT_FORMAT(p, "<p>", "</p>\n", fmt);
}

void bex_page_note(bex_page *p, const char *fmt, ...) {
    ELEMENT_FORMAT(p, "<p class=\"note\">", "</p>\n", fmt);
}

void bex_page_code(bex_page *p, const char *text) {
    element(p, "pre", text);
}

void bex_page_tiles_begin(bex_page *p) {
    begin(p, "tiles", "<div class=\"tiles\">\n");
}

void bex_page_tile(bex_page *p, const char *value, const char *label, bex_colour colour) {
    fprintf(p->body, "<div class=\"tile\" style=\"border-top-color:#%06x\"><b>", colour);
    escape(p->body, value);
    fputs("</b><span>", p->body);
    escape(p->body, label);
    fputs("</span></div>\n", p->body);
}

void bex_page_tiles_end(bex_page *p) {
    end(p, "tiles", "</div>\n");
}

void bex_page_table_begin(bex_page *p, const char *const *names, const char *align, int n) {
    BEX_CHECK(n > 0 && n <= COLUMNS && strlen(align) == (size_t)n, "%d columns aligned '%s'", n,
              align);
    begin(p, "table", "<div class=\"wide\"><table>\n<thead><tr>");
    for (int i = 0; i < n; i++) {
        fputs(align[i] == 'r' ? "<th class=\"r\">" : "<th>", p->body);
        escape(p->body, names[i]);
        fputs("</th>", p->body);
    }
    fputs("</tr></thead>\n<tbody>\n", p->body);
    memcpy(p->align, align, (size_t)n);
    p->columns = n, p->cell = 0;
}

void bex_page_cell(bex_page *p, const char *fmt, ...) {
    char align = p->align[p->cell];
    if (p->cell == 0) fputs("<tr>", p->body);
    const char *before = align == 'r' ? "<td class=\"r\">" : align == 'c' ? "<td><code>" : "<td>";
    ELEMENT_FORMAT(p, before, align == 'c' ? "</code></td>" : "</td>", fmt);
    p->cell = (p->cell + 1) % p->columns;
    if (p->cell == 0) fputs("</tr>\n", p->body);
}

void bex_page_table_end(bex_page *p) {
    BEX_CHECK(p->cell == 0, "a row of %d of %d cells", p->cell, p->columns);
    end(p, "table", "</tbody>\n</table></div>\n");
}

void bex_page_details_begin(bex_page *p, const char *summary) {
    begin(p, "details", "<details>");
    element(p, "summary", summary);
}

void bex_page_details_end(bex_page *p) {
    end(p, "details", "</details>\n");
}

/* ---- figures ---- */
void bex_page_figure_begin(bex_page *p, int columns, const char *look) {
    BEX_CHECK(columns >= 0 && columns <= 4, "a figure of %d columns", columns);
    BEX_CHECK(look && *look, "a figure without what to look for");
    begin(p, "figure", "<figure>\n");
    element(p, "p class=\"look\"", look);
    fprintf(p->body, columns ? "<div class=\"images of%d\">\n" : "<div class=\"images\">\n",
            columns);
}

// an attribute such as width="312pt" of the <svg> element, in CSS pixels; 0 if there is none
static int svg_pixels(const char *svg, const char *name) {
    const char *head = strstr(svg, "<svg"), *close = head ? strchr(head, '>') : NULL;
    const char *at = head ? strstr(head, name) : NULL;
    double points = 0;
    if (!at || at >= close) return 0;
    at += strlen(name);
    return bex_number_take(&points, &at) < 0 ? 0 : (int)(points * 4 / 3 + 0.5);
}

void bex_page_show(bex_page *p, bex_figure *figure, const char *alt) {
    char *svg = NULL, *png = NULL;
    size_t svg_size = 0, png_size = 0;
    int code = bex_figure_render(figure, "svg", &svg, &svg_size);
    if (code == 0 && svg_size > LARGE_SVG) code = bex_figure_render(figure, "png", &png, &png_size);
    if (code == 0) {
        bool pixels = png && png_size < svg_size;
        fputs("<img alt=\"", p->body);
        escape(p->body, alt);
        fprintf(p->body, "\" width=\"%d\" height=\"%d\" src=\"data:image/%s;base64,",
                svg_pixels(svg, " width=\""), svg_pixels(svg, " height=\""),
                pixels ? "png" : "svg+xml");
        bex_base64_write(p->body, pixels ? png : svg, pixels ? png_size : svg_size);
        fputs("\">\n", p->body);
    } else {
        bex_page_note(p, "Not drawn (%s): %s", bex_error(), alt);
    }
    free(svg), free(png);
}

void bex_page_picture(bex_page *p, const char *type, const void *bytes, size_t size,
                      const char *alt) {
    fputs("<img alt=\"", p->body);
    escape(p->body, alt);
    fprintf(p->body, "\" src=\"data:%s;base64,", type);
    bex_base64_write(p->body, bytes, size);
    fputs("\">\n", p->body);
}

void bex_page_keep(bex_page *p, bex_figure *figure, const char *name) {
    char paths[2 * BEX_PATH_SIZE];
    if (!p->folder) return;
    BEX_CHECK(!strpbrk(name, "/,"), "figure name '%s'", name);
    int n = snprintf(paths, sizeof paths, "%s/%s.svg,%s/%s.png", p->folder, name, p->folder, name);
    int code = n < (int)sizeof paths ? bex_figure_save(figure, paths) : bex_fail("path too long");
    if (code < 0) bex_page_note(p, "Not written: %s", bex_error());
}

void bex_page_scale(bex_page *p, const char *low, const char *high) {
    fputs("</div>\n<div class=\"scale\"><span>", p->body);
    escape(p->body, low);
    fputs("</span><i style=\"background:linear-gradient(90deg", p->body);
    for (int k = 0; k <= 10; k++) fprintf(p->body, ",#%06x", bex_colour_map(0.1 * k));
    fputs(")\"></i><span>", p->body);
    escape(p->body, high);
    fputs("</span>\n", p->body);
}

void bex_page_figure_end(bex_page *p, const char *caption, ...) {
    ELEMENT_FORMAT(p, "</div>\n<figcaption>", "</figcaption>\n", caption);
    end(p, "figure", "</figure>\n");
}

void bex_page_figure(bex_page *p, bex_figure *figure, const char *name, const char *alt,
                     const char *look, const char *caption, ...) {
    bex_page_figure_begin(p, 0, look);
    bex_page_show(p, figure, alt);
    bex_page_keep(p, figure, name);
    ELEMENT_FORMAT(p, "</div>\n<figcaption>", "</figcaption>\n", caption);
    end(p, "figure", "</figure>\n");
}
