/* env/tabletop/libero_options.c - the rows of --env.KEY=VALUE, and those that suit a policy. */
#include "env/tabletop/libero_options.h"

#include "base/columns.h"

#include <stdio.h>
#include <string.h>

static const char *const proprios[] = {"robot_states", "joints", NULL};
static const char *const starts[] = {"auto", "file", "sample", NULL};
static const char *const details[] = {"full", "light", "plain", NULL};

const bex_config_row bex_libero_rows[] = {
    BEX_CONFIG_TEXT(bex_libero_options, scene, "KITCHEN_SCENE5",
                    "one of twenty: bex env libero --list"),
    BEX_CONFIG_TEXT(bex_libero_options, task, "",
                    "its name pays 1 and ends the episode; none: all are watched"),
    BEX_CONFIG_TEXT(bex_libero_options, libero, "", "directory of LIBERO; none: our own parts"),
    BEX_CONFIG_TEXT(bex_libero_options, robosuite, "",
                    "directory of robosuite 1.4.0, with env.libero"),
    BEX_CONFIG_CHOICE(bex_libero_options, proprio, "robot_states", proprios,
                      "fingers, grip site and quaternion; or joints and fingers"),
    BEX_CONFIG_BOOL(bex_libero_options, timestep, "true", "observe the step since the reset"),
    BEX_CONFIG_BOOL(bex_libero_options, poses, "false", "observe where everything is"),
    BEX_CONFIG_BOOL(
        bex_libero_options, objects, "false",
        "observe everything from the hand, in a vector that is the same for all scenes"),
    BEX_CONFIG_BOOL(
        bex_libero_options, tasks, "false",
        "record the tasks done now, as a number that no policy sees: goals of bex explore"),
    BEX_CONFIG_CHOICE(
        bex_libero_options, start, "auto", starts,
        "initial states: of LIBERO's files, drawn in regions; auto: files where there are any"),
    BEX_CONFIG_INTEGER(bex_libero_options, settle, "10", 0, 100,
                       "steps of a still hand after a reset"),
    BEX_CONFIG_INTEGER(bex_libero_options, fixtures, "0", 0, 1e9,
                       "seed of where fixtures stand in their regions; 0: in the middle"),
    BEX_CONFIG_INTEGER(bex_libero_options, images, "0", 0, 1024,
                       "pixels of a picture's side; 0: no pictures"),
    BEX_CONFIG_TEXT(bex_libero_options, cameras, "agentview,eye_in_hand",
                    "whose pictures, in this order"),
    BEX_CONFIG_CHOICE(bex_libero_options, detail, "full", details,
                      "of pictures: all meshes; a plain robot; collision shapes"),
    BEX_CONFIG_INTEGER(
        bex_libero_options, textures, "512", 0, 4096,
        "pixels of a texture's side at most: larger ones are halved; 0: as they are"),
    BEX_CONFIG_INTEGER(bex_libero_options, samples, "4", 0, 16, "samples a pixel; 0: fastest"),
    BEX_CONFIG_BOOL(bex_libero_options, reflection, "false", "draw reflections"),
    BEX_CONFIG_END,
};

static bool has_key(const bex_column_names *c, const char *key) {
    for (int i = 0; i < c->count; i++)
        if ((size_t)bex_column_key(c->name[i]) == strlen(key) &&
            !strncmp(c->name[i], key, strlen(key)))
            return true;
    return false;
}

// what LIBERO's files hold under the same names
void bex_libero_suit(const bex_env_seen *seen, char *keys, size_t size) {
    const bex_column_names *c = seen->columns;
    size_t n = 0;
    *keys = 0;
    if (*seen->scene) n += (size_t)snprintf(keys, size, "scene=%s\n", seen->scene);
    if (c->count && n < size)
        n += (size_t)snprintf(keys + n, size - n, "proprio=%s\ntimestep=%s\nposes=%s\nobjects=%s\n",
                              has_key(c, "joint_states") ? "joints" : "robot_states",
                              has_key(c, "timestep") ? "true" : "false",
                              has_key(c, "poses") ? "true" : "false",
                              has_key(c, "objects") ? "true" : "false");
    if (*seen->cameras && n < size)
        n += (size_t)snprintf(keys + n, size - n, "cameras=%s\n", seen->cameras);
    if (*seen->cameras && seen->pixels && n < size)
        snprintf(keys + n, size - n, "images=%d\n", seen->pixels);
}
