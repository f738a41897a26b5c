/* draw/save.c - one drawing to SVG, PNG and PDF files.
 *
 * A file is rendered to memory, tidied, then written under a temporary name and renamed. Tidied:
 * cairo numbers its SVG surfaces over the life of the process and dates its PDF files; both would
 * make equal figures differ. cairo draws SVG text as outlines, so the words of the figure are put
 * back as <title> and <desc>, for search and for screen readers. */
#include "draw/figure_model.h"

#include "base/error.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef BEX_HAVE_CAIRO

#include <cairo/cairo-pdf.h>
#include <cairo/cairo-svg.h>
#include <ctype.h>

static const double PNG_SCALE = 2; // pixels a point

typedef struct buffer {
    char *bytes;
    size_t used, room;
    bool failed;
} buffer;

static void append(buffer *b, const char *bytes, size_t n) {
    if (b->used + n > b->room) {
        size_t room = 2 * (b->used + n) + 4096;
        char *more = realloc(b->bytes, room);
        if (!more) {
            b->failed = true;
            return;
        }
        b->bytes = more, b->room = room;
    }
    memcpy(b->bytes + b->used, bytes, n);
    b->used += n;
}

static cairo_status_t receive(void *to, const unsigned char *bytes, unsigned n) {
    buffer *b = to;
    append(b, (const char *)bytes, n);
    return b->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *open_surface(buffer *b, const char *kind, double w, double h) {
    if (!strcmp(kind, "svg")) return cairo_svg_surface_create_for_stream(receive, b, w, h);
    if (!strcmp(kind, "pdf")) {
        cairo_surface_t *s = cairo_pdf_surface_create_for_stream(receive, b, w, h);
        cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, "2025-01-01T00:00:00Z");
        return s;
    }
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(w * PNG_SCALE),
                                      (int)(h * PNG_SCALE));
}

static int render(buffer *b, const bex_figure *f, const char *kind) {
    double w, h;
    bex_figure_measure(f, &w, &h);
    bool png = !strcmp(kind, "png");
    if (png && (w > 16000 || h > 16000))
        return bex_fail("a figure of %.0f x %.0f points is too large for PNG", w, h);
    cairo_surface_t *s = open_surface(b, kind, w, h);
    cairo_t *cr = cairo_create(s);
    if (png) cairo_scale(cr, PNG_SCALE, PNG_SCALE);
    bex_figure_draw(f, cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (png && !status) status = cairo_surface_write_to_png_stream(s, receive, b);
    cairo_surface_finish(s);
    if (!status) status = cairo_surface_status(s);
    cairo_surface_destroy(s);
    if (b->failed) return bex_fail("out of memory");
    if (status) return bex_fail("cairo cannot draw it: %s", cairo_status_to_string(status));
    return 0;
}

static void append_escaped(buffer *b, const char *text) {
    for (; text && *text; text++) {
        const char *as = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                                        : NULL;
        append(b, as ? as : text, as ? strlen(as) : 1);
    }
}

static void append_word(buffer *b, const char *text) {
    if (!text || !*text) return;
    append_escaped(b, text);
    append(b, "\n", 1);
}

static void append_words(buffer *b, const bex_figure *f) {
    const char *title = f->title ? f->title : f->panels[0].title;
    if (title) {
        append(b, "<title>", 7);
        append_escaped(b, title);
        append(b, "</title>\n", 9);
    }
    append(b, "<desc>", 6);
    for (int i = 0; i < f->rows * f->columns; i++) {
        const bex_panel *p = &f->panels[i];
        append_word(b, p->title), append_word(b, p->x_label), append_word(b, p->y_label);
        for (int k = 0; k < p->name_count; k++) append_word(b, p->names[k]);
        for (int k = 0; k < p->count; k++) {
            append_word(b, p->items[k].text);
            // hundreds of paths may share a label
            const char *label = p->items[k].mark.label;
            bool again = k && label && p->items[k - 1].mark.label &&
                         !strcmp(label, p->items[k - 1].mark.label);
            if (!again) append_word(b, label);
        }
    }
    append(b, "</desc>\n", 8);
}

// ids such as "surface12" or "image7" in the order they appear
typedef struct id_map {
    long seen[256];
    int count;
} id_map;

static int id_order(id_map *map, long number) {
    for (int i = 0; i < map->count; i++)
        if (map->seen[i] == number) return i + 1;
    if (map->count < 256) map->seen[map->count++] = number;
    return map->count;
}

// an id that starts at s, after a quote or a hash: appends its new name, returns its old length
static size_t renumber_id(buffer *out, id_map *map, const char *s) {
    static const char *const words[] = {"surface", "image"};
    if (s[-1] != '"' && s[-1] != '#') return 0;
    for (int k = 0; k < 2; k++) {
        size_t n = strlen(words[k]);
        if (strncmp(s, words[k], n) != 0 || !isdigit((unsigned char)s[n])) continue;
        char *end, name[32];
        int order = id_order(map, strtol(s + n, &end, 10));
        append(out, name, (size_t)snprintf(name, sizeof name, "%s%d", words[k], order));
        return (size_t)(end - s);
    }
    return 0;
}

// `in` ends with a NUL past its bytes
static void tidy_svg(buffer *out, const buffer *in, const bex_figure *f) {
    id_map map = {.count = 0};
    const char *head = strstr(in->bytes, "<svg");
    const char *body = head ? strchr(head, '>') : NULL;
    for (const char *s = in->bytes; *s; s++) {
        size_t id = s > in->bytes ? renumber_id(out, &map, s) : 0;
        if (id)
            s += id - 1;
        else
            append(out, s, 1);
        if (s != body) continue;
        append(out, "\n", 1);
        append_words(out, f);
    }
}

static int render_tidy(const bex_figure *f, const char *kind, char **bytes, size_t *size) {
    buffer raw = {0}, tidy = {0};
    int code = render(&raw, f, kind);
    if (code < 0) goto done;
    append(&raw, "", 1); // a NUL ends the text
    raw.used--;
    bool svg = !strcmp(kind, "svg");
    if (svg) {
        tidy_svg(&tidy, &raw, f);
        append(&tidy, "", 1);
        tidy.used--;
    }
    if (raw.failed || tidy.failed) {
        code = bex_fail("out of memory");
        goto done;
    }
    buffer *whole = svg ? &tidy : &raw;
    *bytes = whole->bytes, *size = whole->used;
    whole->bytes = NULL;
done:
    free(raw.bytes), free(tidy.bytes);
    return code;
}

#else

static int render_tidy(const bex_figure *f, const char *kind, char **bytes, size_t *size) {
    (void)f, (void)kind, (void)bytes, (void)size;
    bex_fail("this build has no cairo");
    return bex_fail_hint("install libcairo2-dev and build again");
}

#endif

int bex_figure_render(bex_figure *f, const char *kind, char **bytes, size_t *size) {
    *bytes = NULL, *size = 0;
    return f->failed ? bex_fail("out of memory") : render_tidy(f, kind, bytes, size);
}

static int save_one(const bex_figure *f, const char *path, const char *kind) {
    char *bytes;
    size_t size;
    bex_file_out out;
    if (render_tidy(f, kind, &bytes, &size) < 0) return bex_fail_in("figure '%s'", path);
    int code = bex_file_create(&out, path, 1);
    if (code == 0) {
        fwrite(bytes, 1, size, out.stream);
        code = bex_file_commit(&out);
    }
    free(bytes);
    return code;
}

static const char *kind_of(const char *path) {
    static const char *const kinds[] = {"svg", "png", "pdf"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && dot > name && i < 3; i++)
        if (!strcasecmp(dot + 1, kinds[i])) return kinds[i];
    bex_fail("figure '%s': unknown extension", path);
    bex_fail_hint("use .svg, .png or .pdf");
    return NULL;
}

// calls act on each path of the list; stops at the first failure
static int each_path(const bex_figure *f, char *list,
                     int (*act)(const bex_figure *f, const char *path, const char *kind)) {
    for (char *path = list; path;) {
        char *comma = strchr(path, ',');
        if (comma) *comma = 0;
        const char *kind = kind_of(path);
        if (!kind || (act && act(f, path, kind) < 0)) return -1;
        if (comma) *comma = ',';
        path = comma ? comma + 1 : NULL;
    }
    return 0;
}

int bex_figure_save(bex_figure *f, const char *paths) {
    if (f->failed) return bex_fail("figure '%s': out of memory", paths);
    char *list = strdup(paths);
    if (!list) return bex_fail("out of memory");
    // every extension is checked before the first file is written
    int code = each_path(f, list, NULL);
    if (code == 0) code = each_path(f, list, save_one);
    free(list);
    return code;
}
