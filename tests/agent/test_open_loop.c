/* What an open-loop evaluation counts, against sums made by hand. */
#include "agent/imitation/open_loop.h"

#include "agent/imitation/minibatch.h"
#include "agent/learner.h"

enum { WINDOWS = 64, MOST = 64 };

static bex_open_loop run_of(bex_agent *a, bex_open_loop_options o) {
    bex_open_loop r;
    bex_imitation *i = (bex_imitation *)a;
    if (bex_open_loop_run(&r, i, i->policy, &o) < 0) fail_msg("%s", bex_error());
    return r;
}

// an agent whose network tells the same chunk whatever it sees: (A) in network units
static bex_agent *stubborn(const bex_real *action) {
    bex_agent *a = agent_of("model.agent=bc diffusion.predicts=chunk");
    const bex_param *w = bex_param_find(params_of(a), "decoder.final.linear.weight");
    const bex_param *b = bex_param_find(params_of(a), "decoder.final.linear.bias");
    assert_non_null(w);
    for (size_t i = 0; i < w->count; i++) bex_param_edit(w)[i] = R(0);
    for (size_t i = 0; i < b->count; i++) bex_param_edit(b)[i] = action[i];
    return a;
}

static void errors_are_those_of_the_actions(void **state) {
    (void)state;
    static const bex_real action[2] = {R(0.25), R(-0.5)};
    bex_agent *agent = stubborn(action);
    const bex_imitation *a = (bex_imitation *)agent;
    const bex_normaliser *n = &a->policy->normaliser;
    bex_open_loop r = run_of(agent, (bex_open_loop_options){.windows = WINDOWS, .chunks = 3});
    double sum = 0, of_mean = 0, count = 0, mean[2] = {0};
    for (int row = 0; row < a->train.data->rows; row++)
        for (int i = 0; i < 2; i++)
            mean[i] += (double)a->train.actions[2 * row + i] / a->train.data->rows;
    for (int w = 0; w < WINDOWS; w++) {
        bex_window at = bex_windows_draw(a->held.windows, 0, w);
        for (int k = 0; k < a->policy->dit.o.K && k < at.actions; k++)
            for (int i = 0; i < 2; i++) {
                double unit = (double)(n->high[i] - n->low[i]) / 2;
                double own = (double)a->held.actions[2 * (at.row + k) + i];
                sum += pow(unit * ((double)action[i] - own), 2);
                of_mean += pow(unit * (mean[i] - own), 2);
                count++;
            }
    }
    assert_int_equal(r.windows, WINDOWS);
    assert_true(fabs(r.all[BEX_OPEN_LOOP_ONE] - sqrt(sum / count)) < 1e-5);
    assert_true(fabs(r.all[BEX_OPEN_LOOP_MEAN] - r.all[BEX_OPEN_LOOP_ONE]) < 1e-5);
    assert_true(fabs(r.all[BEX_OPEN_LOOP_NEAREST] - r.all[BEX_OPEN_LOOP_ONE]) < 1e-5);
    assert_true(fabs(r.all[BEX_OPEN_LOOP_NOTHING] - sqrt(of_mean / count)) < 1e-5);
    assert_true(r.all[BEX_OPEN_LOOP_SPREAD] < 1e-5);
    agent->class->free(agent);
}

// the loss of such a network holds no noise: what predicts = chunk is held to
static void the_chunk_is_the_target(void **state) {
    (void)state;
    static const bex_real action[2] = {R(0.25), R(-0.5)};
    bex_agent *agent = stubborn(action);
    const bex_imitation *a = (bex_imitation *)agent;
    int windows = (int)a->config.train.evaluate_windows;
    double sum = 0;
    for (int w = 0; w < windows; w++) {
        bex_real chunk[MOST], mask[MOST];
        bex_window at = bex_windows_draw(a->held.windows, 0, w);
        bex_minibatch_chunk(a->policy, &a->held, &at, chunk, mask);
        for (int k = 0; k < a->policy->dit.o.K; k++)
            for (int i = 0; i < 2; i++)
                sum += (double)mask[k] * pow((double)(chunk[2 * k + i] - action[i]), 2);
    }
    assert_true(fabs(evaluation(agent).score - sum / (2 * windows)) < 1e-4);
    agent->class->free(agent);
}

static void same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    bex_open_loop r[2];
    for (int t = 0; t < 2; t++) {
        bex_agent *a = agent_of(t ? "train.threads=3" : "train.threads=1");
        for (int i = 0; i < 5; i++) update(a, i);
        r[t] = run_of(a, (bex_open_loop_options){.windows = WINDOWS, .chunks = 4});
        a->class->free(a);
    }
    assert_memory_equal(&r[0], &r[1], sizeof r[0]);
}

static void what_is_shown_matters(void **state) {
    (void)state;
    bex_agent *a = agent_of("");
    for (int i = 0; i < 20; i++) update(a, i);
    bex_open_loop_options o = {.windows = WINDOWS, .chunks = 4};
    bex_open_loop own = run_of(a, o), again = run_of(a, o);
    assert_memory_equal(&own, &again, sizeof own);
    o.other_history = true;
    bex_open_loop other = run_of(a, o);
    o.other_history = false, o.no_coverage = true;
    bex_open_loop hidden = run_of(a, o);
    assert_true(own.all[BEX_OPEN_LOOP_ONE] != other.all[BEX_OPEN_LOOP_ONE]);
    assert_true(own.all[BEX_OPEN_LOOP_ONE] != hidden.all[BEX_OPEN_LOOP_ONE]);
    assert_true(own.all[BEX_OPEN_LOOP_NOTHING] == hidden.all[BEX_OPEN_LOOP_NOTHING]);
    assert_true(own.all[BEX_OPEN_LOOP_NEAREST] < own.all[BEX_OPEN_LOOP_ONE]);
    a->class->free(a);
}

// who is shown where a walk leads knows more of its actions
static void a_shown_future_tells_actions(void **state) {
    (void)state;
    bex_agent *a = agent_of("model.waypoints=true model.reach=0.5 diffusion.predicts=chunk "
                            "diffusion.show_waypoints=0.5 train.lr=3e-3");
    for (int i = 0; i < 300; i++) update(a, i);
    bex_open_loop_options o = {.windows = WINDOWS, .chunks = 4};
    bex_open_loop own = run_of(a, o);
    o.led = true;
    bex_open_loop led = run_of(a, o);
    assert_true(led.all[BEX_OPEN_LOOP_MEAN] < 0.9 * own.all[BEX_OPEN_LOOP_MEAN]);
    a->class->free(a);
}

// as the policy is deployed: without noise there is one chunk, with less they are nearer each other
static void chunks_have_the_policys_temperature(void **state) {
    (void)state;
    static const char *const temperature[] = {"deploy.temperature=0", "deploy.temperature=0.5", ""};
    bex_open_loop r[3];
    for (int t = 0; t < 3; t++) {
        bex_agent *a = agent_of(temperature[t]);
        for (int i = 0; i < 20; i++) update(a, i);
        r[t] = run_of(a, (bex_open_loop_options){.windows = WINDOWS, .chunks = 4});
        a->class->free(a);
    }
    assert_true(r[0].all[BEX_OPEN_LOOP_SPREAD] < 1e-5);
    assert_true(r[1].all[BEX_OPEN_LOOP_SPREAD] > 0.01);
    assert_true(r[1].all[BEX_OPEN_LOOP_SPREAD] < r[2].all[BEX_OPEN_LOOP_SPREAD]);
}

static void refuses_what_it_cannot_judge(void **state) {
    (void)state;
    bex_open_loop r;
    bex_open_loop_options o = {.windows = WINDOWS, .chunks = 2};
    bex_agent *none = agent_of("data.held_out=0"), *be = agent_of(""),
              *bc = agent_of("model.agent=bc"), *other = agent_of("train.seed=9");
    bex_imitation *a = (bex_imitation *)be;
    assert_true(bex_open_loop_run(&r, (bex_imitation *)none, a->policy, &o) < 0);
    assert_non_null(strstr(bex_error(), "data.held_out is 0"));
    assert_true(bex_open_loop_run(&r, a, ((bex_imitation *)bc)->policy, &o) < 0);
    assert_non_null(strstr(bex_error(), "not of this configuration"));
    assert_true(bex_open_loop_run(&r, a, ((bex_imitation *)other)->policy, &o) < 0);
    assert_non_null(strstr(bex_error(), "other demonstrations"));
    none->class->free(none);
    be->class->free(be);
    bc->class->free(bc);
    other->class->free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_of_the_actions),
        cmocka_unit_test(the_chunk_is_the_target),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(what_is_shown_matters),
        cmocka_unit_test(a_shown_future_tells_actions),
        cmocka_unit_test(chunks_have_the_policys_temperature),
        cmocka_unit_test(refuses_what_it_cannot_judge),
    };
    walks = walks_new(1);
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_dataset_free(walks);
    return code;
}
