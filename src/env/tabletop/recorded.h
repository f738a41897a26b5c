/* env/tabletop/recorded.h - the model a robosuite or LIBERO demonstration was recorded with (the attribute
 * model_file of its HDF5), with meshes and textures from this machine's directories instead of the
 * recorder's. */
#ifndef BEX_ENV_TABLETOP_RECORDED_H
#define BEX_ENV_TABLETOP_RECORDED_H

#include "env/mj.h"

/* Compile MJCF text; a file it names is looked for by what follows ".../assets/": in `robosuite` (its
 * models/assets) where the path speaks of robosuite, else in `libero` (its assets). "" or NULL: not at
 * hand. What is missing costs looks only (env/tabletop/scene_files.h), unless it collides. */
int bex_recorded_load(bex_mj_model **out, const char *text, const char *robosuite,
                      const char *libero, const char *name);

#endif
