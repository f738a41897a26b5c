/* The kinds of phi: their formulas, reproducibility, selection of dims, files, and errors. */
#include "coverage/feature.h"

#include "sample.h"

static bex_feature *make(bex_feature_options o) {
    return need(bex_feature_new(&o));
}

static void refuse(bex_feature_options o, const char *part) {
    bex_error_clear();
    assert_null(bex_feature_new(&o));
    assert_message(part);
}

// saved and read back
static bex_feature *through_file(const bex_feature *f, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path(name));
    bex_st_writer *w = need(bex_st_writer_new());
    bex_feature_save(f, w);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *file = need(bex_st_load(path));
    bex_feature *back = need(bex_feature_load(file));
    bex_st_free(file);
    unlink(path);
    return back;
}

static bex_real *eval(const bex_feature *f, const bex_real *s, size_t n, const bex_real *ref) {
    bex_real *out = need(malloc(n * (size_t)bex_feature_shape(f).d * sizeof *out));
    if (bex_feature_eval(f, out, s, n, ref, 1) < 0) fail_msg("%s", bex_error());
    return out;
}

static void default_sizes_are_the_papers(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        int d, wide;
    } expected[] = {{"mlp", 32, 32}, {"cosine", 16, 16}, {"cosine_relative", 16, 32}};
    for (int i = 0; i < 3; i++) {
        bex_feature *f = make((bex_feature_options){.kind = expected[i].kind, .input = 9});
        assert_string_equal(bex_feature_kind(f), expected[i].kind);
        assert_int_equal(bex_feature_shape(f).d, expected[i].d);
        assert_int_equal(bex_feature_wide(f).d, expected[i].wide);
        bex_feature_free(f);
    }
}

// read the tensors of a saved phi, recompute it from them alone
static bex_st_file *tensors(const bex_feature *f, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path(name));
    bex_st_writer *w = need(bex_st_writer_new());
    bex_feature_save(f, w);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *file = need(bex_st_load(path));
    unlink(path);
    return file;
}

static double *doubles(const bex_st_file *file, const char *name, int rank, int64_t a, int64_t b) {
    int64_t dim[2] = {a, b};
    double *out = need(malloc((size_t)(a * (rank == 2 ? b : 1)) * sizeof *out));
    if (bex_st_read_f64(file, name, out, rank, dim) < 0) fail_msg("%s", bex_error());
    return out;
}

static void layer(double *y, const double *x, const double *w, const double *b, int out, int in,
                  bool relu) {
    for (int o = 0; o < out; o++) {
        y[o] = b[o];
        for (int i = 0; i < in; i++) y[o] += w[o * in + i] * x[i];
        if (relu && y[o] < 0) y[o] = 0;
    }
}

static void mlp_is_three_layers(void **state) {
    (void)state;
    enum { IN = 29, HIDDEN = 128, OUT = 32, ROWS = 300 };
    bex_feature *f = make((bex_feature_options){.kind = "mlp", .input = IN, .seed = 5});
    bex_st_file *file = tensors(f, "mlp");
    static const int size[4] = {IN, HIDDEN, HIDDEN, OUT};
    double *w[3], *b[3], h[2][HIDDEN], y[OUT];
    for (int l = 0; l < 3; l++) {
        char name[32];
        snprintf(name, sizeof name, "phi.%d.weight", l);
        w[l] = doubles(file, name, 2, size[l + 1], size[l]);
        snprintf(name, sizeof name, "phi.%d.bias", l);
        b[l] = doubles(file, name, 1, size[l + 1], 0);
        // uniform within 1 / sqrt(fan_in), and it reaches the ends
        double most = 0, mean = 0, bound = 1 / sqrt(size[l]);
        int n = size[l] * size[l + 1];
        for (int i = 0; i < n; i++) most = fmax(most, fabs(w[l][i])), mean += w[l][i] / n;
        assert_true(most <= bound * 1.0001 && most > 0.99 * bound);
        assert_true(fabs(mean) < 5 * bound / sqrt(3.0 * n));
        for (int i = 0; i < size[l + 1]; i++) assert_true(fabs(b[l][i]) <= bound * 1.0001);
    }
    bex_real *s = normals(ROWS * IN, 6), *out = eval(f, s, ROWS, NULL);
    for (int r = 0; r < ROWS; r++) {
        double x[IN];
        for (int i = 0; i < IN; i++) x[i] = (double)s[r * IN + i];
        layer(h[0], x, w[0], b[0], HIDDEN, IN, true);
        layer(h[1], h[0], w[1], b[1], HIDDEN, HIDDEN, true);
        layer(y, h[1], w[2], b[2], OUT, HIDDEN, false);
        for (int o = 0; o < OUT; o++) assert_true(fabs((double)out[r * OUT + o] - y[o]) < 2e-6);
    }
    for (int l = 0; l < 3; l++) free(w[l]), free(b[l]);
    bex_st_free(file), free(s), free(out), bex_feature_free(f);
}

static void cosines_select_standardise_and_scale(void **state) {
    (void)state;
    enum { O = 6, ROWS = 200, D = 40 };
    static const int dims[] = {4, 1};
    static const bex_real mean[O] = {0, 2, 0, 0, -1, 0}, std[O] = {1, R(0.5), 1, 1, 3, 0};
    bex_feature *f = make((bex_feature_options){.kind = "cosine",
                                                .input = O,
                                                .dims = dims,
                                                .dims_count = 2,
                                                .out = D,
                                                .bandwidth = 2,
                                                .seed = 7,
                                                .mean = mean,
                                                .std = std});
    bex_st_file *file = tensors(f, "cosine");
    double *a = doubles(file, "phi.weight", 2, D, 2), *b = doubles(file, "phi.bias", 1, D, 0);
    double variance = 0;
    for (int i = 0; i < 2 * D; i++) variance += a[i] * a[i] / (2 * D);
    assert_true(variance > 2 && variance < 7); // bandwidth^2 = 4
    for (int i = 0; i < D; i++) assert_true(b[i] >= 0 && b[i] < 6.2832);
    bex_real *s = normals(ROWS * O, 8), *out = eval(f, s, ROWS, NULL);
    s[0] = R(NAN); // not selected: nobody looks
    for (int r = 0; r < ROWS; r++) {
        double x = ((double)s[r * O + 4] + 1) / 3, y = ((double)s[r * O + 1] - 2) / 0.5;
        for (int i = 0; i < D; i++)
            assert_true(fabs((double)out[r * D + i] - cos(a[2 * i] * x + a[2 * i + 1] * y + b[i])) <
                        1e-5);
    }
    free(a), free(b), bex_st_free(file), free(s), free(out), bex_feature_free(f);
}

static void relative_features_move_with_the_reference(void **state) {
    (void)state;
    enum { O = 5, ROWS = 130, D = 16 };
    static const int dims[] = {0, 1, 2};
    bex_feature *f = make((bex_feature_options){
        .kind = "cosine_relative", .input = O, .dims = dims, .dims_count = 3, .seed = 9});
    bex_real *s = normals(ROWS * O, 10), shifted[ROWS * O];
    for (int i = 0; i < ROWS * O; i++) shifted[i] = s[i] + R(0.25);
    bex_real *a = eval(f, s, ROWS, s), *b = eval(f, shifted, ROWS, shifted);
    for (int i = 0; i < ROWS * D; i++) assert_true(fabs((double)(a[i] - b[i])) < 1e-5);
    // sums over the wide features, contracted, are sums of the relative ones
    bex_gram_shape shape = bex_feature_shape(f), wide = bex_feature_wide(f);
    bex_real *w = need(malloc(ROWS * (size_t)wide.d * sizeof *w));
    assert_int_equal(bex_feature_eval_wide(f, w, s, ROWS, 1), 0);
    double *direct = empty_sum(shape), *g = empty_sum(wide), *seen = empty_sum(shape);
    for (int reference = 0; reference < ROWS; reference += 40) {
        bex_real *phi = eval(f, s, ROWS, s + reference * O);
        bex_gram_zero(shape, direct), bex_gram_zero(wide, g);
        bex_gram_rows(shape, direct, phi, ROWS, BEX_GRAM_ADD);
        bex_gram_rows(wide, g, w, ROWS, BEX_GRAM_ADD);
        bex_feature_contract(f, seen, g, w + reference * wide.d);
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                assert_true(
                    fabs(bex_gram_at(shape, seen, i, j) - bex_gram_at(shape, direct, i, j)) < 1e-4);
        free(phi);
    }
    free(s), free(a), free(b), free(w), free(direct), free(g), free(seen), bex_feature_free(f);
}

static void onehot_of_integers_and_of_a_grid(void **state) {
    (void)state;
    bex_feature *f = make((bex_feature_options){.kind = "onehot", .input = 1, .out = 5});
    bex_real *out = eval(f, (bex_real[]){3, 0}, 2, NULL);
    static const bex_real expected[] = {0, 0, 0, 1, 0, 1, 0, 0, 0, 0};
    assert_memory_equal(out, expected, sizeof expected);
    assert_true(bex_feature_shape(f).diagonal);
    int32_t cells[4];
    static const bex_real wrong[] = {5, -1, R(0.5), R(NAN)};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(bex_feature_cells(f, cells, wrong + i, 1, 1), -1);
        assert_message(i < 3 ? "is not an integer in 0 to 4" : "dim 0 is not finite");
    }
    bex_real dense[3 * 5];
    assert_int_equal(bex_feature_eval(f, dense, (bex_real[]){1, 2, 7}, 3, NULL, 1), -1);
    assert_message("state 2: 7 is not an integer");
    free(out), bex_feature_free(f);

    static const int dims[] = {2, 0}, bins[] = {3, 4};
    static const bex_real low[] = {-1, 10}, bin[] = {R(0.5), 2};
    f = make((bex_feature_options){.kind = "onehot",
                                   .input = 3,
                                   .dims = dims,
                                   .dims_count = 2,
                                   .low = low,
                                   .bin = bin,
                                   .bins = bins});
    assert_int_equal(bex_feature_shape(f).d, 12);
    static const bex_real s[] = {11, 0, R(-0.75), 15, 0, R(-0.2), -99, 0, 99, 99, 0, R(-1.5)};
    assert_int_equal(bex_feature_cells(f, cells, s, 4, 1), 0);
    assert_int_equal(cells[0], 0);
    assert_int_equal(cells[1], 1 * 4 + 2);
    assert_int_equal(cells[2], 2 * 4 + 0); // outside: the edge cells
    assert_int_equal(cells[3], 0 * 4 + 3);
    bex_feature *back = through_file(f, "grid");
    int32_t again[4];
    assert_int_equal(bex_feature_cells(back, again, s, 4, 1), 0);
    assert_memory_equal(again, cells, sizeof cells);
    bex_feature_free(back), bex_feature_free(f);
}

static void seed_and_file_reproduce_phi(void **state) {
    (void)state;
    enum { O = 7, ROWS = 50 };
    static const char *const kinds[] = {"mlp", "cosine", "cosine_relative"};
    bex_real *s = normals(ROWS * O, 20), std[O], mean[O];
    for (int i = 0; i < O; i++) mean[i] = R(i), std[i] = R(1 + i);
    for (int k = 0; k < 3; k++) {
        bex_feature_options o = {
            .kind = kinds[k], .input = O, .seed = 21, .mean = mean, .std = std, .hidden = 33};
        bex_feature *f = make(o), *same = make(o), *loaded = through_file(f, kinds[k]);
        o.seed = 22;
        bex_feature *other = make(o);
        const bex_real *ref = k == 2 ? s : NULL;
        size_t bytes = ROWS * (size_t)bex_feature_shape(f).d * sizeof *s;
        bex_real *a = eval(f, s, ROWS, ref), *b = eval(same, s, ROWS, ref);
        bex_real *c = eval(loaded, s, ROWS, ref), *d = eval(other, s, ROWS, ref);
        assert_memory_equal(a, b, bytes);
        assert_memory_equal(a, c, bytes);
        assert_memory_not_equal(a, d, bytes);
        free(a), free(b), free(c), free(d);
        bex_feature_free(f), bex_feature_free(same), bex_feature_free(loaded);
        bex_feature_free(other);
    }
    free(s);
}

static void threads_and_batch_do_not_change_a_bit(void **state) {
    (void)state;
    enum { O = 29, ROWS = 1003, D = 32 };
    bex_feature *f = make((bex_feature_options){.kind = "mlp", .input = O, .seed = 23});
    bex_real *s = normals(ROWS * O, 24), *a = eval(f, s, ROWS, NULL);
    bex_real *b = need(malloc(ROWS * D * sizeof *b));
    for (int threads = 2; threads <= 5; threads++) {
        assert_int_equal(bex_feature_eval(f, b, s, ROWS, NULL, threads), 0);
        assert_memory_equal(a, b, ROWS * D * sizeof *b);
    }
    for (int r = 0; r < ROWS; r += 101) {
        bex_real *one = eval(f, s + r * O, 1, NULL);
        assert_memory_equal(one, a + r * D, D * sizeof *one);
        free(one);
    }
    free(s), free(a), free(b), bex_feature_free(f);
}

static void bad_states_name_the_first_row(void **state) {
    (void)state;
    enum { O = 3, ROWS = 700 };
    bex_feature *f = make((bex_feature_options){.kind = "mlp", .input = O});
    bex_real *s = normals(ROWS * O, 25), *out = need(malloc(ROWS * 32 * sizeof *out));
    s[650 * O + 1] = R(INFINITY), s[300 * O + 2] = R(NAN);
    for (int threads = 1; threads < 4; threads++) {
        assert_int_equal(bex_feature_eval(f, out, s, ROWS, NULL, threads), -1);
        assert_message("state 300: dim 2 is not finite");
    }
    free(s), free(out), bex_feature_free(f);
}

static void wrong_options_are_explained(void **state) {
    (void)state;
    static const int twice[] = {1, 1}, far[] = {4}, bins[] = {100, 100}, none[] = {0};
    static const bex_real zero[] = {0, 0, 0}, one[] = {1, 1, 1};
    refuse((bex_feature_options){.kind = "cosin", .input = 3}, "did you mean cosine?");
    refuse((bex_feature_options){.kind = "transformer", .input = 3}, "onehot, mlp, cosine");
    refuse((bex_feature_options){.kind = "mlp", .input = 0}, "0 dims");
    refuse((bex_feature_options){.kind = "mlp", .input = 300}, "300 dims selected");
    refuse((bex_feature_options){.kind = "mlp", .input = 3, .out = 129}, "1 to 128");
    refuse((bex_feature_options){.kind = "cosine_relative", .input = 3, .out = 65}, "1 to 64");
    refuse((bex_feature_options){.kind = "mlp", .input = 3, .hidden = -1}, "hidden");
    refuse((bex_feature_options){.kind = "cosine", .input = 3, .bandwidth = -1}, "bandwidth");
    refuse((bex_feature_options){.kind = "cosine", .input = 3, .bandwidth = (double)NAN},
           "bandwidth");
    refuse((bex_feature_options){.kind = "mlp", .input = 3, .dims = twice, .dims_count = 2},
           "dim 1 is selected twice");
    refuse((bex_feature_options){.kind = "mlp", .input = 3, .dims = far, .dims_count = 1},
           "dim 4 of states of 3");
    refuse((bex_feature_options){.kind = "mlp", .input = 3, .mean = zero, .std = zero},
           "dim 0 is constant");
    refuse((bex_feature_options){.kind = "onehot", .input = 3}, "onehot");
    refuse((bex_feature_options){.kind = "onehot", .input = 2, .out = 4}, "takes one dim");
    refuse(
        (bex_feature_options){.kind = "onehot", .input = 2, .low = zero, .bin = one, .bins = bins},
        "1 to 8192 cells");
    refuse(
        (bex_feature_options){.kind = "onehot", .input = 1, .low = zero, .bin = one, .bins = none},
        "1 to 8192 cells");
    refuse(
        (bex_feature_options){.kind = "onehot", .input = 1, .low = zero, .bin = zero, .bins = bins},
        "bins of size 0");
}

static void damaged_files_are_explained(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("damaged"));
    static const int64_t shape[] = {3, 16, 128, 0}, dims[] = {0, 1, 2}, wrong[] = {0, 1, 9};
    bex_real *weight = normals(16 * 3, 26);
    static const struct {
        const char *kind;
        const int64_t *dims;
        int rows;
        const char *message;
    } cases[] = {
        {NULL, dims, 16, "phi.kind"},     {"cosina", dims, 16, "did you mean cosine"},
        {"cosine", wrong, 16, "dim 9"},   {"cosine", dims, 15, "phi.weight"},
        {"cosine", dims, 16, "phi.bias"}, {"mlp", dims, 16, "phi.0.weight"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_st_writer *w = need(bex_st_writer_new());
        if (cases[i].kind) bex_st_add_metadata(w, "phi.kind", cases[i].kind);
        bex_st_add(w, "phi.shape", BEX_ST_I64, 1, (int64_t[]){4}, shape);
        bex_st_add(w, "phi.dims", BEX_ST_I64, 1, (int64_t[]){3}, cases[i].dims);
        bex_st_add_real(w, "phi.weight", 2, (int64_t[]){cases[i].rows, 3}, weight);
        assert_int_equal(bex_st_save(w, path), 0);
        bex_st_writer_free(w);
        bex_st_file *file = need(bex_st_load(path));
        assert_null(bex_feature_load(file));
        assert_message(cases[i].message);
        bex_st_free(file);
    }
    unlink(path);
    free(weight);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_sizes_are_the_papers),
        cmocka_unit_test(mlp_is_three_layers),
        cmocka_unit_test(cosines_select_standardise_and_scale),
        cmocka_unit_test(relative_features_move_with_the_reference),
        cmocka_unit_test(onehot_of_integers_and_of_a_grid),
        cmocka_unit_test(seed_and_file_reproduce_phi),
        cmocka_unit_test(threads_and_batch_do_not_change_a_bit),
        cmocka_unit_test(bad_states_name_the_first_row),
        cmocka_unit_test(wrong_options_are_explained),
        cmocka_unit_test(damaged_files_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
