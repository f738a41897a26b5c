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

static size_t camera_features(const bex_policy *p) {
    return (size_t)p->vision.places * (size_t)p->vision.features;
}

size_t bex_policy_features(const bex_policy *p) {
    return (size_t)p->vision.o.cameras * camera_features(p);
}

void bex_policy_see(const bex_policy *p, bex_tape *tape, const bex_observation *obs,
                    bex_real *features) {
    const bex_vision *v = &p->vision;
    size_t picture = bex_vision_picture(v), one = camera_features(p);
    bex_tensor *seen[BEX_CAMERAS];
    if (!v->o.cameras) return;
    BEX_CHECK(!tape->recording, "features of one moment, recorded");
    size_t mark = bex_arena_mark(tape->arena);
    bex_real *pixels = bex_scratch(tape, (size_t)v->o.cameras * picture);
    int h = obs && obs->height ? obs->height : v->o.height;
    int w = obs && obs->width ? obs->width : v->o.width;
    unsigned char *black = NULL;
    if (!obs) black = memset(bex_arena_alloc(tape->arena, picture), 0, picture);
    for (int c = 0; c < v->o.cameras; c++)
        bex_policy_picture(p, tape->arena, pixels + (size_t)c * picture,
                           obs ? obs->image[c] : black, h, w);
    bex_vision_run(tape, v, pixels, 1, seen);
    for (int c = 0; c < v->o.cameras; c++)
        memcpy(features + (size_t)c * one, seen[c]->data, one * sizeof *features);
    bex_arena_release(tape->arena, mark);
}

void bex_policy_seen(const bex_policy *p, bex_tape *tape, const bex_real *features, int copies,
                     bex_tensor **seen) {
    size_t one = camera_features(p);
    for (int c = 0; c < p->vision.o.cameras; c++, features += one) {
        const bex_real *all = features;
        if (copies > 1) {
            bex_real *own = bex_scratch(tape, (size_t)copies * one);
            for (int i = 0; i < copies; i++)
                memcpy(own + (size_t)i * one, features, one * sizeof *own);
            all = own;
        }
        seen[c] =
            bex_constant(tape, all, 3, BEX_DIMS(copies, p->vision.places, p->vision.features));
    }
}
