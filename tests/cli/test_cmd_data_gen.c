/* `bex data gen` as a user runs it: what h5py sees, equal files on any number of cores, mistakes. */
#include "cli/program.h"
#include "env/make_controller.h"

#include "env/mj.h"

#include <sys/stat.h>

static char file[600], other[600], command[2048];

static void generate(const char *threads, const char *to, const char *options) {
    unlink(to);
    snprintf(command, sizeof command, "data gen maze2d-medium --out %s %s", to, options);
    run r = run_program_in(threads, command);
    if (r.code != 0) fail_msg("%s", r.text);
}

static bool same_bytes(const char *a, const char *b) {
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    assert_true(f && g);
    int x, y;
    do {
        x = fgetc(f), y = fgetc(g);
    } while (x == y && x != EOF);
    fclose(f), fclose(g);
    return x == y;
}

static void h5py_reads_it(void **state) {
    (void)state;
    if (system("/usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null") != 0) {
        print_message("SKIP: no python3 with h5py\n");
        skip();
    }
    static const struct {
        const char *options;
        int rows, length;
    } cases[] = {
        {"--steps 45000 --seed 3", 45000, 0},
        {"--steps 3050 --episode-length 150 --start 3,4 --noise 0.2 --rare 4,1-6,2", 3050, 150},
        {"--steps 1 --seed 1 --episode-length 5", 1, 5}};
    for (int i = 0; i < 2; i++) {
        generate("", file, cases[i].options);
        snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/cli/check_maze2d.py %s %d %d",
                 BEX_SOURCE_DIR, file, cases[i].rows, cases[i].length);
        assert_int_equal(system(command), 0);
    }
    generate("", file, cases[2].options); // the smallest file
    unlink(file);
}

static void same_file_on_any_number_of_cores(void **state) {
    (void)state;
    const char *options[] = {"--steps 50000 --seed 7 --noise 0.1",
                             "--steps 9000 --seed 7 --episode-length 70"};
    for (int i = 0; i < 2; i++) {
        generate("OMP_NUM_THREADS=1", file, options[i]);
        generate("OMP_NUM_THREADS=3", other, options[i]);
        assert_true(same_bytes(file, other));
    }
    generate("", other, "--steps 9000 --seed 8 --episode-length 70");
    assert_false(same_bytes(file, other));
    unlink(file), unlink(other);
}

/* --start is --env.start, --noise is --demo.noise: the same rows whatever they are called. */
static void keys_say_the_same_as_short_forms(void **state) {
    (void)state;
    generate("", file, "--steps 900 --episode-length 90 --start 3,4 --noise 0.2 --rare 4,1-6,2");
    generate("", other,
             "--steps 900 --demo.episode_length=90 --env.start=3,4 --demo.noise=0.2 "
             "--demo.rare=4,1-6,2");
    assert_true(same_bytes(file, other));
    unlink(file), unlink(other);
}

static void mistakes_are_one_line(void **state) {
    (void)state;
    static const refusal bad[] = {
        {"data gen", 2, "which environment?"},
        {"data gen maze2d-medium", 2, "--out FILE"},
        {"data gen maze2d-mediun --out x.hdf5", 2, "did you mean maze2d-medium?"},
        {"data gen maze2d-medium --out x.hdf5 --start 0,0", 2, "start 0,0 is a wall"},
        {"data gen maze2d-medium --out x.hdf5 --start 3", 2, "start takes ROW,COLUMN"},
        {"data gen maze2d-medium --out x.hdf5 --start 3,4,5", 2, "start takes ROW,COLUMN"},
        {"data gen maze2d-medium --out x.hdf5 --rare 0,0", 2, "no free cell in 0,0-0,0"},
        {"data gen maze2d-medium --out x.hdf5 --rare corner", 2, "not understood"},
        {"data gen maze2d-medium --out x.hdf5 --noise -1", 2,
         "demo.noise = '-1': not a number in [0, 10]"},
        {"data gen maze2d-medium --out x.hdf5 --steps 0", 2, "--steps must be in"},
        {"data gen maze2d --out x.hdf5", 2, "--maze FILE"},
        {"data gen maze2d-medium --steps 10 --out no/such/dir/x.hdf5", 1, "no/such/dir"},
        {"data gen maze2d-medium --controller x --out x.hdf5", 2,
         "maze2d-medium: unknown key 'demo.controller'"},
        {"data gen antmaze-medium-diverse --rare 6,1 --out x.hdf5", 2,
         "antmaze-medium: unknown key 'demo.rare'"},
        {"data gen antmaze-medium-diverse --controller no/such --out x.hdf5", 1, "no/such"},
        {"data gen antmaze-diverse --out x.hdf5", 2, "--maze FILE"},
        {"data gen ant --out x.hdf5", 2, "no demonstrator knows ant"},
        {"data gen kitchen --out x.hdf5", 2, "bex data import-kitchen"},
        {"data gen maze2d-medium --demo.nois=1 --out x.hdf5", 2, "did you mean demo.noise?"},
        {"data gen maze2d-medium --env.strt=1,1 --out x.hdf5", 2, "did you mean env.start?"},
        {"data gen maze2d-medium --env.start --out x.hdf5", 2, "needs a value"},
    };
    assert_all_refused(bad, sizeof bad / sizeof *bad);
    assert_true(access("x.hdf5", F_OK) != 0);
}

static void ants_walk_as_told(void **state) {
    (void)state;
    small_controller net;
    char controller[512];
    snprintf(controller, sizeof controller, "%s",
             make_controller(&net, "cli-walker.safetensors", NULL));
    for (int threads = 1; threads <= 2; threads++) {
        char before[32];
        const char *out = threads == 1 ? file : other;
        snprintf(before, sizeof before, "OMP_NUM_THREADS=%d", threads);
        snprintf(command, sizeof command,
                 "data gen antmaze-umaze-diverse --controller %s --episode-length 20 --steps 190 "
                 "--json --out %s",
                 controller, out);
        run r = run_program_in(before, command);
        assert_int_equal(r.code, 0);
        assert_non_null(strstr(r.text, "\"rows\": 190"));
        assert_non_null(strstr(r.text, "\"goal_reached\""));
    }
    assert_true(same_bytes(file, other));
    // and it is our own ant's motion
    snprintf(command, sizeof command, "env check antmaze-umaze %s", file);
    assert_int_equal(run_program(command).code, 0);
    unlink(file), unlink(other), unlink(controller);
}

/* The controller that comes with bex: small, and it walks. D4RL's walks 0.1 m a step. */
static void without_a_controller_ours_walks(void **state) {
    (void)state;
    struct stat st;
    if (stat(BEX_SOURCE_DIR "/models/ant-walker.safetensors", &st) != 0) fail_msg("no controller");
    assert_true(st.st_size < 1000000);
    unlink(file);
    snprintf(command, sizeof command,
             "data gen antmaze-medium-diverse --episode-length 200 --steps 3200 --json --out %s",
             file);
    run r = run_program(command);
    assert_int_equal(r.code, 0);
    const char *speed = strstr(r.text, "\"metres_per_upright_step\": ");
    const char *flipped = strstr(r.text, "\"flipped_states\": ");
    assert_true(speed && flipped);
    double metres = strtod(strchr(speed, ' '), NULL), lying = strtod(strchr(flipped, ' '), NULL);
    if (!(metres > 0.07 && lying < 0.2)) fail_msg("%g m a step, %g on the back", metres, lying);
    unlink(file);
}

static void an_existing_file_is_kept(void **state) {
    (void)state;
    FILE *f = fopen(file, "w");
    fputs("precious", f);
    fclose(f);
    snprintf(command, sizeof command, "data gen maze2d-medium --steps 10 --out %s", file);
    assert_refused(command, 1, file);
    char text[16] = "";
    f = fopen(file, "r");
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_string_equal(text, "precious");
    unlink(file);
}

// wherever the writing fails, the end is an exit code with the system's reason, and nothing is left
static void a_full_disk_is_one_line(void **state) {
    (void)state;
    char limit[64];
    for (int blocks = 2; blocks <= 64; blocks += 10) {
        snprintf(limit, sizeof limit, "trap '' XFSZ; ulimit -f %d;", blocks);
        snprintf(command, sizeof command,
                 "data gen maze2d-umaze --steps 600 --episode-length 30 --out %s", file);
        run r = run_program_in(limit, command);
        if (r.code != 1 || !strstr(r.text, "cannot be written: File too large"))
            fail_msg("%d blocks gave code %d and: %s", blocks, r.code, r.text);
        assert_int_equal(access(file, F_OK), -1);
    }
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    snprintf(file, sizeof file, "%s", scratch_path("gen.hdf5"));
    snprintf(other, sizeof other, "%s", scratch_path("gen2.hdf5"));
    snprintf(command, sizeof command, "data gen maze2d-medium --steps 1 --out %s", file);
    run r = run_program(command);
    unlink(file);
    if (strstr(r.text, "cannot read or write HDF5")) return skip_all("this build has no HDF5");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(h5py_reads_it),
        cmocka_unit_test(same_file_on_any_number_of_cores),
        cmocka_unit_test(keys_say_the_same_as_short_forms),
        cmocka_unit_test(ants_walk_as_told),
        cmocka_unit_test(mistakes_are_one_line),
        cmocka_unit_test(without_a_controller_ours_walks),
        cmocka_unit_test(an_existing_file_is_kept),
        cmocka_unit_test(a_full_disk_is_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
