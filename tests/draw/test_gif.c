/* GIFs read back with giflib: size, frames, delays, colours, changed rectangles only. */
#include "draw/gif.h"

#include "base/error.h"
#include "draw/animation.h"

#include "test.h"

#ifdef BEX_HAVE_GIF
#include <gif_lib.h>

enum { W = 60, H = 40 };

static unsigned colour_at(const GifFileType *f, int frame, int x, int y) {
    const SavedImage *s = &f->SavedImages[frame];
    const GifColorType c = s->ImageDesc.ColorMap->Colors[s->RasterBits[y * s->ImageDesc.Width + x]];
    return (unsigned)c.Red << 16 | (unsigned)c.Green << 8 | c.Blue;
}

static GifFileType *read_back(const char *path) {
    int error = 0;
    GifFileType *f = DGifOpenFileName(path, &error);
    assert_non_null(f);
    assert_int_equal(DGifSlurp(f), GIF_OK);
    return f;
}

static void frames_come_back(void **state) {
    (void)state;
    static unsigned pixels[H * W];
    const char *path = scratch_path("a.gif");
    bex_gif *g;
    for (int i = 0; i < W * H; i++) pixels[i] = i % W < 30 ? 0xFF8000 : 0x010203;
    assert_int_equal(bex_gif_open(&g, path, W, H), 0);
    assert_int_equal(bex_gif_add(g, pixels, 8), 0);
    for (int y = 10; y < 15; y++)
        for (int x = 20; x < 23; x++) pixels[y * W + x] = 0x00FF7F;
    assert_int_equal(bex_gif_add(g, pixels, 9), 0);
    assert_int_equal(bex_gif_add(g, pixels, 200), 0); // nothing changes
    assert_int_equal(bex_gif_commit(g), 0);
    bex_gif_free(g);

    GifFileType *f = read_back(path);
    assert_int_equal(f->ImageCount, 3);
    assert_int_equal(f->SWidth, W);
    assert_int_equal(f->SHeight, H);
    assert_int_equal(colour_at(f, 0, 0, 0), 0xFF8000);
    assert_int_equal(colour_at(f, 0, 59, 39), 0x010203);
    const GifImageDesc *d = &f->SavedImages[1].ImageDesc;
    assert_true(d->Left == 20 && d->Top == 10 && d->Width == 3 && d->Height == 5);
    assert_int_equal(colour_at(f, 1, 2, 4), 0x00FF7F);
    assert_int_equal(f->SavedImages[2].ImageDesc.Width, 1);
    for (int i = 0; i < 3; i++) {
        GraphicsControlBlock control;
        assert_int_equal(DGifSavedExtensionToGCB(f, i, &control), GIF_OK);
        assert_int_equal(control.DelayTime, i == 0 ? 8 : i == 1 ? 9 : 200);
    }
    DGifCloseFile(f, NULL);
    unlink(path);
}

// 600 colours: those seen most are kept as they are
static void frequent_colours_are_kept(void **state) {
    (void)state;
    enum { SIDE = 256, RARE = 400, FREQUENT = 200 };
    static unsigned pixels[SIDE * SIDE];
    const char *path = scratch_path("b.gif");
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        unsigned k = i < RARE ? i : RARE + i % FREQUENT;
        pixels[i] = (k % 32 * 8) << 16 | (k / 32 * 8) << 8 | 0x40;
    }
    bex_gif *g;
    assert_int_equal(bex_gif_open(&g, path, SIDE, SIDE), 0);
    assert_int_equal(bex_gif_add(g, pixels, 8), 0);
    assert_int_equal(bex_gif_commit(g), 0);
    bex_gif_free(g);
    GifFileType *f = read_back(path);
    for (int i = RARE; i < SIDE * SIDE; i++)
        assert_int_equal(colour_at(f, 0, i % SIDE, i / SIDE), pixels[i]);
    DGifCloseFile(f, NULL);
    unlink(path);
}

static void figures_become_frames(void **state) {
    (void)state;
    const char *path = scratch_path("c.gif");
    bex_animation *a;
    assert_int_equal(bex_animation_open(&a, path), 0);
    for (int t = 1; t <= 3; t++) {
        bex_figure *fig = bex_figure_new(1, 1, 100, 80);
        double x[] = {0, t}, y[] = {0, 1};
        bex_panel *p = bex_figure_panel(fig, 0, 0);
        bex_panel_x_range(p, 0, 4);
        bex_panel_path(p, x, y, 2, &(bex_mark){.colour = BEX_BLUE});
        if (bex_animation_add(a, fig, 5) < 0) fail_msg("%s", bex_error());
        bex_figure_free(fig);
    }
    assert_int_equal(bex_animation_commit(a), 0);
    bex_animation_free(a);
    GifFileType *f = read_back(path);
    assert_int_equal(f->ImageCount, 3);
    assert_int_equal(colour_at(f, 0, 0, 0), 0xFFFFFF);
    DGifCloseFile(f, NULL);
    unlink(path);
}

static void nothing_is_left_without_commit(void **state) {
    (void)state;
    const char *path = scratch_path("d.gif");
    static unsigned pixels[H * W];
    bex_gif *g;
    assert_int_equal(bex_gif_open(&g, path, W, H), 0);
    assert_int_equal(bex_gif_add(g, pixels, 8), 0);
    bex_gif_free(g);
    assert_true(access(path, F_OK) != 0);
    assert_true(bex_gif_open(&g, "no/such/directory/x.gif", W, H) < 0);
    assert_message("no/such/directory");
    assert_true(bex_gif_open(&g, path, 0, 5) < 0);
    assert_message("no size for a GIF");
    bex_animation *a;
    assert_int_equal(bex_animation_open(&a, path), 0);
    assert_true(bex_animation_commit(a) < 0);
    bex_animation_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(frequent_colours_are_kept),
        cmocka_unit_test(figures_become_frames),
        cmocka_unit_test(nothing_is_left_without_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    return skip_all("this build has no giflib");
}
#endif
