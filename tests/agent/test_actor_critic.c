/* Parity of the actor-critic's update with PyTorch, as SAC and as RLPD have it: losses, first gradients,
 * temperature, values and targets after three updates. Goldens: tests/parity/make_sac.py. And: the same bits
 * on any number of threads, no allocation, gradients that fail loudly. */
#include "agent/rl/actor_critic.h"

#include "base/error.h"

#include "malloc_count.h"
#include "test.h"

#include <math.h>

enum { O = 5, A = 3, B = 12, STEPS = 3 };

#ifdef BEX_F64
static const double BOUND = 2e-7;
#else
static const double BOUND = 2e-5;
#endif

static const bex_actor_critic_options sac = {.O = O,
                                             .A = A,
                                             .batch = B,
                                             .actor_hidden = {16, 12},
                                             .critic_hidden = {14, 10},
                                             .critics = 2,
                                             .subset = 2,
                                             .entropy_backup = true,
                                             .discount = 0.97,
                                             .tau = 0.05,
                                             .actor_lr = 1e-3,
                                             .critic_lr = 1e-3,
                                             .temperature_lr = 1e-3,
                                             .temperature = 0.7,
                                             .entropy = -1.5,
                                             .lanes = 1,
                                             .threads = 1};

static bex_actor_critic_options rlpd_options(void) {
    bex_actor_critic_options o = sac;
    o.critics = 10, o.layernorm = true, o.entropy_backup = false, o.mean_objective = true;
    o.temperature = 0.05, o.entropy = -1;
    return o;
}

static bex_actor_critic *learner(const bex_actor_critic_options *o) {
    bex_actor_critic *ac;
    if (bex_actor_critic_new(&ac, o) < 0) fail_msg("%s", bex_error());
    return ac;
}

/* ---- parity ---- */

static bex_st_file *open_golden(const char *name) {
    char path[512];
    const char *folder = getenv("BEX_GOLDENS");
    snprintf(path, sizeof path, "%s/%s.safetensors",
             folder ? folder : BEX_SOURCE_DIR "/tests/golden", name);
    bex_st_file *f = bex_st_load(path);
    if (!f) fail_msg("%s", bex_error());
    return f;
}

// all of a tensor, in any shape
static const bex_real *fetch(const bex_st_file *f, const char *name) {
    static bex_real out[8192];
    const bex_st_tensor *t = bex_st_find(f, name);
    if (!t) fail_msg("no tensor '%s'", name);
    assert_true(t->count <= sizeof out / sizeof *out);
    if (bex_st_read_real(f, name, out, t->rank, t->dim) < 0) fail_msg("%s", bex_error());
    return out;
}

static const bex_real *fetch_param(const bex_st_file *f, const char *prefix, const bex_param *p) {
    char name[160];
    snprintf(name, sizeof name, "%s%s", prefix, p->name);
    const bex_real *x = fetch(f, name);
    assert_int_equal(bex_st_find(f, name)->count, p->count);
    return x;
}

static void fill(bex_params *p, const bex_st_file *f, const char *prefix) {
    for (int i = 0; i < p->params; i++)
        memcpy(bex_param_edit(p->param[i]), fetch_param(f, prefix, p->param[i]),
               p->param[i]->count * sizeof(bex_real));
}

static void near(const char *what, const bex_real *ours, const bex_real *golden, size_t n,
                 double bound) {
    double worst = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs((double)ours[i] - (double)golden[i]));
        largest = fmax(largest, fabs((double)golden[i]));
    }
    if (!(worst <= bound * largest)) fail_msg("%s: off by %.3g of %.3g", what, worst, largest);
}

static void near_params(const bex_params *p, const bex_st_file *f, const char *prefix,
                        bool gradients, double bound) {
    for (int i = 0; i < p->params; i++) {
        const bex_param *q = p->param[i];
        near(q->name, gradients ? bex_param_grad(q, 0) : bex_param_value(q),
             fetch_param(f, prefix, q), q->count, bound);
    }
}

static void near_number(const bex_st_file *f, const char *name, int step, double ours) {
    double golden[STEPS];
    assert_int_equal(bex_st_read_f64(f, name, golden, 1, (int64_t[]){STEPS}), 0);
    if (!(fabs(ours - golden[step]) <= BOUND * (1e-1 + fabs(golden[step]))))
        fail_msg("%s of step %d: %.9g, PyTorch %.9g", name, step, ours, golden[step]);
}

// minibatch n of the golden file
static void take_batch(bex_actor_critic *ac, const bex_st_file *f, int n) {
#define TAKE(member, per)                                                                          \
    memcpy(ac->batch.member, fetch(f, #member) + n * B * (per),                                    \
           B * (size_t)(per) * sizeof(bex_real));
    BEX_TRANSITION_FIELDS(TAKE, &ac->batch)
#undef TAKE
    memcpy(ac->noise, fetch(f, "noise") + n * B * A, B * A * sizeof(bex_real));
    memcpy(ac->noise_next, fetch(f, "noise_next") + n * B * A, B * A * sizeof(bex_real));
    const bex_real *subset = fetch(f, "subset") + n * ac->o.subset;
    for (int i = 0; i < ac->o.subset; i++) ac->subset[i] = (int)subset[i];
}

static void compare(const char *name, bex_actor_critic_options o, int lanes) {
    bex_st_file *f = open_golden(name);
    o.lanes = lanes;
    bex_actor_critic *ac = learner(&o);
    fill(ac->params, f, "actor.");
    fill(ac->critics.params, f, "critics.");
    fill(ac->critics.targets, f, "targets.");
    fill(ac->temperature.params, f, "");
    for (int n = 0; n < STEPS; n++) {
        bex_actor_critic_report r;
        take_batch(ac, f, n);
        assert_int_equal(bex_actor_critic_learn_critics(ac, &r), 0);
        if (n == 0) near_params(ac->critics.params, f, "grad.critics.", true, BOUND);
        assert_int_equal(bex_actor_critic_learn_actor(ac, &r), 0);
        if (n == 0) near_params(ac->params, f, "grad.actor.", true, BOUND);
        near_number(f, "critic_losses", n, r.critic_loss);
        near_number(f, "qs", n, r.q);
        near_number(f, "actor_losses", n, r.actor_loss);
        near_number(f, "entropies", n, r.entropy);
        near_number(f, "temperatures", n, bex_entropy_temperature_value(&ac->temperature));
    }
    // Adam divides by the gradient's own size: where it is nearly 0, float decides the sign
    double bound = BOUND < 1e-6 ? BOUND : 1e-3;
    near_params(ac->params, f, "after.actor.", false, bound);
    near_params(ac->critics.params, f, "after.critics.", false, bound);
    near_params(ac->critics.targets, f, "after.targets.", false, bound);
    bex_actor_critic_free(ac);
    bex_st_free(f);
}

static void three_updates_of_sac(void **state) {
    (void)state;
    compare("sac", sac, 1);
    compare("sac", sac, 5); // lanes of unequal size
}

static void three_updates_of_rlpd(void **state) {
    (void)state;
    compare("rlpd", rlpd_options(), 1);
    compare("rlpd", rlpd_options(), 4);
}

/* ---- the rest ---- */

static void draw(bex_actor_critic *ac, uint64_t n) {
    bex_rng g = bex_rng_split(bex_rng_seed(3), "batch", n);
#define DRAW(member, per)                                                                          \
    for (int i = 0; i < ac->batch.n * (per); i++)                                                  \
        ac->batch.member[i] = R(2 * bex_rng_uniform(&g) - 1);
    BEX_TRANSITION_FIELDS(DRAW, &ac->batch)
#undef DRAW
    bex_actor_critic_noise(ac, &g);
}

static void update(bex_actor_critic *ac, uint64_t n) {
    bex_actor_critic_report r;
    draw(ac, n);
    if (bex_actor_critic_learn_critics(ac, &r) < 0 || bex_actor_critic_learn_actor(ac, &r) < 0)
        fail_msg("%s", bex_error());
}

static void same(const bex_params *a, const bex_params *b) {
    assert_memory_equal(a->value, b->value, a->count * sizeof *a->value);
    if (a->m) assert_memory_equal(a->v, b->v, a->count * sizeof *a->v);
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    bex_actor_critic *ac[3];
    for (int i = 0; i < 3; i++) {
        bex_actor_critic_options o = rlpd_options();
        o.subset = 2, o.lanes = 5, o.threads = i + 1;
        ac[i] = learner(&o);
        for (uint64_t n = 0; n < 5; n++) update(ac[i], n);
        same(ac[0]->params, ac[i]->params);
        same(ac[0]->critics.params, ac[i]->critics.params);
        same(ac[0]->critics.targets, ac[i]->critics.targets);
        same(ac[0]->temperature.params, ac[i]->temperature.params);
    }
    for (int i = 0; i < 3; i++) bex_actor_critic_free(ac[i]);
}

static void a_steady_update_allocates_nothing(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    bex_actor_critic_options o = sac;
    o.lanes = 4, o.threads = 2;
    bex_actor_critic *ac = learner(&o);
    bex_arena *arena = bex_arena_new();
    bex_real act[B * A];
    bex_rng g = bex_rng_seed(1);
    for (uint64_t n = 0; n < 3; n++) update(ac, n);
    bex_actor_critic_act(ac, arena, ac->batch.obs, B, &g, act);
    long before = malloc_calls();
    for (uint64_t n = 3; n < 6; n++) update(ac, n);
    bex_actor_critic_act(ac, arena, ac->batch.obs, B, &g, act);
    assert_int_equal(malloc_calls(), before);
    bex_arena_free(arena);
    bex_actor_critic_free(ac);
}

static void subsets_are_distinct_and_fair(void **state) {
    (void)state;
    enum { DRAWS = 5000 };
    bex_actor_critic_options o = rlpd_options();
    o.subset = 2;
    bex_actor_critic *ac = learner(&o);
    bex_rng g = bex_rng_seed(9);
    int seen[10] = {0};
    for (int i = 0; i < DRAWS; i++) {
        bex_actor_critic_noise(ac, &g);
        assert_int_not_equal(ac->subset[0], ac->subset[1]);
        seen[ac->subset[0]]++, seen[ac->subset[1]]++;
    }
    for (int e = 0; e < 10; e++) assert_true(abs(seen[e] - DRAWS * 2 / 10) < 150);
    bex_actor_critic_free(ac);
}

static void actions_are_drawn_or_most_likely(void **state) {
    (void)state;
    enum { DRAWS = 4000 };
    bex_actor_critic *ac = learner(&sac);
    bex_arena *arena = bex_arena_new();
    bex_rng g = bex_rng_seed(2);
    const bex_real obs[2 * O] = {R(0.3), R(-1), R(0.5), R(2), R(-0.7),
                                 R(1),   R(1),  R(0),   R(0), R(1)};
    bex_real best[2 * A], again[2 * A], one[2 * A];
    double below[A] = {0};
    bex_actor_critic_act(ac, arena, obs, 2, NULL, best);
    bex_actor_critic_act(ac, arena, obs, 2, NULL, again);
    assert_memory_equal(best, again, sizeof best);
    // tanh keeps order: half of the draws are below the most likely one
    for (int i = 0; i < DRAWS; i++) {
        bex_actor_critic_act(ac, arena, obs, 2, &g, one);
        for (int a = 0; a < A; a++) {
            assert_true(one[a] >= R(-1) && one[a] <= R(1));
            below[a] += one[a] < best[a];
        }
    }
    for (int a = 0; a < A; a++) assert_true(fabs(below[a] / DRAWS - 0.5) < 0.04);
    bex_arena_free(arena);
    bex_actor_critic_free(ac);
}

static void what_is_not_finite_is_told_and_changes_nothing(void **state) {
    (void)state;
    bex_actor_critic *ac = learner(&sac);
    bex_actor_critic_report r;
    update(ac, 0);
    size_t bytes = ac->critics.params->count * sizeof(bex_real);
    bex_real *before = malloc(bytes);
    memcpy(before, ac->critics.params->value, bytes);
    draw(ac, 1);
    ac->batch.reward[7] = R(NAN);
    assert_int_equal(bex_actor_critic_learn_critics(ac, &r), -1);
    assert_message("the critics' loss is");
    assert_memory_equal(before, ac->critics.params->value, bytes);
    free(before);
    bex_actor_critic_free(ac);
}

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    bex_actor_critic *ac;
    bex_actor_critic_options o = sac;
    o.subset = 3;
    assert_int_equal(bex_actor_critic_new(&ac, &o), -1);
    assert_message("the least of 3 of 2 critics");
    o = sac, o.lanes = 13;
    assert_int_equal(bex_actor_critic_new(&ac, &o), -1);
    assert_message("12 transitions for 13 lanes");
    o = sac, o.critic_hidden[0] = 0;
    assert_int_equal(bex_actor_critic_new(&ac, &o), -1);
    assert_message("hidden layer");
}

// with the target known, critics regress on it: rewards of a function, nothing after
static void critics_learn_a_known_value(void **state) {
    (void)state;
    bex_actor_critic_options o = sac;
    o.critic_lr = 1e-2, o.batch = 64, o.critic_hidden[0] = 32, o.critic_hidden[1] = 32;
    bex_actor_critic *ac = learner(&o);
    bex_actor_critic_report r = {0};
    double first = 0;
    for (uint64_t n = 0; n < 400; n++) {
        draw(ac, n);
        for (int i = 0; i < 64; i++) {
            ac->batch.mask[i] = 0;
            ac->batch.reward[i] = ac->batch.obs[i * O] * ac->batch.act[i * A + 1];
        }
        assert_int_equal(bex_actor_critic_learn_critics(ac, &r), 0);
        if (!n) first = r.critic_loss;
    }
    if (!(r.critic_loss < 0.01 && r.critic_loss < 0.1 * first))
        fail_msg("from %g to %g", first, r.critic_loss);
    bex_actor_critic_free(ac);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_updates_of_sac),
        cmocka_unit_test(three_updates_of_rlpd),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(a_steady_update_allocates_nothing),
        cmocka_unit_test(subsets_are_distinct_and_fair),
        cmocka_unit_test(actions_are_drawn_or_most_likely),
        cmocka_unit_test(what_is_not_finite_is_told_and_changes_nothing),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(critics_learn_a_known_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
