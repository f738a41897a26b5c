/* draw/animation.c - a figure to pixels, pixels to draw/gif.h. */
#include "draw/animation.h"

#include "base/error.h"
#include "base/path.h"
#include "draw/figure_model.h"
#include "draw/gif.h"

#include <stdio.h>
#include <stdlib.h>

struct bex_animation {
    char path[BEX_PATH_SIZE];
    bex_gif *gif; // from the first frame on
    int width, height;
    unsigned *pixels;
};

int bex_animation_open(bex_animation **out, const char *path) {
    bex_animation *a = *out = calloc(1, sizeof *a);
    if (!a) return bex_fail("out of memory");
    return bex_path_print(a->path, "%s", path);
}

void bex_animation_free(bex_animation *a) {
    if (!a) return;
    bex_gif_free(a->gif);
    free(a->pixels);
    free(a);
}

int bex_animation_commit(bex_animation *a) {
    if (!a->gif) return bex_fail("'%s': no frames", a->path);
    return bex_gif_commit(a->gif);
}

#ifdef BEX_HAVE_CAIRO

static const double SCALE = 1.5; // pixels a point

static int start(bex_animation *a, const bex_figure *frame) {
    double w, h;
    bex_figure_measure(frame, &w, &h);
    a->width = (int)(w * SCALE), a->height = (int)(h * SCALE);
    if (bex_gif_open(&a->gif, a->path, a->width, a->height) < 0) return -1;
    a->pixels = malloc((size_t)a->width * (size_t)a->height * sizeof *a->pixels);
    return a->pixels ? 0 : bex_fail("out of memory");
}

int bex_animation_add(bex_animation *a, bex_figure *frame, int centiseconds) {
    if (frame->failed) return bex_fail("'%s': out of memory", a->path);
    if (!a->gif && start(a, frame) < 0) return -1;
    cairo_surface_t *s = cairo_image_surface_create_for_data(
        (unsigned char *)a->pixels, CAIRO_FORMAT_RGB24, a->width, a->height, 4 * a->width);
    cairo_t *cr = cairo_create(s);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_scale(cr, SCALE, SCALE);
    bex_figure_draw(frame, cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_finish(s);
    cairo_surface_destroy(s);
    if (status) return bex_fail("'%s': cairo: %s", a->path, cairo_status_to_string(status));
    return bex_gif_add(a->gif, a->pixels, centiseconds);
}

#else

int bex_animation_add(bex_animation *a, bex_figure *frame, int centiseconds) {
    (void)frame, (void)centiseconds;
    bex_fail("this build has no cairo: cannot draw '%s'", a->path);
    return bex_fail_hint("install libcairo2-dev and build again");
}

#endif
