/* env/tabletop/scene_files.c - who uses what, then one file after the other. */
#include "env/tabletop/scene_files.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "env/tabletop/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { FILES = 1900, LARGEST = 256 << 20 };

static bool is(const bex_xml *e, const char *tag) {
    return !strcmp(e->tag, tag);
}

// does an element of tag `by` name it in its attribute?
static bool used(bex_xml *root, const char *by, const char *attribute, const char *name) {
    return name && bex_xml_find(root, by, attribute, name);
}

static bool wanted(bex_xml *root, const bex_xml *asset) {
    const char *name = bex_xml_get(asset, "name");
    if (is(asset, "mesh")) return used(root, "geom", "mesh", name);
    if (is(asset, "material"))
        return used(root, "geom", "material", name) || used(root, "site", "material", name);
    if (is(asset, "texture")) {
        const char *type = bex_xml_get(asset, "type");
        return (type && !strcmp(type, "skybox")) || used(root, "material", "texture", name);
    }
    return true;
}

static void drop_unused(bex_xml *root, bex_xml *assets, const char *tag) {
    for (bex_xml *a = assets->first, *next; a; a = next) {
        next = a->next;
        if (is(a, tag) && !wanted(root, a)) bex_xml_remove(a);
    }
}

static bool collides(const bex_xml *geom) {
    const char *type = bex_xml_get(geom, "contype"), *affinity = bex_xml_get(geom, "conaffinity");
    return !(type && affinity && !strcmp(type, "0") && !strcmp(affinity, "0"));
}

static bool shown(const bex_xml *geom) {
    const char *group = bex_xml_get(geom, "group");
    return group && !strcmp(group, "1");
}

void bex_show_collision(bex_xml_tree *t, bex_xml *geom, const char *rgba) {
    static const char *const drop[] = {"name",    "solimp", "solref", "friction",
                                       "density", "condim", NULL};
    bex_xml *twin = bex_xml_copy(t, geom->parent, geom);
    for (int i = 0; drop[i]; i++) bex_xml_set(t, twin, drop[i], NULL);
    bex_xml_set(t, twin, "contype", "0");
    bex_xml_set(t, twin, "conaffinity", "0");
    bex_xml_set(t, twin, "group", "1");
    if (rgba) bex_xml_set(t, twin, "rgba", rgba);
}

// a body whose looks are gone shows what it collides with
static void show_collision(bex_xml_tree *t, bex_xml *body) {
    for (bex_xml *c = body->first; c; c = c->next)
        if (is(c, "geom") && shown(c)) return;
    for (bex_xml *c = body->first, *last = body->last, *next; c; c = next) {
        next = c == last ? NULL : c->next;
        if (is(c, "geom")) bex_show_collision(t, c, "0.55 0.52 0.5 1");
    }
}

static int without_mesh(bex_xml_tree *t, const char *mesh, const char *path) {
    for (bex_xml *g; (g = bex_xml_find(t->root, "geom", "mesh", mesh));) {
        bex_xml *body = g->parent;
        if (collides(g)) return bex_fail("mesh '%s' collides, and is not there: '%s'", mesh, path);
        bex_xml_remove(g);
        show_collision(t, body);
    }
    return 0;
}

static void without_texture(bex_xml_tree *t, bex_xml *texture) {
    static const char *const drop[] = {"file", "gridsize", "gridlayout", NULL};
    for (int i = 0; drop[i]; i++) bex_xml_set(t, texture, drop[i], NULL);
    bex_xml_set(t, texture, "builtin", "flat");
    bex_xml_set(t, texture, "rgb1", "0.55 0.52 0.5");
    bex_xml_set(t, texture, "width", "8");
    const char *type = bex_xml_get(texture, "type");
    bex_xml_set(t, texture, "height", type && !strcmp(type, "2d") ? "8" : "48");
}

static int read_file(bex_scene_files *f, bex_xml_tree *t, bex_xml *asset, const char *path) {
    char name[512], *bytes;
    size_t size;
    const char *base = strrchr(path, '/');
    if (f->count == FILES) return bex_fail("more than %d files", FILES);
    if (f->count == f->room) {
        int room = f->room ? 2 * f->room : 64;
        bex_mj_file *grown = realloc(f->file, (size_t)room * sizeof *grown);
        if (!grown) return bex_fail("out of memory");
        f->file = grown, f->room = room;
    }
    if (bex_file_read(&bytes, &size, path, LARGEST) < 0) return -1;
    // a grid is cut into squares of whole pixels
    bool plain = is(asset, "texture") && !bex_xml_get(asset, "gridsize");
    int shrunk = plain && f->texture ? bex_texture_shrink(&bytes, &size, f->texture) : 0;
    if (snprintf(name, sizeof name, "%d-%s%s", f->count, base ? base + 1 : path,
                 shrunk ? ".rgb" : "") >= (int)sizeof name) {
        free(bytes);
        return bex_fail("'%.60s...' has too long a name", path);
    }
    bex_xml_set(t, asset, "file", name);
    f->file[f->count++] = (bex_mj_file){bex_xml_get(asset, "file"), bytes, size};
    return 0;
}

int bex_scene_files_load(bex_scene_files *f, bex_xml_tree *t, const char *name) {
    bex_xml *assets = bex_xml_child(t->root, "asset");
    char first[300] = "";
    if (!assets) return 0;
    drop_unused(t->root, assets, "mesh");
    drop_unused(t->root, assets, "material");
    drop_unused(t->root, assets, "texture");
    for (bex_xml *a = assets->first, *next; a; a = next) {
        const char *path = bex_xml_get(a, "file");
        next = a->next;
        if (!path) continue;
        if (access(path, R_OK) == 0) {
            if (read_file(f, t, a, path) < 0) return bex_fail_in("%s", name);
            continue;
        }
        if (!f->missing++) snprintf(first, sizeof first, "%.*s", (int)sizeof first - 1, path);
        if (is(a, "mesh")) {
            const char *mesh = bex_xml_get(a, "name");
            if (mesh && without_mesh(t, mesh, path) < 0) return bex_fail_in("%s", name);
            bex_xml_remove(a);
        } else {
            without_texture(t, a);
        }
    }
    if (f->missing)
        bex_log(BEX_LOG_WARN,
                "%s: %d meshes and textures are not there, plain shapes instead; the first: %s",
                name, f->missing, first);
    return 0;
}

void bex_scene_files_fini(bex_scene_files *f) {
    for (int i = 0; i < f->count; i++) free((void *)f->file[i].bytes);
    free(f->file);
    *f = (bex_scene_files){0};
}
