/* Pixels in, the same pixels out. */
#include "draw/picture.h"

#include "base/error.h"
#include "test.h"

#ifndef BEX_HAVE_CAIRO
int main(void) {
    return skip_all("a build without cairo");
}
#else
#include <cairo/cairo.h>

static void pixels_come_back(void **state) {
    (void)state;
    enum { W = 5, H = 3 };
    unsigned char rgb[3 * W * H];
    for (int i = 0; i < 3 * W * H; i++) rgb[i] = (unsigned char)(i * 37);
    const char *path = scratch_path("picture.png");
    if (bex_picture_save(rgb, W, H, path) < 0) fail_msg("%s", bex_error());
    cairo_surface_t *s = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_image_surface_get_width(s), W);
    assert_int_equal(cairo_image_surface_get_height(s), H);
    const unsigned char *data = cairo_image_surface_get_data(s);
    int stride = cairo_image_surface_get_stride(s);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const unsigned char *in = rgb + 3 * (y * W + x), *out = data + y * stride + 4 * x;
            assert_true(in[0] == out[2] && in[1] == out[1] && in[2] == out[0]); // little endian
        }
    cairo_surface_destroy(s);
    unlink(path);
    assert_true(bex_picture_save(rgb, W, H, "/no/such/folder/a.png") < 0);
    assert_message("/no/such/folder/a.png");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pixels_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
