/* agent/sight/pixels.c - read, change, turn into numbers. */
#include "agent/sight/pixels.h"

#include <math.h>

static double between(bex_rng *g, double low, double high) {
    return low + (high - low) * bex_rng_uniform(g);
}

// a part of the picture: its share of the area, its shape between 3:4 and 4:3, its place
static void draw_part(bex_picture_change *c, double least, bex_rng *g) {
    double area = between(g, least, 1), shape = exp(between(g, log(0.75), log(4.0 / 3)));
    c->width = fmin(1, sqrt(area * shape)), c->height = fmin(1, sqrt(area / shape));
    c->top = between(g, 0, 1 - c->height), c->left = between(g, 0, 1 - c->width);
}

static bex_picture_change draw_change(const bex_augmentation *a, bex_rng g) {
    bex_picture_change c = BEX_PICTURE_UNCHANGED;
    if (a->crop < 1) draw_part(&c, a->crop, &g);
    if (a->blur > 0) c.blur = between(&g, 0.05, 1) * a->blur;
    if (a->colour > 0) {
        c.brightness = between(&g, 1 - a->colour, 1 + a->colour);
        c.contrast = between(&g, 1 - a->colour, 1 + a->colour);
        c.saturation = between(&g, 1 - a->colour, 1 + a->colour);
    }
    return c;
}

int bex_pixels_gather(bex_real *out, bex_arena *arena, const bex_pixels_request *q) {
    int h = bex_pictures_height(q->pictures), w = bex_pictures_width(q->pictures);
    int cameras = bex_pictures_cameras(q->pictures)->count;
    size_t bytes = bex_picture_bytes(h, w);
    unsigned char *room = bex_arena_alloc(arena, bytes);
    bex_real *scratch = bex_arena_alloc(arena, bytes * sizeof *scratch);
    for (int i = 0; i < q->B; i++)
        for (int c = 0; c < cameras; c++) {
            bex_real *to = out + ((size_t)c * (size_t)q->B + (size_t)i) * bytes;
            const unsigned char *picture = room;
            if (q->ready)
                picture = q->ready + ((size_t)i * (size_t)cameras + (size_t)c) * bytes;
            else if (bex_pictures_read(q->pictures, q->frames[i], c, room) < 0)
                return -1;
            if (!q->augment) {
                bex_picture_reals(to, picture, bytes / 3);
                continue;
            }
            bex_rng g = bex_rng_split(q->rng, "augment", (uint64_t)q->number[i]);
            bex_picture_change change =
                draw_change(q->augment, bex_rng_split(g, "camera", (uint64_t)c));
            bex_picture_changed(to, picture, h, w, &change, scratch);
        }
    return 0;
}
