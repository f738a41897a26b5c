/* Agents that learn while they explore, in two rooms: SUPE comes to a goal that Online RND does not; a run
 * without a goal is the run for each goal up to where that is found; the same bits on any number of
 * threads, after loading and after recall; no allocation; what does not fit is refused. */
#include "agent/rl/learner.h"

#include "agent/agent.h"
#include "env/batch.h"
#include "explore/explore.h"
#include "host/folder.h"

#include "agent/rooms.h"
#include "malloc_count.h"
#include "scratch_folder.h"

enum { TRIALS = 3, STEPS = 2400 };

static char supe_file[700], hilp_file[700];

// skills of the demonstrations, as `bex train` makes them
static void make_skills(const char *agent, const char *const *settings, char file[700]) {
    bex_train_config c;
    char text[100], folder[600];
    bex_update u;
    bex_config_defaults(&bex_train_schema, &c);
    snprintf(text, sizeof text, "train.agent=%s", agent);
    assert_int_equal(bex_config_set(&bex_train_schema, &c, text), 0);
    for (; *settings; settings++)
        if (bex_config_set(&bex_train_schema, &c, *settings) < 0) fail_msg("%s", bex_error());
    bex_agent *a = bex_agent_new(&c, &(bex_sources){.data = rooms_demonstrations(60, 1)});
    if (!a) fail_msg("%s", bex_error());
    for (int i = 0; i < c.train.steps; i++)
        if (a->class->update(a, i, &u) < 0) fail_msg("%s", bex_error());
    snprintf(folder, sizeof folder, "%s", scratch_folder(agent));
    assert_int_equal(a->class->save(a, folder), 0);
    snprintf(file, 700, "%s/model.safetensors", folder);
    a->class->free(a);
}

static int set_up(void **state) {
    (void)state;
    static const char *const supe[] = {
        "train.batch=64", "train.lanes=1", "train.threads=1", "train.steps=1500",
        "supe.hidden=32", "supe.skill=3",  "supe.lr=3e-3",    NULL};
    static const char *const hilp[] = {
        "train.batch=64", "train.lanes=1",     "train.threads=1", "train.steps=200",
        "hilp.skill=4",   "hilp.hidden=32,32", "hilp.lr=3e-3",    NULL};
    make_skills("supe", supe, supe_file);
    make_skills("hilp", hilp, hilp_file);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        char *file = i ? hilp_file : supe_file;
        *strrchr(file, '/') = 0;
        bex_folder_remove(file);
    }
    return 0;
}

// small networks; `settings`: "key=value" apart by spaces, after these
static bex_learner_config config_of(const char *settings) {
    static const char *const small[] = {
        "warmup=400",   "updates=2",     "batch=32",    "critics=3",   "actor=32,32",
        "critic=32,32", "novelty=32,32", "features=16", "model=16,16", "reward=none"};
    bex_learner_config c;
    char text[400], line[100], *rest = NULL;
    bex_config_defaults(&bex_learner_schema, &c);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        snprintf(line, sizeof line, "online.%s", small[i]);
        assert_int_equal(bex_config_set(&bex_learner_schema, &c, line), 0);
    }
    snprintf(text, sizeof text, "%s", settings);
    for (char *s = strtok_r(text, " ", &rest); s; s = strtok_r(NULL, " ", &rest)) {
        snprintf(line, sizeof line, "online.%s", s);
        if (bex_config_set(&bex_learner_schema, &c, line) < 0) fail_msg("%s", bex_error());
    }
    return c;
}

static const char *skills_of(const bex_learner_method *m) {
    return !m->skills ? NULL : !strcmp(m->name, "supe") ? supe_file : hilp_file;
}

static bex_learner *open_learner(const char *name, const bex_world *w, const char *settings,
                                 long long budget) {
    const bex_learner_method *m = bex_learner_method_named(name);
    bex_learner_config c = config_of(settings);
    return bex_learner_new(m, &c, w, skills_of(m), m->data ? rooms_demonstrations(60, 1) : NULL,
                           budget);
}

// TRIALS trials of `steps`; the caller closes *world after fini
static bex_explored explore(const char *name, bex_world *w, const char *settings, int steps,
                            int threads) {
    bex_explored e;
    bex_actor *actors[TRIALS];
    bex_learner *x = open_learner(name, w, settings, steps);
    if (!x) fail_msg("%s", bex_error());
    for (int i = 0; i < TRIALS; i++)
        if (!(actors[i] = bex_learner_actor_new(x, bex_explore_stream(7, i))))
            fail_msg("%s", bex_error());
    bex_explore_options o = {.world = w,
                             .actors = actors,
                             .trials = TRIALS,
                             .steps = steps,
                             .seed = 7,
                             .threads = threads};
    if (bex_explore(&e, &o) != 0) fail_msg("%s", bex_error());
    for (int i = 0; i < TRIALS; i++) actors[i]->class->free(actors[i]);
    bex_learner_free(x);
    return e;
}

static void supe_comes_where_rnd_does_not(void **state) {
    (void)state;
    bex_world *w = rooms_open(&room_class);
    bex_explored supe = explore("supe", w, "warmup=1200", STEPS, 0),
                 rnd = explore("rnd", w, "warmup=1200", STEPS, 0);
    for (int i = 0; i < TRIALS; i++) {
        int with = supe.trial[i].goal_step[0], without = rnd.trial[i].goal_step[0];
        if (with < 0 || without >= 0)
            fail_msg("trial %d: found by SUPE at step %d, by RND at %d", i, with, without);
    }
    bex_explored_fini(&supe), bex_explored_fini(&rnd);
    bex_world_close(w);
}

// of two trials, the first step whose state or action differs; steps: none
static int parting(const bex_trial *a, const bex_trial *b) {
    int n = 0;
    while (n < a->steps && n < b->steps &&
           !memcmp(a->obs + 2 * n, b->obs + 2 * n, 2 * sizeof *a->obs) &&
           !memcmp(a->act + 2 * n, b->act + 2 * n, 2 * sizeof *a->act))
        n++;
    return n;
}

// docs/protocols.md: until its goal is found, a run for a goal is the run without one
static void a_run_without_goal_is_that_for_each_goal(void **state) {
    (void)state;
    static const bex_env_class *const single[] = {&room_far_class, &room_near_class};
    static const char *const methods[] = {"supe", "hilp", "explore", "rnd"};
    int found = 0, parted = 0;
    for (int m = 0; m < 4; m++) {
        bex_world *w = rooms_open(&room_class);
        bex_explored free_run = explore(methods[m], w, "warmup=150", 1000, 0);
        for (int g = 0; g < 2; g++) {
            bex_world *one = rooms_open(single[g]);
            bex_explored run = explore(methods[m], one, "warmup=150 reward=goal", 1000, 0);
            for (int i = 0; i < TRIALS; i++) {
                const bex_trial *a = &free_run.trial[i], *b = &run.trial[i];
                int at = a->goal_step[g], same = parting(a, b);
                if (at != b->goal_step[0] || same < (at < 0 ? a->steps : at))
                    fail_msg("%s, goal %d, trial %d: found at step %d and %d, the same for %d",
                             methods[m], g, i, at, b->goal_step[0], same);
                found += at >= 0, parted += same < a->steps;
            }
            bex_explored_fini(&run);
            bex_world_close(one);
        }
        bex_explored_fini(&free_run);
        bex_world_close(w);
    }
    // goals were found, and being paid for one does change what is done
    assert_true(found > 6 && parted > 3);
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    for (int m = 0; bex_learner_method_at(m); m++) {
        bex_world *w = rooms_open(&room_class);
        bex_explored e[2];
        for (int k = 0; k < 2; k++)
            e[k] = explore(bex_learner_method_at(m)->name, w, "warmup=100", 260, k ? 3 : 1);
        for (int i = 0; i < TRIALS; i++)
            assert_int_equal(parting(&e[0].trial[i], &e[1].trial[i]), 260);
        assert_true(parting(&e[0].trial[0], &e[0].trial[1]) < 50); // trials are others
        bex_explored_fini(&e[0]), bex_explored_fini(&e[1]);
        bex_world_close(w);
    }
}

/* ---- one actor by hand ---- */

typedef struct {
    bex_real obs[2 * ROOM_LIMIT], act[2 * ROOM_LIMIT], reward[ROOM_LIMIT], last[2];
    unsigned char terminal[ROOM_LIMIT], timeout[ROOM_LIMIT];
} played;

static void play(bex_actor *a, const bex_world *w, int episode, played *p) {
    bex_env *env = w->class->new (w);
    bex_frame seen, next;
    assert_int_equal(bex_frame_init(&seen, &w->spec), 0);
    assert_int_equal(bex_frame_init(&next, &w->spec), 0);
    *p = (played){0};
    assert_int_equal(a->class->begin(a), 0);
    w->class->reset(env, bex_env_stream(3, 0, episode), &seen);
    for (int t = 0; t < ROOM_LIMIT; t++) {
        bool end;
        bex_step s = {.obs = bex_frame_seen(&seen), .act = p->act + 2 * t};
        memcpy(p->obs + 2 * t, seen.state, sizeof(bex_real[2]));
        if (a->class->act(a, &s.obs, p->act + 2 * t) < 0) fail_msg("%s", bex_error());
        w->class->step(env, p->act + 2 * t, &next, &p->reward[t], &end);
        p->timeout[t] = t == ROOM_LIMIT - 1;
        s.reward = p->reward[t], s.timeout = p->timeout[t], s.next = bex_frame_seen(&next);
        if (a->class->saw(a, &s) < 0) fail_msg("%s", bex_error());
        bex_frame swap = seen;
        seen = next, next = swap;
    }
    memcpy(p->last, seen.state, sizeof p->last);
    assert_int_equal(a->class->end(a), 0);
    bex_frame_fini(&seen), bex_frame_fini(&next);
    w->class->free(env);
}

static bex_episode episode_of(const played *p) {
    return (bex_episode){.steps = ROOM_LIMIT,
                         .O = 2,
                         .A = 2,
                         .obs = p->obs,
                         .act = p->act,
                         .reward = p->reward,
                         .terminal = p->terminal,
                         .timeout = p->timeout,
                         .last = p->last};
}

static void loading_and_recall_go_on_bit_for_bit(void **state) {
    (void)state;
    enum { EPISODES = 3 };
    static played p[EPISODES + 1], q;
    for (int m = 0; bex_learner_method_at(m); m++) {
        bex_world *w = rooms_open(&room_class);
        bex_learner *x = open_learner(bex_learner_method_at(m)->name, w, "warmup=90", 1000);
        if (!x) fail_msg("%s", bex_error());
        bex_actor *a = bex_learner_actor_new(x, bex_rng_seed(5));
        char *path = strdup(scratch_path("learner.safetensors"));
        int known = 0;
        for (int k = 0; k < 2; k++) play(a, w, k, &p[k]);
        if (a->class->save(a, path) < 0) fail_msg("%s", bex_error());
        for (int k = 2; k <= EPISODES; k++) play(a, w, k, &p[k]);
        // two episodes loaded and one recalled, or all recalled
        for (int way = 0; way < 2; way++) {
            bex_actor *b = bex_learner_actor_new(x, bex_rng_seed(5));
            if (way == 0 && b->class->load(b, path, &known) < 0) fail_msg("%s", bex_error());
            assert_int_equal(known, 2);
            for (int k = way ? 0 : 2; k < EPISODES; k++) {
                bex_episode e = episode_of(&p[k]);
                if (b->class->recall(b, &e) < 0) fail_msg("%s", bex_error());
            }
            play(b, w, EPISODES, &q);
            assert_memory_equal(&q, &p[EPISODES], sizeof q);
            b->class->free(b);
        }
        // an episode of somebody else is not its own
        bex_actor *c = bex_learner_actor_new(x, bex_rng_seed(6));
        bex_episode e = episode_of(&p[0]);
        assert_int_equal(c->class->recall(c, &e), -1);
        assert_message("acts otherwise than recorded");
        c->class->free(c), a->class->free(a);
        unlink(path);
        free(path);
        bex_learner_free(x);
        bex_world_close(w);
    }
}

static void a_steady_step_allocates_nothing(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    static played p;
    bex_world *w = rooms_open(&room_class);
    bex_learner *x = open_learner("supe", w, "warmup=20", 1000);
    bex_actor *a = bex_learner_actor_new(x, bex_rng_seed(5));
    for (int k = 0; k < 2; k++) play(a, w, k, &p);
    // what is left is the test's own: an instance and two frames
    long before = malloc_calls();
    play(a, w, 2, &p);
    long one = malloc_calls() - before;
    assert_true(one <= 8);
    a->class->free(a);
    bex_learner_free(x);
    bex_world_close(w);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static const char *const wrong[][3] = {
        {"supe", "warmup=2000", "online.warmup = 2000, a trial has 1000 steps"},
        {"rnd", "warmup=soon", "online.warmup = 'soon': steps, at least 1, or whole"},
        {"rnd", "actor=12,x", "online.actor: widths '12,x'"},
        {"rnd", "subset=4", "the least of 4 of 3 critics"},
        {"rnd", "state=3", "online.state = 3: rooms has 2 observation values"},
        {"supe", "state=1", "skills of the first 2 observation values, online.state = 1"},
        {"supe", "updates=500", "chunks of 4 steps, an update wants 8000 of them"},
    };
    bex_world *w = rooms_open(&room_class);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bex_learner *x = open_learner(wrong[i][0], w, wrong[i][1], 1000);
        bex_actor *a = x ? bex_learner_actor_new(x, bex_rng_seed(1)) : NULL;
        assert_null(a);
        assert_message(wrong[i][2]);
        bex_learner_free(x);
    }
    // skills and demonstrations of other widths
    bex_world *wide = rooms_open(&room_class);
    wide->spec.state = 3;
    assert_null(open_learner("supe", wide, "", 1000));
    assert_message("skills of 2 observation and 2 action values, rooms has 3 and 2");
    assert_null(open_learner("explore", wide, "", 1000));
    assert_message("the demonstrations have 2 observation and 2 action columns, rooms has 3 and 2");
    wide->spec.state = 2, wide->goals = 0;
    assert_null(open_learner("rnd", wide, "reward=goal", 1000));
    assert_message("online.reward = goal: rooms has no goals");
    assert_null(bex_learner_method_named("sup"));
    assert_message("(did you mean supe?)");
    bex_world_close(wide), bex_world_close(w);
}

// the whole run without learning: the networks stay as they began
static void a_whole_warmup_learns_nothing(void **state) {
    (void)state;
    static played p;
    bex_world *w = rooms_open(&room_class);
    bex_learner *x = open_learner("supe", w, "warmup=whole", 150);
    bex_actor *a = bex_learner_actor_new(x, bex_rng_seed(5)),
              *b = bex_learner_actor_new(x, bex_rng_seed(5));
    play(a, w, 0, &p);
    const bex_params *now = bex_learner_networks(a)->params,
                     *then = bex_learner_networks(b)->params;
    assert_memory_equal(now->value, then->value, now->count * sizeof *now->value);
    a->class->free(a), b->class->free(b);
    bex_learner_free(x);
    bex_world_close(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supe_comes_where_rnd_does_not),
        cmocka_unit_test(a_run_without_goal_is_that_for_each_goal),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(loading_and_recall_go_on_bit_for_bit),
        cmocka_unit_test(a_steady_step_allocates_nothing),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_whole_warmup_learns_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
