/* safetensors: files of the PyTorch side, our own round trip, and every malformed case refused. */
#include "nn/safetensors.h"

#include "base/error.h"
#include "base/file.h"
#include "nn/safetensors_cases.h"

#include "malloc_count.h"
#include "test.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *golden(const char *name) {
    static char path[512];
    const char *folder = getenv("BEX_GOLDENS");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : BEX_SOURCE_DIR "/tests/golden", name);
    return path;
}

static bex_st_file *load_golden(const char *name) {
    bex_st_file *f = bex_st_load(golden(name));
    if (!f) fail_msg("%s", bex_error());
    return f;
}

static int64_t *dims(int64_t a, int64_t b) {
    static int64_t d[2];
    d[0] = a, d[1] = b;
    return d;
}

/* ---- files of the PyTorch side ---- */

static void pytorch_halves_convert_exactly(void **state) {
    (void)state;
    static const char *const names[] = {"f16", "bf16"};
    bex_st_file *f = load_golden("dtypes.safetensors");
    for (int k = 0; k < 2; k++) {
        char twin[16];
        snprintf(twin, sizeof twin, "%s.f64", names[k]);
        const bex_st_tensor *t = bex_st_find(f, names[k]);
        assert_true(t && t->rank == 1 && t->count > 300);
        double *got = malloc(t->count * sizeof *got), *want = malloc(t->count * sizeof *want);
        bex_real *real = malloc(t->count * sizeof *real);
        assert_int_equal(bex_st_read_f64(f, names[k], got, 1, t->dim), 0);
        assert_int_equal(bex_st_read_f64(f, twin, want, 1, t->dim), 0);
        assert_int_equal(bex_st_read_real(f, names[k], real, 1, t->dim), 0);
        assert_memory_equal(got, want, t->count * sizeof *got);
        for (size_t i = 0; i < t->count; i++) assert_true((double)real[i] == want[i]);
        free(got), free(want), free(real);
    }
    bex_st_free(f);
}

static void pytorch_values_are_read(void **state) {
    (void)state;
    bex_st_file *f = load_golden("dtypes.safetensors");
    assert_int_equal(bex_st_count(f), 20);
    static const struct {
        const char *name;
        bex_st_dtype dtype;
        int64_t least;
        uint64_t most;
    } integers[] = {
        {"i64", BEX_ST_I64, INT64_MIN, INT64_MAX}, {"i32", BEX_ST_I32, INT32_MIN, INT32_MAX},
        {"i16", BEX_ST_I16, INT16_MIN, INT16_MAX}, {"i8", BEX_ST_I8, INT8_MIN, INT8_MAX},
        {"u8", BEX_ST_U8, 0, UINT8_MAX},           {"u16", BEX_ST_U16, 0, UINT16_MAX},
        {"u32", BEX_ST_U32, 0, UINT32_MAX},        {"u64", BEX_ST_U64, 0, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        size_t n = bex_st_dtype_size(integers[i].dtype);
        uint64_t values[5] = {0}, seven = 7;
        assert_int_equal(bex_st_read(f, integers[i].name, integers[i].dtype, values, 1, dims(5, 0)),
                         0);
        const unsigned char *v = (const unsigned char *)values;
        assert_memory_equal(v, &integers[i].least, n);
        assert_memory_equal(v + n, &integers[i].most, n);
        assert_memory_equal(v + 4 * n, &seven, n);
    }
    bex_real v[6];
    assert_int_equal(bex_st_read_real(f, "scalar", v, 0, NULL), 0);
    assert_true(v[0] == R(2.5));
    assert_int_equal(bex_st_read_real(f, "empty", v, 2, dims(0, 3)), 0);
    assert_int_equal(bex_st_read_real(f, "gr\xc3\xb6\xc3\x9f\x65/\xe9\x87\x8d\xe3\x81\xbf", v, 3,
                                      (int64_t[]){1, 2, 3}),
                     0);
    for (int i = 0; i < 6; i++) assert_true(v[i] == R(i));
    assert_int_equal(bex_st_read_real(f, "permuted", v, 2, dims(3, 2)), 0);
    assert_true(v[0] == 0 && v[1] == 3 && v[2] == 1);
    assert_string_equal(bex_st_metadata(f, "format"), "pt");
    assert_string_equal(bex_st_metadata(f, "config"), "[train]\nlr = 0.0003 ; \"quoted\"\n");
    assert_string_equal(bex_st_metadata(f, "gr\xc3\xb6\xc3\x9f\x65"), "\xc3\x9f\t\x01");
    assert_null(bex_st_metadata(f, "absent"));
    bex_st_free(f);
    // no metadata at all; a network of one Linear + LayerNorm + Linear
    f = load_golden("network.safetensors");
    assert_null(bex_st_metadata(f, "format"));
    bex_real w[24];
    assert_int_equal(bex_st_read_real(f, "0.weight", w, 2, dims(6, 4)), 0);
    assert_int_equal(bex_st_read_real(f, "1.weight", w, 1, dims(6, 0)), 0);
    for (int i = 0; i < 6; i++) assert_true(w[i] == 1);
    bex_st_free(f);
}

static void add_all(bex_st_writer *w, const bex_st_file *f, bool backwards) {
    for (int i = 0; i < bex_st_count(f); i++) {
        const bex_st_tensor *t = bex_st_at(f, backwards ? bex_st_count(f) - 1 - i : i);
        bex_st_add(w, t->name, t->dtype, t->rank, t->dim, t->data);
    }
}

static void writing_a_golden_gives_its_bytes(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("golden.safetensors"));
    bex_st_file *f = load_golden("dtypes.safetensors");
    for (int backwards = 0; backwards < 2; backwards++) {
        bex_st_writer *w = bex_st_writer_new();
        add_all(w, f, backwards);
        static const char *const keys[] = {"format", "config", "gr\xc3\xb6\xc3\x9f\x65"};
        for (int i = 0; i < 3; i++) bex_st_add_metadata(w, keys[i], bex_st_metadata(f, keys[i]));
        assert_int_equal(bex_st_save(w, path), 0);
        bex_st_writer_free(w);
        char *want, *got;
        size_t n, m;
        assert_int_equal(bex_file_read(&want, &n, golden("dtypes.safetensors"), 1 << 20), 0);
        assert_int_equal(bex_file_read(&got, &m, path, 1 << 20), 0);
        assert_int_equal(n, m);
        assert_memory_equal(want, got, n);
        free(want), free(got);
    }
    unlink(path);
    bex_st_free(f);
}

/* ---- our own round trip ---- */

static void every_dtype_round_trips(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("round.safetensors"));
    unsigned char data[64 * BEX_ST_DTYPES];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 37 % 251);
    unsigned char bools[6] = {0, 1, 1, 0, 1, 0};
    bex_st_writer *w = bex_st_writer_new();
    for (int k = 0; k < BEX_ST_DTYPES; k++) {
        const void *from = k == BEX_ST_BOOL ? bools : data + 64 * k;
        bex_st_add(w, bex_st_dtype_name((bex_st_dtype)k), (bex_st_dtype)k, 2, dims(2, 3), from);
    }
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *f = bex_st_load(path);
    assert_non_null(f);
    assert_int_equal(bex_st_count(f), BEX_ST_DTYPES);
    for (int k = 0; k < BEX_ST_DTYPES; k++) {
        const bex_st_tensor *t = bex_st_find(f, bex_st_dtype_name((bex_st_dtype)k));
        assert_true(t && t->dtype == (bex_st_dtype)k && t->rank == 2 && t->count == 6);
        assert_true((uintptr_t)t->data % 64 == 0);
        assert_memory_equal(t->data, k == BEX_ST_BOOL ? bools : data + 64 * k,
                            6 * bex_st_dtype_size(t->dtype));
    }
    bex_st_free(f);
    unlink(path);
}

static void reals_round_trip(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("real.safetensors"));
    const bex_real x[4] = {R(1) / 3, R(-0.0), R(1e-30), R(3e38)};
    bex_real back[4];
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_real(w, "x", 1, dims(4, 0), x);
    bex_st_add_real(w, "none", 2, dims(4, 0), NULL);
    bex_st_add_metadata(w, "step", "7");
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *f = bex_st_load(path);
    assert_non_null(f);
    assert_int_equal(bex_st_read_real(f, "x", back, 1, dims(4, 0)), 0);
    assert_memory_equal(x, back, sizeof x);
    assert_string_equal(bex_st_metadata(f, "step"), "7");
    bex_st_free(f);
    // nothing at all is a file too
    w = bex_st_writer_new();
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    f = bex_st_load(path);
    assert_non_null(f);
    assert_int_equal(bex_st_count(f), 0);
    assert_null(bex_st_find(f, "x"));
    bex_st_free(f);
    unlink(path);
    bex_st_free(NULL), bex_st_writer_free(NULL);
}

static void unaligned_tensors_are_usable(void **state) {
    (void)state;
    const char *header =
        "{" ENTRY("a", "U8", "3", "0", "3") "," ENTRY("b", "F32", "1", "3", "7") "}";
    st_case c = {header, 7, NULL};
    size_t size;
    unsigned char *bytes = st_case_bytes(&c, &size);
    float one = 1;
    memcpy(bytes + size - 4, &one, 4);
    bex_st_file *f = bex_st_parse(bytes, size, "x");
    free(bytes); // copied
    assert_non_null(f);
    bex_real v;
    assert_int_equal(bex_st_read_real(f, "b", &v, 1, dims(1, 0)), 0);
    assert_true(v == 1);
    assert_true((uintptr_t)bex_st_find(f, "b")->data % 64 == 0);
    bex_st_free(f);
}

// all 65536 half floats against the definition of the format
static void every_f16_is_read(void **state) {
    (void)state;
    char header[200];
    snprintf(header, sizeof header, "{" ENTRY("h", "F16", "1", "0", "2") "}");
    st_case c = {header, 2, NULL};
    size_t size;
    unsigned char *bytes = st_case_bytes(&c, &size);
    for (int h = 0; h < 65536; h++) {
        bytes[size - 2] = (unsigned char)h, bytes[size - 1] = (unsigned char)(h >> 8);
        bex_st_file *f = bex_st_parse(bytes, size, "x");
        double got, sign = h >> 15 ? -1 : 1, m = h % 1024 / 1024.0;
        int e = h >> 10 & 31, code = bex_st_read_f64(f, "h", &got, 1, dims(1, 0));
        if (e == 31) {
            assert_int_equal(code, -1);
            assert_message("element 0 is");
        } else {
            assert_int_equal(code, 0);
            assert_true(got == sign * (e ? pow(2, e - 15) * (1 + m) : pow(2, -14) * m));
        }
        bex_st_free(f);
    }
    free(bytes);
}

/* ---- refusals ---- */

/* Every finite half is written as itself; between two of them the nearer is taken, in the middle the even
 * one. */
static void halves_round_to_nearest(void **state) {
    (void)state;
    enum { HALVES = 31 << 10 };
    static bex_real exact[2 * HALVES], above[HALVES], middle[HALVES], below[HALVES];
    for (int i = 0; i < HALVES; i++) {
        int e = i >> 10, f = i & 1023;
        double unit = ldexp(1, (e ? e : 1) - 25), x = (e ? 1024 + f : f) * unit;
        exact[i] = R(x), exact[HALVES + i] = R(-x);
        below[i] = R(x + 0.499 * unit), middle[i] = R(x + 0.5 * unit),
        above[i] = R(x + 0.501 * unit);
    }
    const char *path = scratch_path("halves.safetensors");
    bex_st_writer *w = bex_st_writer_new();
    int64_t all = 2 * HALVES, one = HALVES,
            most = HALVES - 1; // the last one's neighbour is infinite
    assert_int_equal(bex_st_add_half(w, "exact", 1, &all, exact), 0);
    assert_int_equal(bex_st_add_half(w, "below", 1, &one, below), 0);
    assert_int_equal(bex_st_add_half(w, "middle", 1, &most, middle), 0);
    assert_int_equal(bex_st_add_half(w, "above", 1, &most, above), 0);
    assert_int_equal(bex_st_add_half(w, "large", 1, &one, above), -1);
    assert_non_null(strstr(bex_error(), "'large': element 31743 is 65520"));
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *f = bex_st_load(path);
    if (!f) fail_msg("%s", bex_error());
    const uint16_t *bits[4];
    const char *names[] = {"exact", "below", "middle", "above"};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(bex_st_find(f, names[k])->dtype, BEX_ST_F16);
        bits[k] = bex_st_find(f, names[k])->data;
    }
    for (int i = 0; i < HALVES; i++) {
        assert_int_equal(bits[0][i], i);
        assert_int_equal(bits[0][HALVES + i], i | 0x8000);
        assert_int_equal(bits[1][i], i);
        if (i < HALVES - 1) assert_int_equal(bits[2][i], i + i % 2);
        if (i < HALVES - 1) assert_int_equal(bits[3][i], i + 1);
    }
    bex_st_free(f);
    unlink(path);
}

static void malformed_files_are_refused(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("bad.safetensors"));
    for (int i = 0; i < ST_CASES; i++) {
        size_t size;
        unsigned char *bytes = st_case_bytes(&st_cases[i], &size);
        // from memory and from a file: the same verdict and the same words after the name
        bex_error_clear();
        bex_st_file *f = bex_st_parse(bytes, size, "bad.safetensors");
        FILE *out = fopen(path, "wb");
        fwrite(bytes, 1, size, out);
        fclose(out);
        if (!st_cases[i].message) {
            if (!f) fail_msg("%s: %s", st_cases[i].header, bex_error());
            bex_st_free(f);
            f = bex_st_load(path);
            assert_non_null(f);
            bex_st_free(f);
        } else {
            if (f) fail_msg("accepted: %s", st_cases[i].header);
            assert_message(st_cases[i].message);
            assert_message("bad.safetensors: ");
            assert_null(strchr(bex_error(), '\n'));
            assert_null(bex_st_load(path));
            assert_message(st_cases[i].message);
            assert_message("bad.safetensors: ");
        }
        free(bytes);
    }
    unlink(path);
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    char *bytes;
    size_t size;
    assert_int_equal(bex_file_read(&bytes, &size, golden("network.safetensors"), 1 << 20), 0);
    for (size_t n = 0; n < size; n++) {
        char *exact = malloc(n + 1); // so that AddressSanitizer sees the end
        memcpy(exact, bytes, n);
        assert_null(bex_st_parse(exact, n, "cut"));
        assert_message("truncated");
        free(exact);
    }
    bytes = realloc(bytes, size + 1);
    bytes[size] = 0;
    assert_null(bex_st_parse(bytes, size + 1, "long"));
    assert_message("long: 1 bytes at the end belong to no tensor");
    free(bytes);
}

static void header_lengths_are_checked(void **state) {
    (void)state;
    static const struct {
        uint64_t length;
        const char *message;
    } cases[] = {
        {3, "x: truncated: header of 3 bytes, the file has 10"},
        {100000000, "x: truncated: header of 100000000 bytes"},
        {100000001, "x: header of 100000001 bytes, at most 100000000"},
        {UINT64_MAX, "x: header of 18446744073709551615 bytes"},
        {UINT64_MAX - 7, "x: header of"},
        {(uint64_t)1 << 63, "x: header of"},
        {0, "does not begin with '{'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[10] = {0, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
        memcpy(bytes, &cases[i].length, 8);
        assert_null(bex_st_parse(bytes, sizeof bytes, "x"));
        assert_message(cases[i].message);
    }
    char *deep = malloc(8 + 100000);
    uint64_t n = 100000;
    memcpy(deep, &n, 8);
    memset(deep + 8, '[', n);
    memcpy(deep + 8, "{\"a\":", 5);
    assert_null(bex_st_parse(deep, 8 + n, "deep"));
    assert_message("deep: header: JSON line 1");
    free(deep);
}

// 64 GB of nothing behind a small header: refused before memory for the data is taken
static void huge_files_are_judged_by_their_header(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("huge.safetensors"));
    size_t size;
    unsigned char *bytes = st_case_bytes(&st_cases[2], &size);
    FILE *out = fopen(path, "wb");
    fwrite(bytes, 1, size, out);
    fflush(out);
    int grown = ftruncate(fileno(out), (off_t)1 << 36);
    fclose(out);
    free(bytes);
    bex_st_file *f = grown == 0 ? bex_st_load(path) : NULL;
    unlink(path);
    if (grown < 0) skip(); // a file system without sparse files
    assert_null(f);
    assert_message("bytes at the end belong to no tensor");
}

static void paths_that_are_no_files(void **state) {
    (void)state;
    assert_null(bex_st_load("/no/such.safetensors"));
    assert_message("/no/such.safetensors': No such file");
    assert_null(bex_st_load("/"));
    assert_message("'/' is not a regular file");
    assert_null(bex_st_load("/dev/zero"));
    assert_message("'/dev/zero' is not a regular file");
    // nobody writes to it: the reader must not wait
    const char *fifo = scratch_path("fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    alarm(60);
    assert_null(bex_st_load(fifo));
    assert_message("is not a regular file");
    unsigned long long digest;
    long long size;
    assert_int_equal(bex_file_digest(&digest, &size, fifo), -1);
    assert_message("is not a regular file");
    alarm(0);
    unlink(fifo);
}

static void wrong_requests_are_refused(void **state) {
    (void)state;
    bex_st_file *f = load_golden("dtypes.safetensors");
    bex_real v[15];
    double d[15];
    assert_int_equal(bex_st_read_real(f, "f32", v, 2, dims(3, 5)), 0);
    assert_int_equal(bex_st_read_real(f, "f32", v, 2, dims(5, 3)), -1);
    assert_message("dtypes.safetensors: tensor 'f32': its shape is (3, 5), (5, 3) is needed");
    assert_int_equal(bex_st_read_real(f, "f32", v, 1, dims(15, 0)), -1);
    assert_message("its shape is (3, 5), (15) is needed");
    assert_int_equal(bex_st_read_f64(f, "scalar", d, 1, dims(1, 0)), -1);
    assert_message("its shape is (), (1) is needed");
    assert_int_equal(bex_st_read_real(f, "f3", v, 2, dims(3, 5)), -1);
    assert_message("no tensor 'f3' (the nearest is 'f");
    assert_int_equal(bex_st_read_real(f, "something else", v, 0, NULL), -1);
    assert_message("dtypes.safetensors: no tensor 'something else'");
    assert_int_equal(bex_st_read_real(f, "i32", v, 1, dims(5, 0)), -1);
    assert_message("its dtype is I32, a floating one is needed");
    assert_int_equal(bex_st_read(f, "i32", BEX_ST_I64, v, 1, dims(5, 0)), -1);
    assert_message("its dtype is I32, I64 is needed");
    bex_st_free(f);
}

static void wrong_values_are_refused(void **state) {
    (void)state;
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 1e300};
    st_case c = {"{" ENTRY("a", "F64", "2", "0", "16") "}", 16, NULL};
    size_t size;
    unsigned char *bytes = st_case_bytes(&c, &size);
    for (int i = 0; i < 4; i++) {
        const double pair[2] = {1, wrong[i]};
        memcpy(bytes + size - 16, pair, 16);
        bex_st_file *f = bex_st_parse(bytes, size, "x");
        assert_non_null(f);
        bex_real v[2] = {5, 5};
        double d[2];
        bool fits = i == 3 && sizeof(bex_real) == 8;
        assert_int_equal(bex_st_read_real(f, "a", v, 1, dims(2, 0)), fits ? 0 : -1);
        if (!fits)
            assert_message(i == 3 ? "x: tensor 'a': element 1 is 1e+300, too large" : "not finite");
        assert_int_equal(bex_st_read_f64(f, "a", d, 1, dims(2, 0)), i == 3 ? 0 : -1);
        bex_st_free(f);
    }
    free(bytes);
    // a BOOL that is neither
    c = (st_case){"{" ENTRY("a", "BOOL", "2", "0", "2") "}", 2, NULL};
    bytes = st_case_bytes(&c, &size);
    bytes[size - 1] = 2;
    assert_null(bex_st_parse(bytes, size, "x"));
    assert_message("x: tensor 'a': element 1 is 2, a BOOL is 0 or 1");
    free(bytes);
}

static void failed_saves_leave_the_old_file(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("full.safetensors"));
    static bex_real zeros[100000];
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_real(w, "small", 1, dims(1, 0), zeros);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_add_real(w, "large", 1, dims(100000, 0), zeros);
    // a disk that is full after 20 kB
    struct rlimit was, small;
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = 20000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int code = bex_st_save(w, path);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(code, -1);
    assert_message("full.safetensors': File too large");
    // metadata that no JSON can hold
    bex_st_add_metadata(w, "command", "caf\xe9");
    assert_int_equal(bex_st_save(w, path), -1);
    assert_message("full.safetensors: metadata 'command' is not UTF-8");
    bex_st_writer_free(w);
    bex_st_file *f = bex_st_load(path);
    assert_non_null(f);
    assert_int_equal(bex_st_count(f), 1);
    bex_st_free(f);
    char temporary[600];
    snprintf(temporary, sizeof temporary, "%s.tmp-%d", path, (int)getpid());
    assert_int_not_equal(access(temporary, F_OK), 0);
    unlink(path);
    w = bex_st_writer_new();
    assert_int_equal(bex_st_save(w, "/no/such/x.safetensors"), -1);
    assert_message("/no/such/x.safetensors");
    bex_st_writer_free(w);
}

// memory that runs out while tensors are added is told by the save, which leaves the old file
static void no_memory_is_told_by_save(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("short.safetensors"));
    const bex_real x[3] = {1, 2, 3};
    for (long n = 1, live = malloc_live();; n++) {
        malloc_fail(n, false);
        bex_st_writer *w = bex_st_writer_new();
        bex_st_add_metadata(w, "key", "value");
        char name[] = "a";
        for (; name[0] < 'a' + 20; name[0]++) bex_st_add_real(w, name, 1, dims(3, 0), x);
        int half = bex_st_add_half(w, "half", 1, dims(3, 0), x);
        int code = bex_st_save(w, path);
        bool failed = malloc_fail(0, false) > 0;
        bex_st_writer_free(w);
        assert_true(malloc_live() == live);
        if (half < 0 || code < 0) {
            assert_true(failed);
            assert_message("memory");
        }
        if (!failed) break;
        if (code == 0)
            unlink(path); // half, which said so, was left out; or the stream did without its buffer
        assert_int_not_equal(access(path, F_OK), 0);
    }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pytorch_halves_convert_exactly),
        cmocka_unit_test(pytorch_values_are_read),
        cmocka_unit_test(writing_a_golden_gives_its_bytes),
        cmocka_unit_test(every_dtype_round_trips),
        cmocka_unit_test(reals_round_trip),
        cmocka_unit_test(unaligned_tensors_are_usable),
        cmocka_unit_test(every_f16_is_read),
        cmocka_unit_test(halves_round_to_nearest),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(header_lengths_are_checked),
        cmocka_unit_test(huge_files_are_judged_by_their_header),
        cmocka_unit_test(paths_that_are_no_files),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(failed_saves_leave_the_old_file),
        cmocka_unit_test(no_memory_is_told_by_save),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
