/* kernel/picture.c - separable filters over rows of bytes, three colours at a time. */
#include "kernel/picture.h"

#include "base/error.h"

#include <string.h>

enum { REACH = 15 }; // pixels of a blur to either side, at most

static const bex_real MEAN[3] = {R(0.485), R(0.456), R(0.406)};
static const bex_real STD[3] = {R(0.229), R(0.224), R(0.225)};

void bex_picture_flip(unsigned char *out, const unsigned char *in, int h, int w, bex_flip flip) {
    size_t row = (size_t)w * 3;
    if (flip == BEX_FLIP_NONE) {
        memcpy(out, in, (size_t)h * row);
        return;
    }
    for (int i = 0; i < h; i++) {
        const unsigned char *from = in + (size_t)(h - 1 - i) * row;
        unsigned char *to = out + (size_t)i * row;
        if (flip == BEX_FLIP_VERTICAL)
            memcpy(to, from, row);
        else
            for (int j = 0; j < w; j++) memcpy(to + 3 * j, from + 3 * (w - 1 - j), 3);
    }
}

// the pixels of n that pixel i of `on` is a mean of: first, how many, and the triangle's place and slope
typedef struct {
    int first, count;
    double centre, slope;
} support;

static support support_of(int i, int on, int n) {
    double scale = (double)n / on, wide = scale > 1 ? scale : 1;
    support s = {.centre = (i + 0.5) * scale, .slope = 1 / wide};
    double low = s.centre - wide + 0.5, high = s.centre + wide + 0.5;
    s.first = low > 0 ? (int)low : 0;
    s.count = (high < n ? (int)high : n) - s.first;
    return s;
}

static double weight(const support *s, int k) {
    double x = (s->first + k - s->centre + 0.5) * s->slope;
    x = x < 0 ? -x : x;
    return x < 1 ? 1 - x : 0;
}

static unsigned char byte(double x) {
    return x <= 0 ? 0 : x >= 255 ? 255 : (unsigned char)(x + 0.5);
}

// one direction: `lines` lines of n pixels, `step` bytes from pixel to pixel, `line` from line to line
static void resize_lines(unsigned char *out, int on, ptrdiff_t out_step, ptrdiff_t out_line,
                         const unsigned char *in, int n, ptrdiff_t step, ptrdiff_t line,
                         int lines) {
    for (int i = 0; i < on; i++) {
        support s = support_of(i, on, n);
        double total = 0;
        for (int k = 0; k < s.count; k++) total += weight(&s, k);
        for (int l = 0; l < lines; l++) {
            double sum[3] = {0, 0, 0};
            const unsigned char *p = in + l * line + s.first * step;
            for (int k = 0; k < s.count; k++, p += step) {
                double w = weight(&s, k) / total;
                for (int c = 0; c < 3; c++) sum[c] += w * p[c];
            }
            for (int c = 0; c < 3; c++) out[i * out_step + l * out_line + c] = byte(sum[c]);
        }
    }
}

void bex_picture_resize(unsigned char *out, int oh, int ow, const unsigned char *in, int h, int w,
                        unsigned char *scratch) {
    BEX_CHECK(oh > 0 && ow > 0 && h > 0 && w > 0, "a picture of %d x %d from %d x %d", oh, ow, h,
              w);
    if (oh == h && ow == w) {
        memcpy(out, in, (size_t)h * (size_t)w * 3);
        return;
    }
    ptrdiff_t row = 3 * (ptrdiff_t)ow;
    resize_lines(scratch, ow, 3, row, in, w, 3, 3 * (ptrdiff_t)w, h);
    resize_lines(out, oh, row, 3, scratch, h, row, 3, ow);
}

void bex_picture_reals(bex_real *out, const unsigned char *in, size_t n) {
    bex_real a[3], b[3];
    for (int c = 0; c < 3; c++) a[c] = R(1) / (R(255) * STD[c]), b[c] = -MEAN[c] / STD[c];
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            out[3 * i + (size_t)c] = (bex_real)in[3 * i + (size_t)c] * a[c] + b[c];
}

/* ---- augmentation, on numbers 0 .. 1 ---- */

static bex_real between(double x, double low, double high) {
    return (bex_real)(x < low ? low : x > high ? high : x);
}

// the kept part over the whole, by the four pixels around each point
static void crop(bex_real *out, const unsigned char *in, int h, int w,
                 const bex_picture_change *g) {
    for (int i = 0; i < h; i++) {
        double y = (double)between((g->top + g->height * (i + 0.5) / h) * h - 0.5, 0, h - 1);
        int y0 = (int)y, y1 = y0 + 1 < h ? y0 + 1 : y0;
        bex_real v = (bex_real)(y - y0);
        for (int j = 0; j < w; j++, out += 3) {
            double x = (double)between((g->left + g->width * (j + 0.5) / w) * w - 0.5, 0, w - 1);
            int x0 = (int)x, x1 = x0 + 1 < w ? x0 + 1 : x0;
            bex_real u = (bex_real)(x - x0);
            for (int c = 0; c < 3; c++) {
                bex_real a = in[(y0 * w + x0) * 3 + c], b = in[(y0 * w + x1) * 3 + c];
                bex_real d = in[(y1 * w + x0) * 3 + c], e = in[(y1 * w + x1) * 3 + c];
                bex_real top = a + u * (b - a), low = d + u * (e - d);
                out[c] = (top + v * (low - top)) * R(1.0 / 255);
            }
        }
    }
}

static int mirror(int i, int n) {
    while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
    return i;
}

// one direction of the blur; outside, the picture mirrored
static void blur_lines(bex_real *out, const bex_real *in, const bex_real *kernel, int reach, int n,
                       ptrdiff_t step, int lines, ptrdiff_t line) {
    for (int l = 0; l < lines; l++)
        for (int i = 0; i < n; i++) {
            bex_real sum[3] = {0, 0, 0};
            for (int k = -reach; k <= reach; k++) {
                const bex_real *p = in + l * line + (n > 1 ? mirror(i + k, n) : 0) * step;
                for (int c = 0; c < 3; c++) sum[c] += kernel[k + reach] * p[c];
            }
            memcpy(out + l * line + i * step, sum, sizeof sum);
        }
}

static void blur(bex_real *x, bex_real *scratch, int h, int w, double sigma) {
    bex_real kernel[2 * REACH + 1], total = 0;
    int reach = (int)(3 * sigma + 0.999);
    if (reach > REACH) reach = REACH;
    for (int k = -reach; k <= reach; k++)
        total += kernel[k + reach] = (bex_real)exp(-k * k / (2 * sigma * sigma));
    for (int k = 0; k <= 2 * reach; k++) kernel[k] /= total;
    blur_lines(scratch, x, kernel, reach, w, 3, h, 3 * (ptrdiff_t)w);
    blur_lines(x, scratch, kernel, reach, h, 3 * (ptrdiff_t)w, w, 3);
}

static bex_real grey(const bex_real *p) {
    return R(0.299) * p[0] + R(0.587) * p[1] + R(0.114) * p[2];
}

static void colour(bex_real *x, size_t n, const bex_picture_change *g) {
    bex_real mean = 0, f[3] = {R(g->brightness), R(g->contrast), R(g->saturation)};
    for (size_t i = 0; i < 3 * n; i++) x[i] = between((double)(x[i] * f[0]), 0, 1);
    for (size_t i = 0; i < n; i++) mean += grey(x + 3 * i);
    mean /= (bex_real)n;
    for (size_t i = 0; i < 3 * n; i++) x[i] = between((double)(mean + f[1] * (x[i] - mean)), 0, 1);
    for (size_t i = 0; i < n; i++) {
        bex_real g1 = grey(x + 3 * i);
        for (int c = 0; c < 3; c++)
            x[3 * i + (size_t)c] = between((double)(g1 + f[2] * (x[3 * i + (size_t)c] - g1)), 0, 1);
    }
}

void bex_picture_changed(bex_real *out, const unsigned char *in, int h, int w,
                         const bex_picture_change *g, bex_real *scratch) {
    size_t n = (size_t)h * (size_t)w;
    crop(out, in, h, w, g);
    if (g->blur > 0) blur(out, scratch, h, w, g->blur);
    if (g->brightness != 1 || g->contrast != 1 || g->saturation != 1) colour(out, n, g);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 3; c++) out[3 * i + c] = (out[3 * i + c] - MEAN[c]) / STD[c];
}
