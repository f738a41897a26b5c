/* agent/sight/sight_config.c - see the header. */
#include "agent/sight/sight_config.h"

#include "base/error.h"
#include "base/path.h"

#include <stdio.h>
#include <sys/stat.h>

int bex_sight_take_cameras(bex_train_config *c, const bex_dataset *d) {
    bex_vision_config *v = &c->policy.vision;
    v->images[0] = 0;
    if (!d->pictures) return 0;
    const bex_names *names = bex_pictures_cameras(d->pictures);
    size_t used = 0;
    for (int i = 0; i < names->count && used < sizeof v->images; i++)
        used += (size_t)snprintf(v->images + used, sizeof v->images - used, "%s%s", i ? "," : "",
                                 names->text[i]);
    if (used >= sizeof v->images) return bex_fail("the cameras' names are too long");
    v->height = bex_pictures_height(d->pictures), v->width = bex_pictures_width(d->pictures);
    v->flip = c->data.flip;
    return 0;
}

// a file; a folder that holds model.safetensors; a run: its last checkpoint's
static int find_file(char file[BEX_PATH_SIZE], const char *path) {
    static const char *const inside[] = {"checkpoints/last/model.safetensors", "model.safetensors"};
    struct stat st;
    if (stat(path, &st) != 0) return bex_fail("train.encoder '%s': there is no such file", path);
    if (!S_ISDIR(st.st_mode)) return bex_path_print(file, "%s", path);
    for (int i = 0; i < 2; i++) {
        if (bex_path_join(file, path, "%s", inside[i]) < 0) return -1;
        if (stat(file, &st) == 0) return 0;
    }
    return bex_fail("train.encoder '%s': neither a run nor a folder with model.safetensors", path);
}

int bex_sight_load(const bex_train_config *c, bex_params *params, const bex_vision *vision) {
    char file[BEX_PATH_SIZE];
    if (!c->train.encoder[0]) return 0;
    if (find_file(file, c->train.encoder) < 0) return -1;
    bex_st_file *f = bex_st_load(file);
    int code = f ? bex_vision_import(params, vision, f) : -1;
    bex_st_free(f);
    return code < 0 ? bex_fail_in("train.encoder") : 0;
}
