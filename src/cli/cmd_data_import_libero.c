/* cli/cmd_data_import_libero.c - `bex data import-libero`: recorded demonstrations through our control
 * law, compared step by step, and drawn again. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/path.h"
#include "demo/tabletop/libero_import.h"
#include "env/mj.h"
#include "env/tabletop/parts.h"
#include "host/folder.h"
#include "host/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 256 };

typedef struct request {
    const char *libero, *robosuite, *out;
    long long images;
    bool json;
} request;

typedef struct telling {
    const char *file;
    bool json, headed; // headed: the file's name is printed
    int demos, succeeded, checked, off;
    double arm;
    json_t *rows;
} telling;

static void tell(const bex_libero_replay *r, void *payload) {
    telling *t = payload;
    t->demos++;
    t->checked += r->checked;
    t->succeeded += r->success;
    t->off += r->first_off >= 0;
    if (r->arm > t->arm) t->arm = r->arm;
    json_array_append_new(t->rows, json_pack("{s:s, s:s, s:i, s:f, s:f, s:i, s:b, s:b}", "file",
                                             t->file, "demo", r->name, "rows", r->rows, "arm",
                                             r->arm, "things", r->things, "first_off", r->first_off,
                                             "checked", r->checked, "success", r->success));
    if (t->json) return;
    if (!t->headed) printf("%s\n", t->file);
    t->headed = true;
    printf("  %-10s %4d rows  robot %8.2g  things %8.2g  %s", r->name, r->rows, r->arm, r->things,
           !r->checked  ? "no goal in the file"
           : r->success ? "success"
                        : "the goal is not reached");
    if (r->first_off >= 0) printf("; off by more than 0.001 from row %d on", r->first_off);
    putchar('\n');
    fflush(stdout);
}

// either directory may be left out: a file of robosuite's names nothing of LIBERO's
static int find_meshes(const request *q, char libero[BEX_PATH_SIZE],
                       char robosuite[BEX_PATH_SIZE]) {
    char root[BEX_PATH_SIZE];
    *libero = *robosuite = 0;
    if (q->libero && (bex_parts_libero(root, q->libero, "--libero") < 0 ||
                      bex_path_join(libero, root, "assets") < 0))
        return -1;
    return q->robosuite ? bex_parts_robosuite(robosuite, q->robosuite, "--robosuite") : 0;
}

static int import(const request *q, const char *libero, const char *robosuite, const char *file,
                  telling *t) {
    char out[BEX_PATH_SIZE];
    const char *name = strrchr(file, '/');
    const bex_libero_import_options with = {.libero = libero,
                                            .robosuite = robosuite,
                                            .out = q->out ? out : NULL,
                                            .images = (int)q->images};
    if (q->out && bex_path_join(out, q->out, "%s", name ? name + 1 : file) < 0) return -1;
    t->file = file, t->headed = false;
    return bex_libero_import(file, &with, tell, t);
}

static int import_all(const request *q, const char *const *files, int count) {
    char libero[BEX_PATH_SIZE], robosuite[BEX_PATH_SIZE];
    if (find_meshes(q, libero, robosuite) < 0) return BEX_EXIT_USAGE;
    if (q->out && bex_folder_make(q->out) < 0) return BEX_EXIT_FAILED;
    telling t = {.json = q->json, .rows = json_array()};
    int code = BEX_EXIT_OK;
    for (int i = 0; i < count && code == BEX_EXIT_OK; i++)
        if (import(q, libero, robosuite, files[i], &t) < 0) code = BEX_EXIT_FAILED;
    if (code == BEX_EXIT_OK && q->json) {
        bex_json_print(t.rows);
    } else if (code == BEX_EXIT_OK) {
        printf(
            "%d demonstrations: the robot at most %.2g from what was recorded, %d off by more than 0.001; ",
            t.demos, t.arm, t.off);
        printf("%d of %d with a goal reach it\n", t.succeeded, t.checked);
    }
    json_decref(t.rows);
    return code;
}

int bex_cmd_data_import_libero(int argc, char **argv) {
    static request q;
    static const bex_option options[] = {
        {"out", BEX_OPTION_TEXT, &q.out, "DIR",
         "write each file again there, drawn anew; else only replay", 0, 0},
        {"images", BEX_OPTION_INTEGER, &q.images, "N", "pixels of a picture's side in it; 0: none",
         0, 1024},
        {"libero", BEX_OPTION_TEXT, &q.libero, "DIR",
         "LIBERO's directory, for the meshes a model names", 0, 0},
        {"robosuite", BEX_OPTION_TEXT, &q.robosuite, "DIR",
         "robosuite 1.4.0's directory, for the same", 0, 0},
        {"json", BEX_OPTION_FLAG, &q.json, NULL, "a row a demonstration, as JSON", 0, 0},
    };
    static const bex_usage usage = {
        .command = "data import-libero",
        .synopsis = "FILE... [options]",
        .about =
            "Play the actions of LIBERO's or robosuite's demonstration files open loop, each in the\n"
            "model it was recorded with, by robosuite's control law; compare every state with the one\n"
            "recorded, and check the task's goal. --out writes the files again with pictures of\n"
            "another size.",
        .example = "bex data import-libero demos/KITCHEN_SCENE3_turn_on_the_stove_demo.hdf5\n"
                   "bex data import-libero a_demo.hdf5 --libero LIBERO --robosuite robosuite "
                   "--images 224 --out large",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *files[FILES];
    int n = bex_options_parse(&usage, argc, argv, files, FILES);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (n == 0) {
        bex_fail("which file?");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    int code = import_all(&q, files, n);
    return code == BEX_EXIT_OK ? code : bex_command_fail(&usage, code);
}
