/* What one update is made of: the targets of a window, and what the held-out losses tell. */
#include "agent/imitation/minibatch.h"
#include "agent/learner.h"

static void evaluation_tells_what_is_used(void **state) {
    (void)state;
    bex_agent *a = agent_of("");
    for (int i = 0; i < 20; i++) update(a, i);
    bex_evaluation e = evaluation(a), again = evaluation(a);
    assert_memory_equal(&e, &again, sizeof e);
    assert_true(e.more[BEX_OTHER_HISTORY] != e.score && e.more[BEX_NO_COVERAGE] != e.score);
    // a network that cannot see its history does not mind another one
    const bex_param *w = bex_param_find(params_of(a), "token.history.weight");
    for (size_t i = 0; i < w->count; i++) bex_param_edit(w)[i] = R(0);
    e = evaluation(a);
    assert_true(e.more[BEX_OTHER_HISTORY] == e.score && e.more[BEX_NO_COVERAGE] != e.score);
    a->class->free(a);
    a = agent_of("model.agent=bc");
    e = evaluation(a);
    assert_true(isfinite(e.score) && isnan(e.more[BEX_OTHER_HISTORY]) &&
                isnan(e.more[BEX_NO_COVERAGE]));
    a->class->free(a);
}

// reach 0: places; else ways
static void check_waypoints(const char *options, double reach) {
    bex_agent *agent = agent_of(options);
    const bex_imitation *a = (bex_imitation *)agent;
    const bex_policy *p = a->policy;
    const bex_dataset *d = a->train.data;
    assert_int_equal(p->chunk.W, 2);
    assert_int_equal(p->dit.o.columns, p->A + 2);
    assert_int_equal(p->dit.o.O, p->O + 8);
    for (int j = 0; j < WALK_ROWS; j++) {
        bex_real chunk[4 * 4], mask[4];
        bex_window w = bex_windows_at(a->train.windows, j);
        bex_minibatch_chunk(p, &a->train, &w, chunk, mask);
        for (int k = 0; k < 4; k++) {
            int last = d->start[w.episode + 1] - 1, ahead = w.row + (k + 1) * 12 / 4;
            const bex_real *z = a->train.states + p->dit.o.O * (ahead < last ? ahead : last);
            const bex_real *z0 = a->train.states + p->dit.o.O * w.row;
            assert_true(mask[k] == R(w.row + k <= last));
            for (int i = 0; i < 2; i++) {
                double spread = (double)z[i] / 2;
                if (reach > 0) spread = (double)(z[i] - z0[i]) / (reach * (k + 1) / 4);
                bex_real now = z0[i] * p->normaliser.std[i] + p->normaliser.mean[i];
                bex_real s = z[i] * p->normaliser.std[i] + p->normaliser.mean[i];
                double clamped = fmax(-1, fmin(1, spread)), value = (double)chunk[4 * k + 2 + i];
                assert_true(fabs(value - clamped) < 1e-5);
                bex_real back = bex_waypoint_decode(&p->chunk, &p->normaliser, k, i, R(value), now);
                if (fabs(spread) < 1) assert_true(fabs((double)(back - s)) < 1e-4);
            }
        }
    }
    agent->class->free(agent);
}

static void chunks_hold_where_the_future_leads(void **state) {
    (void)state;
    const char *places = "model.waypoints=true coverage.truncate=true model.features=true";
    check_waypoints(places, 0);
    check_waypoints(
        "model.waypoints=true coverage.truncate=true model.features=true model.reach=0.7", 0.7);
}

static void demonstrators_were_at_their_places(void **state) {
    (void)state;
    bex_agent *agent = agent_of("model.waypoints=true coverage.support=100");
    const bex_imitation *a = (bex_imitation *)agent;
    const bex_normaliser *n = &a->policy->normaliser;
    int off = 0, rows = a->train.data->rows;
    assert_non_null(a->policy->support);
    for (int i = 0; i < rows; i++) {
        bex_real s[16];
        for (int o = 0; o < a->policy->O; o++)
            s[o] = a->train.states[i * a->policy->dit.o.O + o] * n->std[o] + n->mean[o];
        off += bex_support_off(a->policy->support, s) > 1;
    }
    assert_true(off < rows / 10);
    agent->class->free(agent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluation_tells_what_is_used),
        cmocka_unit_test(chunks_hold_where_the_future_leads),
        cmocka_unit_test(demonstrators_were_at_their_places),
    };
    walks = walks_new(1);
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_dataset_free(walks);
    return code;
}
