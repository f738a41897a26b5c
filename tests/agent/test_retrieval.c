/* Retrieval: it plays the future of highest coverage among the nearest, computed here the long way;
 * random is behaviour cloning; streams, errors and memory. */
#include "agent/actors/retrieval.h"
#include "base/error.h"
#include "coverage/coverage.h"
#include "coverage/state_sum.h"
#include "data/neighbours.h"

#include "malloc_count.h"
#include "test.h"

#include <math.h>

enum { EPISODES = 12, LENGTH = 60, ROWS = EPISODES * LENGTH, O = 3, A = 2, F = 20, K = 4, H = 8 };

// random walks; the first action of a row is its number; column 2 is constant
static bex_dataset *make_data(void) {
    bex_dataset *d = bex_dataset_new();
    assert_int_equal(bex_dataset_allocate(d, ROWS, O, A, 0, 0), 0);
    bex_rng rng = bex_rng_seed(11);
    for (int t = 0; t < ROWS; t++) {
        bex_real *s = d->observations + t * O;
        for (int c = 0; c < 2; c++)
            s[c] = R((t % LENGTH ? (double)s[c - O] : 0) + 0.3 * bex_rng_normal(&rng));
        s[2] = 5;
        d->actions[t * A] = R(t);
        d->actions[t * A + 1] = R(-t);
    }
    int *start = malloc((EPISODES + 1) * sizeof *start);
    for (int e = 0; e <= EPISODES; e++) start[e] = e * LENGTH;
    assert_int_equal(bex_dataset_take_episodes(d, start, EPISODES), 0);
    return d;
}

static bex_dataset *data;

static const int position[2] = {0, 1};

static bex_retrieval_options small(int among, const char *kind) {
    bex_retrieval_options o = BEX_RETRIEVAL_INIT;
    o.k = 10, o.among = among, o.chunk = K, o.future = F, o.threads = 1;
    o.phi = (bex_feature_options){
        .kind = kind, .out = 12, .bandwidth = 1, .dims = position, .dims_count = 2};
    return o;
}

static bex_retrieval *make(int among, const char *kind) {
    bex_retrieval_options o = small(among, kind);
    bex_retrieval *r = bex_retrieval_new(data, &o);
    if (!r) fail_msg("%s", bex_error());
    return r;
}

static bex_actor *make_actor(const bex_retrieval *r, bex_memory_kind kind, uint64_t seed) {
    bex_actor *a =
        bex_retrieval_actor_new(r, &(bex_memory_options){.N = H, .kind = kind}, bex_rng_seed(seed));
    if (!a) fail_msg("%s", bex_error());
    return a;
}

// rows that may start a window, nearest to obs first
static int nearest_rows(bex_neighbour *all, const bex_real *obs) {
    double mean[2] = {0}, square[2] = {0};
    int n = 0;
    for (int t = 0; t < ROWS; t++)
        for (int c = 0; c < 2; c++) {
            double x = (double)data->observations[t * O + c];
            mean[c] += x / ROWS, square[c] += x * x / ROWS;
        }
    for (int t = 0; t < ROWS; t++) {
        double sum = 0;
        if (t % LENGTH + F >= LENGTH) continue;
        for (int c = 0; c < 2; c++) {
            double gap = (double)data->observations[t * O + c] - (double)obs[c];
            sum += gap * gap / (square[c] - mean[c] * mean[c]);
        }
        int i = n++;
        for (; i > 0 && (double)all[i - 1].distance > sum; i--) all[i] = all[i - 1];
        all[i] = (bex_neighbour){R(sum), t};
    }
    return n;
}

static double coverage_with(const bex_feature *f, const bex_real *history, int n, int row) {
    bex_gram_shape wide = bex_feature_wide(f);
    double sum[BEX_GRAM_MOST], seen[BEX_GRAM_MOST];
    bex_gram_zero(wide, sum);
    assert_int_equal(bex_state_sum_add(f, sum, history, (size_t)n), 0);
    assert_int_equal(bex_state_sum_add(f, sum, data->observations + row * O, F + 1), 0);
    if (!bex_feature_relative(f)) return bex_coverage(bex_feature_shape(f), sum, 0.01);
    bex_real reference[2 * BEX_GRAM_WIDTH];
    assert_int_equal(bex_feature_eval_wide(f, reference, data->observations + row * O, 1, 1), 0);
    bex_feature_contract(f, seen, sum, reference);
    return bex_coverage(bex_feature_shape(f), seen, 0.01);
}

// the place of `row` among the ten nearest to obs, by coverage: 0 is best
static int place_of(const bex_feature *f, const bex_real *obs, const bex_real *history, int n,
                    int row) {
    bex_neighbour all[ROWS];
    int better = 0, among = 0;
    nearest_rows(all, obs);
    double own = coverage_with(f, history, n, row);
    for (int i = 0; i < 10; i++) {
        among += all[i].point == row;
        better += coverage_with(f, history, n, all[i].point) > own * (1 + 1e-9);
    }
    if (!among) fail_msg("row %d is not among the nearest", row);
    return better;
}

static void only_full_futures_may_be_chosen(void **state) {
    (void)state;
    bex_retrieval *r = make(1, "cosine");
    assert_int_equal(bex_retrieval_starts(r), EPISODES * (LENGTH - F));
    bex_retrieval_free(r);
}

// episode after episode, with a history that is all of the memory, or the first state
// what it tells of the ten it chose from
static void check_neighbours(bex_actor *a, const bex_feature *f, const bex_real *obs,
                             const bex_real *history, int row) {
    bex_neighbour all[ROWS];
    int played = 0;
    nearest_rows(all, obs);
    for (int i = 0; i < 10; i++) {
        double cov;
        int own = bex_retrieval_actor_neighbour(a, i, &cov);
        assert_true(fabs(cov / coverage_with(f, history, H, own) - 1) < 1e-6);
        int among = 0;
        for (int k = 0; k < 10; k++) among += all[k].point == own;
        assert_int_equal(among, 1);
        played += own == row;
    }
    assert_int_equal(played, 1);
}

static void the_best_future_is_played(void **state) {
    (void)state;
    static const char *const kinds[] = {"cosine", "mlp", "onehot", "cosine_relative"};
    for (int kind = 0; kind < 4; kind++) {
        bex_retrieval *r = make(1, kinds[kind]);
        bex_actor *a = make_actor(r, BEX_MEMORY_UNIFORM, 3);
        bex_rng rng = bex_rng_seed(4);
        bex_real first[H][O], past[H * O];
        for (int episode = 0; episode < 2; episode++) {
            assert_int_equal(a->class->begin(a), 0);
            assert_int_equal(bex_retrieval_actor_row(a), -1);
            for (int t = 0; t < H; t++) { // H states: the whole of them is the next history
                bex_real obs[O] = {R(bex_rng_normal(&rng)), R(bex_rng_normal(&rng)), 5}, act[A];
                assert_int_equal(a->class->act(a, &(bex_observation){.state = obs}, act), 0);
                for (int i = 0; i < H && t == 0; i++) memcpy(first[i], obs, sizeof obs);
                int row = bex_retrieval_actor_row(a);
                assert_int_equal((int)act[0], row + t % K); // its actions, in order
                assert_int_equal((int)act[1], -row - t % K);
                if (t % K == 0) {
                    const bex_real *history = episode ? past : first[0];
                    assert_int_equal(place_of(bex_retrieval_feature(r), obs, history, H, row), 0);
                    check_neighbours(a, bex_retrieval_feature(r), obs, history, row);
                }
            }
            assert_int_equal(a->class->end(a), 0);
            bex_memory *memory = bex_retrieval_actor_history(a);
            assert_int_equal(bex_memory_states(memory), H * (episode + 1));
            memcpy(past, bex_memory_rows(memory), sizeof past);
        }
        a->class->free(a);
        bex_retrieval_free(r);
    }
}

static void one_of_the_top_is_played(void **state) {
    (void)state;
    bex_retrieval *r = make(3, "cosine");
    bex_actor *a = make_actor(r, BEX_MEMORY_FIRST, 8);
    bex_real obs[O] = {R(0.2), R(-0.4), 5}, history[H][O], act[A];
    int count[3] = {0};
    for (int i = 0; i < H; i++) memcpy(history[i], obs, sizeof obs);
    for (int episode = 0; episode < 600; episode++) {
        assert_int_equal(a->class->begin(a), 0);
        assert_int_equal(a->class->act(a, &(bex_observation){.state = obs}, act), 0);
        int place =
            place_of(bex_retrieval_feature(r), obs, history[0], H, bex_retrieval_actor_row(a));
        assert_true(place < 3);
        count[place]++;
    }
    for (int i = 0; i < 3; i++) assert_true(abs(count[i] - 200) < 58); // five deviations
    a->class->free(a);
    bex_retrieval_free(r);
}

// every one of the k nearest equally often, whatever the history
static void random_is_behaviour_cloning(void **state) {
    (void)state;
    bex_retrieval *r = make(0, "cosine");
    bex_actor *a = make_actor(r, BEX_MEMORY_UNIFORM, 8);
    bex_real obs[O] = {R(0.2), R(-0.4), 5}, act[A];
    bex_neighbour all[ROWS];
    int count[10] = {0};
    nearest_rows(all, obs);
    for (int episode = 0; episode < 3000; episode++) {
        assert_int_equal(a->class->begin(a), 0);
        assert_int_equal(a->class->act(a, &(bex_observation){.state = obs}, act), 0);
        int place = 0;
        while (place < 10 && all[place].point != bex_retrieval_actor_row(a)) place++;
        assert_true(place < 10);
        count[place]++;
        assert_int_equal(a->class->end(a), 0);
    }
    for (int i = 0; i < 10; i++) assert_true(abs(count[i] - 300) < 83);
    a->class->free(a);
    bex_retrieval_free(r);
}

static void a_stream_repeats_itself(void **state) {
    (void)state;
    bex_retrieval *r = make(5, "cosine");
    int rows[2][40];
    for (int run = 0; run < 2; run++) {
        bex_actor *a = make_actor(r, BEX_MEMORY_UNIFORM, 21), *other;
        other = make_actor(r, BEX_MEMORY_UNIFORM, 22); // must not disturb it
        for (int i = 0; i < 40; i++) {
            bex_real obs[O] = {R(0.02 * i), R(-0.01 * i), 5}, act[A];
            if (i % 10 == 0) assert_int_equal(a->class->begin(a), 0);
            if (i % 10 == 0 && run) assert_int_equal(other->class->begin(other), 0);
            assert_int_equal(a->class->act(a, &(bex_observation){.state = obs}, act), 0);
            if (run)
                assert_int_equal(other->class->act(other, &(bex_observation){.state = obs}, act),
                                 0);
            rows[run][i] = bex_retrieval_actor_row(a);
            if (i % 10 == 9) assert_int_equal(a->class->end(a), 0);
        }
        a->class->free(a), other->class->free(other);
    }
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    bex_retrieval_free(r);
}

// an actor made anew that is told what it saw goes on as the old one
static void a_recalled_actor_goes_on(void **state) {
    (void)state;
    bex_retrieval *r = make(5, "cosine");
    int rows[2][40];
    for (int run = 0; run < 2; run++) {
        bex_actor *a = make_actor(r, BEX_MEMORY_UNIFORM, 21);
        bex_real obs[40 * O], act[A], acts[10 * A] = {0};
        for (int i = 0; i < 40; i++) {
            obs[i * O] = R(0.02 * i), obs[i * O + 1] = R(-0.01 * i), obs[i * O + 2] = 5;
            bex_real reward[10] = {0};
            unsigned char flag[10] = {0};
            bex_episode episode = {.steps = 10,
                                   .O = O,
                                   .A = A,
                                   .obs = obs + (i < 9 ? 0 : i - 9) * O,
                                   .act = acts,
                                   .reward = reward,
                                   .terminal = flag,
                                   .timeout = flag,
                                   .last = obs};
            if (run && i % 10 == 9 && i < 20) assert_int_equal(a->class->recall(a, &episode), 0);
            if (run && i < 20) continue;
            if (i % 10 == 0) assert_int_equal(a->class->begin(a), 0);
            assert_int_equal(a->class->act(a, &(bex_observation){.state = obs + i * O}, act), 0);
            rows[run][i] = bex_retrieval_actor_row(a);
            if (i % 10 == 9) assert_int_equal(a->class->end(a), 0);
        }
        a->class->free(a);
    }
    assert_memory_equal(rows[0] + 20, rows[1] + 20, 20 * sizeof(int));
    bex_retrieval_free(r);
}

static void acting_allocates_nothing(void **state) {
    (void)state;
    static const char *const kinds[] = {"cosine", "mlp", "onehot", "cosine_relative"};
    for (int kind = 0; kind < 4; kind++) {
        bex_retrieval *r = make(2, kinds[kind]);
        bex_actor *a = make_actor(r, BEX_MEMORY_UNIFORM, 1);
        for (int episode = 0; episode < 3; episode++) {
            bex_real obs[O] = {0, 0, 5}, act[A];
            assert_int_equal(a->class->begin(a), 0);
            long before = malloc_calls();
            for (int t = 0; t < 50; t++) {
                obs[0] = R(0.01 * t);
                assert_int_equal(a->class->act(a, &(bex_observation){.state = obs}, act), 0);
            }
            assert_int_equal(malloc_calls(), before);
            assert_int_equal(a->class->end(a), 0);
        }
        a->class->free(a);
        bex_retrieval_free(r);
    }
}

static void mistakes_have_messages(void **state) {
    (void)state;
    int among;
    assert_int_equal(bex_retrieval_parse_choice(&among, "best"), 0);
    assert_int_equal(among, 1);
    assert_int_equal(bex_retrieval_parse_choice(&among, "top:6"), 0);
    assert_int_equal(among, 6);
    assert_int_equal(bex_retrieval_parse_choice(&among, "random"), 0);
    assert_int_equal(among, 0);
    static const char *const wrong[] = {"top:0", "top:", "top:x", "worst", ""};
    for (int i = 0; i < 5; i++) {
        assert_true(bex_retrieval_parse_choice(&among, wrong[i]) < 0);
        assert_message("best, top:N or random");
    }
    bex_retrieval_options o = small(1, "cosine");
    o.k = EPISODES * (LENGTH - F) + 1;
    assert_null(bex_retrieval_new(data, &o));
    assert_message("480 rows have a future of 21 states, 481 neighbours");
    o = small(11, "cosine");
    assert_null(bex_retrieval_new(data, &o));
    assert_message("top 11 of 10");
    o = small(1, "cosine");
    o.future = LENGTH;
    assert_null(bex_retrieval_new(data, &o));
    o = small(1, "cosin");
    assert_null(bex_retrieval_new(data, &o));
    assert_message("did you mean");
    o = small(1, "cosine");
    o.phi.dims = (const int[2]){0, 3};
    assert_null(bex_retrieval_new(data, &o));
    assert_message("dim 3; states have 3");

    bex_retrieval *r = make(1, "cosine");
    bex_actor *a = make_actor(r, BEX_MEMORY_UNIFORM, 1);
    bex_real obs[O] = {0, R(NAN), 5}, act[A];
    assert_int_equal(a->class->begin(a), 0);
    assert_true(a->class->act(a, &(bex_observation){.state = obs}, act) < 0);
    assert_message("observation 1 is nan");
    bex_observation picture = {.state = obs, .image = {(const unsigned char *)"rgb"}};
    assert_true(a->class->act(a, &picture, act) < 0);
    assert_message("a picture of camera 0");
    a->class->free(a);
    assert_null(bex_retrieval_actor_new(r, &(bex_memory_options){.N = 0}, bex_rng_seed(1)));
    bex_retrieval_free(r);
}

int main(void) {
    data = make_data();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_full_futures_may_be_chosen),
        cmocka_unit_test(the_best_future_is_played),
        cmocka_unit_test(one_of_the_top_is_played),
        cmocka_unit_test(random_is_behaviour_cloning),
        cmocka_unit_test(a_stream_repeats_itself),
        cmocka_unit_test(a_recalled_actor_goes_on),
        cmocka_unit_test(acting_allocates_nothing),
        cmocka_unit_test(mistakes_have_messages),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_dataset_free(data);
    return code;
}
