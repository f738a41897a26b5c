/* Parameter blocks: registration, initial values, files. */
#include "nn/adam.h"
#include "nn/ops.h"
#include "nn/param.h"
#include "nn/param_file.h"
#include "nn/tape.h"

#include "malloc_count.h"
#include "test.h"

#include <limits.h>
#include <math.h>

static bex_params *small(bool reversed) {
    bex_params *p = bex_params_new();
    for (int i = 0; i < 2; i++)
        if (i == reversed)
            bex_param_add(p, BEX_INIT_XAVIER, 2, BEX_DIMS(30, 20), "a.%s", "weight");
        else
            bex_param_add(p, BEX_INIT_UNIFORM(20), 1, BEX_DIMS(30), "a.bias");
    bex_params_build(p, 2, bex_rng_seed(4));
    return p;
}

static void layout_and_lookup(void **state) {
    (void)state;
    bex_params *p = small(false);
    const bex_param *w = bex_param_find(p, "a.weight"), *b = bex_param_find(p, "a.bias");
    assert_non_null(w);
    assert_null(bex_param_find(p, "a.weigh"));
    assert_int_equal(bex_params_total(p), 630);
    assert_int_equal(b->offset % 16, 0);
    assert_true(bex_param_value(b) == p->value + b->offset);
    assert_true(bex_param_grad(b, 1) == p->grad + p->count + b->offset);
    assert_int_equal((uintptr_t)p->value % 64, 0);
    bex_params_free(p);
}

static void values_do_not_depend_on_the_order(void **state) {
    (void)state;
    bex_params *p = small(false), *q = small(true);
    const char *names[] = {"a.weight", "a.bias"};
    for (int i = 0; i < 2; i++) {
        const bex_param *a = bex_param_find(p, names[i]), *b = bex_param_find(q, names[i]);
        assert_memory_equal(bex_param_value(a), bex_param_value(b), a->count * sizeof(bex_real));
    }
    bex_params_free(p);
    bex_params_free(q);
}

// mean, largest absolute value and variance
static void moments(const bex_real *x, size_t n, double *mean, double *largest, double *variance) {
    *mean = *largest = *variance = 0;
    for (size_t i = 0; i < n; i++) {
        *mean += (double)x[i] / (double)n;
        *largest = fmax(*largest, fabs((double)x[i]));
        *variance += (double)x[i] * (double)x[i] / (double)n;
    }
}

static void uniform_inits_have_their_bounds(void **state) {
    (void)state;
    enum { OUT = 60, IN = 90 };
    static bex_real x[OUT * IN];
    const int dim[2] = {OUT, IN};
    struct {
        bex_init init;
        double bound;
    } cases[] = {{BEX_INIT_XAVIER, sqrt(6.0 / (OUT + IN))}, {BEX_INIT_UNIFORM(IN), 1 / sqrt(IN)}};
    for (int k = 0; k < 2; k++) {
        double mean, largest, variance, bound = cases[k].bound;
        bex_init_fill(x, cases[k].init, 2, dim, bex_rng_seed(1));
        moments(x, OUT * IN, &mean, &largest, &variance);
        assert_true(largest <= bound * (1 + 1e-6) && largest > 0.99 * bound);
        assert_true(fabs(mean) < 5 * bound / sqrt(3.0 * OUT * IN));
        assert_true(fabs(variance / (bound * bound / 3) - 1) < 0.05);
    }
    double mean, largest, variance;
    bex_init_fill(x, BEX_INIT_NORMAL, 2, dim, bex_rng_seed(1));
    moments(x, OUT * IN, &mean, &largest, &variance);
    assert_true(fabs(mean) < 0.07 && fabs(variance - 1) < 0.1);
}

static void orthogonal(void **state) {
    (void)state;
    const int shapes[][3] = {{2, 5, 12}, {2, 12, 5}, {2, 7, 7}};
    for (int k = 0; k < 3; k++) {
        int rows = shapes[k][1], columns = shapes[k][2];
        bex_real x[2 * 12 * 12];
        bex_init_fill(x, BEX_INIT_ORTHOGONAL(2), 3, shapes[k], bex_rng_seed(3));
        for (int e = 0; e < 2; e++) {
            const bex_real *m = x + e * rows * columns;
            bool wide = rows < columns;
            int few = wide ? rows : columns, many = wide ? columns : rows;
            for (int a = 0; a < few; a++)
                for (int b = 0; b < few; b++) {
                    double dot = 0;
                    for (int j = 0; j < many; j++)
                        dot += (double)(wide ? m[a * columns + j] : m[j * columns + a]) *
                               (double)(wide ? m[b * columns + j] : m[j * columns + b]);
                    assert_true(fabs(dot - (a == b ? 4 : 0)) < 1e-5);
                }
        }
        assert_true(memcmp(x, x + rows * columns, sizeof(bex_real)) != 0); // members differ
    }
}

static void values_and_state_survive_a_file(void **state) {
    (void)state;
    char path[2][512];
    snprintf(path[0], sizeof path[0], "%s", scratch_path("model.safetensors"));
    snprintf(path[1], sizeof path[1], "%s", scratch_path("state.safetensors"));
    bex_params *p = small(false), *q = small(true);
    bex_adam adam = BEX_ADAM_INIT;
    adam.ema_decay = 0.9;
    for (size_t i = 0; i < p->count; i++) p->grad[i] = (bex_real)(i % 7);
    for (int i = 0; i < 3; i++) bex_adam_step(p, &adam, 0.1, 1);
    for (int k = 0; k < 2; k++) {
        bex_st_writer *w = bex_st_writer_new();
        if (k)
            bex_params_add_state(p, w);
        else
            bex_params_add_values(p, w);
        assert_int_equal(bex_st_save(w, path[k]), 0);
        bex_st_writer_free(w);
        bex_st_file *f = bex_st_load(path[k]);
        assert_non_null(f);
        assert_int_equal(k ? bex_params_read_state(q, f) : bex_params_read_values(q, f), 0);
        bex_st_free(f);
        unlink(path[k]);
    }
    // q registered in another order: compare by name
    for (int i = 0; i < p->params; i++) {
        const bex_param *a = p->param[i], *b = bex_param_find(q, a->name);
        size_t bytes = a->count * sizeof(bex_real);
        assert_memory_equal(p->value + a->offset, q->value + b->offset, bytes);
        assert_memory_equal(p->ema + a->offset, q->ema + b->offset, bytes);
        assert_memory_equal(p->m + a->offset, q->m + b->offset, bytes);
        assert_memory_equal(p->v + a->offset, q->v + b->offset, bytes);
    }
    assert_int_equal(q->step, 3);
    bex_params_free(p);
    bex_params_free(q);
}

static void a_missing_or_misshapen_tensor_is_named(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("other.safetensors"));
    bex_params *p = small(false);
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_real(w, "a.weight", 2, (int64_t[]){20, 30}, p->value);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_file *f = bex_st_load(path);
    assert_true(bex_params_read_values(p, f) < 0);
    assert_message("a.weight");
    assert_true(bex_params_read_state(p, f) < 0);
    assert_message("adam.step");
    bex_st_free(f);
    bex_st_writer_free(w);
    unlink(path);
    bex_params_free(p);
}

// a state file from elsewhere: updates done are counted on from there
static void a_step_that_cannot_be_is_refused(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("step.safetensors"));
    static const long steps[] = {-1, LONG_MIN, LONG_MAX, 3};
    for (int i = 0; i < 4; i++) {
        bex_params *p = small(false);
        assert_int_equal(bex_params_moments(p), 0);
        p->step = steps[i];
        bex_st_writer *w = bex_st_writer_new();
        bex_params_add_state(p, w);
        assert_int_equal(bex_st_save(w, path), 0);
        bex_st_writer_free(w);
        bex_st_file *f = bex_st_load(path);
        p->step = 0;
        int code = bex_params_read_state(p, f);
        if (steps[i] == 3) {
            assert_true(code == 0 && p->step == 3);
        } else {
            assert_true(code == -1 && p->step == 0);
            assert_message("tensor 'adam.step' is ");
        }
        bex_st_free(f);
        bex_params_free(p);
    }
    unlink(path);
}

// registration goes on without memory, what is built of it fails; nothing is lost
static void no_memory_is_told_by_build(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    for (long n = 1, live = malloc_live();; n++) {
        malloc_fail(n, false);
        bex_params *p = bex_params_new();
        for (int i = 0; i < 40; i++)
            assert_non_null(bex_param_add(p, BEX_INIT_ZERO, 2, BEX_DIMS(3, 4), "w.%d", i));
        int code = bex_params_build(p, 1, bex_rng_seed(0));
        if (code == 0) code = bex_params_moments(p);
        if (code == 0) code = bex_params_ema(p);
        if (code == 0) code = bex_params_pack(p, 1);
        bool failed = malloc_fail(0, false) > 0;
        assert_int_equal(code, failed ? -1 : 0);
        if (failed) assert_message("out of memory");
        bex_params_free(p);
        assert_true(malloc_live() == live);
        if (!failed) break;
    }
}

/* ---- the packed copy ---- */

typedef struct {
    bex_params *params;
    const bex_param *w, *b, *members, *odd;
} layers;

static layers layers_of(int lanes) {
    layers l = {.params = bex_params_new()};
    l.w = bex_param_add(l.params, BEX_INIT_NORMAL, 2, BEX_DIMS(96, 40), "w");
    l.b = bex_param_add(l.params, BEX_INIT_NORMAL, 1, BEX_DIMS(96), "b");
    l.members = bex_param_add(l.params, BEX_INIT_NORMAL, 3, BEX_DIMS(3, 21, 96), "members");
    l.odd = bex_param_add(l.params, BEX_INIT_NORMAL, 2, BEX_DIMS(9, 40), "odd");
    bex_params_build(l.params, lanes, bex_rng_seed(8));
    return l;
}

// every kind of linear layer, forward and backward; the result and all gradients, added to what they were
static size_t run_layers(const layers *l, bex_real *out) {
    enum { M = 7, IN = 40 };
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    bex_real x[M * IN];
    for (int i = 0; i < M * IN; i++) x[i] = R(0.01) * (bex_real)(i % 37 - 18);
    bex_tape_init(&tape, arena);
    if (l->params->blocks) bex_tape_train(&tape, l->params);
    bex_tensor *in = bex_constant(&tape, x, 2, BEX_DIMS(M, IN));
    bex_tensor *h = bex_linear(&tape, in, l->w, l->b, BEX_ACTIVATION_GELU);
    bex_tensor *e = bex_linear(&tape, h, l->members, NULL, BEX_ACTIVATION_ID);
    bex_tensor *r = bex_linear_rows(&tape, in, l->w, l->b, 32, 64, BEX_ACTIVATION_ID);
    bex_tensor *s =
        bex_linear_rows(&tape, bex_linear_rows(&tape, in, l->w, l->b, 5, 40, BEX_ACTIVATION_ID),
                        l->odd, NULL, 3, 6, BEX_ACTIVATION_ID);
    const bex_tensor *result[] = {e, r, s};
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        memcpy(out + n, result[i]->data, bex_count(result[i]) * sizeof *out);
        n += bex_count(result[i]);
    }
    if (l->params->blocks) {
        bex_tensor *loss = bex_sum_all(&tape, bex_square(&tape, e), 0.5);
        loss = bex_add(&tape, loss, bex_sum_all(&tape, bex_square(&tape, r), 0.5));
        bex_backward(&tape, bex_add(&tape, loss, bex_sum_all(&tape, bex_square(&tape, s), 0.5)));
        memcpy(out + n, l->params->grad, l->params->count * sizeof *out);
        n += l->params->count;
    }
    bex_arena_free(arena);
    return n * sizeof *out;
}

static void fill_gradients(const bex_params *p, bex_real with) {
    for (int i = 0; i < p->params; i++)
        for (size_t k = 0; k < p->param[i]->count; k++) bex_param_grad(p->param[i], 0)[k] = with;
}

// two passes that begin with garbage come to what two passes that begin with zeros do
static void gradients_are_set_or_added_to(void **state) {
    (void)state;
    static bex_real added[20000], set[20000];
    layers l = layers_of(1);
    bex_params_zero_grad(l.params);
    run_layers(&l, added);
    size_t n = run_layers(&l, added) / sizeof *added;
    fill_gradients(l.params, (bex_real)NAN);
    bex_params_begin(l.params, 0);
    run_layers(&l, set);
    run_layers(&l, set);
    bex_params_end(l.params, 0);
    for (size_t i = 0; i < n; i++) assert_true(set[i] == added[i]); // zeros of either sign
    bex_params_free(l.params);
}

// zeros: parameters that no pass reached, and members of an ensemble beside the one that was
static void gradients_that_nobody_set_are_zero(void **state) {
    (void)state;
    enum { M = 2, IN = 96 };
    layers l = layers_of(1);
    bex_real x[M * IN];
    for (int i = 0; i < M * IN; i++) x[i] = R(1);
    fill_gradients(l.params, (bex_real)NAN);
    bex_params_begin(l.params, 0);
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    bex_tape_init(&tape, arena);
    bex_tape_train(&tape, l.params);
    bex_param one = bex_param_member(l.members, 1);
    bex_tensor *y = bex_linear(&tape, bex_constant(&tape, x, 2, BEX_DIMS(M, IN)), &one, NULL,
                               BEX_ACTIVATION_ID);
    bex_backward(&tape, bex_sum_all(&tape, y, 1));
    bex_params_end(l.params, 0);
    for (int i = 0; i < l.params->params; i++) {
        const bex_param *q = l.params->param[i];
        for (size_t k = 0; k < q->count; k++) {
            bool reached = q == l.members && k / one.count == 1;
            assert_true(bex_param_grad(q, 0)[k] == (reached ? R(M) : R(0)));
        }
    }
    bex_arena_free(arena);
    bex_params_free(l.params);
}

static void packed_layers_give_the_same_bits(void **state) {
    (void)state;
    static bex_real plain[20000], packed[20000];
    for (int lanes = 0; lanes < 2; lanes++) {
        layers l = layers_of(lanes);
        assert_null(bex_param_panels(l.w, BEX_PANELS_Y, 0));
        size_t bytes = run_layers(&l, plain);
        bex_params_zero_grad(l.params);
        bex_params_pack(l.params, 2);
        assert_non_null(bex_param_panels(l.members, BEX_PANELS_Y, 2));
        assert_true(!bex_param_panels(l.w, BEX_PANELS_DX, 0) == !lanes);
        run_layers(&l, packed);
        assert_memory_equal(plain, packed, bytes);
        bex_params_free(l.params);
    }
}

// after each way to write values, old panels are not read and new ones are of the new values
static void written_values_are_packed_anew(void **state) {
    (void)state;
    static bex_real before[20000], plain[20000], packed[20000];
    layers l = layers_of(1), other = layers_of(1);
    bex_adam adam = BEX_ADAM_INIT;
    bex_param_edit(other.w)[3] = R(0.5);
    size_t bytes = run_layers(&l, before);
    for (int way = 0; way < 4; way++) {
        bex_params_pack(l.params, 1);
        if (way == 0) bex_adam_step(l.params, &adam, 0.1, 1);
        if (way == 1) bex_params_copy(l.params, other.params);
        if (way == 2) bex_params_polyak(l.params, other.params, R(0.5), 1);
        if (way == 3) bex_param_edit(l.w)[0] += R(1);
        assert_null(bex_param_panels(l.w, BEX_PANELS_Y, 0));
        bex_params_zero_grad(l.params);
        run_layers(&l, plain);
        bex_params_zero_grad(l.params);
        bex_params_pack(l.params, 1);
        run_layers(&l, packed);
        assert_memory_equal(plain, packed, bytes);
        if (way != 2) assert_memory_not_equal(before, packed, bytes); // 1 made them equal
        memcpy(before, packed, bytes);
    }
    bex_params_free(l.params);
    bex_params_free(other.params);
}

// a member alone does what it does among the others, packed or not
static void a_member_is_a_parameter_of_its_own(void **state) {
    (void)state;
    enum { M = 7, IN = 96, N = 21 };
    layers l = layers_of(1);
    bex_real x[M * IN];
    for (int i = 0; i < M * IN; i++) x[i] = R(0.01) * (bex_real)(i % 37 - 18);
    for (int packed = 0; packed < 2; packed++) {
        bex_arena *arena = bex_arena_new();
        bex_tape tape;
        if (packed) bex_params_pack(l.params, 1);
        bex_tape_init(&tape, arena);
        bex_tensor *in = bex_constant(&tape, x, 2, BEX_DIMS(M, IN));
        bex_tensor *all = bex_linear(&tape, in, l.members, NULL, BEX_ACTIVATION_ID);
        for (int e = 0; e < 3; e++) {
            bex_param one = bex_param_member(l.members, e);
            assert_true(one.rank == 2 && one.dim[0] == N && one.dim[1] == IN);
            assert_true(!bex_param_panels(&one, BEX_PANELS_DX, 0) == !packed);
            bex_tensor *y = bex_linear(&tape, in, &one, NULL, BEX_ACTIVATION_ID);
            assert_memory_equal(y->data, all->data + e * M * N, M * N * sizeof *y->data);
        }
        bex_arena_free(arena);
    }
    bex_params_free(l.params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_and_lookup),
        cmocka_unit_test(values_do_not_depend_on_the_order),
        cmocka_unit_test(uniform_inits_have_their_bounds),
        cmocka_unit_test(orthogonal),
        cmocka_unit_test(values_and_state_survive_a_file),
        cmocka_unit_test(gradients_are_set_or_added_to),
        cmocka_unit_test(gradients_that_nobody_set_are_zero),
        cmocka_unit_test(packed_layers_give_the_same_bits),
        cmocka_unit_test(written_values_are_packed_anew),
        cmocka_unit_test(a_member_is_a_parameter_of_its_own),
        cmocka_unit_test(a_missing_or_misshapen_tensor_is_named),
        cmocka_unit_test(a_step_that_cannot_be_is_refused),
        cmocka_unit_test(no_memory_is_told_by_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
