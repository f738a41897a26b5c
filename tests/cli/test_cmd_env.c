/* `bex env` as a user runs it: facts, pictures, and one clear line for each mistake. */
#include "cli/program.h"

#include "env/mj.h"

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static long file_size(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return -1;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    fclose(f);
    return n;
}

static void facts_are_printed(void **state) {
    (void)state;
    run r = run_program("env maze2d-medium");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "#OO##OO#"));
    assert_non_null(strstr(r.text, "26 regions"));
    r = run_program("env maze2d-large --json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "\"time_limit\": 800"));
    r = run_program("env --list");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "maze2d-umaze"));
    r = run_program("env --help");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "--env.KEY=VALUE"));
}

static void worlds_have_options_of_their_own(void **state) {
    (void)state;
    run r = run_program("env maze2d-medium --help");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "options of maze2d-medium"));
    assert_non_null(strstr(r.text, "--env.splits=0"));
    r = run_program("env kitchen --help");
    assert_non_null(strstr(r.text, "--env.time_limit=0"));
    assert_null(strstr(r.text, "--env.splits=0"));
    r = run_program("env maze2d-medium --env.splits=3 --env.time_limit=77 --json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "\"regions\": 234"));
    assert_non_null(strstr(r.text, "\"time_limit\": 77"));
    r = run_program("env --list --json");
    assert_non_null(strstr(r.text, "\"dense\""));
    assert_refused("env maze2d-medium --env.spilts=3", 2, "did you mean env.splits?");
    assert_refused("env kitchen --maze x.txt", 2, "kitchen: unknown key 'env.maze'");
    assert_refused("env kitchen --render x.mp4", 1, "bex data import-kitchen makes some");
}

static void a_scene_names_its_tasks(void **state) {
    (void)state;
    if (!bex_mj_version()) return;
    run r = run_program("env libero --list --env.scene=KITCHEN_SCENE7");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "1 scenes, 3 tasks"));
    r = run_program("env libero --env.scene=KITCHEN_SCENE7 --env.task=open_the_microwave");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "KITCHEN_SCENE7, our own parts"));
    assert_non_null(strstr(r.text, "* open_the_microwave\n"));
    assert_non_null(strstr(r.text, "  put_the_white_bowl_on_the_plate\n"));
    r = run_program("env libero --env.scene=KITCHEN_SCENE7 --json");
    assert_non_null(strstr(r.text, "\"scene\": \"KITCHEN_SCENE7\""));
    assert_non_null(strstr(r.text, "\"open_the_microwave\""));
    assert_refused("env libero --env.task=fly", 2, "see bex env libero --env.scene=KITCHEN_SCENE5");
    assert_refused("env libero --env.images=32 --serve 1", 1, "leave out env.images");
    assert_refused("data gen libero-90 --scene KITCHEN_SCENE7 --task fly --out no-such-folder", 2,
                   "no task of KITCHEN_SCENE7 has 'fly' in its name");
    assert_true(file_size("no-such-folder") < 0);
}

static void bad_mazes_are_one_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"####\n#O#\n####\n", "line 2 has 3 columns"},
        {"####\n####\n", "no free cell"},
        {"#####\n#O#O#\n#####\n", "cannot be reached"},
        {"####\n#?O#\n####\n", "'?' is no part of a maze"},
        {"####\n#OOO\n####\n", "on the border"},
        {"", "no free cell"},
        {"#####################################################################\n", "at most 64"},
    };
    char path[600], command[700];
    snprintf(path, sizeof path, "%s", scratch_path("maze.txt"));
    snprintf(command, sizeof command, "env maze2d --maze %s", path);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(path, bad[i].text);
        assert_refused(command, 2, bad[i].part);
        assert_refused(command, 2, "maze.txt");
    }
    write_text(path, "#####\n#OOG#\n#####\n");
    assert_int_equal(run_program(command).code, 0);
    unlink(path);
    assert_refused(command, 2, "maze.txt");
    assert_refused("env maze2d --maze /", 2, "/");
}

static void mistakes_are_one_line(void **state) {
    (void)state;
    assert_refused("env", 2, "which environment?");
    assert_refused("env maze2d-medim", 2, "did you mean maze2d-medium?");
    assert_refused("env maze2d", 2, "--maze FILE");
    assert_refused("env maze2d-medium --maze x.txt", 2, "a maze of its own");
    assert_refused("env maze2d-medium --render x.gif", 1, "--data FILE");
    assert_refused("env maze2d-medium --render x.bmp", 1, "extension");
    assert_refused("env maze2d-medium --data no/such.hdf5 --render x.png", 1, "no/such.hdf5");
    assert_refused("env maze2d-medium --rendr x.png", 2, "did you mean --render?");
}

static void pictures_are_written(void **state) {
    (void)state;
    char path[600], command[700];
    const char *kinds[] = {"png", "svg", "pdf"};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "world.%s", kinds[i]);
        snprintf(path, sizeof path, "%s", scratch_path(name));
        snprintf(command, sizeof command, "env %s --render %s",
                 i ? "maze2d-large" : "antmaze-medium", path);
        run r = run_program(command);
        if (r.code != 0 && strstr(r.text, "this build has no cairo")) skip();
        assert_int_equal(r.code, 0);
        assert_true(file_size(path) > 1000);
        unlink(path);
    }
}

static void trajectories_are_drawn(void **state) {
    (void)state;
    char data[600], path[600], command[1400];
    snprintf(data, sizeof data, "%s", scratch_path("trajectories.hdf5"));
    snprintf(command, sizeof command,
             "data gen maze2d-medium --steps 900 --episode-length 300 --out %s", data);
    run r = run_program(command);
    if (strstr(r.text, "cannot read or write HDF5")) skip();
    assert_int_equal(r.code, 0);
    const char *names[] = {"trajectories.png", "trajectories.gif"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s", scratch_path(names[i]));
        snprintf(command, sizeof command,
                 "env maze2d-medium --data %s --render %s --episodes 2 --every 30", data, path);
        r = run_program(command);
        if (r.code == 0) assert_true(file_size(path) > 5000);
        if (r.code != 0 && !strstr(r.text, "this build has no")) fail_msg("%s", r.text);
        unlink(path);
    }
    unlink(data);
}

// AntMaze observations do not fit a Maze2D world
static void wrong_data_is_one_line(void **state) {
    (void)state;
    const char *data = shared_data("d4rl/antmaze-umaze-v0.hdf5");
    if (!data) skip();
    char command[1200];
    snprintf(command, sizeof command, "env maze2d-medium --data %s --render x.png", data);
    assert_refused(command, 1, "29 observation columns, maze2d-medium has 4");
}

// the golden of tests/golden: three short walks
static const char walks[] = BEX_SOURCE_DIR "/tests/golden/antmaze-medium.hdf5";

static void recorded_walks_are_checked(void **state) {
    (void)state;
    char command[1200];
    snprintf(command, sizeof command, "env check antmaze %s --json", walks);
    run r = run_program(command);
    if (strstr(r.text, "cannot read or write HDF5")) skip();
    assert_int_equal(r.code, 0);
    static const char *const keys[] = {"\"median\"", "\"p99\"", "\"max\"", "\"rows\": 297"};
    for (int i = 0; i < 4; i++) assert_non_null(strstr(r.text, keys[i]));
    snprintf(command, sizeof command, "env check antmaze-medium %s", walks);
    r = run_program(command);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "297 transitions"));
    // another maze has walls where they walked: the motion is not theirs
    snprintf(command, sizeof command, "env check antmaze-umaze %s", walks);
    r = run_program(command);
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.text, "the motion is not D4RL's"));
    assert_refused("env check", 2, "which world?");
    assert_refused("env check antmaze", 2, "which file");
    assert_refused("env check antmaze no/such.hdf5", 1, "no/such.hdf5");
    snprintf(command, sizeof command, "env check maze2d-medium %s", walks);
    assert_refused(command, 2, "maze2d-medium is not an antmaze");
}

static void a_camera_makes_pictures_and_videos(void **state) {
    (void)state;
    char path[600], command[1400];
    static const struct {
        const char *file, *arguments;
    } all[] = {
        {"frame.png", "env antmaze-medium --view camera --seed 3"},
        {"frame.png", "env ant --seed 3"}, // no map: the camera
        {"row.png", "env antmaze-medium --view camera --row 120"},
        {"walk.mp4", "env antmaze-medium --every 20"},
    };
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s", scratch_path(all[i].file));
        snprintf(command, sizeof command, "%s %s%s --render %s", all[i].arguments,
                 i < 2 ? "" : "--data ", i < 2 ? "" : walks, path);
        run r = run_program(command);
        if (r.code == 0) assert_true(file_size(path) > 3000);
        if (r.code != 0 && !strstr(r.text, "this build ") && !strstr(r.text, "no EGL") &&
            !strstr(r.text, "cannot run ffmpeg"))
            fail_msg("'bex %s': %s", command, r.text);
        unlink(path);
    }
    assert_refused("env antmaze-medium --render x.mp4", 1, "--data FILE");
    assert_refused("env antmaze-medium --view camera --render x.svg", 1, "makes .png or .mp4");
    assert_refused("env antmaze-medium --view map --render x.mp4", 1, "a map is no video");
    assert_refused("env antmaze-medium --view side --render x.png", 1, "map or camera");
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_printed),
        cmocka_unit_test(worlds_have_options_of_their_own),
        cmocka_unit_test(a_scene_names_its_tasks),
        cmocka_unit_test(bad_mazes_are_one_line),
        cmocka_unit_test(mistakes_are_one_line),
        cmocka_unit_test(pictures_are_written),
        cmocka_unit_test(trajectories_are_drawn),
        cmocka_unit_test(wrong_data_is_one_line),
        cmocka_unit_test(recorded_walks_are_checked),
        cmocka_unit_test(a_camera_makes_pictures_and_videos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
