/* Frames of a spec's size, and pictures that must be there or must not. */
#include "base/observation.h"

#include "base/error.h"

#include "test.h"

static void a_frame_has_the_arrays_of_its_spec(void **state) {
    (void)state;
    const bex_observation_spec plain = {.state = 3},
                               two = {.state = 2, .cameras = 2, .height = 4, .width = 5};
    bex_frame f;
    assert_int_equal(bex_frame_init(&f, &plain), 0);
    for (int c = 0; c < BEX_CAMERAS; c++) assert_null(f.image[c]);
    assert_true(f.state[2] == 0);
    bex_frame_fini(&f);
    assert_null(f.state);
    assert_int_equal(bex_frame_init(&f, &two), 0);
    assert_int_equal(bex_picture_bytes(two.height, two.width), 60);
    f.image[0][59] = 7, f.image[1][59] = 8; // the last byte: a sanitiser sees one too few
    bex_observation o = bex_frame_seen(&f);
    assert_ptr_equal(o.state, f.state);
    for (int c = 0; c < BEX_CAMERAS; c++) assert_ptr_equal(o.image[c], f.image[c]);
    assert_int_equal(bex_observation_check(&o, 2), 0);
    bex_frame_fini(&f);
    assert_null(f.image[0]);
}

static void pictures_are_those_of_the_cameras(void **state) {
    (void)state;
    bex_real s[1] = {0};
    unsigned char pixel[3] = {0};
    bex_observation o = bex_observation_of(s);
    assert_int_equal(bex_observation_check(&o, 0), 0);
    assert_true(bex_observation_check(&o, 1) < 0);
    assert_true(bex_error_is_misuse());
    assert_message("no picture of camera 0, where there are 1 cameras");
    o.image[1] = pixel;
    assert_true(bex_observation_check(&o, 0) < 0);
    assert_message("a picture of camera 1, where there are 0 cameras");
    o.image[0] = pixel;
    assert_int_equal(bex_observation_check(&o, 2), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_has_the_arrays_of_its_spec),
        cmocka_unit_test(pictures_are_those_of_the_cameras),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
