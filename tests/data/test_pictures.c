/* Pictures of demonstrations: every byte as the file has it, for every way to store them, whatever is kept in
 * memory and however many threads read; turned, resized, appended, cut into subsets; what is wrong is told
 * in one
 * line. */
#include "data/load.h"
#include "data/subset.h"

#include "base/error.h"
#include "base/parallel.h"
#include "data/make_pictures.h"

#include <unistd.h>

enum { H = 12, W = 10, ROWS = 7, DEMOS = 3 };

static const pictured plain = {{"front", "wrist", NULL}, DEMOS, ROWS, H, W, {0}, 0};

static const char *file_of(const char *name, const pictured *p) {
    make m = make_open(name);
    make_robomimic(&m, p);
    static char path[512];
    snprintf(path, sizeof path, "%s", make_close(&m));
    return path;
}

static bex_dataset *load(const char *path, const char *images, int size, bex_flip flip) {
    bex_load_options o = BEX_LOAD_INIT;
    o.images = images, o.pictures.size = size, o.pictures.flip = flip;
    return bex_dataset_load(path, &o);
}

static void refused(const char *path, const char *images, const char *part) {
    bex_dataset *d = load(path, images, 0, BEX_FLIP_NONE);
    if (d || !strstr(bex_error(), part)) fail_msg("'%s', not '%s'", bex_error(), part);
    assert_null(strchr(bex_error(), '\n'));
}

// the picture of row r, camera c of the file, at its own size
static void assert_picture(bex_dataset *d, int row, int camera, int file_row, int file_camera,
                           bex_flip flip) {
    unsigned char got[H * W * 3], *p = got;
    if (bex_pictures_read(d->pictures, d->frames[row], camera, got) < 0)
        fail_msg("row %d: %s", row, bex_error());
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int k = 0; k < 3; k++, p++) {
                int fy = flip == BEX_FLIP_NONE ? y : H - 1 - y;
                int fx = flip == BEX_FLIP_ROT180 ? W - 1 - x : x;
                if (*p != tone_of(file_row, file_camera, fy, fx, k))
                    fail_msg("row %d camera %d at (%d,%d,%d)", row, camera, y, x, k);
            }
}

static void every_layout_gives_the_same_bytes(void **state) {
    (void)state;
    pictured kinds[] = {plain, plain, plain, plain};
    static const hsize_t chunks[][4] = {{0}, {3, 5, 4, 2}, {ROWS, H, W, 3}, {1, H, W, 3}};
    for (int k = 0; k < 4; k++) {
        memcpy(kinds[k].chunk, chunks[k], sizeof kinds[k].chunk);
        kinds[k].gzip = k == 1 || k == 2;
        const char *path = file_of("layout.hdf5", &kinds[k]);
        bex_dataset *d = load(path, "wrist,front", 0, BEX_FLIP_NONE);
        if (!d) fail_msg("%s", bex_error());
        assert_int_equal(bex_dataset_cameras(d), 2);
        assert_int_equal(d->cameras.count, 2);
        for (int r = 0; r < d->rows; r++)
            for (int pass = 0; pass < 2; pass++) {
                assert_picture(d, r, 0, r, 1, BEX_FLIP_NONE);
                assert_picture(d, r, 1, r, 0, BEX_FLIP_NONE);
            }
        bex_dataset_free(d);
        unlink(path);
    }
}

static void they_are_turned_and_resized(void **state) {
    (void)state;
    const char *path = file_of("turned.hdf5", &plain);
    for (bex_flip flip = BEX_FLIP_NONE; flip <= BEX_FLIP_ROT180; flip++) {
        bex_dataset *d = load(path, "all", 0, flip);
        for (int r = 0; r < d->rows; r += 5) assert_picture(d, r, 0, r, 0, flip);
        bex_dataset_free(d);
    }
    bex_dataset *small = load(path, "front", 6, BEX_FLIP_NONE);
    assert_true(bex_pictures_height(small->pictures) == 6 &&
                bex_pictures_width(small->pictures) == 6);
    unsigned char raw[H * W * 3], want[6 * 6 * 3], got[6 * 6 * 3], scratch[H * 6 * 3];
    unsigned char *p = raw;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int k = 0; k < 3; k++) *p++ = tone_of(4, 0, y, x, k);
    bex_picture_resize(want, 6, 6, raw, H, W, scratch);
    assert_int_equal(bex_pictures_read(small->pictures, 4, 0, got), 0);
    assert_memory_equal(got, want, sizeof got);
    bex_dataset_free(small);
    unlink(path);
}

typedef struct {
    bex_dataset *d;
} many;

static int read_one(long piece, int worker, void *payload) {
    (void)worker;
    many *m = payload;
    unsigned char got[H * W * 3];
    int row = (int)(piece * 13 % m->d->rows);
    if (bex_pictures_read(m->d->pictures, m->d->frames[row], (int)(piece & 1), got) < 0) return -1;
    return got[5] == tone_of(row, (int)(piece & 1), 0, 1, 2) ? 0 : bex_fail("row %d differs", row);
}

static void threads_and_little_memory_change_nothing(void **state) {
    (void)state;
    static const unsigned long long budgets[] = {1, 5 * H * W * 3, 1 << 20};
    for (int k = 0; k < 6; k++) {
        pictured p = plain;
        if (k & 1) p.chunk[0] = 2, p.chunk[1] = H, p.chunk[2] = W, p.chunk[3] = 3, p.gzip = 1;
        const char *path = file_of("threads.hdf5", &p);
        bex_load_options o = BEX_LOAD_INIT;
        o.images = "all", o.pictures.memory = budgets[k / 2];
        many m = {bex_dataset_load(path, &o)};
        assert_non_null(m.d);
        if (bex_try_parallel(4, 400, read_one, &m) < 0) fail_msg("%s", bex_error());
        bex_dataset_free(m.d);
        unlink(path);
    }
}

static bool notes_left_out(const bex_dataset *d) {
    for (int i = 0; i < d->notes.count; i++)
        if (strstr(d->notes.text[i], "left out: 2 arrays")) return true;
    return false;
}

static void data_sets_share_and_join_them(void **state) {
    (void)state;
    char first[512];
    pictured other = plain;
    other.demos = 1;
    snprintf(first, sizeof first, "%s", file_of("one.hdf5", &plain));
    const char *second = file_of("two.hdf5", &other);
    bex_dataset *a = load(first, "all", 0, BEX_FLIP_NONE),
                *b = load(second, "all", 0, BEX_FLIP_NONE);
    bex_dataset *blind = load(second, NULL, 0, BEX_FLIP_NONE);
    assert_null(blind->pictures);
    assert_true(notes_left_out(blind) && !notes_left_out(a));
    bex_dataset *turned = load(second, "wrist,front", 0, BEX_FLIP_NONE);
    assert_int_equal(bex_dataset_append(a, turned, 0), -1);
    assert_message("camera 0 is 'wrist', in the files before 'front'");
    bex_dataset_free(turned);
    assert_int_equal(blind->cameras.count, 2); // it says which there are
    assert_int_equal(bex_dataset_append(a, blind, 0), -1);
    assert_message("pictures are absent");
    assert_int_equal(bex_dataset_append(a, b, 0), 0);
    bex_dataset_free(b), bex_dataset_free(blind);
    for (int r = 0; r < a->rows; r++)
        assert_picture(a, r, 1, r < DEMOS * ROWS ? r : r - DEMOS * ROWS, 1, BEX_FLIP_NONE);
    bex_dataset *s = bex_dataset_subset(a, (const int[]){3, 1}, 2);
    bex_dataset *held = bex_dataset_hold_out(a, 0.25, bex_rng_seed(1));
    bex_dataset_free(a);
    assert_picture(s, 0, 0, 0, 0, BEX_FLIP_NONE);
    assert_picture(s, ROWS + 2, 0, ROWS + 2, 0, BEX_FLIP_NONE);
    assert_true(held && held->rows == ROWS && held->pictures == s->pictures);
    bex_dataset_free(s), bex_dataset_free(held);
    unlink(first), unlink(second);
}

static void frames_in_memory(void **state) {
    (void)state;
    bex_names cameras = {0};
    assert_true(bex_names_push(&cameras, "one") == 0);
    unsigned char in[2 * 2 * 2 * 3], out[12];
    for (int i = 0; i < 24; i++) in[i] = (unsigned char)i;
    bex_pictures *p =
        bex_pictures_new(&cameras, 2, 2, &(bex_pictures_options){.flip = BEX_FLIP_VERTICAL});
    bex_pictures *q =
        bex_pictures_new(&cameras, 2, 2, &(bex_pictures_options){.flip = BEX_FLIP_VERTICAL});
    assert_int_equal(bex_pictures_add_memory(p, in, 2, 2, 2), 0);
    assert_int_equal(bex_pictures_append(q, p), 0);
    assert_int_equal(bex_pictures_append(q, p), 2);
    assert_int_equal(bex_pictures_read(q, 3, 0, out), 0);
    assert_true(out[0] == 18 && out[6] == 12); // turned once, not again by the joining
    bex_pictures_free(p), bex_pictures_free(q);
    bex_names_fini(&cameras);
}

/* ---- what is wrong ---- */

// data/demo_1/obs/front made anew, in place of the good one
static const char *spoiled(void (*spoil)(make *m, const pictured *p), const pictured *p) {
    make m = make_open("spoiled.hdf5");
    make_robomimic(&m, p);
    H5Ldelete(m.file, "data/demo_1/obs/front", H5P_DEFAULT);
    if (spoil) spoil(&m, p);
    static char path[512];
    snprintf(path, sizeof path, "%s", make_close(&m));
    return path;
}

static void rank_three(make *m, const pictured *p) {
    (void)p;
    float v[ROWS * 6] = {0};
    make_array(m, "data/demo_1/obs/front", v, ROWS, 6);
}

static void too_few(make *m, const pictured *p) {
    pictured q = *p;
    q.rows = ROWS - 1;
    make_pictures(m, "data/demo_1/obs/front", 0, 0, &q, H5T_STD_U8LE);
}

static void of_floats(make *m, const pictured *p) {
    make_pictures(m, "data/demo_1/obs/front", 0, 0, p, H5T_IEEE_F32LE);
}

static void another_size(make *m, const pictured *p) {
    pictured q = *p;
    q.width = W + 1;
    make_pictures(m, "data/demo_1/obs/front", 0, 0, &q, H5T_STD_U8LE);
}

static void one_huge_chunk(make *m, const pictured *p) {
    (void)p;
    hsize_t dims[4] = {ROWS, 4096, 4096, 3}, most[4] = {H5S_UNLIMITED, 4096, 4096, 3};
    hsize_t piece[4] = {64, 1024, 1024, 3};
    hid_t space = H5Screate_simple(4, dims, most), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 4, piece);
    hid_t set = H5Dcreate2(m->file, "data/demo_1/obs/front", H5T_STD_U8LE, space, H5P_DEFAULT,
                           plist, H5P_DEFAULT);
    H5Dclose(set), H5Pclose(plist), H5Sclose(space);
}

static void bad_pictures_are_one_line(void **state) {
    (void)state;
    static const struct {
        void (*spoil)(make *m, const pictured *p);
        const char *part;
    } cases[] = {{NULL, "'data/demo_1/obs/front' is missing"},
                 {rank_three, "'data/demo_1/obs/front' has rank 2"},
                 {too_few, "has 6 pictures, the actions have 7 rows"},
                 {of_floats, "does not hold unsigned bytes"},
                 {another_size, "pictures of 12 x 11 pixels, others 12 x 10"},
                 {one_huge_chunk, "holds 0 of"}};
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
        const char *path = spoiled(cases[k].spoil, &plain);
        refused(path, "front", cases[k].part);
        unlink(path);
    }
    const char *path = file_of("names.hdf5", &plain);
    refused(path, "left", "no camera 'left' (front,wrist)");
    refused(path, "position", "has rank 2");
    refused(path, "front,front", "camera 'front' is named twice");
    unlink(path);
}

// bytes of the file zeroed or cut: told when the picture is read, by file and key, or when it is opened
static void damage_is_told_when_read(void **state) {
    (void)state;
    pictured p = plain;
    p.gzip = 1, p.chunk[0] = 2, p.chunk[1] = H, p.chunk[2] = W, p.chunk[3] = 3;
    const char *path = file_of("damaged.hdf5", &p);
    FILE *f = fopen(path, "r+b");
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    unsigned char *bytes = malloc((size_t)size);
    rewind(f);
    assert_int_equal(fread(bytes, 1, (size_t)size, f), size);
    int told = 0;
    for (long at = 0; at + 2 < size; at++) // the head of a deflated chunk
        if (bytes[at] == 0x78 && (bytes[at + 1] == 0x5e || bytes[at + 1] == 0x9c)) {
            fseek(f, at + 4, SEEK_SET);
            fwrite("\xff\xff\xff\xff", 1, 4, f);
        }
    fclose(f);
    free(bytes);
    bex_dataset *d = load(path, "all", 0, BEX_FLIP_NONE);
    assert_non_null(d);
    unsigned char out[H * W * 3];
    for (int r = 0; r < d->rows; r++) {
        if (bex_pictures_read(d->pictures, d->frames[r], 0, out) == 0) continue;
        told++;
        assert_non_null(strstr(bex_error(), "damaged.hdf5"));
        assert_non_null(strstr(bex_error(), "obs/front"));
    }
    assert_true(told > 0);
    bex_dataset_free(d);
    unlink(path);
    // a plain file that is cut after it was opened
    path = file_of("cut.hdf5", &plain);
    d = load(path, "front", 0, BEX_FLIP_NONE);
    assert_non_null(d);
    assert_int_equal(truncate(path, 2000), 0);
    assert_int_equal(bex_pictures_read(d->pictures, d->rows - 1, 0, out), -1);
    assert_non_null(strstr(bex_error(), "the file ends before it"));
    bex_dataset_free(d);
    assert_int_equal(unlink(path), 0);
    assert_null(load(path, "front", 0, BEX_FLIP_NONE));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_gives_the_same_bytes),
        cmocka_unit_test(they_are_turned_and_resized),
        cmocka_unit_test(threads_and_little_memory_change_nothing),
        cmocka_unit_test(data_sets_share_and_join_them),
        cmocka_unit_test(frames_in_memory),
        cmocka_unit_test(bad_pictures_are_one_line),
        cmocka_unit_test(damage_is_told_when_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
