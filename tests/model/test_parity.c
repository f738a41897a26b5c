/* Parity with PyTorch: a two-block encoder + MLP head, ten AdamW steps. Forward, every gradient of step
 * 1 and all ten losses agree to 1e-5 relative (the golden is float64; see tests/golden/README.md).
 * BEX_GOLDENS names another folder of goldens: `make parity` compares with a live PyTorch that way. */
#include "base/parallel.h"
#include "model/encoder.h"
#include "model/mlp.h"
#include "nn/adam.h"
#include "nn/lanes.h"
#include "nn/param_file.h"

#include "golden.h"

#include <math.h>

enum { B = 5, T = 7, C = 32, F = 48, HEADS = 4, HIDDEN = 24, OUT = 3, BLOCKS = 2, STEPS = 10 };

#ifdef BEX_F64
static const double BOUND = 2e-7; // what is left is the golden's own float32 rounding of gradients
#else
static const double BOUND = 1e-5;
#endif

typedef struct {
    bex_params *params;
    bex_encoder encoder;
    bex_mlp head;
    bex_real pos[T * C], x[B * T * C], target[B * OUT], forward[B * OUT];
    int lanes;
} network;

static bex_st_file *open_golden(void) {
    char path[512];
    const char *folder = getenv("BEX_GOLDENS");
    snprintf(path, sizeof path, "%s/encoder.safetensors",
             folder ? folder : BEX_SOURCE_DIR "/tests/golden");
    bex_st_file *f = bex_st_load(path);
    if (!f) fail_msg("%s", bex_error());
    return f;
}

static void read_prefixed(bex_real *out, const bex_st_file *f, const char *prefix,
                          const bex_param *p) {
    char name[160];
    int64_t dim[4];
    snprintf(name, sizeof name, "%s%s", prefix, p->name);
    for (int i = 0; i < p->rank; i++) dim[i] = p->dim[i];
    if (bex_st_read_real(f, name, out, p->rank, dim) < 0) fail_msg("%s", bex_error());
}

static network network_new(const bex_st_file *f, int lanes) {
    network n = {.params = bex_params_new(), .lanes = lanes};
    n.encoder =
        bex_encoder_add(n.params, "encoder",
                        (bex_stack){.blocks = BLOCKS, .C = C, .feedforward = F, .heads = HEADS});
    n.head = bex_mlp_add(
        n.params, "head",
        (bex_mlp_options){.in = C, .out = OUT, .hidden = {HIDDEN}, .act = BEX_ACTIVATION_RELU});
    bex_params_build(n.params, lanes, bex_rng_seed(0));
    for (int i = 0; i < n.params->params; i++)
        read_prefixed(bex_param_edit(n.params->param[i]), f, "param.", n.params->param[i]);
    bex_sinusoid(n.pos, T, C);
    assert_int_equal(bex_st_read_real(f, "x", n.x, 3, (int64_t[]){B, T, C}), 0);
    assert_int_equal(bex_st_read_real(f, "target", n.target, 2, (int64_t[]){B, OUT}), 0);
    return n;
}

static int lane_work(bex_tape *tape, int lane, void *payload, double *result) {
    network *n = payload;
    int first, count;
    bex_part(B, n->lanes, lane, &first, &count);
    *result = 0;
    if (!count) return 0;
    bex_tape_train(tape, n->params);
    bex_tensor *out[BLOCKS];
    bex_tensor *x = bex_constant(tape, n->x + first * T * C, 3, BEX_DIMS(count, T, C));
    bex_encoder_run(tape, &n->encoder, x, bex_constant(tape, n->pos, 2, BEX_DIMS(T, C)), out);
    bex_tensor *y = bex_mlp_run(tape, &n->head, bex_mean_tokens(tape, out[BLOCKS - 1], 0, T));
    memcpy(n->forward + first * OUT, y->data, bex_count(y) * sizeof *y->data);
    bex_tensor *target = bex_constant(tape, n->target + first * OUT, 2, BEX_DIMS(count, OUT));
    bex_tensor *loss = bex_squared_error(tape, y, target, NULL, 1.0 / (B * OUT));
    bex_backward(tape, loss);
    *result = (double)loss->data[0];
    return 0;
}

static void compare_step_one(const network *n, const bex_st_file *f) {
    bex_real golden[3 * C * C];
    assert_int_equal(bex_st_read_real(f, "forward", golden, 2, (int64_t[]){B, OUT}), 0);
    near_golden("forward", n->forward, golden, B * OUT, BOUND);
    for (int i = 0; i < n->params->params; i++) {
        const bex_param *p = n->params->param[i];
        read_prefixed(golden, f, "grad.", p);
        near_golden(p->name, bex_param_grad(p, 0), golden, p->count, BOUND);
    }
}

static void ten_steps(int lane_count) {
    bex_st_file *f = open_golden();
    network n = network_new(f, lane_count);
    double golden[STEPS];
    assert_int_equal(bex_st_read_f64(f, "losses", golden, 1, (int64_t[]){STEPS}), 0);
    bex_adam adam = BEX_ADAMW_INIT;
    adam.decay = 1e-2;
    bex_lanes *lanes = bex_lanes_new(lane_count, 2);
    for (int step = 0; step < STEPS; step++) {
        double loss;
        assert_int_equal(bex_lanes_learn(lanes, bex_rng_seed(0), lane_work, &n, n.params, &loss),
                         0);
        if (step == 0) compare_step_one(&n, f);
        if (!(fabs(loss - golden[step]) <= BOUND * golden[step]))
            fail_msg("loss %d: %.9g, PyTorch %.9g", step, loss, golden[step]);
        bex_adam_step(n.params, &adam, 1e-3, 2);
    }
    bex_lanes_free(lanes);
    bex_params_free(n.params);
    bex_st_free(f);
}

static void in_one_lane(void **state) {
    (void)state;
    ten_steps(1);
}

static void in_three_lanes(void **state) {
    (void)state;
    ten_steps(3);
}

static void in_more_lanes_than_samples(void **state) {
    (void)state;
    ten_steps(8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_one_lane),
        cmocka_unit_test(in_three_lanes),
        cmocka_unit_test(in_more_lanes_than_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
