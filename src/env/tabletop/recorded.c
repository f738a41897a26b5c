/* env/tabletop/recorded.c - files found again, then loaded as a composed scene is. */
#include "env/tabletop/recorded.h"

#include "base/error.h"
#include "base/path.h"
#include "env/tabletop/scene_files.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE "/no directory given" // there is none of that name

// what follows the last "assets/", ".." resolved by whoever opens it
static const char *tail_of(const char *path) {
    const char *found = NULL;
    for (const char *at = path; (at = strstr(at, "/assets/")); at++)
        found = at + strlen("/assets/");
    return found ? found : path;
}

static int find_files(bex_xml_tree *t, const char *robosuite, const char *libero) {
    bex_xml *assets = bex_xml_child(t->root, "asset");
    for (bex_xml *a = assets ? assets->first : NULL; a; a = a->next) {
        const char *path = bex_xml_get(a, "file");
        char here[BEX_PATH_SIZE];
        if (!path) continue;
        const char *folder = strstr(path, "robosuite") ? robosuite : libero;
        if (bex_path_join(here, folder && *folder ? folder : NOWHERE, "%s", tail_of(path)) < 0)
            return -1;
        bex_xml_set(t, a, "file", here);
    }
    bex_xml *compiler = bex_xml_child(t->root, "compiler");
    if (compiler) bex_xml_set(t, compiler, "meshdir", NULL);
    if (compiler) bex_xml_set(t, compiler, "texturedir", NULL);
    return 0;
}

int bex_recorded_load(bex_mj_model **out, const char *text, const char *robosuite,
                      const char *libero, const char *name) {
    bex_xml_tree *tree;
    bex_scene_files files = {.texture = BEX_TEXTURE_SIDE};
    char *whole = NULL;
    int code = -1;
    *out = NULL;
    if (bex_xml_tree_read(&tree, text, strlen(text), name) < 0) return -1;
    if (find_files(tree, robosuite, libero) < 0) goto done;
    if (bex_scene_files_load(&files, tree, name) < 0) {
        if (!robosuite || !*robosuite || !libero || !*libero)
            bex_fail_hint("where are they? --libero, --robosuite");
        goto done;
    }
    if (!(whole = bex_xml_text(tree->root))) goto done;
    code =
        bex_mj_scene_load(out, &(bex_mj_scene){whole, files.file, files.count, .take = true}, name);
done:
    free(whole);
    bex_scene_files_fini(&files);
    bex_xml_tree_free(tree);
    return code;
}
