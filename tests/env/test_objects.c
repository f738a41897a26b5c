/* The vector that is the same for all scenes, what no agent is shown, and the list of worlds. */
#include "env/tabletop/objects.h"

#include "base/error.h"
#include "env/tabletop/libero.h"

#include "test.h"

#include <math.h>

enum { MOST = 512 };

static bex_world *open_keys(const char *keys) {
    bex_world *w;
    if (bex_world_open(&w, "libero", &(bex_world_options){.keys = keys}) < 0)
        fail_msg("%s", bex_error());
    return w;
}

static bex_env *reset(bex_world *w, bex_real *state) {
    bex_env *e = w->class->new (w);
    assert_non_null(e);
    if (w->class->reset(e, bex_rng_seed(3), &(bex_frame){.state = state}) < 0)
        fail_msg("%s", bex_error());
    return e;
}

// 28 movables of 7 numbers, 7 fixtures of 3, 8 joints
static void one_width_for_all_scenes(void **state) {
    (void)state;
    bex_world_label *list;
    int n = bex_world_list("libero", "", &list);
    assert_int_equal(n, 90);
    assert_int_equal(bex_objects_width(), 28 * 7 + 7 * 3 + 8);
    for (int i = 0; i < n; i++) {
        if (i && !strcmp(list[i].scene, list[i - 1].scene)) continue;
        char keys[200];
        bex_real seen[MOST];
        snprintf(keys, sizeof keys, "scene=%s\nobjects=true\ntimestep=false\nsettle=0",
                 list[i].scene);
        bex_world *w = open_keys(keys);
        bex_env *e = reset(w, seen);
        assert_int_equal(w->spec.state, 9 + bex_objects_width());
        assert_string_equal(w->scene, list[i].scene);
        w->class->free(e);
        bex_world_close(w);
    }
    free(list);
    assert_true(bex_world_list("maze2d-medium", "", &list) < 0);
    assert_message("is one world");
}

// every thing of the scene is where the simulation has it, from the hand; nothing else is anywhere
static void things_from_the_hand(void **state) {
    (void)state;
    bex_real seen[MOST];
    bex_world *w = open_keys("scene=KITCHEN_SCENE2\nobjects=true\ntimestep=false");
    bex_env *e = reset(w, seen);
    const bex_mj_sim *s = w->class->sim(e);
    const bex_bddl *b = bex_libero_scene(w);
    int filled = 0, expected = 0;
    for (int i = 0; i < bex_objects_width(); i++) filled += seen[9 + i] != 0;
    for (int k = 0; k < b->objects; k++) {
        const double *q = s->qpos + BEX_LIBERO_ROBOT + 7 * k;
        bool found = false;
        for (int at = 0; at + 7 <= bex_objects_width() && !found; at++) {
            double off = 0;
            for (int c = 0; c < 3; c++)
                off += fabs((double)seen[9 + at + c] + (double)seen[2 + c] - q[c]);
            for (int c = 3; c < 7; c++) off += fabs((double)seen[9 + at + c] - q[c]);
            found = off < 1e-5;
        }
        if (!found) fail_msg("%s is not in the vector", b->thing[k].name);
        expected += 7;
    }
    // the cabinet: its place and three drawers, which stand at 0; a quaternion may hold an exact 0
    assert_true(filled > expected - 8 && filled <= expected + 6);
    w->class->free(e);
    bex_world_close(w);
}

static void what_is_recorded_is_not_shown(void **state) {
    (void)state;
    bex_world *w = open_keys("scene=STUDY_SCENE1\ntasks=true\ntask=");
    assert_int_equal(w->recorded, 1);
    assert_int_equal(bex_world_shown(w), w->spec.state - 1);
    assert_int_equal(w->task_count, 4);
    assert_int_equal(w->task, -1);
    assert_int_equal(strncmp(w->tasks[0], "STUDY_SCENE1_pick_up", 20), 0);
    bex_world_close(w);
    w = open_keys("scene=KITCHEN_SCENE3\ntask=turn_on_the_stove");
    assert_string_equal(w->tasks[w->task], "KITCHEN_SCENE3_turn_on_the_stove");
    bex_world_close(w);
}

// else a hidden task would count as found before anything was done
static void nothing_is_done_at_first(void **state) {
    (void)state;
    bex_world_label *list;
    int n = bex_world_list("libero", "", &list);
    for (int i = 0; i < n; i++) {
        if (i && !strcmp(list[i].scene, list[i - 1].scene)) continue;
        char keys[200];
        bex_real seen[64];
        snprintf(keys, sizeof keys, "scene=%s\ntasks=true", list[i].scene);
        bex_world *w = open_keys(keys);
        bex_env *e = w->class->new (w);
        for (uint64_t k = 0; k < 3; k++) {
            if (w->class->reset(e, bex_rng_seed(k), &(bex_frame){.state = seen}) < 0)
                fail_msg("%s", bex_error());
            if (w->class->found(w, seen))
                fail_msg("%s: tasks %x", list[i].scene, w->class->found(w, seen));
        }
        w->class->free(e);
        bex_world_close(w);
    }
    free(list);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_width_for_all_scenes),
                                       cmocka_unit_test(things_from_the_hand),
                                       cmocka_unit_test(what_is_recorded_is_not_shown),
                                       cmocka_unit_test(nothing_is_done_at_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
