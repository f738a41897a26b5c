/* tests/torture/seeds.c - `seeds FOLDER`: small HDF5 files for the mutations, one of every layout read. */
#include "data/make_file.h"

// made in the build tree; FOLDER may be on another disk
static void move(make *m, const char *folder, const char *name) {
    char to[1024];
    static char bytes[1 << 20];
    snprintf(to, sizeof to, "%s/%s", folder, name);
    FILE *in = fopen(make_close(m), "rb"), *out = fopen(to, "wb");
    size_t n = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    if (!in || !out || fwrite(bytes, 1, n, out) != n || fclose(out)) {
        perror(to);
        exit(1);
    }
    fclose(in);
    unlink(m->path);
}

static void demo(make *m, const char *group, const char *part, int number) {
    char key[128];
    snprintf(key, sizeof key, "%s%d/%s", group, number, part);
    make_ramp_array(m, key, 5, 2, (float)number);
}

int main(int argc, char **argv) {
    if (argc != 2) return fputs("usage: seeds FOLDER\n", stderr), 2;
    make m = make_open("plain");
    make_d4rl(&m);
    move(&m, argv[1], "plain.hdf5");

    float *ramp = make_ramp(50, 4, 0);
    m = make_open("gzip");
    make_array_as(&m, "observations", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, ramp, 50, 4, 16);
    make_array_as(&m, "actions", H5T_IEEE_F64LE, H5T_NATIVE_FLOAT, ramp, 50, 2, 7);
    move(&m, argv[1], "gzip.hdf5");
    free(ramp);

    m = make_open("minari");
    for (int i = 0; i < 2; i++) {
        demo(&m, "episode_", "observations/a", i);
        demo(&m, "episode_", "actions", i);
    }
    move(&m, argv[1], "minari.hdf5");

    for (int libero = 0; libero < 2; libero++) {
        m = make_open("groups");
        for (int i = 0; i < 2; i++) {
            demo(&m, "data/demo_", "obs/joint_states", i);
            demo(&m, "data/demo_", "obs/gripper_states", i);
            demo(&m, "data/demo_", "actions", i);
        }
        make_attribute(&m, "data", libero ? "problem_info" : "env_args",
                       "{\"language_instruction\": \"close it\"}");
        if (libero) make_attribute(&m, "data", "bddl_file_name", "x/KITCHEN_SCENE1_close_it.bddl");
        move(&m, argv[1], libero ? "libero.hdf5" : "robomimic.hdf5");
    }
    return 0;
}
