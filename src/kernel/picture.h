/* kernel/picture.h - pictures as bytes: turned, resized, and as the numbers a network sees. RGB, (h,w,3).
 *
 * Resizing is a triangle filter, widened where the picture becomes smaller (each pixel of the result is a
 * mean over all it stands for), rounded to bytes after each direction: what PIL calls bilinear. The same in
 * training and in acting. */
#ifndef BEX_KERNEL_PICTURE_H
#define BEX_KERNEL_PICTURE_H

#include "base/real.h"

/* How a picture is turned: not at all, upside down, by half a turn. */
typedef enum { BEX_FLIP_NONE, BEX_FLIP_VERTICAL, BEX_FLIP_ROT180 } bex_flip;

void bex_picture_flip(unsigned char *out, const unsigned char *in, int h, int w, bex_flip flip);

/* Bytes of scratch for a result of width `ow` from `h` rows. */
static inline size_t bex_picture_scratch(int h, int ow) {
    return (size_t)h * (size_t)ow * 3;
}

/* out (oh,ow,3) from in (h,w,3); equal sizes are copied. */
void bex_picture_resize(unsigned char *out, int oh, int ow, const unsigned char *in, int h, int w,
                        unsigned char *scratch);

/* out (n,3) = (in / 255 - mean) / std, the moments of ImageNet per colour. */
void bex_picture_reals(bex_real *out, const unsigned char *in, size_t n);

/* ---- augmentation: the same picture as another eye might see it ---- */

typedef struct bex_picture_change {
    double top, left, height, width;         // the part that is kept, in shares of the picture
    double blur;                             // sigma of a Gaussian in pixels; 0: none
    double brightness, contrast, saturation; // factors; 1: none
} bex_picture_change;

#define BEX_PICTURE_UNCHANGED ((bex_picture_change){0, 0, 1, 1, 0, 1, 1, 1})

/* out (h,w,3), as bex_picture_reals gives it, of the changed picture. scratch: h w 3 reals. */
void bex_picture_changed(bex_real *out, const unsigned char *in, int h, int w,
                         const bex_picture_change *change, bex_real *scratch);

#endif
