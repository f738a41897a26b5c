/* Large PNGs are halved, each pixel the mean of four; small, transparent and broken ones are left alone. */
#include "env/tabletop/texture.h"

#include "base/error.h"
#include "base/file.h"

#include "test.h"

#ifdef BEX_HAVE_CAIRO

#include <cairo/cairo.h>

enum { WIDTH = 96, HEIGHT = 64 };

static unsigned value(int x, int y, int c) {
    return (unsigned)(x * 5 + y * 7 + c * 40) & 255;
}

static void make_png(char **bytes, size_t *size, int width, int height, unsigned alpha) {
    cairo_format_t format = alpha < 255 ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24;
    cairo_surface_t *s = cairo_image_surface_create(format, width, height);
    unsigned char *data = cairo_image_surface_get_data(s);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            unsigned p = alpha << 24;
            for (int c = 0; c < 3; c++) p |= (alpha < 255 ? 7 : value(x, y, c)) << (16 - 8 * c);
            memcpy(data + y * cairo_image_surface_get_stride(s) + 4 * x, &p, sizeof p);
        }
    cairo_surface_mark_dirty(s);
    const char *path = scratch_path("texture.png");
    assert_int_equal(cairo_surface_write_to_png(s, path), CAIRO_STATUS_SUCCESS);
    cairo_surface_destroy(s);
    if (bex_file_read(bytes, size, path, 1 << 20) < 0) fail_msg("%s", bex_error());
    unlink(path);
}

static void large_ones_are_halved(void **state) {
    (void)state;
    char *bytes;
    size_t size;
    int sides[2];
    make_png(&bytes, &size, WIDTH, HEIGHT, 255);
    assert_int_equal(bex_texture_shrink(&bytes, &size, 48), 1);
    memcpy(sides, bytes, sizeof sides);
    assert_int_equal(sides[0], WIDTH / 2);
    assert_int_equal(sides[1], HEIGHT / 2);
    assert_int_equal(size, sizeof sides + 3 * WIDTH / 2 * HEIGHT / 2);
    const unsigned char *rgb = (const unsigned char *)bytes + sizeof sides;
    for (int y = 0; y < HEIGHT / 2; y++)
        for (int x = 0; x < WIDTH / 2; x++)
            for (int c = 0; c < 3; c++) {
                unsigned sum = value(2 * x, 2 * y, c) + value(2 * x + 1, 2 * y, c) +
                               value(2 * x, 2 * y + 1, c) + value(2 * x + 1, 2 * y + 1, c);
                assert_int_equal(rgb[3 * (y * WIDTH / 2 + x) + c], (sum + 2) / 4);
            }
    free(bytes);
}

static void halving_ends_at_odd_sides(void **state) {
    (void)state;
    char *bytes;
    size_t size;
    int sides[2];
    make_png(&bytes, &size, WIDTH, HEIGHT, 255);
    assert_int_equal(bex_texture_shrink(&bytes, &size, 1), 1);
    memcpy(sides, bytes, sizeof sides);
    assert_int_equal(sides[0], 3); // 96 = 3 x 32
    assert_int_equal(sides[1], 2);
    free(bytes);
}

static void others_are_left_alone(void **state) {
    (void)state;
    const struct {
        int width, height, most;
        unsigned alpha;
        size_t cut;                             // bytes missing at the end
    } rows[] = {{WIDTH, HEIGHT, WIDTH, 255, 0}, // small enough
                {95, 63, 48, 255, 0},           // odd
                {WIDTH, HEIGHT, 48, 100, 0},    // light comes through
                {WIDTH, HEIGHT, 48, 255, 200}}; // broken
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *bytes;
        size_t size, was;
        make_png(&bytes, &size, rows[i].width, rows[i].height, rows[i].alpha);
        was = size -= rows[i].cut;
        char *copy = malloc(size);
        memcpy(copy, bytes, size);
        assert_int_equal(bex_texture_shrink(&bytes, &size, rows[i].most), 0);
        assert_int_equal(size, was);
        assert_memory_equal(bytes, copy, size);
        free(bytes), free(copy);
    }
    char *text = strdup("no picture at all, but long enough for a header");
    size_t size = strlen(text);
    assert_int_equal(bex_texture_shrink(&text, &size, 1), 0);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_ones_are_halved),
                                       cmocka_unit_test(halving_ends_at_odd_sides),
                                       cmocka_unit_test(others_are_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return skip_all("this build has no cairo");
}

#endif
