/* env/tabletop/parts.h - where scenes and their parts come from: LIBERO's and robosuite's directories,
 * or our own, compiled into the program (models/tabletop).
 *
 *   LIBERO     bddl_files/libero_90/SCENE_task.bddl, init_files/libero_90/ (.pruned_init), assets/
 *   robosuite  of its models/assets: robots/panda/robot.xml, grippers/panda_gripper.xml,
 *              mounts/rethink_mount.xml
 *
 * A directory may be the repository or any folder on the way to these. Read only; one thread at a time. */
#ifndef BEX_ENV_TABLETOP_PARTS_H
#define BEX_ENV_TABLETOP_PARTS_H

#include "base/path.h"
#include "env/tabletop/bddl.h"
#include "env/tabletop/xml_tree.h"

typedef struct bex_parts {
    bool own;
    char libero[BEX_PATH_SIZE], robosuite[BEX_PATH_SIZE]; // whole paths; "" where own
} bex_parts;

/* Both empty: our own. Negative with a message: one is missing, or not what it should be. */
int bex_parts_init(bex_parts *p, const char *libero, const char *robosuite);

/* The folder of LIBERO (or robosuite) that is `folder` or lies in it. what: whom a message blames, an
 * option. Negative with a message. */
int bex_parts_libero(char out[BEX_PATH_SIZE], const char *folder, const char *what);
int bex_parts_robosuite(char out[BEX_PATH_SIZE], const char *folder, const char *what);

/* The scenes, "KITCHEN_SCENE1" .. in the order of LIBERO's suite; NULL past the end. */
const char *bex_scene_at(int i);

/* A scene with all its tasks. Negative with a message: unknown (the nearest is named), not readable. */
int bex_parts_scene(bex_bddl *out, const bex_parts *p, const char *scene);

/* The file of a task's initial states. Negative without a message: our own parts have none. */
int bex_parts_init_file(char path[BEX_PATH_SIZE], const bex_parts *p, const char *scene,
                        const char *task);

/* A part as a tree, the files it names as whole paths. what: a kind's name, or one of these. */
typedef enum {
    BEX_PART_KIND,
    BEX_PART_ARENA,
    BEX_PART_ROBOT,
    BEX_PART_GRIPPER,
    BEX_PART_MOUNT
} bex_part_kind;
int bex_parts_read(bex_xml_tree **out, const bex_parts *p, bex_part_kind part, const char *name);

#endif
