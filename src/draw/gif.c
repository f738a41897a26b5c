/* draw/gif.c - palettes and changed rectangles for giflib. */
#include "draw/gif.h"

#include "base/error.h"
#include "base/file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef BEX_HAVE_GIF

#include <gif_lib.h>

enum { COLOURS = 256, BINS = 1 << 15 };

struct bex_gif {
    bex_file_out out;
    GifFileType *file;
    int width, height, frames;
    unsigned *last;        // (height,width) shown now
    unsigned char *line;   // (width)
    unsigned count[BINS];  // pixels of each 15-bit colour
    unsigned sum[BINS][3]; // of their full colours, so that the palette is not rounded
    short entry[BINS];     // palette entry of each
};

typedef struct rectangle {
    int x, y, w, h;
} rectangle;

static int bin_of(unsigned p) {
    return (int)(((p >> 19) & 31) << 10 | ((p >> 11) & 31) << 5 | ((p >> 3) & 31));
}

static int send(GifFileType *file, const GifByteType *bytes, int n) {
    bex_gif *g = file->UserData;
    return (int)fwrite(bytes, 1, (size_t)n, g->out.stream);
}

static int wrong(const bex_gif *g, int code) {
    const char *why = GifErrorString(code);
    return bex_fail("'%s': giflib: %s", g->out.path, why ? why : "error");
}

void bex_gif_free(bex_gif *g) {
    if (!g) return;
    if (g->file) EGifCloseFile(g->file, NULL);
    bex_file_discard(&g->out);
    free(g->last);
    free(g->line);
    free(g);
}

// screen size and the block that makes it repeat
static int begin(bex_gif *g) {
    GifFileType *f = g->file;
    EGifSetGifVersion(f, true);
    if (EGifPutScreenDesc(f, g->width, g->height, 8, 0, NULL) == GIF_ERROR ||
        EGifPutExtensionLeader(f, APPLICATION_EXT_FUNC_CODE) == GIF_ERROR ||
        EGifPutExtensionBlock(f, 11, "NETSCAPE2.0") == GIF_ERROR ||
        EGifPutExtensionBlock(f, 3, (const unsigned char[]){1, 0, 0}) == GIF_ERROR ||
        EGifPutExtensionTrailer(f) == GIF_ERROR)
        return wrong(g, f->Error);
    return 0;
}

int bex_gif_open(bex_gif **out, const char *path, int width, int height) {
    *out = NULL;
    if (width < 1 || height < 1 || width > 4096 || height > 4096)
        return bex_fail("'%s': %d x %d is no size for a GIF", path, width, height);
    bex_gif *g = calloc(1, sizeof *g);
    if (!g) return bex_fail("out of memory");
    g->width = width, g->height = height;
    g->last = malloc((size_t)width * (size_t)height * sizeof *g->last);
    g->line = malloc((size_t)width);
    int code = g->last && g->line ? bex_file_create(&g->out, path, 1) : bex_fail("out of memory");
    int error = 0;
    if (code == 0 && !(g->file = EGifOpen(g, send, &error))) code = wrong(g, error);
    if (code == 0) code = begin(g);
    if (code < 0) return bex_gif_free(g), code;
    *out = g;
    return 0;
}

// what differs from the last frame; all of the first one, one pixel if nothing does
static rectangle changed(const bex_gif *g, const unsigned *pixels) {
    if (!g->frames) return (rectangle){0, 0, g->width, g->height};
    int x0 = g->width, x1 = -1, y0 = g->height, y1 = -1;
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++) {
            size_t i = (size_t)y * (size_t)g->width + (size_t)x;
            if (((pixels[i] ^ g->last[i]) & 0xFFFFFF) == 0) continue;
            if (x < x0) x0 = x;
            if (x > x1) x1 = x;
            if (y < y0) y0 = y;
            y1 = y;
        }
    return x1 < 0 ? (rectangle){0, 0, 1, 1} : (rectangle){x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

static void count_colours(bex_gif *g, const unsigned *pixels, rectangle r) {
    memset(g->count, 0, sizeof g->count);
    memset(g->sum, 0, sizeof g->sum);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++) {
            unsigned p = pixels[(size_t)y * (size_t)g->width + (size_t)x];
            int b = bin_of(p);
            g->count[b]++;
            for (int k = 0; k < 3; k++) g->sum[b][k] += p >> (16 - 8 * k) & 255;
        }
}

static int nearest_entry(const GifColorType *palette, int n, int r, int g, int b) {
    int best = 0;
    long least = 1L << 30;
    for (int i = 0; i < n; i++) {
        long dr = palette[i].Red - r, dg = palette[i].Green - g, db = palette[i].Blue - b;
        long d = 2 * dr * dr + 4 * dg * dg + 3 * db * db;
        if (d < least) least = d, best = i;
    }
    return best;
}

// the most frequent colours, the others sent to their nearest
static int choose_palette(bex_gif *g, GifColorType palette[COLOURS]) {
    int n = 0;
    for (int b = 0; b < BINS; b++) g->entry[b] = -1;
    while (n < COLOURS) {
        int best = -1;
        for (int b = 0; b < BINS; b++)
            if (g->count[b] && g->entry[b] < 0 && (best < 0 || g->count[b] > g->count[best]))
                best = b;
        if (best < 0) break;
        unsigned c = g->count[best];
        palette[n] = (GifColorType){(GifByteType)((g->sum[best][0] + c / 2) / c),
                                    (GifByteType)((g->sum[best][1] + c / 2) / c),
                                    (GifByteType)((g->sum[best][2] + c / 2) / c)};
        g->entry[best] = (short)n++;
    }
    for (int b = 0; b < BINS; b++)
        if (g->count[b] && g->entry[b] < 0)
            g->entry[b] = (short)nearest_entry(palette, n, (b >> 10) * 8 + 4, (b >> 5 & 31) * 8 + 4,
                                               (b & 31) * 8 + 4);
    return n;
}

static int put_image(bex_gif *g, const unsigned *pixels, rectangle r, int centiseconds) {
    GifColorType palette[COLOURS] = {{0, 0, 0}};
    choose_palette(g, palette);
    ColorMapObject *map = GifMakeMapObject(COLOURS, palette);
    if (!map) return bex_fail("out of memory");
    GraphicsControlBlock control = {DISPOSE_DO_NOT, false, centiseconds, NO_TRANSPARENT_COLOR};
    GifByteType bytes[4];
    EGifGCBToExtension(&control, bytes);
    int ok = EGifPutExtension(g->file, GRAPHICS_EXT_FUNC_CODE, 4, bytes) != GIF_ERROR &&
             EGifPutImageDesc(g->file, r.x, r.y, r.w, r.h, false, map) != GIF_ERROR;
    GifFreeMapObject(map);
    for (int y = r.y; y < r.y + r.h && ok; y++) {
        const unsigned *row = pixels + (size_t)y * (size_t)g->width + (size_t)r.x;
        for (int x = 0; x < r.w; x++) g->line[x] = (unsigned char)g->entry[bin_of(row[x])];
        ok = EGifPutLine(g->file, g->line, r.w) != GIF_ERROR;
    }
    return ok ? 0 : wrong(g, g->file->Error);
}

int bex_gif_add(bex_gif *g, const unsigned *pixels, int centiseconds) {
    rectangle r = changed(g, pixels);
    count_colours(g, pixels, r);
    if (put_image(g, pixels, r, centiseconds) < 0) return -1;
    memcpy(g->last, pixels, (size_t)g->width * (size_t)g->height * sizeof *pixels);
    g->frames++;
    return 0;
}

int bex_gif_commit(bex_gif *g) {
    int error = 0;
    GifFileType *file = g->file;
    g->file = NULL;
    if (EGifCloseFile(file, &error) == GIF_ERROR) return wrong(g, error);
    return bex_file_commit(&g->out);
}

#else

int bex_gif_open(bex_gif **out, const char *path, int width, int height) {
    (void)width, (void)height;
    *out = NULL;
    bex_fail("this build has no giflib: cannot write '%s'", path);
    return bex_fail_hint("install libgif-dev and build again");
}

int bex_gif_add(bex_gif *gif, const unsigned *pixels, int centiseconds) {
    (void)gif, (void)pixels, (void)centiseconds;
    return -1;
}

int bex_gif_commit(bex_gif *gif) {
    (void)gif;
    return -1;
}

void bex_gif_free(bex_gif *gif) {
    (void)gif;
}

#endif
