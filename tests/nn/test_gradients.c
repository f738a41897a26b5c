/* Every op's gradient, in the double build, signed, in several random directions, to 1e-6; and the
 * checker itself, on planted errors. A new op adds its row to the table. */
#include "gradcheck.h"

#include "model/encoder.h"
#include "model/mlp.h"

#define USE(i)     bex_use(tape, in[i])
#define CASE(name) static bex_tensor *name(bex_tape *tape, const bex_param **in)

static const bex_real TARGET[24] = {R(.3), R(-1), R(.5), R(2),  R(.1), R(.9),  R(.2), R(-.4),
                                    R(.7), R(1),  R(0),  R(.6), R(.8), R(-.2), R(.4), R(.5),
                                    R(.3), R(.2), R(.1), R(.9), R(1),  R(-.7), R(.6), R(.25)};
static const bex_real WEIGHT[6] = {R(1), R(0), R(.5), R(2), R(1), R(.25)};

// linear x (2,3,4), W (5,4), b (5), and activations alone; clang-format does not settle on this
// clang-format off
#define LINEAR(act) \
    CASE(linear_##act) { return bex_linear(tape, USE(0), in[1], in[2], BEX_ACTIVATION_##act); }
LINEAR(ID) LINEAR(GELU) LINEAR(SILU) LINEAR(RELU) LINEAR(TANH) LINEAR(SIGMOID) LINEAR(SOFTPLUS)
#define ACTIVATE(act) CASE(activate_##act) { return bex_activate(tape, USE(0), BEX_ACTIVATION_##act); }
ACTIVATE(ID) ACTIVATE(GELU) ACTIVATE(SILU) ACTIVATE(RELU) ACTIVATE(TANH) ACTIVATE(SIGMOID)
ACTIVATE(SOFTPLUS)
    // clang-format on

    CASE(linear_nobias) {
    return bex_linear(tape, USE(0), in[1], NULL, BEX_ACTIVATION_GELU);
}
CASE(linear_rows) {
    bex_tensor *a = bex_linear_rows(tape, USE(0), in[1], in[2], 1, 3, BEX_ACTIVATION_TANH);
    bex_tensor *b = bex_linear_rows(tape, USE(0), in[1], in[2], 2, 3, BEX_ACTIVATION_ID);
    return bex_add(tape, a, b);
}
CASE(linear_twice) { // one weight used twice: gradients add up
    bex_tensor *h = bex_linear(tape, USE(0), in[1], in[2], BEX_ACTIVATION_TANH);
    return bex_linear(tape, h, in[1], in[2], BEX_ACTIVATION_ID);
}
CASE(linear_long) {
    return bex_linear(tape, USE(0), in[1], in[2], BEX_ACTIVATION_ID);
}

CASE(layernorm_plain) {
    return bex_layernorm(tape, USE(0), NULL, NULL, 1e-5);
}
CASE(layernorm_affine) {
    return bex_layernorm(tape, USE(0), in[1], in[2], 1e-5);
}
CASE(layernorm_modulated) {
    return bex_layernorm_modulated(tape, USE(0), in[1], in[2], USE(3), USE(4), 1e-5);
}
CASE(layernorm_modulated_plain) {
    return bex_layernorm_modulated(tape, USE(0), NULL, NULL, USE(1), USE(2), 1e-5);
}
CASE(layernorm_residual) { // the input's gradient comes from two places
    bex_tensor *x = USE(0);
    return bex_add(tape, x, bex_layernorm(tape, bex_affine(tape, x, 2, 0), in[1], in[2], 1e-5));
}

CASE(conv2d) { // RGB, stride 2
    return bex_conv2d(tape, USE(0), in[1], in[2], 2, 3);
}
CASE(conv2d_twice) { // one weight used twice, stride 1, no bias
    return bex_conv2d(tape, bex_conv2d(tape, USE(0), in[1], NULL, 1, 1), in[1], NULL, 2, 1);
}
CASE(groupnorm) {
    return bex_groupnorm(tape, USE(0), in[1], in[2], 2, 1e-5, NULL, false);
}
CASE(groupnorm_residual) { // as in a residual block: the input goes two ways
    bex_tensor *x = USE(0);
    bex_tensor *n = bex_groupnorm(tape, x, in[1], in[2], 4, 1e-5, NULL, true);
    return bex_groupnorm(tape, bex_affine(tape, n, 2, 0.1), in[1], in[2], 1, 1e-5, x, true);
}
CASE(max_pool) {
    return bex_max_pool(tape, USE(0), 3, 2, 1);
}
CASE(mean_pool) {
    return bex_mean_pool(tape, USE(0), 3, 2, 1);
}
CASE(spatial_softmax) {
    bex_tensor *x = USE(0);
    return bex_add(tape, bex_sum_all(tape, bex_spatial_softmax(tape, x), 1),
                   bex_sum_all(tape, bex_square(tape, x), 0.5));
}

CASE(attention_self) { // packed q, k, v in one tensor
    bex_tensor *x = USE(0);
    return bex_attention(tape, (bex_columns){x, 0}, (bex_columns){x, 6}, (bex_columns){x, 12}, 6,
                         2);
}
CASE(attention_cross) {
    return bex_attention(tape, (bex_columns){USE(0), 0}, (bex_columns){USE(1), 0},
                         (bex_columns){USE(2), 0}, 4, 1);
}
CASE(attention_long) { // more queries than one block of rows
    bex_tensor *q = USE(0), *kv = USE(1);
    return bex_attention(tape, (bex_columns){q, 0}, (bex_columns){kv, 0}, (bex_columns){kv, 4}, 4,
                         2);
}
CASE(attention_reused) { // k and v also feed something else
    bex_tensor *q = USE(0), *kv = bex_affine(tape, USE(1), 1.5, 0);
    bex_tensor *o =
        bex_attention(tape, (bex_columns){q, 0}, (bex_columns){kv, 0}, (bex_columns){kv, 4}, 4, 2);
    return bex_add(tape, bex_sum_all(tape, o, 1), bex_sum_all(tape, bex_square(tape, kv), 1));
}

CASE(prefix_attention) { // two groups of three windows of two tokens, prefixes of five
    bex_tensor *own = USE(0), *prefix = bex_affine(tape, USE(1), 1.5, 0);
    bex_tensor *o = bex_prefix_attention(tape, (bex_columns){own, 0}, (bex_columns){own, 4},
                                         (bex_columns){own, 8}, (bex_columns){prefix, 0},
                                         (bex_columns){prefix, 4}, 4, 2);
    return bex_add(tape, bex_sum_all(tape, bex_square(tape, o), 1), // the prefix is read again
                   bex_sum_all(tape, bex_square(tape, prefix), 0.1));
}

CASE(dropout) {
    tape->rng = bex_rng_seed(3);
    bex_tensor *x = bex_dropout(tape, bex_affine(tape, USE(0), 2, 1), 0.4);
    return bex_add(tape, x, bex_square(tape, x)); // two users of one mask
}
CASE(exponential) {
    return bex_exponential(tape, USE(0));
}
CASE(square) {
    return bex_square(tape, USE(0));
}
CASE(affine) {
    return bex_affine(tape, USE(0), -1.7, 0.3);
}
CASE(clamp) {
    return bex_clamp(tape, USE(0), -0.5, 0.8);
}
CASE(add_same) {
    return bex_add(tape, USE(0), USE(1));
}
CASE(add_self) {
    bex_tensor *x = bex_affine(tape, USE(0), 3, 0);
    return bex_add(tape, x, x);
}
CASE(add_trailing) {
    return bex_add(tape, USE(0), USE(1));
}
CASE(sub) {
    return bex_sub(tape, USE(0), USE(1));
}
CASE(mul) {
    return bex_mul(tape, USE(0), USE(1));
}
CASE(mul_self) {
    bex_tensor *x = USE(0);
    return bex_mul(tape, x, x);
}
CASE(modulate) {
    return bex_modulate(tape, USE(0), USE(1), USE(2));
}
CASE(gated_add) {
    return bex_gated_add(tape, USE(0), USE(1), USE(2));
}
CASE(select_rows) {
    return bex_select(tape, USE(0), USE(1), (const unsigned char[]){1, 0, 1});
}
CASE(softmax) {
    return bex_softmax(tape, USE(0));
}
CASE(reshape) {
    return bex_softmax(tape, bex_reshape(tape, bex_affine(tape, USE(0), 2, 0), 2, BEX_DIMS(4, 6)));
}
CASE(detach) { // the second factor counts as a constant
    bex_tensor *x = USE(0);
    return bex_add(tape, bex_square(tape, x), bex_detach(tape, bex_affine(tape, USE(1), 1, 0)));
}
CASE(concat_middle) {
    return bex_softmax(tape, bex_concat(tape, USE(0), USE(1), 1));
}
CASE(concat_last) {
    return bex_softmax(tape, bex_concat(tape, USE(0), USE(1), 2));
}
CASE(concat_first) {
    return bex_softmax(tape, bex_concat(tape, USE(0), USE(1), 0));
}
CASE(slice) {
    return bex_square(tape, bex_slice(tape, USE(0), 1, 1, 2));
}
CASE(slice_twice) {
    bex_tensor *x = bex_square(tape, USE(0));
    return bex_add(tape, bex_slice(tape, x, 2, 0, 3), bex_slice(tape, x, 2, 1, 3));
}
CASE(mean_tokens) {
    return bex_square(tape, bex_mean_tokens(tape, USE(0), 1, 2));
}
CASE(min_members) {
    return bex_min_members(tape, USE(0));
}
CASE(mean_members) {
    return bex_square(tape, bex_mean_members(tape, USE(0)));
}
CASE(sum_all) {
    return bex_square(tape, bex_sum_all(tape, USE(0), 0.3));
}
CASE(sum_last) {
    return bex_square(tape, bex_sum_last(tape, USE(0)));
}
CASE(squared_error) {
    return bex_squared_error(tape, USE(0), bex_constant(tape, TARGET, 3, BEX_DIMS(2, 3, 4)), WEIGHT,
                             0.7);
}
CASE(logistic_loss) {
    return bex_logistic_loss(tape, USE(0), bex_constant(tape, TARGET, 2, BEX_DIMS(4, 6)), 0.7);
}
CASE(gaussian_logp) {
    return bex_gaussian_logp(tape, USE(0), USE(1), USE(2));
}
CASE(gaussian_sample) {
    return bex_gaussian_sample(tape, USE(0), USE(1), bex_constant(tape, TARGET, 2, BEX_DIMS(4, 6)));
}
CASE(tanh_logdet) {
    return bex_tanh_logdet(tape, USE(0));
}
CASE(tanh_gaussian) { // the actor's loss: log-density of its own squashed sample
    bex_tensor *mean = USE(0), *s = bex_clamp(tape, USE(1), -20, 2);
    bex_tensor *z =
        bex_gaussian_sample(tape, mean, s, bex_constant(tape, TARGET, 2, BEX_DIMS(4, 6)));
    return bex_sub(tape, bex_gaussian_logp(tape, z, mean, s), bex_tanh_logdet(tape, z));
}
CASE(ensemble) {
    return bex_linear(tape, USE(0), in[1], in[2], BEX_ACTIVATION_TANH);
}
CASE(ensemble_shared) {
    bex_tensor *h = bex_linear(tape, USE(0), in[1], in[2], BEX_ACTIVATION_TANH);
    return bex_min_members(tape, bex_square(tape, h));
}
CASE(ensemble_norm) { // a critic's hidden layer: dense, norm per member, activation
    bex_tensor *h = bex_linear(tape, USE(0), in[1], in[2], BEX_ACTIVATION_ID);
    h = bex_layernorm_modulated(tape, h, NULL, NULL, USE(3), USE(4), 1e-6);
    return bex_activate(tape, h, BEX_ACTIVATION_SILU);
}

#define X234                                                                                       \
    {                                                                                              \
        3, {                                                                                       \
            2, 3, 4                                                                                \
        }                                                                                          \
    }
CASE(gru_forward) { // two sequences of three steps
    return bex_gru(tape, USE(0), in[1], in[2], 3, false);
}
CASE(gru_backward) {
    return bex_gru(tape, USE(0), in[1], in[2], 3, true);
}
CASE(gru_stacked) { // one unit over another: both directions, and the input's gradient through both
    bex_tensor *f = bex_gru(tape, USE(0), in[1], in[2], 3, false);
    bex_tensor *b = bex_gru(tape, USE(0), in[1], in[2], 3, true);
    bex_tensor *x = bex_reshape(tape, bex_concat(tape, f, b, 2), 2, BEX_DIMS(6, 8));
    bex_tensor *gx = bex_linear(tape, x, in[3], in[4], BEX_ACTIVATION_ID);
    return bex_gru(tape, gx, in[1], in[2], 3, false);
}
CASE(norm_rows) {
    return bex_norm(tape, USE(0), 1e-6);
}
CASE(norm_floor) { // all below the floor: constant, gradient 0
    return bex_add(tape, bex_norm(tape, bex_affine(tape, USE(0), 1e-3, 0), 1),
                   bex_sum_last(tape, USE(0)));
}
CASE(expectile_own) {
    bex_tensor *x = USE(0);
    return bex_expectile(tape, x, bex_detach(tape, x), 0.9, 0.5);
}
CASE(expectile_other) {
    return bex_expectile(tape, USE(0), bex_constant(tape, TARGET, 3, BEX_DIMS(2, 3, 4)), 0.95, 2);
}

static const grad_case cases[] = {
    {"linear id", linear_ID, {X234, {2, {5, 4}}, {1, {5}}}},
    {"linear gelu", linear_GELU, {X234, {2, {5, 4}}, {1, {5}}}},
    {"linear silu", linear_SILU, {X234, {2, {5, 4}}, {1, {5}}}},
    {"linear relu", linear_RELU, {X234, {2, {5, 4}}, {1, {5}}}},
    {"linear tanh", linear_TANH, {X234, {2, {5, 4}}, {1, {5}}}},
    {"linear sigmoid", linear_SIGMOID, {X234, {2, {5, 4}}, {1, {5}}}},
    {"linear softplus", linear_SOFTPLUS, {X234, {2, {5, 4}}, {1, {5}}}},
    {"linear without bias", linear_nobias, {X234, {2, {5, 4}}}},
    {"linear rows", linear_rows, {X234, {2, {5, 4}}, {1, {5}}}},
    {"linear twice", linear_twice, {X234, {2, {4, 4}}, {1, {4}}}},
    {"linear past every block", linear_long, {{2, {29, 300}}, {2, {21, 300}}, {1, {21}}}},
    {"activate id", activate_ID, {X234}},
    {"activate gelu", activate_GELU, {X234}},
    {"activate silu", activate_SILU, {X234}},
    {"activate relu", activate_RELU, {X234}},
    {"activate tanh", activate_TANH, {X234}},
    {"activate sigmoid", activate_SIGMOID, {X234}},
    {"activate softplus", activate_SOFTPLUS, {X234}},
    {"layernorm plain", layernorm_plain, {{3, {2, 3, 37}}}},
    {"layernorm affine", layernorm_affine, {{3, {2, 3, 37}}, {1, {37}}, {1, {37}}}},
    {"layernorm modulated",
     layernorm_modulated,
     {{3, {2, 3, 5}}, {1, {5}}, {1, {5}}, {2, {2, 5}}, {2, {2, 5}}}},
    {"layernorm modulated plain",
     layernorm_modulated_plain,
     {{3, {2, 3, 5}}, {2, {2, 5}}, {2, {2, 5}}}},
    {"layernorm residual", layernorm_residual, {X234, {1, {4}}, {1, {4}}}},
    {"conv2d", conv2d, {{4, {2, 5, 6, 3}}, {4, {4, 7, 7, 3}}, {1, {4}}}},
    {"conv2d twice", conv2d_twice, {{4, {2, 4, 5, 16}}, {4, {16, 3, 3, 16}}}},
    {"groupnorm", groupnorm, {{4, {2, 2, 3, 6}}, {1, {6}}, {1, {6}}}},
    {"groupnorm residual", groupnorm_residual, {{4, {2, 3, 2, 8}}, {1, {8}}, {1, {8}}}},
    {"max pool", max_pool, {{4, {2, 5, 4, 3}}}},
    {"mean pool", mean_pool, {{4, {2, 5, 4, 3}}}},
    {"spatial softmax", spatial_softmax, {{4, {2, 3, 4, 3}}}},
    {"attention self", attention_self, {{3, {2, 5, 18}}}},
    {"attention cross", attention_cross, {{3, {2, 3, 4}}, {3, {2, 7, 4}}, {3, {2, 7, 4}}}},
    {"attention long", attention_long, {{3, {1, 101, 4}}, {3, {1, 9, 8}}}},
    {"attention reused", attention_reused, {{3, {2, 3, 4}}, {3, {2, 5, 8}}}},
    {"prefix attention", prefix_attention, {{3, {6, 2, 12}}, {3, {2, 5, 8}}}},
    {"dropout", dropout, {X234}},
    {"exponential", exponential, {X234}},
    {"square", square, {X234}},
    {"affine", affine, {X234}},
    {"clamp", clamp, {X234}},
    {"add", add_same, {X234, X234}},
    {"add self", add_self, {X234}},
    {"add trailing", add_trailing, {X234, {2, {3, 4}}}},
    {"sub", sub, {X234, {1, {4}}}},
    {"mul", mul, {X234, {2, {3, 4}}}},
    {"mul self", mul_self, {X234}},
    {"modulate", modulate, {X234, {2, {2, 4}}, {2, {2, 4}}}},
    {"gated add", gated_add, {X234, {2, {2, 4}}, X234}},
    {"select", select_rows, {{2, {3, 4}}, {2, {3, 4}}}},
    {"select one row", select_rows, {{2, {3, 4}}, {1, {4}}}},
    {"softmax", softmax, {X234}},
    {"reshape", reshape, {X234}},
    {"concat first", concat_first, {X234, {3, {1, 3, 4}}}},
    {"concat middle", concat_middle, {X234, {3, {2, 2, 4}}}},
    {"concat last", concat_last, {X234, {3, {2, 3, 2}}}},
    {"slice", slice, {X234}},
    {"slice twice", slice_twice, {X234}},
    {"mean tokens", mean_tokens, {X234}},
    {"min members", min_members, {X234}},
    {"mean members", mean_members, {X234}},
    {"sum all", sum_all, {X234}},
    {"sum last", sum_last, {X234}},
    {"squared error", squared_error, {X234}},
    {"logistic loss", logistic_loss, {{2, {4, 6}}}},
    {"gru forward", gru_forward, {{3, {3, 6, 4}}, {3, {3, 4, 4}}, {1, {4}}}},
    {"gru backward", gru_backward, {{3, {3, 6, 4}}, {3, {3, 4, 4}}, {1, {4}}}},
    {"gru stacked",
     gru_stacked,
     {{3, {3, 6, 4}}, {3, {3, 4, 4}}, {1, {4}}, {3, {3, 4, 8}}, {2, {3, 4}}}},
    {"norm", norm_rows, {X234}},
    {"norm below its floor", norm_floor, {X234}},
    {"expectile", expectile_own, {X234}},
    {"expectile of another sign", expectile_other, {X234}},
    {"gaussian logp", gaussian_logp, {{2, {4, 6}}, {2, {4, 6}}, {2, {4, 6}}}},
    {"gaussian sample", gaussian_sample, {{2, {4, 6}}, {2, {4, 6}}}},
    {"tanh logdet", tanh_logdet, {{2, {4, 6}}}},
    {"tanh gaussian", tanh_gaussian, {{2, {4, 6}}, {2, {4, 6}}}},
    {"ensemble", ensemble, {{3, {3, 5, 4}}, {3, {3, 2, 4}}, {2, {3, 2}}}},
    {"ensemble shared", ensemble_shared, {{2, {5, 4}}, {3, {3, 2, 4}}, {2, {3, 2}}}},
    {"ensemble norm",
     ensemble_norm,
     {{2, {5, 4}}, {3, {3, 7, 4}}, {2, {3, 7}}, {2, {3, 7}}, {2, {3, 7}}}},
};

static void every_op(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double e = grad_error(&cases[i]);
        // detach hides a dependence on purpose: the numeric derivative sees it
        bool hidden = cases[i].run == detach;
        if (hidden ? e < 1e-3 : !(e <= 1e-6)) {
            print_error("%s: relative error %.3g\n", cases[i].name, e);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

// ---- the checker must see a gradient that is wrong ----

typedef struct {
    bex_tensor *x, *y;
} planted;

static double planted_factor; // of a right gradient 1
static int planted_missing;   // element that gets none, -1 for all there
static bool planted_sets;     // forgets that another consumer may have written

static void planted_backward(bex_tape *tape, void *payload) {
    planted *c = payload;
    int add;
    bex_real *dx = bex_grad(tape, c->x, &add);
    for (int i = 0; i < (int)bex_count(c->x); i++) {
        bex_real g = R(planted_factor) * R(2) * c->x->data[i] * c->y->grad[i];
        if (i == planted_missing) g = 0;
        dx[i] = (add && !planted_sets ? dx[i] : R(0)) + g;
    }
}

CASE(planted_square) {
    bex_tensor *x = bex_affine(tape, USE(0), 1, 0), *also = bex_affine(tape, x, 0.5, 0);
    bex_tensor *y = bex_tensor_like(tape, x);
    for (size_t i = 0; i < bex_count(x); i++) y->data[i] = x->data[i] * x->data[i];
    if (y->needs_grad)
        *(planted *)bex_record(tape, planted_backward, sizeof(planted)) = (planted){x, y};
    return bex_add(tape, also, y);
}

static double planted_error(double factor, int missing, bool sets) {
    planted_factor = factor, planted_missing = missing, planted_sets = sets;
    return grad_error(&(grad_case){"planted", planted_square, {X234}});
}

static void planted_errors_are_caught(void **state) {
    (void)state;
    assert_true(planted_error(1, -1, false) <= 1e-6);
    assert_true(planted_error(-1, -1, false) > 1e-2);     // sign
    assert_true(planted_error(1.0002, -1, false) > 1e-5); // 0.02 %
    assert_true(planted_error(1, 7, false) > 1e-3);       // one element forgotten
}

CASE(planted_shared) { // y's consumer comes first in reverse order, then another reader of x
    bex_tensor *x = bex_affine(tape, USE(0), 1, 0);
    bex_tensor *y = bex_tensor_like(tape, x);
    for (size_t i = 0; i < bex_count(x); i++) y->data[i] = x->data[i] * x->data[i];
    if (y->needs_grad)
        *(planted *)bex_record(tape, planted_backward, sizeof(planted)) = (planted){x, y};
    return bex_add(tape, y, bex_affine(tape, x, 0.5, 0));
}

static void lost_sum_is_caught(void **state) {
    (void)state;
    planted_factor = 1, planted_missing = -1;
    planted_sets = false;
    assert_true(grad_error(&(grad_case){"shared", planted_shared, {X234}}) <= 1e-6);
    planted_sets = true;
    assert_true(grad_error(&(grad_case){"shared", planted_shared, {X234}}) > 1e-3);
}

int main(void) {
#ifndef BEX_F64
    return skip_all(
        "gradients are checked in the f64 build (make f64): float differences are too noisy");
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op),
        cmocka_unit_test(planted_errors_are_caught),
        cmocka_unit_test(lost_sum_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
