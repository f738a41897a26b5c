/* Episode ends, seeds, thread counts, metrics, failures; and that stepping never allocates. */
#include "env/batch.h"

#include "base/error.h"
#include "env/maze/maze2d.h"
#include "env/mj.h"

#include "test.h"

#include <math.h>
#include <omp.h>

#if defined(__SANITIZE_ADDRESS__)
#define COUNTS_MALLOC 0
static long allocations;
#else
#define COUNTS_MALLOC 1
// glibc's own entry points: our definitions below replace malloc for the whole program
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
static long allocations;
void *malloc(size_t size) {
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_realloc(old, size);
}
#endif

static bex_world *world_with(int time_limit, int splits) {
    char key[32];
    snprintf(key, sizeof key, "splits=%d", splits);
    bex_world_options o = {.time_limit = time_limit, .keys = key};
    bex_world *w;
    if (bex_world_open(&w, "maze2d-medium", &o) < 0) fail_msg("%s", bex_error());
    return w;
}

// actions that depend on instance and time only
static void fill_actions(bex_env_batch *b, int t) {
    for (int i = 0; i < b->B; i++) {
        bex_rng rng = bex_rng_split(bex_rng_seed(77), "act", (uint64_t)(i * 1000 + t / 10));
        for (int a = 0; a < b->A; a++) b->act[i * b->A + a] = R(2 * bex_rng_uniform(&rng) - 1);
    }
}

static void time_limits_truncate_and_keep_the_last_state(void **state) {
    (void)state;
    bex_world *w = world_with(50, 1);
    bex_env_batch *b;
    assert_int_equal(bex_env_batch_new(&b, w, 3, 5), 0);
    bex_env *twin = w->class->new (w); // plays instance 1 by hand
    bex_real obs[4], reward;
    bool terminated;
    bex_rng stream = bex_rng_split(bex_rng_seed(5), "env", 1);
    for (int episode = 0; episode < 3; episode++) {
        w->class->reset(twin, bex_rng_split(stream, "episode", (uint64_t)episode),
                        &(bex_frame){.state = obs});
        assert_memory_equal(obs, b->obs + 4, sizeof obs);
        for (int t = 0; t < 50; t++) {
            assert_int_equal(b->length[1], t);
            fill_actions(b, episode * 50 + t);
            w->class->step(twin, b->act + 2, &(bex_frame){.state = obs}, &reward, &terminated);
            assert_int_equal(bex_env_batch_step(b), 0);
            assert_false(b->terminated[1]);
            assert_int_equal(b->truncated[1], t == 49);
            assert_memory_equal(obs, t == 49 ? b->final_obs + 4 : b->obs + 4, sizeof obs);
            assert_true(b->reward[1] == reward);
        }
        assert_int_equal(b->episodes[1], episode + 1);
        assert_int_equal(b->final_length[1], 50);
        assert_int_equal(b->length[1], 0);
    }
    w->class->free(twin);
    bex_env_batch_free(b);
    bex_world_close(w);
}

/* A world that ends its own episodes, to see terminated apart from truncated: Maze2D with a step
 * that ends on reward. */
static bex_env_class ending;
static int ending_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                       bool *terminated) {
    int code = bex_maze2d_medium.step(env, act, out, reward, terminated);
    *terminated = *reward > 0;
    return code;
}

static void the_world_ends_an_episode(void **state) {
    (void)state;
    bex_world *w = world_with(7, 1);
    ending = bex_maze2d_medium;
    ending.step = ending_step;
    w->class = &ending;
    bex_env_batch *b;
    assert_int_equal(bex_env_batch_new(&b, w, 1, 0), 0);
    // on the goal from the first step, at the step that would also be the last in time
    for (int t = 0; t < 6; t++) assert_int_equal(bex_env_batch_step(b), 0);
    bex_mj_sim *s = w->class->sim(b->env[0]);
    s->qpos[0] = s->qpos[1] = 6, s->qvel[0] = s->qvel[1] = 0;
    assert_int_equal(bex_env_batch_step(b), 0);
    assert_true(b->terminated[0] && !b->truncated[0]);
    assert_true(fabs((double)b->final_obs[0] - 6) < 1e-3);
    assert_true(b->final_sum[0] == 1 && b->final_length[0] == 7 && b->sum[0] == 0);
    assert_int_equal(bex_env_batch_step(b), 0);
    assert_false(b->terminated[0] || b->truncated[0]);
    bex_env_batch_free(b);
    bex_world_close(w);
}

/* Maze2D with two cameras: a picture is the state it was taken in, and which camera took it. */
static bex_env_class seeing;
static void take_pictures(const bex_frame *out) {
    for (int c = 0; c < 2; c++) {
        memset(out->image[c], 1 + c, 2 * 3 * 3);
        memcpy(out->image[c], out->state, 2 * sizeof *out->state);
    }
}

static int seeing_reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    int code = bex_maze2d_medium.reset(env, rng, out);
    take_pictures(out);
    return code;
}

static int seeing_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                       bool *terminated) {
    int code = bex_maze2d_medium.step(env, act, out, reward, terminated);
    take_pictures(out);
    return code;
}

static void pictures_go_with_their_states(void **state) {
    (void)state;
    enum { B = 3, PICTURE = 2 * 3 * 3 };
    bex_world *w = world_with(5, 1);
    bex_env_batch *b;
    assert_int_equal(bex_env_batch_new(&b, w, B, 1), 0);
    for (int c = 0; c < BEX_CAMERAS; c++) assert_true(!b->images[c] && !b->final_images[c]);
    bex_env_batch_free(b);
    seeing = bex_maze2d_medium;
    seeing.reset = seeing_reset, seeing.step = seeing_step;
    w->class = &seeing;
    w->spec.cameras = 2, w->spec.height = 2, w->spec.width = 3;
    assert_int_equal(bex_env_batch_new(&b, w, B, 1), 0);
    assert_true(!b->images[2] && !b->final_images[2]);
    for (int t = 0; t < 8; t++) {
        fill_actions(b, t);
        assert_int_equal(bex_env_batch_step(b), 0);
        for (int n = 0; n < 2 * B; n++) {
            int i = n / 2, c = n % 2;
            const unsigned char *now = b->images[c] + i * PICTURE;
            const unsigned char *last = b->final_images[c] + i * PICTURE;
            assert_memory_equal(now, b->obs + i * b->O, 2 * sizeof *b->obs);
            assert_memory_equal(last, b->final_obs + i * b->O, 2 * sizeof *b->obs);
            assert_int_equal(now[PICTURE - 1], 1 + c);
            assert_int_equal(last[PICTURE - 1], t < 4 ? 0 : 1 + c);
        }
    }
    bex_env_batch_free(b);
    bex_world_close(w);
}

static void metrics_count_cells(void **state) {
    (void)state;
    for (int splits = 1; splits <= 2; splits++) {
        bex_world *w = world_with(200, splits);
        bex_env_batch *b;
        assert_int_equal(bex_env_batch_new(&b, w, 4, 11), 0);
        unsigned *seen = calloc((size_t)(4 * w->regions), sizeof *seen);
        for (int i = 0; i < 4; i++) seen[i * w->regions + w->class->region(w, b->obs + 4 * i)]++;
        for (int t = 0; t < 200; t++) {
            fill_actions(b, t);
            assert_int_equal(bex_env_batch_step(b), 0);
            for (int i = 0; i < 4; i++) {
                const bex_real *obs = t == 199 ? b->final_obs + 4 * i : b->obs + 4 * i;
                seen[i * w->regions + w->class->region(w, obs)]++;
            }
        }
        assert_memory_equal(seen, b->final_occupancy, (size_t)(4 * w->regions) * sizeof *seen);
        for (int i = 0; i < 4; i++) {
            int distinct = 0;
            for (int r = 0; r < w->regions; r++) distinct += seen[i * w->regions + r] > 0;
            assert_int_equal(b->final_visited[i], distinct);
            assert_int_equal(b->visited[i], 1); // the new episode has seen its start
            assert_true(distinct > 1);
        }
        free(seen);
        bex_env_batch_free(b);
        bex_world_close(w);
    }
}

static void play(bex_real *trace, int threads, uint64_t seed) {
    bex_world *w = world_with(30, 1);
    bex_env_batch *b;
    omp_set_num_threads(threads);
    assert_int_equal(bex_env_batch_new(&b, w, 7, seed), 0);
    for (int t = 0; t < 70; t++) {
        fill_actions(b, t);
        assert_int_equal(bex_env_batch_step(b), 0);
        memcpy(trace + t * 28, b->obs, 28 * sizeof *trace);
    }
    bex_env_batch_free(b);
    bex_world_close(w);
}

static void same_bits_for_any_thread_count(void **state) {
    (void)state;
    static bex_real one[70 * 28], many[70 * 28], other[70 * 28];
    play(one, 1, 3);
    for (int threads = 2; threads <= 5; threads += 3) {
        play(many, threads, 3);
        assert_memory_equal(one, many, sizeof one);
    }
    play(other, 2, 4);
    assert_memory_not_equal(one, other, sizeof one);
    // instances differ from one another too
    assert_memory_not_equal(one, one + 4, 4 * sizeof *one);
}

static void reset_starts_over(void **state) {
    (void)state;
    bex_world *w = world_with(20, 1);
    bex_env_batch *b;
    assert_int_equal(bex_env_batch_new(&b, w, 2, 8), 0);
    bex_real first[8], again[8];
    memcpy(first, b->obs, sizeof first);
    for (int t = 0; t < 33; t++) assert_int_equal(bex_env_batch_step(b), 0);
    assert_int_equal(bex_env_batch_reset(b), 0);
    memcpy(again, b->obs, sizeof again);
    assert_memory_equal(first, again, sizeof first);
    bex_env_batch_free(b);
    bex_env_batch_free(NULL);
    bex_world_close(w);
}

static void failures_name_the_instance(void **state) {
    (void)state;
    bex_world *w = world_with(0, 1);
    bex_env_batch *b;
    omp_set_num_threads(3);
    assert_int_equal(bex_env_batch_new(&b, w, 6, 8), 0);
    for (int t = 0; t < 4; t++) assert_int_equal(bex_env_batch_step(b), 0);
    b->act[2 * 4] = R(NAN);
    b->act[2 * 5 + 1] = R(INFINITY);
    assert_true(bex_env_batch_step(b) < 0);
    assert_message("maze2d-medium: instance 4: step 4 of episode 0: action 0 is nan");
    b->act[2 * 4] = b->act[2 * 5 + 1] = 0;
    assert_int_equal(bex_env_batch_reset(b), 0);
    assert_int_equal(bex_env_batch_step(b), 0);
    bex_env_batch_free(b);
    bex_world_close(w);
}

static void stepping_never_allocates(void **state) {
    (void)state;
    if (!COUNTS_MALLOC) skip();
    bex_world *w = world_with(40, 2);
    bex_env_batch *b;
    omp_set_num_threads(2);
    assert_int_equal(bex_env_batch_new(&b, w, 8, 1), 0);
    fill_actions(b, 0);
    assert_int_equal(bex_env_batch_step(b), 0); // the thread pool comes into being here
    long before = allocations;
    assert_true(before > 0);
    for (int t = 0; t < 500; t++) {
        fill_actions(b, t);
        if (bex_env_batch_step(b) < 0) fail_msg("%s", bex_error());
    }
    assert_int_equal(allocations, before); // resets and contacts included
    assert_true(b->episodes[0] >= 10);
    bex_env_batch_free(b);
    bex_world_close(w);
}

/* A world of which there are two: no batch has three. */
static void no_more_instances_than_there_can_be(void **state) {
    (void)state;
    bex_world *w = world_with(20, 1);
    bex_env_batch *b;
    w->instances_most = 2;
    assert_true(bex_env_batch_new(&b, w, 3, 1) < 0);
    assert_null(b);
    assert_true(bex_error_is_misuse());
    assert_message("maze2d-medium: 3 instances asked for, there can be 2");
    assert_int_equal(bex_env_batch_new(&b, w, 2, 1), 0);
    bex_env_batch_free(b);
    bex_world_close(w);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_instances_than_there_can_be),
        cmocka_unit_test(time_limits_truncate_and_keep_the_last_state),
        cmocka_unit_test(the_world_ends_an_episode),
        cmocka_unit_test(pictures_go_with_their_states),
        cmocka_unit_test(metrics_count_cells),
        cmocka_unit_test(same_bits_for_any_thread_count),
        cmocka_unit_test(reset_starts_over),
        cmocka_unit_test(failures_name_the_instance),
        cmocka_unit_test(stepping_never_allocates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
