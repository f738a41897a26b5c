/* Pictures are drawn for the first state of an episode and where the actor says that it will look. */
#include "explore/explore.h"

#include "base/error.h"

#include "test.h"

enum { LIMIT = 10, EVERY = 4, EPISODES = 2 };

static int drawn, steps;

static int fill(const bex_frame *out) {
    out->state[0] = R(0);
    if (!out->image[0]) return 0;
    drawn++;
    memset(out->image[0], drawn, bex_picture_bytes(2, 2));
    return 0;
}

static int reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    (void)env, (void)rng;
    return fill(out);
}

static int step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                bool *terminated) {
    (void)env, (void)act;
    steps++;
    *reward = R(0), *terminated = false;
    return fill(out);
}

static bex_env *new_env(const bex_world *world) {
    bex_env *e = calloc(1, sizeof *e);
    e->world = world;
    return e;
}

static void free_env(bex_env *env) {
    free(env);
}

static const bex_env_class seen = {.name = "seen",
                                   .new = new_env,
                                   .free = free_env,
                                   .reset = reset,
                                   .step = step,
                                   .region = bex_one_region};

// plans at every EVERY-th step of an episode
typedef struct planner {
    bex_actor base;
    int at, looked;
} planner;

static int begin(bex_actor *a) {
    ((planner *)a)->at = 0;
    return 0;
}

static int act(bex_actor *a, const bex_observation *obs, bex_real *action) {
    planner *p = (planner *)a;
    action[0] = R(0);
    // what it looks at is the newest picture there is
    if (p->at++ % EVERY == 0) {
        assert_int_equal(obs->image[0][0], drawn);
        p->looked++;
    }
    return 0;
}

static bool looks(const bex_actor *a) {
    return ((const planner *)a)->at % EVERY == 0;
}

static int end(bex_actor *a) {
    (void)a;
    return 0;
}

static void none(bex_actor *a) {
    (void)a;
}

static void play(bex_actor_class class, int pictures) {
    const bex_world w = {.class = &seen,
                         .name = "seen",
                         .spec = {.state = 1, .cameras = 1, .height = 2, .width = 2},
                         .A = 1,
                         .time_limit = LIMIT,
                         .regions = 1};
    planner p = {.base = {&class}};
    bex_actor *actors[] = {&p.base};
    bex_explored e;
    drawn = steps = 0;
    const bex_explore_options o = {
        .world = &w, .actors = actors, .trials = 1, .episodes = EPISODES};
    if (bex_explore(&e, &o) < 0) fail_msg("%s", bex_error());
    assert_int_equal(steps, EPISODES * LIMIT);
    assert_int_equal(p.looked, EPISODES * 3);
    assert_int_equal(drawn, pictures);
    bex_explored_fini(&e);
}

static void only_what_is_looked_at(void **state) {
    (void)state;
    bex_actor_class class = {
        .name = "planner", .begin = begin, .act = act, .looks = looks, .end = end, .free = none};
    play(class, EPISODES * 3); // the first state, then before steps 4 and 8
    class.looks = NULL;
    play(class, EPISODES * (LIMIT + 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_is_looked_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
