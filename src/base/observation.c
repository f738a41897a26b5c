#include "base/observation.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdlib.h>

int bex_observation_check(const bex_observation *o, int cameras) {
    for (int c = 0; c < BEX_CAMERAS; c++) {
        if (!o->image[c] == (c >= cameras)) continue;
        bex_fail("%s picture of camera %d, where there are %d cameras", o->image[c] ? "a" : "no", c,
                 cameras);
        return bex_misused();
    }
    return 0;
}

int bex_frame_init(bex_frame *f, const bex_observation_spec *spec) {
    BEX_CHECK(spec->cameras >= 0 && spec->cameras <= BEX_CAMERAS, "%d cameras", spec->cameras);
    *f = (bex_frame){.state = calloc((size_t)spec->state, sizeof *f->state)};
    if (spec->cameras) f->height = spec->height, f->width = spec->width;
    bool whole = f->state;
    for (int c = 0; whole && c < spec->cameras; c++) {
        f->image[c] = calloc(bex_picture_bytes(spec->height, spec->width), 1);
        whole = f->image[c];
    }
    if (whole) return 0;
    bex_frame_fini(f);
    return bex_fail("out of memory");
}

void bex_frame_fini(bex_frame *f) {
    free(f->state);
    for (int c = 0; c < BEX_CAMERAS; c++) free(f->image[c]);
    *f = (bex_frame){0};
}
