/* `bex act` as a user runs it: the same chunks as the library's, rows on their own, every mismatch one
 * line. */
#include "cli/program.h"
#include "host/folder.h"
#include "kernel/random.h"
#include "nn/safetensors.h"
#include "policy/control.h"
#include "policy/tiny_control.h"
#include "policy/tiny_policy.h"
#include "run/checkpoint.h"

#include <math.h>

enum { B = 5, CHUNK = TINY_K * TINY_A };

static char model[600], input[600], output[600];
static float states[B * TINY_O], history[B * TINY_H * TINY_O], noise[B * CHUNK];

typedef struct tensor {
    const char *name;
    int rank;
    int64_t dim[4];
    const float *data;
} tensor;

#define STATES                                                                                     \
    { "states", 2, {B, TINY_O}, states }
#define SHARED                                                                                     \
    { "history", 2, {TINY_H, TINY_O}, history }
#define EACH                                                                                       \
    { "history", 3, {B, TINY_H, TINY_O}, history }
#define NOISE                                                                                      \
    { "noise", 3, {B, TINY_K, TINY_A}, noise }

static void write_input(const tensor *t, int n) {
    bex_st_writer *w = bex_st_writer_new();
    for (int i = 0; i < n; i++) bex_st_add_real(w, t[i].name, t[i].rank, t[i].dim, t[i].data);
    assert_int_equal(bex_st_save(w, input), 0);
    bex_st_writer_free(w);
}
#define INPUT(...)                                                                                 \
    write_input((const tensor[]){__VA_ARGS__},                                                     \
                sizeof((const tensor[]){__VA_ARGS__}) / sizeof(tensor))

static const char *arguments(const char *who, const char *more) {
    static char text[2000];
    snprintf(text, sizeof text, "act %s --in %s --out %s %s", who, input, output, more);
    return text;
}

static void read_output(float *actions) {
    bex_st_file *f = bex_st_load(output);
    if (!f) fail_msg("%s", bex_error());
    assert_int_equal(bex_st_count(f), 1);
    int64_t dim[] = {B, TINY_K, TINY_A};
    if (bex_st_read_real(f, "actions", actions, 3, dim) < 0) fail_msg("%s", bex_error());
    assert_non_null(strstr(bex_st_metadata(f, "command"), "bex act"));
    bex_st_free(f);
}

static void act_with(const char *who, const char *more, float *actions) {
    char text[200];
    snprintf(text, sizeof text, "--force %s", more);
    struct run r = run_program(arguments(who, text));
    if (r.code != 0)
        fail_msg("'bex %s' gave code %d and: %s", arguments(who, text), r.code, r.text);
    assert_non_null(strstr(r.text, "5 chunks of 4 actions of 2"));
    read_output(actions);
}

static void act(const char *more, float *actions) {
    act_with(model, more, actions);
}

static bool same(const float *a, const float *b) {
    return !memcmp(a, b, B * CHUNK * sizeof *a);
}

// what the library gives for the rows
static void expected(const float *h, bool shared, const float *x, const char *exp, double weight,
                     float *actions) {
    bex_policy *p = bex_policy_load(model);
    tiny_settings o = TINY_SETTINGS;
    o.exp = exp, o.guidance = weight, o.noise = 0;
    bex_control *c = tiny_control(p, o);
    if (!c) fail_msg("%s", bex_error());
    for (int i = 0; i < B; i++) {
        float repeated[TINY_H * TINY_O];
        for (int k = 0; k < TINY_H; k++)
            memcpy(repeated + k * TINY_O, states + i * TINY_O, TINY_O * sizeof *states);
        const float *own = !h ? repeated : shared ? h : h + i * TINY_H * TINY_O;
        assert_int_equal(bex_control_plan_from(c, &(bex_observation){.state = states + i * TINY_O},
                                               own, x + i * CHUNK, actions + i * CHUNK),
                         0);
    }
    bex_control_free(c);
    bex_policy_free(p);
}

// pictures as a tensor beside the states, as large as the caller has them; what is seen of them in the memory
static void pictures_come_along(void **state) {
    (void)state;
    enum { GIVEN = 2, SIDE = 12 };
    static const char *const seeing[] = {
        "model.encoder=frozen", "vision.images=front,wrist", "vision.height=16",  "vision.width=16",
        "vision.channels=16",   "vision.columns=2",          "coverage.dims=2,3", NULL};
    static unsigned char pictures[B][2][SIDE * SIDE * 3];
    static float given[B * GIVEN], got[B * CHUNK], want[B * CHUNK], other[B * CHUNK];
    const int64_t shape[] = {B, 2, SIDE, SIDE, 3}, two[] = {B, GIVEN};
    char who[600];
    snprintf(who, sizeof who, "%s", scratch_path("act-seeing.safetensors"));
    tiny_policy_save(seeing, 0, 3, who);
    bex_rng g = bex_rng_seed(4);
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < sizeof pictures; i++)
            (&pictures[0][0][0])[i] = (unsigned char)bex_rng_below(&g, 256);
        for (int i = 0; i < B; i++)
            for (int j = 0; j < GIVEN; j++) given[i * GIVEN + j] = states[i * TINY_O + j];
        bex_st_writer *w = bex_st_writer_new();
        bex_st_add_real(w, "states", 2, two, given);
        bex_st_add_real(w, "noise", 3, (const int64_t[]){B, TINY_K, TINY_A}, noise);
        bex_st_add(w, "pictures", BEX_ST_U8, 5, shape, pictures);
        assert_int_equal(bex_st_save(w, input), 0);
        bex_st_writer_free(w);
        act_with(who, "", turn ? other : got);
        if (turn) break;
        bex_policy *p = bex_policy_load(who);
        tiny_settings o = TINY_SETTINGS;
        o.noise = 0;
        bex_control *c = tiny_control(p, o);
        for (int i = 0; i < B; i++) {
            bex_observation now = {.state = given + i * GIVEN,
                                   .image = {pictures[i][0], pictures[i][1]},
                                   .height = SIDE,
                                   .width = SIDE};
            float repeated[TINY_H * TINY_O];
            for (int k = 0; k < TINY_H; k++)
                assert_int_equal(bex_control_row(c, &now, repeated + k * TINY_O), 0);
            assert_int_equal(
                bex_control_plan_from(c, &now, repeated, noise + i * CHUNK, want + i * CHUNK), 0);
        }
        bex_control_free(c);
        bex_policy_free(p);
        assert_true(same(got, want));
    }
    assert_false(same(got, other)); // other pictures
    INPUT({"states", 2, {B, GIVEN}, given});
    assert_refused(arguments(who, "--force"), 1,
                   "no tensor 'pictures': the policy sees front,wrist");
    INPUT({"states", 2, {B, GIVEN}, given}, {"pictures", 2, {B, GIVEN}, given});
    assert_refused(arguments(who, "--force"), 1, "is not of bytes (5,2,height,width,3)");
    INPUT(STATES, {"pictures", 2, {B, GIVEN}, given});
    assert_refused(arguments(model, "--force"), 1, "this policy sees none");
    unlink(who);
}

static void chunks_are_the_librarys(void **state) {
    (void)state;
    float got[B * CHUNK], want[B * CHUNK], other[B * CHUNK];
    INPUT(STATES, EACH, NOISE);
    act("", got);
    expected(history, false, noise, NULL, NAN, want);
    assert_true(same(got, want));
    INPUT(STATES, SHARED, NOISE);
    act("", other);
    expected(history, true, noise, NULL, NAN, want);
    assert_true(same(other, want));
    assert_false(same(got, other));
    act("--exp q:0.1 --guidance 2.5", got);
    expected(history, true, noise, "q:0.1", 2.5, want);
    assert_true(same(got, want));
    assert_false(same(got, other));
    INPUT(STATES, NOISE);
    act("", got);
    expected(NULL, false, noise, NULL, NAN, want);
    assert_true(same(got, want));
}

static void seeds_make_noise(void **state) {
    (void)state;
    float a[B * CHUNK], b[B * CHUNK], c[B * CHUNK];
    INPUT(STATES, SHARED);
    act("--seed 3", a);
    act("--seed 3", b);
    act("", c);
    assert_true(same(a, b));
    assert_false(same(a, c));
    // a row alone is the row of the batch, and threads change nothing
    char text[2600];
    snprintf(text, sizeof text, "%s", arguments(model, "--seed 3 --force"));
    assert_int_equal(run_program_in("taskset -c 0", text).code, 0);
    read_output(b);
    assert_true(same(a, b));
    write_input((const tensor[]){{"states", 2, {1, TINY_O}, states}, SHARED}, 2);
    assert_int_equal(run_program(arguments(model, "--seed 3 --force")).code, 0);
    bex_st_file *f = bex_st_load(output);
    assert_memory_equal(bex_st_find(f, "actions")->data, a, CHUNK * sizeof *a);
    bex_st_free(f);
}

// a run stands for its newest checkpoint, with --best for its best; a checkpoint for itself
static void runs_are_resolved(void **state) {
    (void)state;
    char run_path[600], folder[BEX_PATH_SIZE], path[1100];
    float newest[B * CHUNK], first[B * CHUNK], x[B * CHUNK];
    snprintf(run_path, sizeof run_path, "%s", scratch_path("act-run"));
    INPUT(STATES);
    assert_refused(arguments(run_path, "--force"), 1, "No such file");
    assert_int_equal(bex_folder_make(run_path), 0);
    assert_refused(arguments(run_path, "--force"), 1, "neither a run nor a checkpoint");
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(bex_checkpoint_begin(folder, run_path, i), 0);
        snprintf(path, sizeof path, "%s/model.safetensors", folder);
        tiny_policy_save(NULL, 0, (uint64_t)i, path);
        snprintf(path, sizeof path, "%s/state.safetensors", folder);
        tiny_policy_save(NULL, 0, (uint64_t)i, path);
        assert_int_equal(bex_checkpoint_commit(run_path, i, i, 0), 0);
    }
    act_with(run_path, "", newest);
    act_with(run_path, "--best", first);
    assert_false(same(newest, first));
    snprintf(path, sizeof path, "%s/checkpoints/1", run_path);
    act_with(path, "", x);
    assert_true(same(first, x));
    snprintf(path, sizeof path, "%s/checkpoints/last", run_path);
    act_with(path, "", x);
    assert_true(same(newest, x));
    assert_int_equal(bex_folder_remove(run_path), 0);
}

static void tasks_and_times_are_told(void **state) {
    (void)state;
    static const char *const settings[] = {"model.task=true", "model.timestep=true", NULL};
    static const float steps[B] = {0, 50, 100, 150, 200}, wrong[B] = {0, 0, -1, 0, 0};
    char path[600];
    float a[B * CHUNK], b[B * CHUNK];
    snprintf(path, sizeof path, "%s", scratch_path("act-task.safetensors"));
    tiny_policy_save(settings, 2, 1, path);
    INPUT(STATES, NOISE);
    act_with(path, "", a);
    act_with(path, "--task 1", b);
    assert_false(same(a, b));
    assert_refused(arguments(path, "--task 2 --force"), 1, "task 2, the policy knows 0 to 1");
    INPUT(STATES, NOISE, {"step", 1, {B}, steps});
    act_with(path, "", b);
    assert_memory_equal(a, b, CHUNK * sizeof *a); // step 0
    assert_false(same(a, b));
    INPUT(STATES, {"step", 1, {B}, wrong});
    assert_refused(arguments(path, "--force"), 1, "'step': row 2 is -1");
    INPUT(STATES, {"step", 1, {B}, steps});
    assert_refused(arguments(model, "--force"), 1, "is not told the time");
    unlink(path);
}

static void mismatches_are_one_line(void **state) {
    (void)state;
    static float bad[B * TINY_O];
    memcpy(bad, states, sizeof bad);
    bad[6] = NAN;
    unlink(output);
    const struct {
        tensor t[2];
        int n;
        const char *part;
    } cases[] = {
        {{NOISE}, 1, "no tensor 'states' ((B,4))"},
        {{{"states", 1, {TINY_O}, states}}, 1, "'states' has 1 dimensions, (B,4) is needed"},
        {{{"states", 2, {4, 5}, states}}, 1, "its shape is (4, 5), (4, 4) is needed"},
        {{{"states", 2, {0, TINY_O}, states}}, 1, "'states' has 0 rows"},
        {{{"states", 2, {B, TINY_O}, bad}}, 1, "states"},
        {{{"state", 2, {B, TINY_O}, states}}, 1, "did you mean states?"},
        {{STATES, {"colour", 1, {3}, states}}, 2, "'colour' means nothing to act"},
        {{STATES, {"history", 2, {5, TINY_O}, history}}, 2, "(5, 4), (6, 4) is needed"},
        {{STATES, {"history", 3, {2, TINY_H, TINY_O}, history}}, 2, "(5, 6, 4) is needed"},
        {{STATES, {"history", 1, {TINY_O}, history}}, 2, "(6,4) or (B,6,4)"},
        {{STATES, {"noise", 2, {B, CHUNK}, noise}}, 2, "(5, 4, 2) is needed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_input(cases[i].t, cases[i].n);
        assert_refused(arguments(model, ""), 1, cases[i].part);
        assert_int_not_equal(access(output, F_OK), 0);
    }
    INPUT(STATES);
    assert_refused(arguments(model, "--exp much"), 2, "none of q:, z: and raw:");
    assert_refused(arguments(model, "--task 1"), 1, "has no such input");
    assert_refused(arguments(model, "--guidance 1e9"), 2, "deploy.guidance");
    assert_refused(arguments(input, ""), 1, "not a bex policy");
    assert_refused(arguments("no/such", ""), 1, "no/such");
    assert_refused("act", 2, "whose actions?");
    assert_refused("act x", 2, "for which states?");
    assert_refused("act x --in y", 2, "where to?");
    char text[2000];
    snprintf(text, sizeof text, "act %s --in %s --out no/such/folder/y", model, input);
    assert_refused(text, 1, "no/such/folder");
    snprintf(text, sizeof text, "act %s --in %s --out %s", model, model, output);
    assert_refused(text, 1, "means nothing to act");
    // nothing is replaced unasked
    assert_int_equal(run_program(arguments(model, "")).code, 0);
    assert_refused(arguments(model, ""), 1, "exists (--force replaces it)");
    assert_int_equal(run_program(arguments(model, "--force")).code, 0);
}

static void clones_have_no_history(void **state) {
    (void)state;
    static const char *const clone[] = {"model.agent=bc", NULL};
    char path[600];
    float x[B * CHUNK];
    snprintf(path, sizeof path, "%s", scratch_path("act-bc.safetensors"));
    tiny_policy_save(clone, 0, 1, path);
    INPUT(STATES);
    act_with(path, "", x);
    INPUT(STATES, SHARED);
    assert_refused(arguments(path, "--force"), 1, "this policy has no history");
    unlink(path);
}

int main(void) {
    bex_rng g = bex_rng_seed(1);
    snprintf(model, sizeof model, "%s", scratch_path("act-model.safetensors"));
    snprintf(input, sizeof input, "%s", scratch_path("act-in.safetensors"));
    snprintf(output, sizeof output, "%s", scratch_path("act-out.safetensors"));
    tiny_policy_save(NULL, 0, 1, model);
    bex_random_normal(states, B * TINY_O, &g);
    bex_random_normal(history, B * TINY_H * TINY_O, &g);
    bex_random_normal(noise, B * CHUNK, &g);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_come_along),      cmocka_unit_test(chunks_are_the_librarys),
        cmocka_unit_test(seeds_make_noise),         cmocka_unit_test(runs_are_resolved),
        cmocka_unit_test(tasks_and_times_are_told), cmocka_unit_test(mismatches_are_one_line),
        cmocka_unit_test(clones_have_no_history),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(model), unlink(input), unlink(output);
    return code;
}
