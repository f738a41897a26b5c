/* policy/sight.c - pictures to features when acting: as training made them, without augmentation. */
#include "policy/policy.h"

#include "base/error.h"
#include "kernel/picture.h"

#include <string.h>

void bex_policy_picture(const bex_policy *p, bex_arena *arena, bex_real *out,
                        const unsigned char *picture, int h, int w) {
    int H = p->vision.o.height, W = p->vision.o.width;
    unsigned char *turned = bex_arena_alloc(arena, bex_picture_bytes(h, w));
    bex_picture_flip(turned, picture, h, w, (bex_flip)p->config.vision.flip);
    if (h != H || w != W) {
        unsigned char *small = bex_arena_alloc(arena, bex_picture_bytes(H, W));
        bex_picture_resize(small, H, W, turned, h, w,
                           bex_arena_alloc(arena, bex_picture_scratch(h, W)));
        turned = small;
    }
    bex_picture_reals(out, turned, (size_t)H * (size_t)W);
}

// features of one window, so many times
static bex_tensor *repeat(bex_tape *tape, const bex_tensor *x, int copies) {
    size_t n = bex_count(x);
    bex_real *all = bex_scratch(tape, n * (size_t)copies);
    for (int i = 0; i < copies; i++) memcpy(all + (size_t)i * n, x->data, n * sizeof *all);
    return bex_constant(tape, all, 3, BEX_DIMS(copies, x->dim[1], x->dim[2]));
}

void bex_policy_see(const bex_policy *p, bex_tape *tape, const bex_observation *obs, int copies,
                    bex_tensor **seen) {
    const bex_vision *v = &p->vision;
    size_t picture = bex_vision_picture(v);
    if (!v->o.cameras) return;
    BEX_CHECK(!tape->recording, "features of one moment, recorded");
    bex_real *pixels = bex_scratch(tape, (size_t)v->o.cameras * picture);
    int h = obs && obs->height ? obs->height : v->o.height;
    int w = obs && obs->width ? obs->width : v->o.width;
    unsigned char *black = NULL;
    if (!obs) black = memset(bex_arena_alloc(tape->arena, picture), 0, picture);
    for (int c = 0; c < v->o.cameras; c++)
        bex_policy_picture(p, tape->arena, pixels + (size_t)c * picture,
                           obs ? obs->image[c] : black, h, w);
    bex_vision_run(tape, v, pixels, 1, seen);
    for (int c = 0; copies > 1 && c < v->o.cameras; c++) seen[c] = repeat(tape, seen[c], copies);
}
