/* Regions and overlap against numbers worked out by hand. */
#include "explore/metrics.h"

#include "test.h"

#include <math.h>

static int floor_region(const bex_world *w, const bex_real *obs) {
    (void)w;
    return obs[1] < 4 ? (int)obs[1] : -1;
}

static void regions_are_marked_once(void **state) {
    (void)state;
    bex_env_class class = {.region = floor_region};
    bex_world w = {.class = &class, .spec.state = 2, .regions = 4};
    unsigned char seen[4] = {0, 1, 0, 0};
    bex_real states[][2] = {{9, 0}, {9, 1}, {9, 0}, {9, 3}, {9, 5}};
    assert_int_equal(bex_regions_mark(seen, &w, states[0], 5), 2);
    assert_memory_equal(seen, ((unsigned char[]){1, 1, 0, 1}), 4);
}

static void overlap_is_a_share_of_the_first(void **state) {
    (void)state;
    unsigned char a[] = {1, 1, 1, 0, 1}, b[] = {1, 0, 0, 1, 1}, none[5] = {0};
    assert_true(bex_overlap(a, b, 5) == 0.5);
    assert_true(fabs(bex_overlap(b, a, 5) - 2.0 / 3) < 1e-15);
    assert_true(bex_overlap(none, a, 5) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_marked_once),
        cmocka_unit_test(overlap_is_a_share_of_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
