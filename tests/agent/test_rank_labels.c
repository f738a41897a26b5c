/* Ranks of futures among those from nearly the same state: against sums made directly; what is drawn,
 * where. */
#include "agent/learner.h"

#include "coverage/coverage.h"

#include <math.h>

enum { N = 6, S = 4, K = 5, FUTURE = 12 };
#define RANKS "coverage.normalise=rank coverage.alternatives=5 "

// cov of N history rows and the future of a window, features made anew
static double direct_cov(const bex_imitation *a, const bex_imitation_part *of_history,
                         const int *history, const bex_imitation_part *of_future,
                         const bex_window *w) {
    const bex_feature *phi = a->policy->phi;
    const bex_normaliser *z = &a->policy->normaliser;
    bex_gram_shape shape = bex_feature_shape(phi);
    double gram[BEX_GRAM_MOST];
    bex_gram_zero(shape, gram);
    for (int i = 0; i < N + w->future_rows; i++) {
        const bex_imitation_part *part = i < N ? of_history : of_future;
        int row = i < N ? history[i] : w->row + i - N;
        bex_real state[4], feature[8];
        for (int c = 0; c < 4; c++) state[c] = part->states[4 * row + c] * z->std[c] + z->mean[c];
        assert_int_equal(bex_feature_eval(phi, feature, state, 1, NULL, 1), 0);
        bex_gram_rows(shape, gram, feature, 1, BEX_GRAM_ADD);
    }
    return bex_coverage(shape, gram, 0.01);
}

static double apart(const bex_imitation_part *a, int row, const bex_imitation_part *b, int other) {
    double sum = 0;
    for (int c = 0; c < 2; c++) {
        double d = (double)(a->states[4 * row + c] - b->states[4 * other + c]);
        sum += d * d;
    }
    return sum;
}

// the K training windows nearest to a window, one a pass, never of its own, of its scene
static int nearest(const bex_imitation *a, const bex_imitation_part *part, const bex_window *w,
                   bex_window *found) {
    int n = 0;
    while (n < K) {
        double best = (double)INFINITY;
        for (long long j = 0; j < bex_windows_starts(a->train.windows); j++) {
            bex_window x = bex_windows_at(a->train.windows, j);
            bool had = part == &a->train && x.episode == w->episode && abs(x.row - w->row) < FUTURE;
            had |= a->train.data->scene[x.episode] != part->data->scene[w->episode];
            for (int i = 0; i < n; i++)
                had |= x.episode == found[i].episode && abs(x.row - found[i].row) < FUTURE;
            double d = apart(part, w->row, &a->train, x.row);
            if (!had && d < best) best = d, found[n] = x;
        }
        if (best == (double)INFINITY) break;
        n++;
    }
    return n;
}

static void check_labels(const bex_imitation *a, const bex_imitation_part *part, int group) {
    int history[N];
    bex_window w[S];
    bex_real value[S];
    bex_training_history_draw(&part->history, 7, (uint64_t)group, history);
    for (int s = 0; s < S; s++) w[s] = bex_windows_draw(part->windows, 7, group * S + s);
    bex_window_groups g = {1, S, N, history, w};
    bex_arena *arena = bex_arena_new();
    assert_int_equal(part->labeller->label(part->labeller, arena, &g, value), 0);
    bex_arena_free(arena);
    for (int s = 0; s < S; s++) {
        bex_window near[K];
        int n = nearest(a, part, &w[s], near);
        double own = direct_cov(a, part, history, part, &w[s]), below = 0;
        for (int i = 0; i < n; i++) {
            double other = direct_cov(a, part, history, &a->train, &near[i]);
            below += other < own * (1 - 1e-9) ? 1 : other < own * (1 + 1e-9) ? 0.5 : 0;
        }
        double expected = sqrt(3) * (2 * (below + 0.5) / (n + 1) - 1);
        if (!(fabs((double)value[s] - expected) < 1e-5))
            fail_msg("label %g, directly %g", (double)value[s], expected);
    }
}

static void labels_are_ranks(void **state) {
    (void)state;
    bex_agent *agent = agent_of(RANKS);
    const bex_imitation *a = (const bex_imitation *)agent;
    for (int g = 0; g < 10; g++) check_labels(a, &a->train, g), check_labels(a, &a->held, g);
    agent->class->free(agent);
}

enum { GROUPS = 200 };

typedef struct {
    bex_window window[GROUPS * S];
    bex_real value[GROUPS * S];
    unsigned char best[GROUPS * S];
    int history[GROUPS * N], index[GROUPS];
} drawn;

static void draw(const bex_imitation *a, drawn *d) {
    const bex_labeller *l = a->train.labeller;
    for (int g = 0; g < GROUPS; g++) {
        d->index[g] = g;
        bex_training_history_draw(&a->train.history, 3, (uint64_t)g, d->history + g * N);
    }
    bex_window_draw how = {GROUPS, S, N, d->history, d->index, 3};
    bex_arena *arena = bex_arena_new();
    assert_int_equal(l->draw(l, arena, &how, d->window, d->value, d->best), 0);
    bex_arena_free(arena);
}

static void windows_are_drawn_by_place(void **state) {
    (void)state;
    static drawn d;
    bex_agent *agent = agent_of(RANKS "train.best=0.25 train.near=0 train.samples_per_place=2");
    const bex_imitation *a = (const bex_imitation *)agent;
    draw(a, &d);
    double top = bex_condition_of_rank(K, K + 1), mean = 0;
    int best = 0, near = 0;
    for (int i = 0; i < GROUPS * S; i++) {
        if (d.best[i]) assert_true(fabs((double)d.value[i]) > 0.9 * top || d.value[i] > 0);
        if (d.best[i]) assert_true((double)d.value[i] > 0.5 * top);
        best += d.best[i], mean += d.best[i] ? 0 : (double)d.value[i];
        near += i % 2 && apart(&a->train, d.window[i].row, &a->train, d.window[i - 1].row) < 1;
    }
    assert_in_range(best, 150, 250); // 200 +- 12
    mean /= GROUPS * S - best;
    if (!(fabs(mean) < 0.15)) fail_msg("ranks of the others average %g", mean);
    assert_true(near > GROUPS * S / 2 * 0.7); // two windows of one place are near each other
    agent->class->free(agent);
}

static double mean_distance(const char *settings) {
    static drawn d;
    bex_agent *agent = agent_of(settings);
    const bex_imitation *a = (const bex_imitation *)agent;
    draw(a, &d);
    double sum = 0;
    for (int i = 0; i < GROUPS * S; i++) {
        double least = (double)INFINITY;
        for (int j = 0; j < N; j++)
            least =
                fmin(least, apart(&a->train, d.window[i].row, &a->train, d.history[i / S * N + j]));
        sum += sqrt(least) / (GROUPS * S);
    }
    agent->class->free(agent);
    return sum;
}

static void windows_near_their_history(void **state) {
    (void)state;
    double anywhere = mean_distance(RANKS "train.near=0 train.best=0");
    double near = mean_distance(RANKS "train.near=1 train.best=0");
    if (!(near < 0.6 * anywhere)) fail_msg("near %g, anywhere %g", near, anywhere);
}

static double judged(bex_agent *agent, bex_judged kind) {
    bex_evaluation e = evaluation(agent);
    int column = ((bex_imitation *)agent)->column[kind];
    return column < 0 ? (double)NAN : e.more[column];
}

static void judged_near_their_history_too(void **state) {
    (void)state;
    bex_agent *a = agent_of(RANKS);
    double near = judged(a, BEX_JUDGED_NEAR);
    assert_true(near > 0 && near != evaluation(a).score);
    assert_true(judged(a, BEX_JUDGED_NEAR_OTHER_HISTORY) > 0);
    assert_int_equal(((bex_imitation *)a)->column[BEX_JUDGED_FOLLOWER], -1);
    assert_string_equal(a->judged[2], "near");
    a->class->free(a);
    a = agent_of("model.waypoints=true model.reach=1 diffusion.predicts=chunk follower.width=8");
    assert_true(judged(a, BEX_JUDGED_FOLLOWER) > 0);
    assert_string_equal(a->judged[2], "follower");
    assert_null(a->judged[3]);
    a->class->free(a);
}

int main(void) {
    walks = walks_new(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_ranks),
        cmocka_unit_test(windows_are_drawn_by_place),
        cmocka_unit_test(windows_near_their_history),
        cmocka_unit_test(judged_near_their_history_too),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_dataset_free(walks);
    return code;
}
