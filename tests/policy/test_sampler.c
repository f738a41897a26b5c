/* Sampling in company gives each chunk the bits it has alone: conditions of all steps in one product,
 * guided and plain together, candidates under one condition. The formulas themselves are held to PyTorch by
 * test_parity.c. */
#include "policy/sampler.h"

#include "kernel/random.h"
#include "policy/tiny_policy.h"

enum { BLOCKS = 2, C = 16, CHUNK = TINY_K * TINY_A, GROUPS = 3, EACH = 4, STEPS = 5 };

typedef struct {
    bex_policy *policy;
    bex_arena *arena;
    bex_tape tape;
    bex_real pooled[2][BLOCKS][GROUPS * C]; // with the coverage, and with it hidden
    bex_real noise[GROUPS * EACH * CHUNK];
} fixture;

static fixture *fixture_new(bool packed) {
    fixture *f = calloc(1, sizeof *f);
    bex_rng g = bex_rng_seed(5);
    f->policy = tiny_policy(NULL, 0, 4);
    if (packed) bex_params_pack(f->policy->params, 1);
    f->arena = bex_arena_new();
    bex_tape_init(&f->tape, f->arena);
    bex_random_normal(&f->pooled[0][0][0], sizeof f->pooled / sizeof(bex_real), &g);
    bex_random_normal(f->noise, sizeof f->noise / sizeof(bex_real), &g);
    return f;
}

static void fixture_free(fixture *f) {
    bex_arena_free(f->arena);
    bex_policy_free(f->policy);
    free(f);
}

// `groups` groups from `group` on, as pooled vectors
static void condition(fixture *f, int hidden, int group, int groups, bex_tensor **out) {
    for (int i = 0; i < BLOCKS; i++)
        out[i] = bex_constant(&f->tape, f->pooled[hidden][i] + group * C, 2, BEX_DIMS(groups, C));
}

static void sample(fixture *f, double guidance, const bex_real *time, int group, int groups, int B,
                   bex_real *x) {
    bex_tensor *pooled[BLOCKS], *null[BLOCKS];
    bex_sampler s = {&f->policy->schedule, STEPS, guidance, time, 0};
    condition(f, 0, group, groups, pooled);
    condition(f, 1, group, groups, null);
    size_t used = bex_arena_used(f->arena);
    bex_sample(&f->tape, &f->policy->dit, &s, x, B, pooled, guidance == 1 ? NULL : null);
    assert_int_equal(bex_arena_used(f->arena), used);
    bex_tape_reset(&f->tape);
}

static void chunks_in_groups_are_those_alone(void **state) {
    (void)state;
    fixture *f = fixture_new(true), *plain = fixture_new(false);
    bex_real x[GROUPS * EACH * CHUNK], one[CHUNK], time[STEPS * C];
    bex_sampler s = {&f->policy->schedule, STEPS, 1, NULL, 0};
    bex_sampler_time(&f->tape, &f->policy->dit, &s, time);
    for (int guided = 0; guided < 2; guided++) {
        double w = guided ? 2.5 : 1;
        memcpy(x, f->noise, sizeof x);
        sample(f, w, time, 0, GROUPS, GROUPS * EACH, x);
        for (int b = 0; b < GROUPS * EACH; b++) {
            memcpy(one, f->noise + b * CHUNK, sizeof one);
            sample(plain, w, NULL, b / EACH, 1, 1, one);
            assert_memory_equal(one, x + b * CHUNK, sizeof one);
        }
    }
    fixture_free(f);
    fixture_free(plain);
}

static void guidance_changes_the_chunk(void **state) {
    (void)state;
    fixture *f = fixture_new(false);
    bex_real x[2][CHUNK];
    for (int guided = 0; guided < 2; guided++) {
        memcpy(x[guided], f->noise, sizeof x[guided]);
        sample(f, guided ? 2.5 : 1, NULL, 0, 1, 1, x[guided]);
    }
    assert_memory_not_equal(x[0], x[1], sizeof x[0]);
    fixture_free(f);
}

// given columns stay, bit for bit, and what is denoised beside them heeds them
static void given_columns_stay(void **state) {
    (void)state;
    fixture *f = fixture_new(false);
    bex_real x[2][CHUNK], time[STEPS * C];
    for (int guided = 0; guided < 2; guided++) {
        bex_sampler s = {&f->policy->schedule, STEPS, guided ? 2.5 : 1, NULL, TINY_A - 1};
        bex_sampler_time(&f->tape, &f->policy->dit, &s, time);
        for (int other = 0; other < 2; other++) {
            bex_tensor *pooled[BLOCKS], *null[BLOCKS];
            bex_real before[CHUNK];
            memcpy(x[other], f->noise, sizeof x[other]);
            if (other) x[other][TINY_A - 1] += R(0.5); // beside the first action
            memcpy(before, x[other], sizeof before);
            condition(f, 0, 0, 1, pooled);
            condition(f, 1, 0, 1, null);
            s.time = other ? time : NULL;
            bex_sample(&f->tape, &f->policy->dit, &s, x[other], 1, pooled, guided ? null : NULL);
            bex_tape_reset(&f->tape);
            for (int i = 0; i < CHUNK; i++)
                assert_true((i % TINY_A == TINY_A - 1) == (x[other][i] == before[i]));
        }
        for (int k = 0; k < TINY_K; k++) // each chunk step attends to all
            assert_true(x[0][k * TINY_A] != x[1][k * TINY_A]);
    }
    fixture_free(f);
}

// told the chunk itself, sampling arrives there from any noise, guided or not
static void told_chunks_are_reached(void **state) {
    (void)state;
    fixture *f = fixture_new(false);
    const bex_params *p = f->policy->params;
    const bex_param *w = bex_param_find(p, "decoder.final.linear.weight");
    const bex_param *b = bex_param_find(p, "decoder.final.linear.bias");
    static const bex_real told[TINY_A] = {R(0.5), R(-3)}, reached[TINY_A] = {R(0.5), R(-1)};
    for (size_t i = 0; i < w->count; i++) bex_param_edit(w)[i] = R(0);
    for (int i = 0; i < TINY_A; i++) bex_param_edit(b)[i] = told[i];
    f->policy->schedule.predicts = BEX_PREDICTS_CHUNK;
    for (int guided = 0; guided < 2; guided++) {
        bex_real x[CHUNK];
        memcpy(x, f->noise, sizeof x);
        sample(f, guided ? 2.5 : 1, NULL, 0, 1, 1, x);
        for (int i = 0; i < CHUNK; i++)
            assert_true(fabs((double)(x[i] - reached[i % TINY_A])) < 1e-4);
    }
    fixture_free(f);
}

// one pass over several steps' conditions against the network asked at one step
static void conditions_together_are_those_of_each_step(void **state) {
    (void)state;
    static const int step[GROUPS] = {90, 41, 3};
    fixture *f = fixture_new(false);
    const bex_dit *dit = &f->policy->dit;
    bex_tensor *pooled[BLOCKS], *alone[BLOCKS];
    condition(f, 0, 0, GROUPS, pooled);
    bex_tensor *t = bex_decoder_time(&f->tape, &dit->decoder, step, GROUPS);
    bex_modulation m = bex_decoder_condition(&f->tape, &dit->decoder, t, pooled);
    m.rows = 1;
    for (int g = 0; g < GROUPS; g++) {
        bex_tensor *x = bex_constant(&f->tape, f->noise, 3, BEX_DIMS(EACH, TINY_K, TINY_A));
        m.first = g;
        bex_tensor *eps = bex_decoder_denoise(&f->tape, &dit->decoder, x, &m);
        condition(f, 0, g, 1, alone);
        for (int b = 0; b < EACH; b++) {
            x = bex_constant(&f->tape, f->noise + b * CHUNK, 3, BEX_DIMS(1, TINY_K, TINY_A));
            bex_tensor *want = bex_dit_denoise(&f->tape, dit, x, step + g, alone);
            assert_memory_equal(eps->data + b * CHUNK, want->data, CHUNK * sizeof(bex_real));
        }
    }
    fixture_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_in_groups_are_those_alone),
        cmocka_unit_test(guidance_changes_the_chunk),
        cmocka_unit_test(given_columns_stay),
        cmocka_unit_test(told_chunks_are_reached),
        cmocka_unit_test(conditions_together_are_those_of_each_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
