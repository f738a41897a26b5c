/* env/tabletop/scene_files.h - the meshes and textures that a composed model names, read into memory under
 * names of their own, and what becomes of those that are not there.
 *
 *     bex_scene_files f = {.texture = 512};
 *     bex_scene_files_load(&f, tree, "KITCHEN_SCENE5");   file="/a/b/cup.msh" -> file="17-cup.msh"
 *     char *text = bex_xml_text(tree->root);
 *     bex_mj_scene_load(&model, &(bex_mj_scene){text, f.file, f.count, .take = true}, name);
 *     bex_scene_files_fini(&f);
 *
 * First what nothing uses is dropped: materials, meshes, textures. A file that is missing costs looks
 * only, with one warning for all of them: its visual geoms are dropped, an object left without any shows
 * its collision geoms, a texture becomes a grey. A missing mesh that collides is a failure. */
#ifndef BEX_ENV_TABLETOP_SCENE_FILES_H
#define BEX_ENV_TABLETOP_SCENE_FILES_H

#include "env/mj.h"
#include "env/tabletop/xml_tree.h"

enum { BEX_TEXTURE_SIDE = 512 }; // pixels, unless asked otherwise

typedef struct bex_scene_files {
    bex_mj_file *file;
    int count, room;
    int missing; // files that were not there
    int texture; // pixels of a texture's side at most; 0: as they are
} bex_scene_files;

/* Of a model whose assets name files by whole paths. name: for messages. Negative with a message: no memory,
 * a collision mesh that is not there, an absurd file. */
int bex_scene_files_load(bex_scene_files *f, bex_xml_tree *tree, const char *name);
/* A geom that looks like this collision geom and does nothing else: group 1, which has no mass. */
void bex_show_collision(bex_xml_tree *t, bex_xml *geom, const char *rgba);

void bex_scene_files_fini(bex_scene_files *f);

#endif
