/* The actor of SAC by itself: its file there and back, a stream that goes on, and what is no such file. */
#include "agent/rl/gaussian_actor.h"

#include "agent/rl/sac.h"
#include "base/error.h"
#include "nn/safetensors.h"

#include "agent/point.h"
#include "malloc_count.h"

enum { STATES = 30 };

static char path[600];

static bex_agent *sac(void) {
    static const char *const settings[] = {"train.agent=sac", "env.instances=2", "sac.actor=12,7",
                                           "sac.critic=8",    "sac.replay=50",   "train.batch=8",
                                           "train.lanes=1",   "train.threads=1"};
    bex_train_config c;
    bex_config_defaults(&bex_train_schema, &c);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (bex_config_set(&bex_train_schema, &c, settings[i]) < 0) fail_msg("%s", bex_error());
    bex_agent *a = bex_agent_new(&c, &(bex_sources){.world = point_open(&point_class)});
    if (!a) fail_msg("%s", bex_error());
    return a;
}

static void save(bex_agent *a) {
    const bex_sac *s = (const bex_sac *)a;
    if (s->online.method->save_model(&s->online, path) < 0) fail_msg("%s", bex_error());
}

static void state_at(bex_real *obs, int i) {
    obs[0] = R(0.1 * i - 1), obs[1] = R(0.5 - 0.03 * i);
}

static void a_file_acts_as_the_agent_it_is_of(void **state) {
    (void)state;
    bex_agent *a = sac();
    const bex_sac *s = (const bex_sac *)a;
    save(a);
    assert_true(bex_gaussian_policy_is(path));
    bex_gaussian_policy *p = bex_gaussian_policy_load(path);
    if (!p) fail_msg("%s", bex_error());
    assert_int_equal(p->O, 2);
    assert_int_equal(p->A, 1);
    assert_string_equal(p->agent, "sac");
    assert_string_equal(p->world, "point");
    bex_arena *arena = bex_arena_new();
    for (int i = 0; i < STATES; i++) {
        bex_real obs[2], ours[1], theirs[1];
        bex_rng one = bex_rng_seed((uint64_t)i), two = one;
        state_at(obs, i);
        bex_gaussian_act(&p->pi, arena, obs, 1, i % 2 ? &one : NULL, ours);
        bex_actor_critic_act(s->learner, arena, obs, 1, i % 2 ? &two : NULL, theirs);
        assert_true(ours[0] == theirs[0] && fabs((double)ours[0]) < 1);
    }
    bex_arena_free(arena);
    bex_gaussian_policy_free(p);
    a->class->free(a);
}

// episodes of ten states, the first two recalled in the second run
static void a_recalled_stream_goes_on_and_allocates_nothing(void **state) {
    (void)state;
    bex_agent *a = sac();
    save(a);
    bex_gaussian_policy *p = bex_gaussian_policy_load(path);
    bex_real act[2][STATES];
    for (int run = 0; run < 2; run++) {
        bex_actor *actor = bex_gaussian_actor_new(p, bex_rng_seed(3));
        long before = 0;
        for (int i = 0; i < STATES; i++) {
            bex_real obs[2];
            state_at(obs, i);
            bex_episode told = {.steps = 10, .O = 2, .A = 1};
            if (run && i < 20) {
                if (i % 10 == 9) assert_int_equal(actor->class->recall(actor, &told), 0);
                continue;
            }
            if (i % 10 == 0) assert_int_equal(actor->class->begin(actor), 0);
            if (i == 21) before = malloc_calls();
            assert_int_equal(
                actor->class->act(actor, &(bex_observation){.state = obs}, &act[run][i]), 0);
            if (i % 10 == 9) assert_int_equal(actor->class->end(actor), 0);
        }
        if (malloc_counted()) assert_int_equal(malloc_calls(), before);
        assert_null(actor->class->saw);
        actor->class->free(actor);
    }
    assert_memory_equal(act[0] + 20, act[1] + 20, 10 * sizeof(bex_real));
    assert_true(act[0][0] != act[0][10]);
    bex_gaussian_policy_free(p);
    a->class->free(a);
}

static void rewrite(const char *key, const char *value, const char *without) {
    static const char *const keys[] = {"format",      "agent",  "world",
                                       "observation", "action", "hidden"};
    bex_st_file *f = bex_st_load(path);
    bex_st_writer *w = bex_st_writer_new();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = key && !strcmp(key, keys[i]) ? value : bex_st_metadata(f, keys[i]);
        if (text) bex_st_add_metadata(w, keys[i], text);
    }
    for (int i = 0; i < bex_st_count(f); i++) {
        const bex_st_tensor *t = bex_st_at(f, i);
        if (!without || strcmp(without, t->name) != 0)
            bex_st_add(w, t->name, t->dtype, t->rank, t->dim, t->data);
    }
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_free(f);
}

static void what_is_no_actor_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *key, *value, *without, *part;
    } bad[] = {
        {"format", NULL, NULL, "metadata 'format' is '', not 'bex-actor-1'"},
        {"format", "bex-policy-1", NULL, "'bex-policy-1', not 'bex-actor-1'"},
        {"observation", "0", NULL, "metadata 'observation'"},
        {"observation", "3", NULL, "fc0.weight"},
        {"action", "9999999999", NULL, "metadata 'action'"},
        {"hidden", NULL, NULL, "metadata 'hidden'"},
        {"hidden", "12,7,3", NULL, "fc2.weight"},
        {"hidden", "1,1,1,1,1,1,1,1,1,1,1,1", NULL, "metadata 'hidden'"},
        {NULL, NULL, "mean.bias", "mean.bias"},
    };
    bex_agent *a = sac();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        save(a);
        rewrite(bad[i].key, bad[i].value, bad[i].without);
        assert_int_equal(bex_gaussian_policy_is(path), i > 1);
        assert_null(bex_gaussian_policy_load(path));
        assert_message(bad[i].part);
        assert_message(path);
    }
    assert_false(bex_gaussian_policy_is("/nonexistent"));
    a->class->free(a);
}

static void what_is_not_finite_is_told(void **state) {
    (void)state;
    bex_agent *a = sac();
    save(a);
    bex_gaussian_policy *p = bex_gaussian_policy_load(path);
    bex_actor *actor = bex_gaussian_actor_new(p, bex_rng_seed(3));
    bex_real obs[2] = {R(0), R(NAN)}, act[1];
    actor->class->begin(actor);
    assert_int_equal(actor->class->act(actor, &(bex_observation){.state = obs}, act), -1);
    assert_message("observation 1 is ");
    obs[1] = 0;
    bex_observation picture = {.state = obs, .image = {[3] = (const unsigned char *)"rgb"}};
    assert_true(actor->class->act(actor, &picture, act) < 0);
    assert_message("a picture of camera 3");
    bex_param_edit(bex_param_find(p->params, "mean.bias"))[0] = R(NAN);
    assert_int_equal(actor->class->act(actor, &(bex_observation){.state = obs}, act), -1);
    assert_message("the network gives ");
    actor->class->free(actor);
    bex_gaussian_policy_free(p);
    a->class->free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_acts_as_the_agent_it_is_of),
        cmocka_unit_test(a_recalled_stream_goes_on_and_allocates_nothing),
        cmocka_unit_test(what_is_no_actor_is_refused),
        cmocka_unit_test(what_is_not_finite_is_told),
    };
    snprintf(path, sizeof path, "%s", scratch_path("actor.safetensors"));
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return code;
}
