/* Rollouts: what they tell of a step, and the way back into a saved one, in a world of the tests and in a
 * MuJoCo world, whose solver remembers more than its state. */
#include "agent/rl/rollout.h"

#include "agent/point.h"
#include "env/mj.h"

enum { B = 5 };

static bex_rollout *rollout_of(const bex_world *w, uint64_t seed) {
    bex_rollout *r;
    if (bex_rollout_new(&r, w, B, seed) < 0) fail_msg("%s", bex_error());
    return r;
}

// step number n, actions from n alone
static void step(bex_rollout *r, uint64_t n) {
    bex_rng g = bex_rng_split(bex_rng_seed(8), "step", n);
    for (int i = 0; i < B * r->batch->A; i++) r->batch->act[i] = R(2 * bex_rng_uniform(&g) - 1);
    if (bex_rollout_step(r) < 0) fail_msg("%s", bex_error());
}

static int save_and_load(bex_rollout *from, bex_rollout *to) {
    const char *path = scratch_path("rollout.safetensors");
    bex_st_writer *w = bex_st_writer_new();
    bex_rollout_save(from, w);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *f = bex_st_load(path);
    assert_non_null(f);
    int code = bex_rollout_load(to, f);
    bex_st_free(f);
    unlink(path);
    return code;
}

static void steps_join_up(void **state) {
    (void)state;
    bex_world *w = point_open(&point_home_class);
    bex_rollout *r = rollout_of(w, 1);
    int ends = 0, timeouts = 0;
    bex_real last[B * 2];
    memcpy(last, r->batch->obs, sizeof last);
    for (uint64_t n = 0; n < 200; n++) {
        step(r, n);
        assert_memory_equal(r->before, last, sizeof last);
        memcpy(last, r->batch->obs, sizeof last);
        for (int i = 0; i < B; i++) {
            // the mark stays: next is of the same episode, obs perhaps of another
            assert_true(r->next[i * 2 + 1] == r->before[i * 2 + 1]);
            bool ended = bex_rollout_ended(r, i);
            assert_int_equal(ended, last[i * 2 + 1] != r->before[i * 2 + 1]);
            bool home = fabs((double)(r->next[i * 2] - r->next[i * 2 + 1])) < 0.1;
            assert_int_equal(r->batch->terminated[i], home);
            if (ended) assert_true(r->batch->final_measures[i * BEX_ENV_MEASURES] == (double)home);
            ends += home, timeouts += r->batch->truncated[i];
        }
    }
    assert_true(ends > 20 && timeouts > 5);
    bex_rollout_free(r);
    bex_world_close(w);
}

static void check_way_back(const bex_world *w, int steps) {
    bex_rollout *whole = rollout_of(w, 3), *half = rollout_of(w, 3);
    for (uint64_t n = 0; n < (uint64_t)steps; n++) step(whole, n);
    if (save_and_load(whole, half) < 0) fail_msg("%s", bex_error());
    size_t states = (size_t)(B * w->spec.state) * sizeof(bex_real);
    for (uint64_t n = 0; n < 60; n++) {
        step(whole, 1000 + n), step(half, 1000 + n);
        assert_memory_equal(whole->next, half->next, states);
        assert_memory_equal(whole->batch->obs, half->batch->obs, states);
        assert_memory_equal(whole->batch->sum, half->batch->sum, B * sizeof(double));
        assert_memory_equal(whole->batch->length, half->batch->length, B * sizeof(int));
    }
    // and again: what was loaded can be saved
    bex_rollout *third = rollout_of(w, 3);
    if (save_and_load(half, third) < 0) fail_msg("%s", bex_error());
    bex_rollout_free(third);
    // another seed leads elsewhere
    bex_rollout *other = rollout_of(w, 4);
    assert_int_equal(save_and_load(whole, other), -1);
    assert_message("another version of the world or of MuJoCo, or another seed");
    bex_rollout_free(other);
    bex_rollout_free(whole);
    bex_rollout_free(half);
}

static void the_way_back_is_bit_for_bit(void **state) {
    (void)state;
    bex_world *w = point_open(&point_home_class);
    for (int steps = 0; steps < 50; steps += 7) check_way_back(w, steps);
    bex_world_close(w);
}

static void also_with_contacts(void **state) {
    (void)state;
    if (!bex_mj_version()) skip();
    bex_world *w;
    bex_world_options o = {.time_limit = 40};
    assert_int_equal(bex_world_open(&w, "ant-walker", &o), 0);
    check_way_back(w, 33);
    check_way_back(w, 55);
    bex_world_close(w);
}

static void a_changed_world_is_noticed(void **state) {
    (void)state;
    bex_world *w = point_open(&point_class), *v = point_open(&point_class);
    ((point_world *)v)->push = 1e-3;
    bex_rollout *r = rollout_of(w, 3), *s = rollout_of(v, 3);
    for (uint64_t n = 0; n < 7; n++) step(r, n);
    assert_int_equal(save_and_load(r, s), -1);
    assert_message("point: taking the actions of instance 0 again leads elsewhere");
    bex_rollout_free(r);
    bex_rollout_free(s);
    v->time_limit = 0;
    assert_int_equal(bex_rollout_new(&s, v, B, 0), -1);
    assert_message("point has no time limit");
    bex_world_close(w);
    bex_world_close(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_join_up),
        cmocka_unit_test(the_way_back_is_bit_for_bit),
        cmocka_unit_test(also_with_contacts),
        cmocka_unit_test(a_changed_world_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
