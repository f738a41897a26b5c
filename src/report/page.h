/* report/page.h - one HTML page that needs nothing but itself: its style and its figures are in it,
 * no scripts, no fonts, no addresses outside. Made for a screen, a phone and paper.
 *
 *     bex_page *p = bex_page_new("Maze2D medium", "What was trained, and what it explored.", "out/figures");
 *     bex_page_section(p, "Training");
 *     bex_page_figure_begin(p, 0, "A run that learns falls.");
 *     bex_page_show(p, figure, "loss against steps");
 *     bex_page_figure_end(p, "Loss of %d runs.", 3);
 *     if (bex_page_save(p, "out/report.html") < 0) ...
 *     bex_page_free(p);
 *
 * Every text is escaped; bytes that are not UTF-8 become U+FFFD. Building never fails: memory shows
 * in save, a figure that cannot be drawn (a build without cairo) becomes a note. begin and end must
 * pair: an unclosed one is a bug. Same calls, same bytes. One thread. */
#ifndef BEX_REPORT_PAGE_H
#define BEX_REPORT_PAGE_H

#include "base/error.h"
#include "draw/figure.h"

typedef struct bex_page bex_page;

/* folder: an existing directory for figures as files of their own; NULL: none are written. */
bex_page *bex_page_new(const char *title, const char *about, const char *folder);
void bex_page_free(bex_page *p); // NULL is fine

/* Replaces a file that is there. 0, or negative with a message. */
int bex_page_save(bex_page *p, const char *path);

void bex_page_section(bex_page *p, const char *title); // in the list of contents
void bex_page_heading(bex_page *p, const char *title);
void bex_page_text(bex_page *p, const char *fmt, ...) BEX_PRINTF(2, 3);
void bex_page_note(bex_page *p, const char *fmt, ...) BEX_PRINTF(2, 3); // what is missing, and why
void bex_page_code(bex_page *p, const char *text);                      // commands, files

/* A few large numbers side by side. */
void bex_page_tiles_begin(bex_page *p);
void bex_page_tile(bex_page *p, const char *value, const char *label, bex_colour colour);
void bex_page_tiles_end(bex_page *p);

/* names[n], and a letter for each in align: 'l' text, 'r' numbers, 'c' code. Then the cells row by
 * row; every row must be whole. */
void bex_page_table_begin(bex_page *p, const char *const *names, const char *align, int n);
void bex_page_cell(bex_page *p, const char *fmt, ...) BEX_PRINTF(2, 3);
void bex_page_table_end(bex_page *p);

void bex_page_details_begin(bex_page *p, const char *summary); // folded away; open on paper
void bex_page_details_end(bex_page *p);

/* Images between what to look for in them, a sentence that no figure goes without, and one caption, which
 * says what is drawn. `columns` (1..4) side by side on a screen, fewer on a phone; 0: as they fit in their
 * own size. show embeds: SVG, or PNG where that is smaller by far (thousands of path points); alt is for
 * whom cannot see it. keep writes folder/name.svg and .png as well. */
void bex_page_figure_begin(bex_page *p, int columns, const char *look);
void bex_page_show(bex_page *p, bex_figure *figure, const char *alt);
void bex_page_keep(bex_page *p, bex_figure *figure, const char *name);
/* A picture that is made already: its bytes, type "image/gif". */
void bex_page_picture(bex_page *p, const char *type, const void *bytes, size_t size,
                      const char *alt);
void bex_page_scale(bex_page *p, const char *low, const char *high); // the colours of heat maps
void bex_page_figure_end(bex_page *p, const char *caption, ...) BEX_PRINTF(2, 3);

/* A figure of one image: shown, kept and captioned. */
void bex_page_figure(bex_page *p, bex_figure *figure, const char *name, const char *alt,
                     const char *look, const char *caption, ...) BEX_PRINTF(6, 7);

#endif
