/* Some episodes of a data set, copied; some taken out of it, the rest moved together in place. */
#include "data/subset.h"

#include "base/error.h"

#include "test.h"

enum { EPISODES = 12, O = 3, A = 2 };

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

// episode e has 2 + e % 4 rows, and every value of it tells episode and row
static bex_dataset *made(int episodes) {
    bex_dataset *d = bex_dataset_new();
    int *start = malloc(((size_t)episodes + 1) * sizeof *start);
    assert_non_null(start);
    start[0] = 0;
    for (int e = 0; e < episodes; e++) start[e + 1] = start[e] + 2 + e % 4;
    assert_int_equal(bex_dataset_allocate(d, (unsigned)start[episodes], O, A, 1, 0), 0);
    assert_int_equal(bex_dataset_take_episodes(d, start, episodes), 0);
    for (int e = 0; e < episodes; e++) {
        char name[8];
        snprintf(name, sizeof name, "task %d", e % 3);
        d->task[e] = bex_names_add(&d->tasks, name);
        for (int r = d->start[e]; r < d->start[e + 1]; r++) {
            bex_real value = R(100 * e + r - d->start[e]);
            for (int j = 0; j < O; j++) d->observations[O * r + j] = value + R(0.1) * R(j);
            for (int j = 0; j < A; j++) d->actions[A * r + j] = -value - R(0.1) * R(j);
            d->rewards[r] = value;
            d->terminals[r] = (unsigned char)e, d->timeouts[r] = (unsigned char)(r & 1);
        }
    }
    return d;
}

static int origin(const bex_dataset *d, int episode) {
    return d->terminals[d->start[episode]];
}

// episode i of `part` is its origin in `all`, row for row
static void assert_same_episode(const bex_dataset *part, int i, const bex_dataset *all) {
    int e = origin(part, i), rows = bex_dataset_length(part, i);
    size_t to = (size_t)part->start[i], from = (size_t)all->start[e];
    assert_int_equal(rows, bex_dataset_length(all, e));
#define SAME(field, type, width)                                                                   \
    assert_memory_equal(part->field + to * (size_t)(width), all->field + from * (size_t)(width),   \
                        (size_t)rows * (size_t)(width) * sizeof(type));
    BEX_DATASET_ROWS(SAME, all)
#undef SAME
    assert_int_equal(part->task[i], all->task[e]);
    assert_int_equal(part->scene[i], all->scene[e]);
    assert_string_equal(part->tasks.text[part->task[i]], all->tasks.text[all->task[e]]);
}

static void named_episodes_are_copied_in_order(void **state) {
    (void)state;
    static const int wanted[] = {7, 2, 2, 11};
    bex_dataset *d = made(EPISODES), *s = bex_dataset_subset(d, wanted, COUNT(wanted));
    assert_non_null(s);
    assert_int_equal(s->episodes, COUNT(wanted));
    for (int i = 0; i < s->episodes; i++) {
        assert_int_equal(origin(s, i), wanted[i]);
        assert_same_episode(s, i, d);
    }
    bex_dataset_free(s);
    bex_dataset_free(d);
}

static void every_episode_is_held_out_or_kept(void **state) {
    (void)state;
    static const double fractions[] = {0, 0.1, 0.5, 0.75, 1};
    static const int out[] = {1, 1, 6, 9, 11};
    bex_dataset *all = made(EPISODES);
    for (int c = 0; c < COUNT(fractions); c++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            int seen[EPISODES] = {0};
            bex_dataset *d = made(EPISODES),
                        *held = bex_dataset_hold_out(d, fractions[c], bex_rng_seed(seed));
            assert_non_null(held);
            assert_int_equal(held->episodes, out[c]);
            assert_int_equal(d->episodes, EPISODES - out[c]);
            assert_int_equal(d->rows, d->start[d->episodes]);
            assert_int_equal(d->rows + held->rows, all->rows);
            for (int k = 0; k < 2; k++) {
                const bex_dataset *part = k ? held : d;
                for (int i = 0; i < part->episodes; i++) {
                    assert_same_episode(part, i, all);
                    assert_true(i == 0 || origin(part, i) > origin(part, i - 1));
                    seen[origin(part, i)]++;
                }
            }
            for (int e = 0; e < EPISODES; e++) assert_int_equal(seen[e], 1);
            bex_dataset_free(held);
            bex_dataset_free(d);
        }
    bex_dataset_free(all);
}

static void one_episode_cannot_be_both(void **state) {
    (void)state;
    bex_dataset *d = made(1);
    assert_null(bex_dataset_hold_out(d, 0.5, bex_rng_seed(1)));
    assert_message("one episode");
    assert_int_equal(d->episodes, 1);
    bex_dataset_free(d);
}

static void what_is_left_without_rows(void **state) {
    (void)state;
    bex_dataset *d = made(EPISODES);
    bex_dataset_forget_rows(d);
    assert_null(d->observations);
    assert_null(d->timeouts);
    assert_int_equal(d->episodes, EPISODES);
    assert_int_equal(d->start[EPISODES], d->rows);
    assert_string_equal(d->tasks.text[d->task[4]], "task 1");
    bex_dataset_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_episodes_are_copied_in_order),
        cmocka_unit_test(every_episode_is_held_out_or_kept),
        cmocka_unit_test(one_episode_cannot_be_both),
        cmocka_unit_test(what_is_left_without_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
