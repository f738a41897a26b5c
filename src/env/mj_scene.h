/* env/mj_scene.h - are all files that a scene names among its files? MuJoCo looks on the disk for one that is
 * not, from the current folder: a scene that is not whole would load there and fail elsewhere. Private to
 * env/. */
#ifndef BEX_ENV_MJ_SCENE_H
#define BEX_ENV_MJ_SCENE_H

#include "env/mj.h"

/* Negative with a message naming the first file that is missing. Included MJCF is looked through as well:
 * every file that ends in .xml. */
int bex_mj_scene_check(const bex_mj_scene *scene);

#endif
