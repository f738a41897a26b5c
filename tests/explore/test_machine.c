/* A world that is a machine, of which there is one: trials follow each other on one instance, nothing is
 * stepped twice at once, and the record is the one that many instances would have given. */
#include "base/error.h"
#include "explore/explore.h"

#include "test.h"

#include <omp.h>
#include <stdatomic.h>

enum { TRIALS = 4, EPISODES = 3, LENGTH = 12 };

// counts up from a random start; the action is added
typedef struct counter {
    bex_env base;
    double value;
} counter;

static atomic_int alive, most_alive, busy, most_busy;
static int order[TRIALS * EPISODES], begun; // trials, in the order of their episodes

static void raise(atomic_int *most, int to) {
    for (int was = atomic_load(most); was < to && !atomic_compare_exchange_weak(most, &was, to);) {
    }
}

static bex_env *new_counter(const bex_world *world) {
    counter *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->base.world = world;
    raise(&most_alive, atomic_fetch_add(&alive, 1) + 1);
    return &c->base;
}

static void free_counter(bex_env *env) {
    if (env) atomic_fetch_sub(&alive, 1);
    free(env);
}

// its one camera sees the number the state holds
static void take_picture(const bex_frame *out) {
    memcpy(out->image[0], out->state, sizeof *out->state);
}

static int reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    ((counter *)env)->value = bex_rng_uniform(&rng);
    out->state[0] = R(((counter *)env)->value);
    take_picture(out);
    return 0;
}

static int step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                bool *end) {
    raise(&most_busy, atomic_fetch_add(&busy, 1) + 1);
    counter *c = (counter *)env;
    c->value += (double)act[0];
    usleep(200); // room for another thread to come in
    out->state[0] = R(c->value);
    *reward = out->state[0];
    take_picture(out);
    *end = false;
    atomic_fetch_sub(&busy, 1);
    return 0;
}

static const bex_env_class class = {.name = "counter",
                                    .new = new_counter,
                                    .free = free_counter,
                                    .reset = reset,
                                    .step = step,
                                    .region = bex_one_region};

// adds its own number plus noise
typedef struct adder {
    bex_actor base;
    int number;
    bex_rng rng;
} adder;

static int begin(bex_actor *actor) {
    int at;
#pragma omp atomic capture
    at = begun++;
    order[at] = ((adder *)actor)->number;
    return 0;
}

static int act(bex_actor *actor, const bex_observation *obs, bex_real *action) {
    adder *a = (adder *)actor;
    if (obs && memcmp(obs->image[0], obs->state, sizeof *obs->state) != 0)
        return bex_fail("a picture of another state");
    action[0] = R(a->number + bex_rng_normal(&a->rng));
    return 0;
}

static int end(bex_actor *actor) {
    (void)actor;
    return 0;
}

static int recall(bex_actor *actor, const bex_episode *e) {
    bex_real action[1];
    for (int t = 0; t < e->steps; t++) act(actor, NULL, action);
    return 0;
}

static void nothing(bex_actor *actor) {
    (void)actor;
}

static const bex_actor_class adding = {
    .name = "adder", .begin = begin, .act = act, .end = end, .recall = recall, .free = nothing};

static void explore(bex_explored *e, bool realtime, int instances_most) {
    bex_world world = {.class = &class,
                       .name = "counter",
                       .spec = {.state = 1, .cameras = 1, .height = 2, .width = 2},
                       .A = 1,
                       .time_limit = LENGTH,
                       .regions = 1,
                       .dt = 1e-3,
                       .realtime = realtime,
                       .instances_most = instances_most};
    adder cast[TRIALS];
    bex_actor *actors[TRIALS];
    for (int i = 0; i < TRIALS; i++) {
        cast[i] = (adder){{&adding}, i, bex_explore_stream(5, i)};
        actors[i] = &cast[i].base;
    }
    begun = 0;
    atomic_store(&most_alive, 0), atomic_store(&most_busy, 0);
    omp_set_num_threads(4);
    bex_explore_options o = {
        .world = &world, .actors = actors, .trials = TRIALS, .episodes = EPISODES, .seed = 2};
    if (bex_explore(e, &o) != 0) fail_msg("%s", bex_error());
    assert_int_equal(atomic_load(&alive), 0); // all are freed, none twice
    assert_int_equal(begun, TRIALS * EPISODES);
}

static void assert_same(const bex_explored *a, const bex_explored *b) {
    for (int i = 0; i < TRIALS; i++) {
        size_t rows = EPISODES * LENGTH;
        assert_int_equal(a->trial[i].steps, b->trial[i].steps);
        assert_memory_equal(a->trial[i].obs, b->trial[i].obs, rows * sizeof(bex_real));
        assert_memory_equal(a->trial[i].act, b->trial[i].act, rows * sizeof(bex_real));
    }
}

static void assert_one_after_the_other(void) {
    assert_int_equal(atomic_load(&most_alive), 1);
    assert_int_equal(atomic_load(&most_busy), 1);
    for (int k = 0; k < TRIALS * EPISODES; k++) assert_int_equal(order[k], k / EPISODES);
}

static void a_machine_plays_one_trial_after_the_other(void **state) {
    (void)state;
    bex_explored many, single, realtime, enough;
    explore(&many, false, 0);
    assert_int_equal(atomic_load(&most_alive), TRIALS);
    explore(&single, false, 1);
    assert_one_after_the_other();
    assert_same(&many, &single);
    explore(&realtime, true, 0);
    assert_one_after_the_other();
    assert_same(&many, &realtime);
    explore(&enough, false, TRIALS); // as many as are wanted: together
    assert_int_equal(atomic_load(&most_alive), TRIALS);
    assert_same(&many, &enough);
    bex_explored_fini(&many), bex_explored_fini(&single);
    bex_explored_fini(&realtime), bex_explored_fini(&enough);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_plays_one_trial_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
