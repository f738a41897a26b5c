/* show/contact_sheet.c - small pictures copied into a large one. */
#include "show/contact_sheet.h"

#include "base/error.h"
#include "draw/picture.h"

#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 8, EPISODES = 4, GAP = 4, SIDE = 256 };

typedef struct sheet {
    const bex_dataset *d;
    int h, w; // of a picture on the sheet
    int wide; // of the sheet, in pixels
    unsigned char *pixels;
    unsigned char *picture, *small, *scratch;
} sheet;

static int place(sheet *s, int frame, int camera, int top, int left) {
    int h = bex_pictures_height(s->d->pictures), w = bex_pictures_width(s->d->pictures);
    if (bex_pictures_read(s->d->pictures, frame, camera, s->picture) < 0) return -1;
    bex_picture_resize(s->small, s->h, s->w, s->picture, h, w, s->scratch);
    for (int y = 0; y < s->h; y++)
        memcpy(s->pixels + ((size_t)(top + y) * (size_t)s->wide + (size_t)left) * 3,
               s->small + (size_t)y * (size_t)s->w * 3, (size_t)s->w * 3);
    return 0;
}

static int fill(sheet *s, int episodes, int cameras) {
    const bex_dataset *d = s->d;
    int top = GAP;
    for (int i = 0; i < episodes; i++, top += 2 * GAP) {
        int e = (int)((long long)i * d->episodes / episodes), rows = bex_dataset_length(d, e);
        for (int c = 0; c < cameras; c++, top += s->h + GAP)
            for (int k = 0; k < MOMENTS; k++) {
                int row = d->start[e] + (int)((long long)k * (rows - 1) / (MOMENTS - 1));
                if (place(s, d->frames[row], c, top, GAP + k * (s->w + GAP)) < 0) return -1;
            }
    }
    return 0;
}

int bex_contact_sheet(const bex_dataset *d, const char *path) {
    int h = bex_pictures_height(d->pictures), w = bex_pictures_width(d->pictures);
    int cameras = bex_dataset_cameras(d),
        episodes = d->episodes < EPISODES ? d->episodes : EPISODES;
    int large = h > w ? h : w;
    sheet s = {.d = d, .h = h, .w = w};
    if (large > SIDE) s.h = h * SIDE / large + 1, s.w = w * SIDE / large + 1;
    s.wide = GAP + MOMENTS * (s.w + GAP);
    int high = GAP + episodes * (cameras * (s.h + GAP) + 2 * GAP);
    size_t size = (size_t)s.wide * (size_t)high * 3;
    s.pixels = malloc(size);
    s.picture = malloc(bex_picture_bytes(h, w));
    s.small = malloc(bex_picture_bytes(s.h, s.w));
    s.scratch = malloc(bex_picture_scratch(h, s.w));
    int code = s.pixels && s.picture && s.small && s.scratch ? 0 : bex_fail("out of memory");
    if (code == 0) memset(s.pixels, 255, size);
    if (code == 0) code = fill(&s, episodes, cameras);
    if (code == 0) code = bex_picture_save(s.pixels, s.wide, high, path);
    free(s.pixels), free(s.picture), free(s.small), free(s.scratch);
    return code;
}
