/* show/still.c - the table of kinds. */
#include "show/still.h"

#include "base/error.h"
#include "show/kitchen_picture.h"

#include <string.h>

static const bex_picture_kind kinds[] = {
    {"map", bex_world_picture, bex_world_animation, false},
    {"kitchen", bex_kitchen_picture, NULL, true},
};

const bex_picture_kind *bex_picture_kind_of(const bex_world *world) {
    const char *name = world->class->picture;
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    BEX_CHECK(!name, "%s: no picture is called '%s'", world->name, name);
    return NULL;
}

int bex_world_still(const bex_world *world, const bex_paths *paths, const char *title,
                    const char *path) {
    const bex_picture_kind *k = bex_picture_kind_of(world);
    if (!k) return bex_fail("%s has no picture from above", world->name);
    return k->still(world, paths, title, path);
}

int bex_world_moving(const bex_world *world, const bex_paths *paths, const char *title, int every,
                     const char *path) {
    const bex_picture_kind *k = bex_picture_kind_of(world);
    if (!k || !k->animation) return bex_fail("%s has no picture from above", world->name);
    return k->animation(world, paths, title, every, path);
}
