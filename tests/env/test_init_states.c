/* LIBERO's files of initial states: a real one where there is one, one of our own, and damaged ones. */
#include "env/tabletop/init_states.h"

#include "base/error.h"

#include "test.h"

#include <math.h>

// a stored zip with one entry: the pickle of a (rows, width) array as PyTorch writes it
static size_t make(unsigned char *out, int rows, int width, const double *v) {
    static const char head[] = "\x80\x02"
                               "cnumpy.core.multiarray\n_reconstruct\nq\x01"
                               "cnumpy\nndarray\nK\x00\x85"
                               "c_codecs\nencode\nX\x01\x00\x00\x00"
                               "bX\x06\x00\x00\x00latin1\x86R\x87R(K\x01";
    static const char dtype[] =
        "\x86"
        "cnumpy\ndtype\nX\x02\x00\x00\x00"
        "f8\x89\x88\x87R(K\x03X\x01\x00\x00\x00<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89h\x03X";
    unsigned char body[4096], *p = body, *at = out;
    const unsigned char *raw = (const unsigned char *)v;
    size_t text = 0, n = (size_t)rows * (size_t)width * 8;
    memcpy(p, head, sizeof head - 1), p += sizeof head - 1;
    *p++ = 'K', *p++ = (unsigned char)rows, *p++ = 'K', *p++ = (unsigned char)width;
    memcpy(p, dtype, sizeof dtype - 1), p += sizeof dtype - 1;
    for (size_t i = 0; i < n; i++) text += raw[i] < 0x80 ? 1 : 2;
    for (int i = 0; i < 4; i++) *p++ = (unsigned char)(text >> 8 * i);
    for (size_t i = 0; i < n; i++) {
        if (raw[i] >= 0x80) *p++ = (unsigned char)(0xc0 | raw[i] >> 6);
        *p++ = raw[i] < 0x80 ? raw[i] : (unsigned char)(0x80 | (raw[i] & 0x3f));
    }
    memcpy(p, "\x86Rtb.", 5), p += 5;
    size_t size = (size_t)(p - body);
    static const char name[] = "archive/data.pkl";
    unsigned char entry[46] = {'P', 'K', 1, 2}, end[22] = {'P', 'K', 5, 6};
    memcpy(at, "PK\x03\x04", 4), memset(at + 4, 0, 26), at[26] = sizeof name - 1;
    memcpy(at + 30, name, sizeof name - 1), at += 30 + sizeof name - 1;
    memcpy(at, body, size), at += size;
    size_t directory = (size_t)(at - out);
    entry[20] = (unsigned char)size, entry[21] = (unsigned char)(size >> 8),
    entry[28] = sizeof name - 1;
    memcpy(at, entry, 46), memcpy(at + 46, name, sizeof name - 1), at += 46 + sizeof name - 1;
    end[10] = 1, end[16] = (unsigned char)directory, end[17] = (unsigned char)(directory >> 8);
    memcpy(at, end, 22), at += 22;
    return (size_t)(at - out);
}

static const double values[6] = {0, -1.5, 3.25e-3, 1e100, -0.1, 42};

static void ours_comes_back(void **state) {
    (void)state;
    unsigned char bytes[8192];
    size_t size = make(bytes, 2, 3, values);
    bex_init_states s;
    if (bex_init_states_read(&s, bytes, size, "ours") < 0) fail_msg("%s", bex_error());
    assert_int_equal(s.rows, 2);
    assert_int_equal(s.width, 3);
    assert_memory_equal(s.state, values, sizeof values);
    bex_init_states_fini(&s);
}

static void damage_is_one_line(void **state) {
    (void)state;
    unsigned char bytes[8192], cut[8192];
    size_t size = make(bytes, 2, 3, values);
    bex_init_states s;
    for (size_t n = 0; n < size; n++) assert_true(bex_init_states_read(&s, bytes, n, "cut") < 0);
    for (size_t i = 0; i < size; i++) { // any byte changed: understood or refused, never worse
        memcpy(cut, bytes, size);
        cut[i] ^= 0x55;
        if (bex_init_states_read(&s, cut, size, "bent") == 0) bex_init_states_fini(&s);
    }
    double bad[6] = {0, 0, 0, 0, 0, (double)NAN};
    size = make(bytes, 2, 3, bad);
    assert_true(bex_init_states_read(&s, bytes, size, "nan") < 0);
    assert_message("not finite");
    assert_true(bex_init_states_load(&s, "/nowhere.pruned_init") < 0);
    assert_message("/nowhere.pruned_init");
}

static void a_real_file_is_read(void **state) {
    (void)state;
    const char *path = shared_data(
        "libero/init_files/libero_90/KITCHEN_SCENE5_put_the_black_bowl_on_the_plate.pruned_init");
    if (!path) {
        print_message("SKIP: needs ../shared/data/libero\n");
        return;
    }
    bex_init_states s;
    if (bex_init_states_load(&s, path) < 0) fail_msg("%s", bex_error());
    assert_int_equal(s.rows, 50);
    assert_int_equal(s.width, 64);
    for (int i = 0; i < s.rows; i++) {
        const double *q = s.state + (size_t)i * 64 + 1;
        assert_true(q[9 + 2] == 0.97); // the bowl where it is let fall
        assert_true(q[30] < -0.14);    // the top drawer open
        assert_true(fabs(q[3] + 2.4446) < 0.1);
    }
    bex_init_states_fini(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ours_comes_back),
                                       cmocka_unit_test(damage_is_one_line),
                                       cmocka_unit_test(a_real_file_is_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
