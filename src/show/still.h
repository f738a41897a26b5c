/* show/still.h - a picture of a world by the kind its class names (bex_env_class.picture): one row of the
 * table in still.c a kind. */
#ifndef BEX_SHOW_STILL_H
#define BEX_SHOW_STILL_H

#include "env/env.h"
#include "show/world_picture.h"

typedef struct bex_picture_kind {
    const char *name;

    /* A figure of trajectories; paths NULL: of the empty world. path: .png, .svg, .pdf, several by commas. */
    int (*still)(const bex_world *world, const bex_paths *paths, const char *title,
                 const char *path);

    /* A GIF of them, `every` rows a frame. NULL: there is none. */
    int (*animation)(const bex_world *world, const bex_paths *paths, const char *title, int every,
                     const char *path);

    bool camera_first; // a .png shows what a camera sees unless the figure is asked for
} bex_picture_kind;

/* The kind a world is drawn by; NULL: only a camera sees it. */
const bex_picture_kind *bex_picture_kind_of(const bex_world *world);

/* By that kind. Negative with a message where there is none. */
int bex_world_still(const bex_world *world, const bex_paths *paths, const char *title,
                    const char *path);
int bex_world_moving(const bex_world *world, const bex_paths *paths, const char *title, int every,
                     const char *path);

#endif
