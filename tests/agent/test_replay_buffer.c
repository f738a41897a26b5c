/* The replay buffer: what is added comes back, the oldest goes first, draws are uniform, files hold it. */
#include "agent/rl/replay_buffer.h"

#include "base/error.h"

#include "test.h"

enum { O = 3, A = 2, CAPACITY = 10 };

// transition n, recognisable in every entry
static void add(bex_replay_buffer *r, int n) {
    bex_real obs[O], act[A], next[O];
    for (int i = 0; i < O; i++) obs[i] = R(100 * n + i), next[i] = R(100 * n + 10 + i);
    for (int i = 0; i < A; i++) act[i] = R(100 * n + 20 + i);
    bex_replay_buffer_add(r, &(bex_step){.obs.state = obs,
                                         .act = act,
                                         .reward = R(100 * n + 30),
                                         .terminal = n % 2 == 0,
                                         .next.state = next});
}

static int number_of(const bex_transitions *t, int row) {
    int n = (int)t->reward[row] / 100;
    for (int i = 0; i < O; i++) {
        assert_int_equal((int)t->obs[row * O + i], 100 * n + i);
        assert_int_equal((int)t->next[row * O + i], 100 * n + 10 + i);
    }
    for (int i = 0; i < A; i++) assert_int_equal((int)t->act[row * A + i], 100 * n + 20 + i);
    assert_int_equal((int)t->mask[row], n % 2);
    return n;
}

static void the_oldest_goes_and_draws_are_uniform(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    bex_replay_buffer r;
    bex_transitions t;
    assert_int_equal(bex_replay_buffer_init(&r, O, A, CAPACITY), 0);
    assert_int_equal(bex_transitions_init(&t, O, A, 8), 0);
    for (int n = 0; n < 4; n++) add(&r, n);
    assert_int_equal(r.size, 4);
    for (int n = 4; n < 27; n++) add(&r, n);
    assert_int_equal(r.size, CAPACITY);
    bex_rng g = bex_rng_seed(4);
    int seen[27] = {0};
    for (int i = 0; i < DRAWS / 8; i++) {
        bex_replay_buffer_draw(&r, &g, &t, 0, 8);
        for (int k = 0; k < 8; k++) seen[number_of(&t, k)]++;
    }
    for (int n = 0; n < 27; n++)
        assert_true(n < 17 ? seen[n] == 0 : abs(seen[n] - DRAWS / CAPACITY) < 250);
    // a part of a minibatch only
    t.reward[2] = R(-1), t.reward[6] = R(-1);
    bex_replay_buffer_draw(&r, &g, &t, 3, 3);
    assert_true(t.reward[2] == R(-1) && t.reward[6] == R(-1));
    number_of(&t, 3), number_of(&t, 5);
    bex_transitions_fini(&t);
    bex_replay_buffer_fini(&r);
}

static void a_file_brings_it_back(void **state) {
    (void)state;
    static const int counts[] = {0, 6, 23}; // empty, part, gone round
    const char *path = scratch_path("replay.safetensors");
    for (int k = 0; k < 3; k++) {
        bex_replay_buffer r, s, small;
        assert_int_equal(bex_replay_buffer_init(&r, O, A, CAPACITY), 0);
        assert_int_equal(bex_replay_buffer_init(&s, O, A, CAPACITY), 0);
        assert_int_equal(bex_replay_buffer_init(&small, O, A, 5), 0);
        for (int n = 0; n < counts[k]; n++) add(&r, n);
        bex_st_writer *w = bex_st_writer_new();
        bex_replay_buffer_save(&r, w);
        assert_int_equal(bex_st_save(w, path), 0);
        bex_st_writer_free(w);
        bex_st_file *f = bex_st_load(path);
        assert_non_null(f);
        if (bex_replay_buffer_load(&s, f) < 0) fail_msg("%s", bex_error());
        assert_int_equal(bex_replay_buffer_load(&small, f), counts[k] ? -1 : 0);
        if (counts[k]) assert_message("do not fit a replay of 5");
        bex_st_free(f);
        assert_int_equal(s.size, r.size);
        assert_int_equal(s.added, r.added);
        add(&r, 50), add(&s, 50); // to the same place
#define SAME(member, per)                                                                          \
    assert_memory_equal(r.rows.member, s.rows.member, CAPACITY *(size_t)(per) * sizeof(bex_real));
        BEX_TRANSITION_FIELDS(SAME, &r.rows)
#undef SAME
        bex_replay_buffer_fini(&r);
        bex_replay_buffer_fini(&s);
        bex_replay_buffer_fini(&small);
    }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_goes_and_draws_are_uniform),
        cmocka_unit_test(a_file_brings_it_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
