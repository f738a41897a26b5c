/* Learning from demonstrations: it can overfit, gives the same bits on any number of threads and after
 * loading, allocates nothing, labels with the coverage it claims, and refuses what it cannot learn. */
#include "coverage/gram.h"
#include "host/folder.h"

#include "agent/learner.h"
#include "malloc_count.h"
#include "scratch_folder.h"

static double mean_loss(bex_agent *a, int64_t first, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += update(a, first + i);
    return sum / (double)count;
}

static double held_out(bex_agent *a) {
    return evaluation(a).score;
}

static void same_params(bex_agent *a, bex_agent *b) {
    const bex_params *p = params_of(a), *q = params_of(b);
    size_t bytes = p->count * sizeof(bex_real);
    assert_int_equal(p->count, q->count);
    assert_int_equal(p->step, q->step);
    assert_memory_equal(p->value, q->value, bytes);
    assert_memory_equal(p->m, q->m, bytes);
    assert_memory_equal(p->v, q->v, bytes);
}

static void overfits_one_batch(void **state) {
    (void)state;
    static const char *const kinds[] = {"model.mode=prefix", "model.mode=full"};
    const double K = 4;
    for (int i = 0; i < 2; i++) {
        char settings[256];
        snprintf(
            settings, sizeof settings,
            "%s model.width=32 train.overfit=8 train.lr=1e-2 train.warmup=20 train.coverage_dropout=0 "
            "train.steps=400",
            kinds[i]);
        bex_agent *a = agent_of(settings);
        double first = mean_loss(a, 0, 5);
        mean_loss(a, 5, 355);
        double last = mean_loss(a, 360, 40);

        if (!(first > 0.7 * K && first < 3 * K)) fail_msg("%s starts at %g", kinds[i], first);
        if (!(last < 0.25 * K)) fail_msg("%s ends at %g, nothing learned is %g", kinds[i], last, K);
        a->class->free(a);
    }
}

static int groups_seen;
static int first_row[64];

static int record(const bex_labeller *a, bex_arena *arena, const bex_window_groups *g,
                  bex_real *value) {
    (void)a, (void)arena;
    for (int i = 0; i < g->groups * g->S; i++) value[i] = R(0);
    for (int i = 0; i < g->groups; i++) first_row[groups_seen++] = g->window[i * g->S].row;
    return 0;
}

static void overfit_cycles_through_all_its_windows(void **state) {
    (void)state;
    // 20 windows are 5 groups of 4; a batch has 2
    bex_agent *a = agent_of("train.overfit=20 train.batch=8 train.lanes=1");
    ((bex_imitation *)a)->train.labeller->label = record;
    groups_seen = 0;
    for (int i = 0; i < 10; i++) update(a, i);
    assert_int_equal(groups_seen, 20);
    for (int i = 5; i < 20; i++) assert_int_equal(first_row[i], first_row[i - 5]);
    for (int i = 1; i < 5; i++) assert_int_not_equal(first_row[i], first_row[0]);
    a->class->free(a);
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    static const char *const settings[] = {
        "model.dropout=0.1 train.batch=36 train.threads=%d", // lanes of unequal size
        "model.mode=full coverage.normalise=global coverage.phi=mlp train.ema=0.9 train.threads=%d",
        "model.agent=bc train.threads=%d",
        "model.waypoints=true model.reach=1 diffusion.predicts=chunk diffusion.show_waypoints=0.5 "
        "train.threads=%d",
    };
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        bex_agent *a[3];
        double loss[3];
        for (int i = 0; i < 3; i++) {
            char text[256];
            snprintf(text, sizeof text, settings[k], i + 1);
            a[i] = agent_of(text);
            for (int step = 0; step < 6; step++) update(a[i], step);
            loss[i] = held_out(a[i]);
            if (!i) continue;
            same_params(a[0], a[i]);
            assert_memory_equal(&loss[0], &loss[i], sizeof loss[0]);
        }
        for (int i = 0; i < 3; i++) a[i]->class->free(a[i]);
    }
}

static void loading_continues_bit_for_bit(void **state) {
    (void)state;
    const char *folder = scratch_folder("imitation");
    for (int ema = 0; ema < 2; ema++) {
        const char *settings = ema ? "train.ema=0.9 model.dropout=0.1" : "";
        bex_agent *a = agent_of(settings), *b = agent_of(settings);
        for (int i = 0; i < 3; i++) update(a, i);
        assert_int_equal(a->class->save(a, folder), 0);
        if (b->class->load(b, folder) < 0) fail_msg("%s", bex_error());
        for (int i = 3; i < 6; i++) update(a, i), update(b, i);
        same_params(a, b);
        if (ema)
            assert_memory_equal(params_of(a)->ema, params_of(b)->ema,
                                params_of(a)->count * sizeof(bex_real));
        a->class->free(a), b->class->free(b);
    }
    // another network, other demonstrations
    bex_agent *c = agent_of("model.width=20");
    assert_int_equal(c->class->load(c, folder), -1);
    assert_message("model.safetensors: ");
    c->class->free(c);
    bex_dataset *mine = walks;
    walks = walks_new(99);
    c = agent_of("");
    assert_int_equal(c->class->load(c, folder), -1);
    assert_message("trained on other demonstrations");
    c->class->free(c);
    bex_dataset_free(walks);
    walks = mine;
    bex_folder_remove(folder);
}

static void the_running_average_acts(void **state) {
    (void)state;
    const char *folder = scratch_folder("average");
    bex_agent *a = agent_of("train.ema=0.95 train.lr=1e-2");
    for (int i = 0; i < 10; i++) update(a, i);
    bex_params *p = params_of(a);
    size_t bytes = p->count * sizeof(bex_real);
    assert_memory_not_equal(p->value, p->ema, bytes);
    double average = held_out(a), *loss = &average, last;
    assert_int_equal(a->class->save(a, folder), 0);
    bex_policy *policy = bex_policy_load(folder);
    if (!policy) fail_msg("%s", bex_error());
    assert_memory_equal(policy->params->value, p->ema, bytes);
    bex_policy_free(policy);
    // what is judged is what acts
    memcpy(p->value, p->ema, bytes);
    bex_params_changed(p);
    assert_true(*loss == held_out(a));
    a->class->free(a);

    a = agent_of("");
    update(a, 0), update(a, 1);
    last = held_out(a);
    assert_int_equal(a->class->save(a, folder), 0);
    policy = bex_policy_load(folder);
    assert_memory_equal(policy->params->value, params_of(a)->value, bytes);
    bex_policy_free(policy);
    assert_true(last == held_out(a));
    a->class->free(a);
    bex_folder_remove(folder);
}

static void a_steady_update_allocates_nothing(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    static const char *const settings[] = {"", "train.threads=2 model.dropout=0.1",
                                           "model.mode=full train.threads=1 train.ema=0.9",
                                           "model.agent=bc", "coverage.phi=cosine_relative"};
    for (int k = 0; k < 5; k++) {
        bex_agent *a = agent_of(settings[k]);
        for (int i = 0; i < 3; i++) update(a, i);
        held_out(a);
        long before = malloc_calls();
        for (int i = 3; i < 6; i++) update(a, i);
        held_out(a);
        if (malloc_calls() != before)
            fail_msg("%s: %ld allocations", settings[k], malloc_calls() - before);
        a->class->free(a);
    }
}

/* ---- labels ---- */

enum { D = 8 }; // coverage.features

// 1 / tr((sum phi phi^T + lambda I)^-1) by Gauss-Jordan, from raw states
static double direct_cov(const bex_feature *phi, const bex_real *states, int n,
                         const bex_real *reference) {
    double m[D][2 * D] = {{0}}, trace = 0;
    bex_real f[D];
    for (int i = 0; i < n; i++) {
        assert_int_equal(bex_feature_eval(phi, f, states + 4 * i, 1, reference, 1), 0);
        for (int r = 0; r < D; r++)
            for (int c = 0; c < D; c++) m[r][c] += (double)f[r] * (double)f[c];
    }
    for (int r = 0; r < D; r++) m[r][r] += 0.01, m[r][D + r] = 1;
    for (int p = 0; p < D; p++) {
        double pivot = m[p][p];
        for (int c = 0; c < 2 * D; c++) m[p][c] /= pivot;
        for (int r = 0; r < D; r++) {
            double factor = r == p ? 0 : m[r][p];
            for (int c = 0; c < 2 * D; c++) m[r][c] -= factor * m[p][c];
        }
    }
    for (int r = 0; r < D; r++) trace += m[r][D + r];
    return 1 / trace;
}

enum { N = 6, F1 = 13, BANK = 8 };

// rows first .. first + n - 1 in the world's units again
static void raw_rows(const bex_imitation *a, const bex_imitation_part *part, int first, int n,
                     bex_real *out) {
    const bex_normaliser *z = &a->policy->normaliser;
    for (int i = 0; i < 4 * n; i++)
        out[i] = part->states[4 * first + i] * z->std[i % 4] + z->mean[i % 4];
}

// N rows of a history, F1 of a future
static void raw_window(const bex_imitation *a, const bex_imitation_part *of_history,
                       const int *history, const bex_imitation_part *of_future, int row,
                       bex_real *states) {
    for (int i = 0; i < N; i++) raw_rows(a, of_history, history[i], 1, states + 4 * i);
    raw_rows(a, of_future, row, F1, states + 4 * N);
}

static double direct_log_cov(const bex_imitation *a, const bex_imitation_part *part,
                             const int *history, int row, int future_row) {
    bex_real states[(N + F1) * 4], reference[4];
    bool relative = bex_feature_relative(a->policy->phi);
    raw_window(a, part, history, part, future_row, states);
    raw_rows(a, part, row, 1, reference);
    return log(direct_cov(a->policy->phi, states, N + F1, relative ? reference : NULL));
}

static void check_label(const bex_imitation *a, const bex_imitation_part *part, int group) {
    enum { S = 4 };
    int history[N];
    bex_window w[S];
    bex_real value[S];
    bex_training_history_draw(&part->history, 7, group, history);
    for (int s = 0; s < S; s++) w[s] = bex_windows_draw(part->windows, 7, group * S + s);
    bex_window_groups g = {1, S, N, history, w};
    bex_arena *arena = bex_arena_new();
    assert_int_equal(part->labeller->label(part->labeller, arena, &g, value), 0);
    bex_arena_free(arena);
    const bex_condition *c = a->policy->condition;
    for (int s = 0; s < S; s++) {
        assert_int_equal(w[s].future_rows, F1);
        double x = direct_log_cov(a, part, history, w[s].row, w[s].row), sum = 0, squares = 0;
        double values[BANK];
        bool relative = bex_condition_normalise(c) == BEX_NORMALISE_HISTORY;
        for (int i = 0; i < BANK && relative; i++) {
            // the bank is of training futures, whatever is labelled
            bex_window b = bex_windows_draw(a->train.windows, UINT64_MAX, i);
            bex_real states[(N + F1) * 4];
            raw_window(a, part, history, &a->train, b.row, states);
            values[i] = log(direct_cov(a->policy->phi, states, N + F1, NULL));
            sum += values[i] / BANK;
        }
        for (int i = 0; i < BANK && relative; i++)
            squares += (values[i] - sum) * (values[i] - sum) / BANK;
        bex_moments m = {sum, sqrt(squares)}, training = bex_condition_training(c);
        double expected =
            relative ? bex_condition_value(c, x, &m) : (x - training.mean) / training.std;
        if (!(fabs((double)value[s] - expected) < 1e-4 * (1 + fabs(expected))))
            fail_msg("label %g, directly %g", (double)value[s], expected);
    }
}

static void labels_are_the_coverage(void **state) {
    (void)state;
    static const char *const settings[] = {
        "coverage.normalise=history", "coverage.normalise=global coverage.phi=mlp",
        "coverage.normalise=global coverage.phi=cosine_relative"};
    for (int k = 0; k < 3; k++) {
        bex_agent *agent = agent_of(settings[k]);
        const bex_imitation *a = (const bex_imitation *)agent;
        for (int g = 0; g < 5; g++) check_label(a, &a->train, g), check_label(a, &a->held, g);
        agent->class->free(agent);
    }
}

static void labels_have_mean_0_and_deviation_1(void **state) {
    (void)state;
    enum { GROUPS = 500 };
    bex_agent *agent = agent_of("coverage.normalise=global");
    const bex_imitation *a = (const bex_imitation *)agent;
    static int history[GROUPS * N];
    static bex_window w[GROUPS];
    static bex_real value[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        bex_training_history_draw(&a->train.history, 3, g, history + g * N);
        w[g] = bex_windows_draw(a->train.windows, 3, g);
    }
    bex_window_groups group = {GROUPS, 1, N, history, w};
    bex_arena *arena = bex_arena_new();
    assert_int_equal(a->train.labeller->label(a->train.labeller, arena, &group, value), 0);
    bex_arena_free(arena);
    double mean = 0, square = 0;
    for (int g = 0; g < GROUPS; g++)
        mean += (double)value[g] / GROUPS, square += (double)(value[g] * value[g]) / GROUPS;
    assert_true(fabs(mean) < 0.15 && fabs(square - 1) < 0.25);
    agent->class->free(agent);
}

// novelty: a future's mean over the sample of histories (be.c: 24 of step 2^64 - 3) is 0, whatever
// its own reach
static void novelty_of_a_future_averages_out(void **state) {
    (void)state;
    enum { HISTORIES = 24, WINDOWS = 40 };
    bex_agent *agent = agent_of("coverage.normalise=history coverage.novelty=true");
    const bex_imitation *a = (const bex_imitation *)agent;
    const bex_imitation_part *parts[] = {&a->train, &a->held};
    for (int k = 0; k < 2 * WINDOWS; k++) {
        const bex_imitation_part *part = parts[k % 2];
        int history[HISTORIES * N];
        bex_window w[HISTORIES];
        bex_real value[HISTORIES];
        for (int g = 0; g < HISTORIES; g++) {
            bex_training_history_draw(&part->history, UINT64_MAX - 2, g, history + g * N);
            w[g] = bex_windows_draw(part->windows, 5, k / 2);
        }
        bex_window_groups group = {HISTORIES, 1, N, history, w};
        bex_arena *arena = bex_arena_new();
        assert_int_equal(part->labeller->label(part->labeller, arena, &group, value), 0);
        bex_arena_free(arena);
        double mean = 0, size = 0;
        for (int g = 0; g < HISTORIES; g++)
            mean += (double)value[g] / HISTORIES, size += fabs((double)value[g]) / HISTORIES;
        if (!(fabs(mean) < 0.02 * size)) fail_msg("mean %g of values of size %g", mean, size);
    }
    agent->class->free(agent);
}

static int refuse(const bex_labeller *a, bex_arena *arena, const bex_window_groups *g,
                  bex_real *value) {
    (void)a, (void)arena, (void)g, (void)value;
    return bex_fail("planted");
}

static void a_failed_label_is_told_from_any_lane(void **state) {
    (void)state;
    bex_agent *a = agent_of("train.threads=3");
    bex_update u;
    bex_evaluation e;
    ((bex_imitation *)a)->train.labeller->label = refuse;
    ((bex_imitation *)a)->held.labeller->label = refuse;
    assert_int_equal(a->class->update(a, 0, &u), -1);
    assert_message("planted");
    assert_int_equal(a->class->evaluate(a, &e), -1);
    assert_message("planted");
    a->class->free(a);
}

// a null token of NaN: an update of one window fails exactly if its coverage is hidden
static int hidden_of(const char *hide, int windows) {
    char settings[200];
    snprintf(
        settings, sizeof settings,
        "train.coverage_dropout=%s train.batch=1 train.samples_per_history=1 train.lanes=1 train.lr=0 "
        "train.decay=0 train.threads=1 model.blocks=1",
        hide);
    bex_agent *a = agent_of(settings);
    bex_param_edit(bex_param_find(params_of(a), "token.null"))[0] = NAN;
    int hidden = 0;
    for (int i = 0; i < windows; i++) {
        bex_update u;
        hidden += a->class->update(a, i, &u) < 0;
    }
    bex_evaluation e; // hidden only where it is meant to be
    assert_int_equal(a->class->evaluate(a, &e), -1);
    assert_true(isfinite(e.score) && isfinite(e.more[BEX_OTHER_HISTORY]) &&
                isnan(e.more[BEX_NO_COVERAGE]));
    a->class->free(a);
    return hidden;
}

static void the_coverage_is_hidden_as_often_as_told(void **state) {
    (void)state;
    assert_int_equal(hidden_of("0", 200), 0);
    assert_int_equal(hidden_of("1", 50), 50);
    assert_in_range(hidden_of("0.15", 2000), 240, 360); // 300 +- 16
}

/* ---- kinds of policy ---- */

static double moved(bex_agent *a, const char *name) {
    const bex_param *q = bex_param_find(params_of(a), name);
    if (!q) fail_msg("no parameter '%s'", name);
    double sum = 0;
    for (size_t i = 0; i < q->count; i++) sum += fabs((double)params_of(a)->m[q->offset + i]);
    return sum;
}

static void every_kind_learns(void **state) {
    (void)state;
    static const struct {
        const char *settings, *token;
        int Q, N;
    } cases[] = {
        {"model.mode=prefix", "token.coverage.weight", 2, 6},
        {"model.mode=full", "token.null", 2, 6},
        {"model.mode=full model.pool=query", "token.history.weight", 2, 6},
        {"model.agent=bc", "token.state.weight", 1, 0},
        {"model.agent=bc-history", "token.history.weight", 1, 6},
        {"model.agent=bc-history model.mode=full", "token.history.bias", 1, 6},
        {"model.task=true", "token.task.weight", 3, 6},
        {"model.task=true model.scene=true model.timestep=true", "token.scene.weight", 5, 6},
        {"model.agent=bc model.task=true model.timestep=true", "token.timestep.weight", 3, 0},
        {"model.dropout=0.1 coverage.truncate=true", "token.coverage.bias", 2, 6},
        {"coverage.phi=onehot coverage.features=0 coverage.cell=1", "token.coverage.weight", 2, 6},
        {"train.clip=0.5 train.ema=0.99", "token.state.bias", 2, 6},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char settings[300];
        snprintf(settings, sizeof settings, "%s train.lr=3e-3", cases[k].settings);
        bex_agent *a = agent_of(settings);
        const bex_imitation *i = (const bex_imitation *)a;
        assert_int_equal(i->policy->dit.Q, cases[k].Q);
        assert_int_equal(i->policy->dit.o.N, cases[k].N);
        double first = mean_loss(a, 0, 10);
        mean_loss(a, 10, 80);
        double last = mean_loss(a, 90, 20);
        if (!(last < 0.9 * first)) fail_msg("%s: %g to %g", settings, first, last);
        if (!(moved(a, cases[k].token) > 0)) fail_msg("%s: no gradient", cases[k].token);
        assert_true(isfinite(held_out(a)));
        a->class->free(a);
    }
}

static void bc_ignores_history_and_coverage(void **state) {
    (void)state;
    bex_agent *a = agent_of("model.agent=bc train.batch=30");
    bex_agent *b =
        agent_of("model.agent=bc train.batch=30 model.history=3 train.trajectories=1 "
                 "train.repeat=1 coverage.future=2 coverage.phi=mlp train.coverage_dropout=1");
    for (int i = 0; i < 4; i++) update(a, i), update(b, i);
    same_params(a, b);
    assert_null(bex_param_find(params_of(a), "token.history.weight"));
    assert_null(bex_param_find(params_of(a), "token.coverage.weight"));
    assert_null(((bex_imitation *)a)->policy->condition);
    a->class->free(a), b->class->free(b);
}

static void held_out_episodes_are_apart(void **state) {
    (void)state;
    bex_agent *agent = agent_of("");
    const bex_imitation *a = (const bex_imitation *)agent;
    int held = a->held.data->episodes;
    assert_int_equal(held, 5); // 0.2 of 24
    assert_int_equal(a->train.data->episodes, WALKS - held);
    // the first step of a walk tells it
    for (int i = 0; i < held; i++)
        for (int j = 0; j < WALKS - held; j++)
            assert_memory_not_equal(a->held.states + 4 * WALK_ROWS * i,
                                    a->train.states + 4 * WALK_ROWS * j, 4 * sizeof(bex_real));
    assert_null(a->train.data->observations); // rows are in memory once
    assert_null(a->train.data->actions);
    double before = held_out(agent), again = held_out(agent);
    assert_true(before == again);
    update(agent, 0), update(agent, 1); // the first has a rate of 0
    assert_true(held_out(agent) != before);
    agent->class->free(agent);
    agent = agent_of("data.held_out=0");
    assert_int_equal(((bex_imitation *)agent)->train.data->episodes, WALKS);
    assert_true(isnan(held_out(agent)));
    agent->class->free(agent);
}

static void refused(const char *settings, const char *part) {
    bex_train_config c = walk_config(settings);
    bex_agent *a = bex_agent_new(&c, &(bex_sources){.data = copy_of_walks()});
    if (a) fail_msg("'%s' was accepted", settings);
    assert_message(part);
}

static void mistakes_are_told(void **state) {
    (void)state;
    refused("train.batch=30", "train.batch 30 is not a multiple of train.samples_per_history 4");
    refused("train.warmup=2000", "train.warmup 2000 exceeds train.steps 1000 (--train.warmup=50)");
    refused("model.heads=3", "model.width 16 is not a multiple of model.heads 3");
    refused("model.time_width=15", "odd");
    refused("deploy.denoising_steps=200", "deploy.denoising_steps 200 exceeds");
    refused("coverage.future=40", "no episode holds a whole future of 40 + 1 states");
    refused("model.chunk=41 coverage.future=5", "shorter than a chunk of 41");
    refused("coverage.dims=0,9", "coverage.dims");
    refused("coverage.phi=onehot coverage.dims=", "onehot needs coverage.dims");
    int task = walks->task[3];
    walks->task[3] = -1;
    refused("coverage.novelty=true coverage.normalise=global",
            "needs coverage.normalise = history");
    refused("model.task=true", "episode 3 has no task label");
    walks->task[3] = task;
    int scenes = walks->scenes.count;
    walks->scenes.count = 0;
    refused("model.scene=true", "no scene labels");
    walks->scenes.count = scenes;
}

static void constant_dims_are_refused_or_dropped(void **state) {
    (void)state;
    bex_dataset *mine = walks;
    walks = walks_new(1);
    for (int r = 0; r < walks->rows; r++) walks->observations[4 * r + 2] = R(7);
    refused("", "observation dim 2 is constant (7) (--data.drop_constant=true");
    bex_agent *a = agent_of("data.drop_constant=true");
    mean_loss(a, 0, 3);
    assert_true(((bex_imitation *)a)->policy->normaliser.std[2] == 0);
    for (int r = 0; r < walks->rows; r++)
        assert_true(r >= ((bex_imitation *)a)->train.data->rows ||
                    ((bex_imitation *)a)->train.states[4 * r + 2] == 0);
    a->class->free(a);
    bex_dataset_free(walks);
    walks = mine;
}

int main(void) {
    walks = walks_new(0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overfits_one_batch),
        cmocka_unit_test(overfit_cycles_through_all_its_windows),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(loading_continues_bit_for_bit),
        cmocka_unit_test(the_running_average_acts),
        cmocka_unit_test(a_steady_update_allocates_nothing),
        cmocka_unit_test(labels_are_the_coverage),
        cmocka_unit_test(labels_have_mean_0_and_deviation_1),
        cmocka_unit_test(novelty_of_a_future_averages_out),
        cmocka_unit_test(a_failed_label_is_told_from_any_lane),
        cmocka_unit_test(the_coverage_is_hidden_as_often_as_told),
        cmocka_unit_test(every_kind_learns),
        cmocka_unit_test(bc_ignores_history_and_coverage),
        cmocka_unit_test(held_out_episodes_are_apart),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(constant_dims_are_refused_or_dropped),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    bex_dataset_free(walks);
    return failed;
}
