/* agent/sight/encoder_file.c - a run's last checkpoint, a folder, a file. */
#include "agent/sight/encoder_file.h"

#include "base/error.h"

#include <sys/stat.h>

int bex_encoder_find(char file[BEX_PATH_SIZE], const char *path) {
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
