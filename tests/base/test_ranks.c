/* What ranks agree on, seen from one of three: the others are made up here. Ranks that are real processes:
 * tests/nn/test_lanes.c and tests/cli/ranks.sh. */
#include "base/error.h"
#include "base/parallel.h"
#include "base/ranks.h"

#include "test.h"

// what the two others bring to each gathering, in turn
static struct {
    const void *theirs[4]; // (2, size); NULL: the same as ours
    int turn, gatherings;
    bool gone;
} script;

static int gather(void *all, int n, size_t size) {
    assert_int_equal(n, 3);
    if (script.gone) return bex_fail("rank 1 is gone");
    const char *theirs = script.theirs[script.turn++];
    char *to = (char *)all + size;
    for (size_t i = 0; i < 2; i++) memcpy(to + i * size, theirs ? theirs + i * size : all, size);
    script.gatherings++;
    return 0;
}

static int fold(bex_real *data, size_t n, bex_fold_fn *fn, void *payload) {
    (void)data, (void)n, (void)fn, (void)payload;
    return bex_fail("no fold here");
}

static const bex_ranks first_of_three = {.rank = 0, .count = 3, .gather = gather, .fold = fold};

static int join(void **state) {
    (void)state;
    memset(&script, 0, sizeof script);
    bex_ranks_join(&first_of_three);
    return 0;
}

static int leave(void **state) {
    (void)state;
    bex_ranks_join(NULL);
    return 0;
}

static void twice(size_t first, size_t n, const bex_real *before, void *payload) {
    assert_null(before);
    for (size_t i = first; i < first + n; i++) ((bex_real *)payload)[i] *= R(2);
}

static void alone_everything_is_settled(void **state) {
    (void)state;
    bex_real x[3] = {R(1), R(2), R(3)};
    assert_int_equal(bex_ranks_rank(), 0);
    assert_int_equal(bex_ranks_count(), 1);
    assert_int_equal(bex_ranks_settle(-1), -1);
    assert_int_equal(bex_ranks_settle(2), 2);
    assert_int_equal(bex_ranks_first(7), 7);
    assert_int_equal(bex_ranks_alike("x", x, sizeof x), 0);
    assert_int_equal(bex_ranks_gather(x, 3, sizeof *x), 0);
    assert_int_equal(bex_ranks_fold(x, 3, twice, x), 0);
    assert_true(x[2] == R(6));
    assert_false(bex_ranks_lost());
}

static void one_rank_is_alone(void **state) {
    (void)state;
    const bex_ranks one = {.rank = 0, .count = 1, .gather = gather, .fold = fold};
    bex_ranks_join(&one);
    assert_null(bex_ranks_joined());
}

static void the_largest_code_holds(void **state) {
    (void)state;
    script.theirs[0] = (const int[]){0, 0}, script.theirs[1] = (const int[]){0, 1};
    assert_int_equal(bex_ranks_settle(0), 0);
    assert_int_equal(bex_ranks_settle(0), 1);
    assert_int_equal(script.gatherings, 2);
}

static void the_first_failure_is_everybodys(void **state) {
    (void)state;
    static const char theirs[2][480] = {"", "cannot read 'x.hdf5'"};
    script.theirs[0] = (const int[]){0, -1}, script.theirs[1] = theirs;
    assert_int_equal(bex_ranks_settle(0), -1);
    assert_string_equal(bex_error(), "rank 2: cannot read 'x.hdf5'");
    // ours comes before it, and needs no number
    script.turn = 0;
    assert_int_equal(bex_ranks_settle(bex_fail("disk full")), -1);
    assert_string_equal(bex_error(), "disk full");
    assert_false(bex_ranks_lost());
}

static void a_difference_is_told(void **state) {
    (void)state;
    static const char weights[] = "0123456789";
    assert_int_equal(bex_ranks_alike("weights", weights, 10), 0);
    script.theirs[1] = (const uint64_t[]){1, 1};
    assert_int_equal(bex_ranks_alike("weights", weights, 10), -1);
    assert_message("rank 1 has other weights than rank 0");
    assert_false(bex_ranks_lost());
}

static void one_that_is_gone_stays_gone(void **state) {
    (void)state;
    script.theirs[0] = (const int[]){0, 0};
    script.gone = true;
    assert_int_equal(bex_ranks_settle(0), -1);
    assert_string_equal(bex_error(), "rank 1 is gone");
    assert_true(bex_ranks_lost());
    // nobody is asked again, and the reason is not forgotten
    script.gone = false;
    bex_fail("something else");
    assert_int_equal(bex_ranks_gather(NULL, 3, 4), -1);
    assert_int_equal(bex_ranks_fold(NULL, 0, twice, NULL), -1);
    assert_int_equal(script.gatherings, 0);
    assert_string_equal(bex_error(), "rank 1 is gone");
}

static void parts_cover_and_differ_by_one(void **state) {
    (void)state;
    for (int n = 0; n < 20; n++)
        for (int parts = 1; parts < 8; parts++) {
            int next = 0, first, count;
            for (int i = 0; i < parts; i++, next += count) {
                bex_part(n, parts, i, &first, &count);
                assert_int_equal(first, next);
                assert_in_range(count, n / parts, n / parts + (n % parts > 0));
            }
            assert_int_equal(next, n);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_everything_is_settled),
        cmocka_unit_test_setup_teardown(one_rank_is_alone, join, leave),
        cmocka_unit_test_setup_teardown(the_largest_code_holds, join, leave),
        cmocka_unit_test_setup_teardown(the_first_failure_is_everybodys, join, leave),
        cmocka_unit_test_setup_teardown(a_difference_is_told, join, leave),
        cmocka_unit_test_setup_teardown(one_that_is_gone_stays_gone, join, leave),
        cmocka_unit_test(parts_cover_and_differ_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
