/* env/tabletop/parts.c - paths, and the table of what is compiled in. */
#include "env/tabletop/parts.h"

#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "env/tabletop_models.h"
#include "host/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 4 << 20 };

static const char *const scenes[] = {
    "KITCHEN_SCENE10",    "KITCHEN_SCENE1",     "KITCHEN_SCENE2",     "KITCHEN_SCENE3",
    "KITCHEN_SCENE4",     "KITCHEN_SCENE5",     "KITCHEN_SCENE6",     "KITCHEN_SCENE7",
    "KITCHEN_SCENE8",     "KITCHEN_SCENE9",     "LIVING_ROOM_SCENE1", "LIVING_ROOM_SCENE2",
    "LIVING_ROOM_SCENE3", "LIVING_ROOM_SCENE4", "LIVING_ROOM_SCENE5", "LIVING_ROOM_SCENE6",
    "STUDY_SCENE1",       "STUDY_SCENE2",       "STUDY_SCENE3",       "STUDY_SCENE4"};
enum { SCENES = sizeof scenes / sizeof *scenes };

const char *bex_scene_at(int i) {
    return i >= 0 && i < SCENES ? scenes[i] : NULL;
}

// folder/way[i] that holds `file`
static int find_root(char out[BEX_PATH_SIZE], const char *folder, const char *const *ways,
                     const char *file, const char *what) {
    char path[BEX_PATH_SIZE];
    if (!bex_folder_exists(folder)) return bex_fail("%s: no directory '%s'", what, folder);
    for (; *ways; ways++) {
        if ((**ways ? bex_path_join(out, folder, "%s", *ways) : bex_path_print(out, "%s", folder)) <
                0 ||
            bex_path_join(path, out, "%s", file) < 0)
            return -1;
        if (access(path, R_OK) == 0) return 0;
    }
    return bex_fail("%s: no '%s' in '%s' or below it", what, file, folder);
}

int bex_parts_libero(char out[BEX_PATH_SIZE], const char *folder, const char *what) {
    static const char *const ways[] = {"", "libero/libero", "libero", NULL};
    return find_root(out, folder, ways, "assets/articulated_objects/microwave.xml", what);
}

int bex_parts_robosuite(char out[BEX_PATH_SIZE], const char *folder, const char *what) {
    static const char *const ways[] = {"", "robosuite/models/assets", "models/assets", "assets",
                                       NULL};
    return find_root(out, folder, ways, "robots/panda/robot.xml", what);
}

int bex_parts_init(bex_parts *p, const char *libero, const char *robosuite) {
    bool has_libero = libero && *libero, has_robosuite = robosuite && *robosuite;
    *p = (bex_parts){.own = !has_libero && !has_robosuite};
    if (p->own) return 0;
    if (!has_libero || !has_robosuite)
        return bex_fail("env.libero and env.robosuite are both needed, or neither");
    if (bex_parts_libero(p->libero, libero, "env.libero") < 0) return -1;
    return bex_parts_robosuite(p->robosuite, robosuite, "env.robosuite");
}

static const embedded *own_file(const char *name) {
    for (size_t i = 0; i < sizeof tabletop_models / sizeof *tabletop_models; i++)
        if (!strcmp(tabletop_models[i].name, name)) return &tabletop_models[i];
    return NULL;
}

static int read_own_scene(bex_bddl *out, const char *scene) {
    char name[80];
    snprintf(name, sizeof name, "%s.bddl", scene);
    const embedded *e = own_file(name);
    return e ? bex_bddl_read(out, e->text, strlen(e->text), name) : bex_fail("no file '%s'", name);
}

// SCENE_task.bddl -> its task
static bool task_of(const char *file, const char *scene, char task[BEX_BDDL_TEXT]) {
    size_t n = strlen(scene), length = strlen(file), end = strlen(".bddl");
    if (length < n + end + 2 || strncmp(file, scene, n) || file[n] != '_' ||
        strcmp(file + length - end, ".bddl") || length - n - end >= BEX_BDDL_TEXT)
        return false;
    snprintf(task, BEX_BDDL_TEXT, "%.*s", (int)(length - n - end - 1), file + n + 1);
    return true;
}

static int read_task(bex_bddl *out, const char *folder, const char *file, const char *task) {
    char path[BEX_PATH_SIZE], *text;
    size_t size;
    bex_bddl one;
    if (bex_path_join(path, folder, "%s", file) < 0 ||
        bex_file_read(&text, &size, path, LARGEST) < 0)
        return -1;
    int code = bex_bddl_read(&one, text, size, path);
    free(text);
    if (code < 0) return -1;
    if (out->tasks) return bex_bddl_merge(out, &one, task);
    *out = one;
    strcpy(out->task[0].name, task);
    return 0;
}

static int read_scene(bex_bddl *out, const bex_parts *p, const char *scene) {
    char folder[BEX_PATH_SIZE], task[BEX_BDDL_TEXT], **names;
    if (bex_path_join(folder, p->libero, "bddl_files/libero_90") < 0) return -1;
    int count = bex_folder_list(&names, folder), code = count < 0 ? -1 : 0;
    *out = (bex_bddl){0};
    for (int i = 0; i < count && code == 0; i++)
        if (task_of(names[i], scene, task)) code = read_task(out, folder, names[i], task);
    if (count >= 0) free(names);
    if (code == 0 && !out->tasks) return bex_fail("no task of %s in '%s'", scene, folder);
    return code;
}

int bex_parts_scene(bex_bddl *out, const bex_parts *p, const char *scene) {
    int i = 0;
    while (i < SCENES && strcmp(scenes[i], scene)) i++;
    if (i == SCENES) {
        bex_fail("no scene '%s'", scene);
        const char *near = bex_nearest(scene, scenes, SCENES, sizeof *scenes);
        return near ? bex_fail_hint("did you mean %s?", near)
                    : bex_fail_hint("see bex env libero --list");
    }
    int code = p->own ? read_own_scene(out, scene) : read_scene(out, p, scene);
    return code < 0 ? bex_fail_in("%s", scene) : 0;
}

int bex_parts_init_file(char path[BEX_PATH_SIZE], const bex_parts *p, const char *scene,
                        const char *task) {
    if (p->own) return -1;
    return bex_path_join(path, p->libero, "init_files/libero_90/%s_%s.pruned_init", scene, task);
}

static int part_path(char path[BEX_PATH_SIZE], const bex_parts *p, bex_part_kind part,
                     const char *name) {
    const bex_kind *kind;
    switch (part) {
    case BEX_PART_ARENA:
        return bex_path_join(path, p->libero, "assets/scenes/%s.xml", name);
    case BEX_PART_ROBOT:
        return bex_path_join(path, p->robosuite, "robots/panda/robot.xml");
    case BEX_PART_GRIPPER:
        return bex_path_join(path, p->robosuite, "grippers/panda_gripper.xml");
    case BEX_PART_MOUNT:
        return bex_path_join(path, p->robosuite, "mounts/rethink_mount.xml");
    case BEX_PART_KIND:
        break;
    }
    kind = bex_kind_named(name);
    if (!strcmp(kind->folder, "articulated_objects"))
        return bex_path_join(path, p->libero, "assets/%s/%s.xml", kind->folder, name);
    return bex_path_join(path, p->libero, "assets/%s/%s/%s.xml", kind->folder, name, name);
}

// files are relative to the part's own folder
static int make_absolute(bex_xml_tree *t, const char *path) {
    char whole[BEX_PATH_SIZE];
    int folder = (int)(strrchr(path, '/') - path);
    for (bex_xml *e = t->root; e; e = bex_xml_walk(t->root, e)) {
        const char *file = bex_xml_get(e, "file");
        if (!file || *file == '/') continue;
        if (bex_path_print(whole, "%.*s/%s", folder, path, file) < 0) return -1;
        bex_xml_set(t, e, "file", whole);
    }
    return 0;
}

static int read_own_part(bex_xml_tree **out, bex_part_kind part, const char *name) {
    static const char *const files[] = {[BEX_PART_ROBOT] = "panda",
                                        [BEX_PART_GRIPPER] = "panda_gripper",
                                        [BEX_PART_MOUNT] = "mount"};
    char file[80];
    snprintf(file, sizeof file, "%s.xml",
             part == BEX_PART_KIND || part == BEX_PART_ARENA ? name : files[part]);
    const embedded *e = own_file(file);
    if (!e) return bex_fail("no part '%s'", file);
    return bex_xml_tree_read(out, e->text, strlen(e->text), file);
}

int bex_parts_read(bex_xml_tree **out, const bex_parts *p, bex_part_kind part, const char *name) {
    char path[BEX_PATH_SIZE], *text;
    size_t size;
    *out = NULL;
    if (p->own) return read_own_part(out, part, name);
    if (part_path(path, p, part, name) < 0 || bex_file_read(&text, &size, path, LARGEST) < 0)
        return -1;
    int code = bex_xml_tree_read(out, text, size, path);
    free(text);
    if (code == 0 && make_absolute(*out, path) < 0) {
        bex_xml_tree_free(*out), *out = NULL;
        return -1;
    }
    return code;
}
