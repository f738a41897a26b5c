/* draw/picture.c - pixels to PNG by cairo's writer, through a file that appears whole. */
#include "draw/picture.h"

#include "base/error.h"
#include "base/file.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef BEX_HAVE_CAIRO

#include <cairo/cairo.h>

static cairo_status_t receive(void *to, const unsigned char *bytes, unsigned n) {
    return fwrite(bytes, 1, n, to) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

int bex_picture_save(const unsigned char *rgb, int width, int height, const char *path) {
    size_t count = (size_t)width * (size_t)height;
    uint32_t *pixels = malloc(count * sizeof *pixels);
    bex_file_out out;
    if (!pixels) return bex_fail("out of memory for '%s'", path);
    for (size_t i = 0; i < count; i++, rgb += 3)
        pixels[i] = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
    cairo_surface_t *s = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_RGB24, width, height, 4 * width);
    int code = bex_file_create(&out, path, 1);
    if (code == 0) {
        cairo_status_t status = cairo_surface_write_to_png_stream(s, receive, out.stream);
        if (status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR)
            code = bex_file_commit(&out); // names a write error itself
        else
            code = bex_fail("'%s': cairo: %s", path, cairo_status_to_string(status));
        bex_file_discard(&out);
    }
    cairo_surface_destroy(s);
    free(pixels);
    return code;
}

#else

int bex_picture_save(const unsigned char *rgb, int width, int height, const char *path) {
    (void)rgb, (void)width, (void)height;
    bex_fail("this build has no cairo: cannot write '%s'", path);
    return bex_fail_hint("install libcairo2-dev and build again");
}

#endif
