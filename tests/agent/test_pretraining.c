/* Skills from demonstrations: both trainings learn, give the same bits on any number of threads and after
 * loading, allocate nothing, follow what their tables say, and refuse what cannot be. */
#include "agent/skills/pretraining.h"
#include "agent/skills/skill_space.h"

#include "host/folder.h"

#include "agent/rooms.h"
#include "malloc_count.h"
#include "scratch_folder.h"

static const char *const agents[] = {"supe", "hilp"};

static bex_agent *agent_of(const char *name, const char *settings) {
    static const char *const small[] = {
        "train.batch=32", "train.lanes=3", "train.threads=1",   "train.steps=1000",
        "supe.hidden=16", "supe.skill=3",  "hilp.hidden=16,16", "hilp.skill=4",
        "supe.lr=3e-3",   "hilp.lr=1e-3",  "data.held_out=0.2", "train.evaluate_windows=200"};
    bex_train_config c;
    char text[400], *rest = NULL;
    bex_config_defaults(&bex_train_schema, &c);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        assert_int_equal(bex_config_set(&bex_train_schema, &c, small[i]), 0);
    snprintf(text, sizeof text, "train.agent=%s %s", name, settings);
    for (char *s = strtok_r(text, " ", &rest); s; s = strtok_r(NULL, " ", &rest))
        if (bex_config_set(&bex_train_schema, &c, s) < 0) fail_msg("%s", bex_error());
    return bex_agent_new(&c, &(bex_sources){.data = rooms_demonstrations(20, 1)});
}

static bex_agent *must(const char *name, const char *settings) {
    bex_agent *a = agent_of(name, settings);
    if (!a) fail_msg("%s: %s", name, bex_error());
    return a;
}

static bex_update update(bex_agent *a, int64_t step) {
    bex_update u;
    if (a->class->update(a, step, &u) < 0) fail_msg("%s", bex_error());
    return u;
}

static double judge(bex_agent *a) {
    bex_evaluation e;
    if (a->class->evaluate(a, &e) < 0) fail_msg("%s", bex_error());
    return e.score;
}

static void same(const bex_agent *a, const bex_agent *b) {
    const bex_params *p = ((const bex_pretraining *)a)->params,
                     *q = ((const bex_pretraining *)b)->params;
    const bex_params *s = ((const bex_pretraining *)a)->targets,
                     *t = ((const bex_pretraining *)b)->targets;
    assert_int_equal(p->step, q->step);
    assert_memory_equal(p->value, q->value, p->count * sizeof *p->value);
    if (s) assert_memory_equal(s->value, t->value, s->count * sizeof *s->value);
}

static void supe_learns(void **state) {
    (void)state;
    bex_agent *a = must("supe", "");
    double before = judge(a);
    bex_update first = update(a, 0), last = first;
    for (int i = 1; i < 300; i++) last = update(a, i);
    // nats of an action of two numbers that is known but for its noise of 0.1
    if (!(judge(a) < before - 1.5 && last.more[0] < first.more[0] - 1.5))
        fail_msg("held out from %g to %g, reconstruction from %g to %g", before, judge(a),
                 first.more[0], last.more[0]);
    a->class->free(a);
}

static void hilp_learns(void **state) {
    (void)state;
    bex_agent *a = must("hilp", "");
    double first[2] = {0}, last[2] = {0};
    for (int i = 0; i < 400; i++) {
        bex_update u = update(a, i);
        if (i < 50) first[0] += u.more[0], first[1] += u.more[4];
        if (i >= 350) last[0] += u.more[0], last[1] += u.more[4];
    }
    // distances that are told apart, an actor that knows the demonstrated actions
    if (!(last[0] < first[0] && last[1] < first[1]))
        fail_msg("representation %g to %g, actor %g to %g", first[0], last[0], first[1], last[1]);
    a->class->free(a);
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        bex_agent *a = must(agents[k], ""), *b = must(agents[k], "train.threads=3");
        for (int i = 0; i < 20; i++) update(a, i), update(b, i);
        same(a, b);
        assert_true(judge(a) == judge(b));
        a->class->free(a), b->class->free(b);
    }
}

static void loading_continues_bit_for_bit(void **state) {
    (void)state;
    const char *folder = scratch_folder("skills");
    for (int k = 0; k < 2; k++) {
        bex_agent *a = must(agents[k], ""), *b = must(agents[k], "");
        for (int i = 0; i < 11; i++) update(a, i);
        assert_int_equal(a->class->save(a, folder), 0);
        if (b->class->load(b, folder) < 0) fail_msg("%s", bex_error());
        for (int i = 11; i < 25; i++) update(a, i), update(b, i);
        same(a, b);
        a->class->free(a), b->class->free(b);
        bex_agent *c = must(agents[k], k ? "hilp.hidden=12,12" : "supe.hidden=12");
        assert_int_equal(c->class->load(c, folder), -1);
        assert_message("model.safetensors");
        c->class->free(c);
        c = must(agents[k], "train.seed=9"); // holds out others
        assert_int_equal(c->class->load(c, folder), -1);
        assert_message("trained on other demonstrations, or another part of them");
        c->class->free(c);
    }
    bex_folder_remove(folder);
}

static void a_steady_update_allocates_nothing(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    for (int k = 0; k < 2; k++) {
        bex_agent *a = must(agents[k], "train.threads=2");
        for (int i = 0; i < 3; i++) update(a, i);
        long before = malloc_calls();
        for (int i = 3; i < 8; i++) update(a, i);
        assert_int_equal(malloc_calls(), before);
        a->class->free(a);
    }
}

static void the_file_says_what_it_holds(void **state) {
    (void)state;
    const char *folder = scratch_folder("about");
    char path[600];
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    bex_agent *a = must("hilp", "env.name=maze2d-umaze hilp.state=1");
    assert_int_equal(a->class->save(a, folder), 0);
    assert_true(bex_skill_file_is(path));
    bex_st_file *f = bex_st_load(path);
    bex_skill_about about;
    assert_int_equal(bex_skill_about_read(&about, f), 0);
    assert_string_equal(about.agent, "hilp");
    assert_string_equal(about.world, "maze2d-umaze");
    assert_true(about.O == 2 && about.S == 1 && about.A == 2 && about.Z == 4 && about.H == 4);
    assert_true(about.hidden[0] == 16 && about.hidden[1] == 16 && !about.hidden[2]);
    bex_st_free(f);
    a->class->free(a);
    bex_folder_remove(folder);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    static const char *const wrong[][3] = {
        {"supe", "env.name=maze3d", "no environment 'maze3d'"},
        {"supe", "supe.state=3", "supe.state = 3: the demonstrations have 2 observation values"},
        {"supe", "train.batch=2", "2 samples for 3 lanes"},
        {"hilp", "hilp.hidden=8,x", "hilp.hidden: widths '8,x'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(agent_of(wrong[i][0], wrong[i][1]));
        assert_message(wrong[i][2]);
    }
}

static void skills_are_squashed_and_back(void **state) {
    (void)state;
    bex_real z[] = {R(-9), R(-1), R(0), R(0.3), R(50)}, u[5], back[5];
    bex_squash(u, z, 5);
    for (int i = 0; i < 5; i++) assert_true(bex_fabs(u[i]) < R(1));
    bex_unsquash(back, u, 5);
    for (int i = 1; i < 4; i++) assert_true(bex_fabs(back[i] - z[i]) < R(1e-5));
    assert_true(back[0] < R(-6) && back[0] > R(-6.2) && back[4] > R(6) && back[4] < R(6.2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supe_learns),
        cmocka_unit_test(hilp_learns),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(loading_continues_bit_for_bit),
        cmocka_unit_test(a_steady_update_allocates_nothing),
        cmocka_unit_test(the_file_says_what_it_holds),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(skills_are_squashed_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
