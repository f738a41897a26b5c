/* Chunks inflated here: every filter, odd chunk shapes, part of the rows, and chunks that lie about
 * their size. */
#include "data/hdf5.h"

#include "test.h"

#ifndef BEX_HAVE_HDF5
int main(void) {
    return skip_all("a build without HDF5");
}
#else
#include "base/error.h"
#include "data/make_file.h"

enum { ROWS = 1000, COLUMNS = 7 };

static float value(int row, int column) {
    return (float)((row * 31 + column * 17) % 997) / 8.0f;
}

// filters: 'g' gzip, 's' shuffle, in this order of application
static make chunked(hid_t stored, const char *filters, hsize_t chunk_rows, hsize_t chunk_columns) {
    make m = make_open("chunks.hdf5");
    static float values[ROWS * COLUMNS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) values[r * COLUMNS + c] = value(r, c);
    hsize_t dims[2] = {ROWS, COLUMNS}, chunk[2] = {chunk_rows, chunk_columns};
    hid_t space = H5Screate_simple(2, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 2, chunk);
    for (; *filters; filters++) *filters == 'g' ? H5Pset_deflate(plist, 4) : H5Pset_shuffle(plist);
    hid_t set = H5Dcreate2(m.file, "x", stored, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set), H5Pclose(plist), H5Sclose(space);
    return m;
}

static void every_filter_and_shape(void **state) {
    (void)state;
    static const char *const filters[] = {"", "g", "sg", "gs", "s"};
    static const hsize_t shapes[][2] = {{64, 3}, {1000, 1}, {1, 7}, {333, 7}, {7, 2}};
    static const int ranges[][2] = {{0, ROWS}, {0, 1}, {63, 2}, {500, 500}, {999, 1}};
    static bex_real out[ROWS * (COLUMNS + 2) + 1];
    for (int wide = 0; wide < 2; wide++)
        for (int f = 0; f < 5; f++)
            for (int s = 0; s < 5; s++) {
                make m = chunked(wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE, filters[f], shapes[s][0],
                                 shapes[s][1]);
                make_close(&m);
                bex_h5 *file;
                assert_int_equal(bex_h5_open(&file, m.path), 0);
                const int *range = ranges[(f + s) % 5];
                int stride = COLUMNS + s % 3, bad;
                size_t used = (size_t)range[1] * (size_t)stride;
                for (size_t i = 0; i <= used; i++) out[i] = R(-1);
                if (bex_h5_read(file, "x", range[0], range[1], out, stride, &bad) < 0)
                    fail_msg("%s", bex_error());
                assert_int_equal(bad, -1);
                for (int r = 0; r < range[1]; r++)
                    for (int c = 0; c < stride; c++)
                        assert_true(out[r * stride + c] ==
                                    (c < COLUMNS ? R(value(range[0] + r, c)) : R(-1)));
                assert_true(out[used] == R(-1));
                bex_h5_close(file);
                unlink(m.path);
            }
}

// what libhdf5 1.10 does not notice: it would read past the inflated bytes
static void chunks_that_lie(void **state) {
    (void)state;
    // zlib streams of 0, and of 4 zero bytes, where 64 x 7 x 4 are due; no stream at all; too long a one
    static const unsigned char nothing[] = {0x78, 0x9c, 0x03, 0, 0, 0, 0, 1};
    static const unsigned char four[] = {0x78, 0x9c, 0x63, 0x60, 0x60, 0x60, 0, 0, 0, 4, 0, 1};
    static const unsigned char noise[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const unsigned char zeros[20000];
    const struct {
        const void *bytes;
        size_t size;
        const char *part;
    } lies[] = {{nothing, sizeof nothing, "does not expand"},
                {four, sizeof four, "does not expand"},
                {noise, sizeof noise, "does not expand"},
                {zeros, sizeof zeros, "takes 20000 bytes"}};
    for (int i = 0; i < 4; i++) {
        make m = chunked(H5T_IEEE_F32LE, "g", 64, 7);
        hid_t set = H5Dopen2(m.file, "x", H5P_DEFAULT);
        hsize_t at[2] = {128, 0};
        assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0, at, lies[i].size, lies[i].bytes) >= 0);
        H5Dclose(set);
        make_close(&m);
        bex_h5 *file;
        static bex_real out[ROWS * COLUMNS];
        int bad;
        assert_int_equal(bex_h5_open(&file, m.path), 0);
        assert_int_equal(bex_h5_read(file, "x", 0, 128, out, COLUMNS, &bad), 0); // the rows before
#ifdef BEX_HAVE_ZLIB
        assert_int_equal(bex_h5_read(file, "x", 0, ROWS, out, COLUMNS, &bad), -1);
        assert_message("'x': damaged: the chunk at row 128");
        assert_message(lies[i].part);
#endif
        bex_h5_close(file);
        unlink(m.path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_filter_and_shape),
                                       cmocka_unit_test(chunks_that_lie)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
