/* What an open-loop evaluation counts, against sums made by hand. */
#include "agent/imitation/open_loop.h"

#include "agent/imitation/minibatch.h"
#include "agent/learner.h"

enum { WINDOWS = 64, MOST = 64 };

// at the policy's own temperature; the caller's to end
static bex_open_loop run_of(bex_agent *a, bex_open_loop_options o) {
    bex_open_loop r;
    if (a->class->open_loop(a, ((bex_imitation *)a)->policy, &o, &r) < 0)
        fail_msg("%s", bex_error());
    return r;
}

static void assert_same(const bex_open_loop *a, const bex_open_loop *b) {
    assert_int_equal(a->windows, b->windows);
    assert_int_equal(a->K, b->K);
    assert_memory_equal(a->all, b->all, sizeof a->all);
    assert_memory_equal(a->at, b->at, (size_t)a->K * sizeof *a->at);
    assert_int_equal(a->episodes, b->episodes);
    assert_memory_equal(a->episode, b->episode, (size_t)a->episodes * sizeof *a->episode);
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
    // the same by episode
    double square = 0, steps = 0;
    assert_in_range(r.episodes, 2, a->held.data->episodes);
    for (int e = 0; e < r.episodes; e++) {
        const bex_open_loop_episode *of = &r.episode[e];
        assert_true(of->steps > 0 && of->all[BEX_OPEN_LOOP_ONE] > 0);
        square += of->steps * pow(of->all[BEX_OPEN_LOOP_ONE], 2), steps += of->steps;
        for (int f = 0; f < e; f++) assert_true(r.episode[f].identity != of->identity);
    }
    assert_true(2 * steps == count);
    assert_true(fabs(sqrt(square / steps) - r.all[BEX_OPEN_LOOP_ONE]) < 1e-9);
    assert_true(fabs(r.all[BEX_OPEN_LOOP_NEAREST] - r.all[BEX_OPEN_LOOP_ONE]) < 1e-5);
    assert_true(fabs(r.all[BEX_OPEN_LOOP_NOTHING] - sqrt(of_mean / count)) < 1e-5);
    assert_true(r.all[BEX_OPEN_LOOP_SPREAD] < 1e-5);
    bex_open_loop_fini(&r);
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
    assert_same(&r[0], &r[1]);
    for (int t = 0; t < 2; t++) bex_open_loop_fini(&r[t]);
}

static void what_is_shown_matters(void **state) {
    (void)state;
    bex_agent *a = agent_of("");
    for (int i = 0; i < 20; i++) update(a, i);
    bex_open_loop_options o = {.windows = WINDOWS, .chunks = 4};
    bex_open_loop own = run_of(a, o), again = run_of(a, o);
    assert_same(&own, &again);
    o.other_history = true;
    bex_open_loop other = run_of(a, o);
    o.other_history = false, o.no_coverage = true;
    bex_open_loop hidden = run_of(a, o);
    assert_true(own.all[BEX_OPEN_LOOP_ONE] != other.all[BEX_OPEN_LOOP_ONE]);
    assert_true(own.all[BEX_OPEN_LOOP_ONE] != hidden.all[BEX_OPEN_LOOP_ONE]);
    assert_true(own.all[BEX_OPEN_LOOP_NOTHING] == hidden.all[BEX_OPEN_LOOP_NOTHING]);
    assert_true(own.all[BEX_OPEN_LOOP_NEAREST] < own.all[BEX_OPEN_LOOP_ONE]);
    bex_open_loop_fini(&own), bex_open_loop_fini(&again);
    bex_open_loop_fini(&other), bex_open_loop_fini(&hidden);
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
    bex_open_loop_fini(&own), bex_open_loop_fini(&led);
    a->class->free(a);
}

// without noise there is one chunk, with less they are nearer each other; the policy is not touched
static void chunks_have_the_temperature_asked_for(void **state) {
    (void)state;
    static const double temperature[] = {0, 0.5, 1};
    double spread[3];
    bex_agent *a = agent_of("");
    for (int i = 0; i < 20; i++) update(a, i);
    for (int t = 0; t < 3; t++) {
        bex_open_loop r;
        bex_deploy_config d = ((bex_imitation *)a)->policy->config.deploy;
        d.temperature = temperature[t];
        bex_open_loop_options o = {.windows = WINDOWS, .chunks = 4, .deploy = &d};
        assert_int_equal(a->class->open_loop(a, ((bex_imitation *)a)->policy, &o, &r), 0);
        spread[t] = r.all[BEX_OPEN_LOOP_SPREAD];
        bex_open_loop_fini(&r);
    }
    assert_true(spread[0] < 1e-5);
    assert_true(spread[1] > 0.01);
    assert_true(spread[1] < spread[2]);
    a->class->free(a);
}

// model.chunk may be 256; here walks of 160 rows, end to end those of walks.h
static void chunks_may_be_long(void **state) {
    (void)state;
    bex_train_config c = walk_config("model.chunk=100 train.batch=8 coverage.truncate=true");
    bex_dataset *d = copy_of_walks();
    d->episodes = WALKS / 4;
    for (int e = 0; e <= d->episodes; e++) d->start[e] = 4 * e * WALK_ROWS;
    bex_agent *a = bex_agent_new(&c, &(bex_sources){.data = d});
    if (!a) fail_msg("%s", bex_error());
    bex_open_loop r = run_of(a, (bex_open_loop_options){.windows = WINDOWS, .chunks = 2});
    assert_int_equal(r.K, 100);
    for (int k = 0; k < 100; k++)
        assert_true(isfinite(r.at[k][BEX_OPEN_LOOP_ONE]) && r.at[k][BEX_OPEN_LOOP_ONE] > 0);
    bex_open_loop_fini(&r);
    a->class->free(a);
}

static void refuses_what_it_cannot_judge(void **state) {
    (void)state;
    bex_open_loop r;
    bex_open_loop_options o = {.windows = WINDOWS, .chunks = 2};
    bex_agent *none = agent_of("data.held_out=0"), *be = agent_of(""),
              *bc = agent_of("model.agent=bc"), *other = agent_of("train.seed=9");
    const bex_imitation *a = (bex_imitation *)be;
    assert_true(none->class->open_loop(none, a->policy, &o, &r) < 0);
    assert_non_null(strstr(bex_error(), "data.held_out is 0"));
    assert_true(be->class->open_loop(be, ((bex_imitation *)bc)->policy, &o, &r) < 0);
    assert_non_null(strstr(bex_error(), "not of this configuration"));
    assert_true(be->class->open_loop(be, ((bex_imitation *)other)->policy, &o, &r) < 0);
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
        cmocka_unit_test(chunks_have_the_temperature_asked_for),
        cmocka_unit_test(chunks_may_be_long),
        cmocka_unit_test(refuses_what_it_cannot_judge),
    };
    walks = walks_new(1);
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_dataset_free(walks);
    return code;
}
