/* env/tabletop/texture.c - cairo reads, then halves. */
#include "env/tabletop/texture.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef BEX_HAVE_CAIRO

#include <cairo/cairo.h>

enum { SIDES = 16, HEADER = 24 }; // of a PNG: bytes before, and up to the end of, width and height
enum { LARGEST = 16384 };         // pixels of a side

typedef struct source {
    const char *bytes;
    size_t size, at;
} source;

static cairo_status_t read_some(void *closure, unsigned char *to, unsigned int length) {
    source *s = closure;
    if (length > s->size - s->at) return CAIRO_STATUS_READ_ERROR;
    memcpy(to, s->bytes + s->at, length);
    s->at += length;
    return CAIRO_STATUS_SUCCESS;
}

static unsigned big_endian(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

// before any of it is unpacked
static bool too_large(const char *bytes, size_t size, int most) {
    if (size < HEADER || memcmp(bytes, "\x89PNG", 4)) return false;
    unsigned width = big_endian(bytes + SIDES), height = big_endian(bytes + SIDES + 4);
    return width <= LARGEST && height <= LARGEST &&
           (width > (unsigned)most || height > (unsigned)most);
}

// cairo's rows of 32-bit words, in place, to bytes r g b; false: a pixel lets light through
static bool to_rgb(unsigned char *data, int width, int height, int stride, bool alpha) {
    unsigned char *to = data;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++, to += 3) {
            unsigned pixel;
            memcpy(&pixel, data + (size_t)y * (size_t)stride + 4 * (size_t)x, sizeof pixel);
            if (alpha && pixel >> 24 != 255) return false;
            to[0] = (unsigned char)(pixel >> 16), to[1] = (unsigned char)(pixel >> 8);
            to[2] = (unsigned char)pixel;
        }
    return true;
}

static void halve(unsigned char *rgb, int *width, int *height) {
    int w = *width / 2, h = *height / 2;
    size_t row = 3 * (size_t)*width;
    unsigned char *to = rgb;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int c = 0; c < 3; c++) {
                const unsigned char *from = rgb + 2 * (size_t)y * row + 6 * (size_t)x + c;
                *to++ = (unsigned char)((from[0] + from[3] + from[row] + from[row + 3] + 2) / 4);
            }
    *width = w, *height = h;
}

static int pack(char **bytes, size_t *size, const unsigned char *rgb, int width, int height) {
    const int sides[2] = {width, height};
    size_t n = 3 * (size_t)width * (size_t)height;
    char *packed = malloc(sizeof sides + n);
    if (!packed) return 0;
    memcpy(packed, sides, sizeof sides);
    memcpy(packed + sizeof sides, rgb, n);
    free(*bytes);
    *bytes = packed, *size = sizeof sides + n;
    return 1;
}

static bool halves(int width, int height, int most) {
    return (width > most || height > most) && width % 2 == 0 && height % 2 == 0;
}

int bex_texture_shrink(char **bytes, size_t *size, int most) {
    source s = {*bytes, *size, 0};
    if (!too_large(*bytes, *size, most)) return 0;
    cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(read_some, &s);
    int shrunk = 0;
    if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) {
        unsigned char *data = cairo_image_surface_get_data(surface);
        int width = cairo_image_surface_get_width(surface),
            height = cairo_image_surface_get_height(surface);
        cairo_format_t format = cairo_image_surface_get_format(surface);
        bool known = format == CAIRO_FORMAT_RGB24 || format == CAIRO_FORMAT_ARGB32;
        if (known && halves(width, height, most) &&
            to_rgb(data, width, height, cairo_image_surface_get_stride(surface),
                   format == CAIRO_FORMAT_ARGB32)) {
            while (halves(width, height, most)) halve(data, &width, &height);
            shrunk = pack(bytes, size, data, width, height);
        }
    }
    cairo_surface_destroy(surface);
    return shrunk;
}

#else

int bex_texture_shrink(char **bytes, size_t *size, int most) {
    (void)bytes, (void)size, (void)most;
    return 0;
}

#endif
