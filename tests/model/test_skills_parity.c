/* Parity with PyTorch (tests/parity/make_skills.py): three Adam steps of SUPE's autoencoder, of HILP's
 * networks with their following copies, and of RND beside reward and mask networks: losses, first
 * gradients, values after the third; and densities of saturated tanh-Gaussian actions. */
#include "base/parallel.h"
#include "model/hilbert.h"
#include "model/novelty.h"
#include "model/segment_vae.h"
#include "nn/adam.h"
#include "nn/lanes.h"
#include "nn/safetensors.h"

#include "golden.h"

#ifdef BEX_F64
static const double BOUND = 2e-7; // what is left is the golden's own float32 rounding of gradients
#else
static const double BOUND = 2e-5;
#endif
enum { STEPS = 3, MOST = 1 << 14 };

static bex_st_file *open_golden(const char *name) {
    char path[512];
    const char *folder = getenv("BEX_GOLDENS");
    snprintf(path, sizeof path, "%s/%s.safetensors",
             folder ? folder : BEX_SOURCE_DIR "/tests/golden", name);
    bex_st_file *f = bex_st_load(path);
    if (!f) fail_msg("%s", bex_error());
    return f;
}

// all of a tensor, in any shape; malloced
static bex_real *fetch(const bex_st_file *f, const char *prefix, const char *name) {
    char full[160];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    const bex_st_tensor *t = bex_st_find(f, full);
    if (!t) fail_msg("no tensor '%s'", full);
    assert_true(t->count <= MOST);
    bex_real *x = malloc((size_t)t->count * sizeof *x);
    if (bex_st_read_real(f, full, x, t->rank, t->dim) < 0) fail_msg("%s", bex_error());
    return x;
}

static void fill(bex_params *p, const bex_st_file *f, const char *prefix) {
    for (int i = 0; i < p->params; i++) {
        bex_real *x = fetch(f, prefix, p->param[i]->name);
        memcpy(bex_param_edit(p->param[i]), x, p->param[i]->count * sizeof *x);
        free(x);
    }
}

static double largest_of(const bex_real *x, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs((double)x[i]));
    return most;
}

// a distance does not see what both of its ends have alike: such a parameter has no gradient but rounding,
// and in float Adam, which divides by the gradient's own size, moves it at random
static bool has_no_gradient(const bex_st_file *f, const bex_param *q) {
    bex_real *x = fetch(f, "grad.", q->name);
    bool none = largest_of(x, q->count) < 1e-12;
    free(x);
    return none;
}

static void near_params(const bex_params *p, const bex_st_file *f, const char *prefix,
                        bool gradients, double bound) {
    for (int i = 0; i < p->params; i++) {
        const bex_param *q = p->param[i];
        bex_real *x = fetch(f, prefix, q->name);
        const bex_real *ours = gradients ? bex_param_grad(q, 0) : bex_param_value(q);
        if (!has_no_gradient(f, q))
            near_golden(q->name, ours, x, q->count, bound);
        else
            assert_true(!gradients || largest_of(ours, q->count) < 1e-7);
        free(x);
    }
}

static void near_number(const bex_st_file *f, const char *name, int step, double ours) {
    double golden[STEPS];
    char full[80];
    snprintf(full, sizeof full, "told.%s", name);
    assert_int_equal(bex_st_read_f64(f, full, golden, 1, (int64_t[]){STEPS}), 0);
    if (!(fabs(ours - golden[step]) <= BOUND * (1e-1 + fabs(golden[step]))))
        fail_msg("%s of step %d: %.9g, PyTorch %.9g", name, step, ours, golden[step]);
}

// Adam divides by the gradient's own size: where it is nearly 0, float decides the sign
static double after_bound(void) {
    return BOUND < 1e-6 ? BOUND : 1e-3;
}

/* ---- SUPE ---- */

enum { VO = 4, VA = 3, VZ = 2, VT = 4, VH = 8, VB = 5 };

typedef struct {
    bex_params *params;
    bex_segment_vae vae;
    int lanes, step;
    bex_real *obs, *act, *noise;
    double reconstruction[8], divergence[8];
} vae_job;

static int vae_lane(bex_tape *tape, int lane, void *payload, double *result) {
    vae_job *j = payload;
    int first, n;
    bex_part(VB, j->lanes, lane, &first, &n);
    size_t at = (size_t)(j->step * VB + first);
    bex_tape_train(tape, j->params);
    bex_tensor *r, *d;
    bex_segment_vae_loss(tape, &j->vae,
                         bex_constant(tape, j->obs + at * VT * VO, 3, BEX_DIMS(n, VT, VO)),
                         bex_constant(tape, j->act + at * VT * VA, 3, BEX_DIMS(n, VT, VA)),
                         bex_constant(tape, j->noise + at * VZ, 2, BEX_DIMS(n, VZ)), &r, &d);
    bex_tensor *loss =
        bex_add(tape, bex_affine(tape, r, 1.0 / VB, 0), bex_affine(tape, d, 0.1 / VB, 0));
    bex_backward(tape, loss);
    j->reconstruction[lane] = (double)r->data[0] / VB,
    j->divergence[lane] = (double)d->data[0] / VB;
    *result = (double)loss->data[0];
    return 0;
}

static double sum(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}

static void learn_vae(int lane_count) {
    static const bex_adam adam = BEX_ADAM_INIT;
    bex_st_file *f = open_golden("supe");
    vae_job j = {.params = bex_params_new(), .lanes = lane_count};
    j.vae = bex_segment_vae_add(
        j.params, (bex_segment_vae_options){.O = VO, .A = VA, .Z = VZ, .T = VT, .hidden = VH});
    assert_int_equal(bex_params_build(j.params, lane_count, bex_rng_seed(0)), 0);
    fill(j.params, f, "param.");
    j.obs = fetch(f, "", "obs"), j.act = fetch(f, "", "act"), j.noise = fetch(f, "", "noise");
    bex_lanes *lanes = bex_lanes_new(lane_count, 1);
    for (j.step = 0; j.step < STEPS; j.step++) {
        double loss;
        bex_params_pack(j.params, 1);
        assert_int_equal(bex_lanes_learn(lanes, bex_rng_seed(0), vae_lane, &j, j.params, &loss), 0);
        if (j.step == 0) near_params(j.params, f, "grad.", true, BOUND);
        near_number(f, "loss", j.step, loss);
        near_number(f, "reconstruction", j.step, sum(j.reconstruction, lane_count));
        near_number(f, "divergence", j.step, sum(j.divergence, lane_count));
        bex_adam_step(j.params, &adam, 1e-3, 1);
    }
    near_params(j.params, f, "after.", false, after_bound());
    free(j.obs), free(j.act), free(j.noise);
    bex_lanes_free(lanes);
    bex_params_free(j.params);
    bex_st_free(f);
}

static void three_steps_of_supe(void **state) {
    (void)state;
    learn_vae(1);
    learn_vae(2);
}

/* ---- HILP ---- */

enum { HO = 4, HA = 3, HZ = 3, HB = 6 };

typedef struct {
    bex_params *params, *targets;
    bex_hilbert net, target;
    int lanes, step;
    bex_real *obs, *next, *goal, *skill, *act, *reward, *mask;
    double parts[8][BEX_HILBERT_LOSSES];
} hilp_job;

static int hilp_lane(bex_tape *tape, int lane, void *payload, double *result) {
    hilp_job *j = payload;
    int first, n;
    bex_part(HB, j->lanes, lane, &first, &n);
    size_t at = (size_t)(j->step * HB + first);
    bex_hilbert_batch b = {.n = n,
                           .obs = j->obs + at * HO,
                           .next = j->next + at * HO,
                           .goal = j->goal + at * HO,
                           .skill = j->skill + at * HZ,
                           .act = j->act + at * HA,
                           .reward = j->reward + at,
                           .mask = j->mask + at};
    bex_tensor *loss =
        bex_hilbert_loss(tape, &j->net, &j->target, &b, j->params, 1.0 / HB, j->parts[lane]);
    bex_backward(tape, loss);
    *result = (double)loss->data[0];
    return 0;
}

static void learn_hilp(int lane_count) {
    static const char *const names[] = {"first", "second", "value", "critics", "actor"};
    static const bex_adam adam = BEX_ADAM_INIT;
    static const bex_hilbert_options o = {.O = HO,
                                          .A = HA,
                                          .Z = HZ,
                                          .hidden = {10, 8},
                                          .discount = 0.97,
                                          .representation_expectile = 0.95,
                                          .value_expectile = 0.9,
                                          .sharpness = 10};
    bex_st_file *f = open_golden("hilp");
    hilp_job j = {.params = bex_params_new(), .targets = bex_params_new(), .lanes = lane_count};
    j.net = bex_hilbert_add(j.params, o), j.target = bex_hilbert_add(j.targets, o);
    assert_int_equal(bex_params_build(j.params, lane_count, bex_rng_seed(0)), 0);
    assert_int_equal(bex_params_build(j.targets, 0, bex_rng_seed(0)), 0);
    fill(j.params, f, "param."), fill(j.targets, f, "target.");
#define FETCH(member) j.member = fetch(f, "", #member);
    FETCH(obs) FETCH(next) FETCH(goal) FETCH(skill) FETCH(act) FETCH(reward) FETCH(mask);
    bex_lanes *lanes = bex_lanes_new(lane_count, 1);
    for (j.step = 0; j.step < STEPS; j.step++) {
        double loss;
        assert_int_equal(bex_lanes_learn(lanes, bex_rng_seed(0), hilp_lane, &j, j.params, &loss),
                         0);
        if (j.step == 0) near_params(j.params, f, "grad.", true, BOUND);
        near_number(f, "loss", j.step, loss);
        for (int k = 0; k < BEX_HILBERT_LOSSES; k++) {
            double part = 0;
            for (int lane = 0; lane < lane_count; lane++) part += j.parts[lane][k];
            near_number(f, names[k], j.step, part);
        }
        bex_params_polyak(j.targets, j.params, R(0.05), 1);
        bex_adam_step(j.params, &adam, 1e-3, 1);
    }
    near_params(j.params, f, "after.", false, after_bound());
    near_params(j.targets, f, "after_target.", false, after_bound());
    free(j.obs), free(j.next), free(j.goal), free(j.skill);
    free(j.act), free(j.reward), free(j.mask);
    bex_lanes_free(lanes);
    bex_params_free(j.params), bex_params_free(j.targets);
    bex_st_free(f);
}

static void three_steps_of_hilp(void **state) {
    (void)state;
    learn_hilp(1);
    learn_hilp(4); // lanes of unequal size
}

/* ---- RND, reward and mask ---- */

enum { RX = 5, RF = 6, RB = 7 };

static void three_steps_of_rnd(void **state) {
    (void)state;
    static const bex_adam adam = BEX_ADAM_INIT;
    bex_st_file *f = open_golden("rnd");
    bex_novelty novelty;
    assert_int_equal(
        bex_novelty_init(&novelty,
                         (bex_novelty_options){.in = RX, .features = RF, .hidden = {9, 7}}, 1,
                         bex_rng_seed(0)),
        0);
    bex_params *model = bex_params_new();
    bex_mlp_options one = {
        .in = RX, .out = 1, .hidden = {9, 7}, .act = BEX_ACTIVATION_RELU, .xavier = true};
    bex_mlp reward = bex_mlp_add(model, "reward", one), mask = bex_mlp_add(model, "mask", one);
    assert_int_equal(bex_params_build(model, 1, bex_rng_seed(0)), 0);
    fill(novelty.params, f, "param."), fill(novelty.targets, f, "target."),
        fill(model, f, "param.");
    bex_real *x = fetch(f, "", "x"), *r = fetch(f, "", "reward"), *m = fetch(f, "", "mask");
    bex_real *error = fetch(f, "", "error");
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    for (int n = 0; n < STEPS; n++) {
        bex_params *blocks[2] = {novelty.params, model};
        bex_tape_init(&tape, arena);
        bex_tape_reset(&tape);
        bex_tensor *all = bex_constant(&tape, x + n * RB * RX, 2, BEX_DIMS(RB, RX));
        if (n == 0)
            near_golden("error", bex_novelty_error(&tape, &novelty, all)->data, error, RB, BOUND);
        for (int k = 0; k < 2; k++)
            bex_tape_train(&tape, blocks[k]), bex_params_begin(blocks[k], 0);
        bex_tensor *first = bex_constant(&tape, x + n * RB * RX, 2, BEX_DIMS(1, RX));
        bex_tensor *of_novelty = bex_sum_all(&tape, bex_novelty_error(&tape, &novelty, first), 1);
        bex_tensor *of_reward =
            bex_squared_error(&tape, bex_mlp_run(&tape, &reward, all),
                              bex_constant(&tape, r + n * RB, 2, BEX_DIMS(RB, 1)), NULL, 1.0 / RB);
        bex_tensor *of_mask =
            bex_logistic_loss(&tape, bex_mlp_run(&tape, &mask, all),
                              bex_constant(&tape, m + n * RB, 2, BEX_DIMS(RB, 1)), 1.0 / RB);
        bex_tensor *loss = bex_add(&tape, bex_add(&tape, of_novelty, of_reward), of_mask);
        bex_backward(&tape, loss);
        for (int k = 0; k < 2; k++) {
            bex_params_end(blocks[k], 0);
            if (n == 0) near_params(blocks[k], f, "grad.", true, BOUND);
            bex_adam_step(blocks[k], &adam, 1e-3, 1);
        }
        near_number(f, "loss", n, (double)loss->data[0]);
        near_number(f, "novelty", n, (double)of_novelty->data[0]);
        near_number(f, "reward", n, (double)of_reward->data[0]);
        near_number(f, "mask", n, (double)of_mask->data[0]);
    }
    near_params(novelty.params, f, "after.", false, after_bound());
    near_params(model, f, "after.", false, after_bound());
    free(x), free(r), free(m), free(error);
    bex_arena_free(arena);
    bex_novelty_fini(&novelty);
    bex_params_free(model);
    bex_st_free(f);
}

static void densities_of_saturated_actions(void **state) {
    (void)state;
    enum { M = 4, A = 3 };
    bex_st_file *f = open_golden("rnd");
    bex_real *z = fetch(f, "", "z"), *mean = fetch(f, "", "z_mean"),
             *std = fetch(f, "", "z_log_std");
    bex_real *golden = fetch(f, "", "z_logp");
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    bex_tensor *at = bex_constant(&tape, z, 2, BEX_DIMS(M, A));
    bex_tensor *logp = bex_gaussian_logp(&tape, at, bex_constant(&tape, mean, 2, BEX_DIMS(M, A)),
                                         bex_constant(&tape, std, 2, BEX_DIMS(M, A)));
    logp = bex_sub(&tape, logp, bex_tanh_logdet(&tape, at));
    for (int i = 0; i < M; i++)
        if (!(fabs((double)logp->data[i] - (double)golden[i]) <= BOUND * fabs((double)golden[i])))
            fail_msg("row %d: %.9g, PyTorch %.9g", i, (double)logp->data[i], (double)golden[i]);
    free(z), free(mean), free(std), free(golden);
    bex_arena_free(arena);
    bex_st_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_steps_of_supe),
        cmocka_unit_test(three_steps_of_hilp),
        cmocka_unit_test(three_steps_of_rnd),
        cmocka_unit_test(densities_of_saturated_actions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
