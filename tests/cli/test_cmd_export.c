/* `bex export` as a user runs it: the policy that acts, and nothing but it. */
#include "cli/program.h"
#include "nn/safetensors.h"
#include "policy/tiny_policy.h"

#include <math.h>
#include <unistd.h>

static char model[600], out[600];

static const char *arguments(const char *who, const char *more) {
    static char text[1500];
    snprintf(text, sizeof text, "export %s --out %s %s", who, out, more);
    return text;
}

static int averages(const char *path) {
    bex_st_file *f = bex_st_load(path);
    if (!f) fail_msg("%s", bex_error());
    int n = 0;
    for (int i = 0; i < bex_st_count(f); i++) n += !strncmp(bex_st_at(f, i)->name, "ema.", 4);
    bex_st_free(f);
    return n;
}

// as training leaves it: the last values, and another average of them
static void save_trained(void) {
    static const char *const settings[] = {"coverage.support=50", "model.waypoints=1", NULL};
    bex_policy *p = tiny_policy(settings, 0, 1);
    bex_real states[TINY_ROWS * TINY_O];
    bex_rng g = bex_rng_seed(2);
    for (int i = 0; i < TINY_ROWS * TINY_O; i++) states[i] = R(bex_rng_normal(&g));
    p->support =
        bex_support_fit(&p->normaliser, states, TINY_ROWS, p->chunk.dim, p->chunk.W, 50, g);
    if (!p->support) fail_msg("%s", bex_error());
    bex_params_ema(p->params);
    for (size_t i = 0; i < p->params->count; i++) p->params->ema[i] *= R(0.5);
    if (bex_policy_save(p, model) < 0) fail_msg("%s", bex_error());
    bex_policy_free(p);
}

static void what_acts_is_kept_bit_for_bit(void **state) {
    (void)state;
    assert_true(averages(model) > 0);
    run r = run_program(arguments(model, ""));
    if (r.code) fail_msg("%s", r.text);
    assert_non_null(strstr(r.text, " MB, of "));
    assert_int_equal(averages(out), 0);
    bex_policy *p = bex_policy_load(model), *q = bex_policy_load(out);
    if (!p || !q) fail_msg("%s", bex_error());
    assert_memory_equal(p->params->value, q->params->value, p->params->count * sizeof(bex_real));
    bex_policy_free(q);
    // and of everything else: saved again, the same file
    const char *again = scratch_path("export-again.safetensors");
    assert_int_equal(bex_policy_save(p, again), 0);
    bex_policy_free(p);
    char text[1300];
    snprintf(text, sizeof text, "cmp -s %s %s", out, again);
    assert_int_equal(system(text), 0);
    unlink(again);
    // an exported policy exported, over itself
    assert_int_equal(run_program(arguments(out, "--force")).code, 0);
    assert_int_equal(averages(out), 0);
}

/* Each weight within half of the last of 11 bits, everything else as it was; and that file again the same. */
static void weights_in_16_bits(void **state) {
    (void)state;
    char text[1300];
    const char *again = scratch_path("export-half.safetensors");
    run r = run_program(arguments(model, "--force --half"));
    if (r.code) fail_msg("%s", r.text);
    bex_policy *p = bex_policy_load(model), *q = bex_policy_load(out);
    if (!p || !q) fail_msg("%s", bex_error());
    size_t same = 0;
    for (size_t i = 0; i < p->params->count; i++) {
        double a = (double)p->params->value[i], b = (double)q->params->value[i];
        assert_true(fabs(a - b) <= fabs(a) * 0x1p-11 + 0x1p-25);
        same += a == b;
    }
    assert_true(same < p->params->count);
    assert_memory_equal(p->normaliser.mean, q->normaliser.mean, TINY_O * sizeof(bex_real));
    assert_int_equal(bex_policy_save_half(q, again), 0);
    snprintf(text, sizeof text, "cmp -s %s %s", out, again);
    assert_int_equal(system(text), 0);
    // too large for 16 bits
    bex_param_edit(q->params->param[0])[0] = R(1e6);
    assert_int_equal(bex_policy_save_half(q, again), -1);
    assert_non_null(strstr(bex_error(), "too large for 16 bits"));
    unlink(again);
    bex_policy_free(p);
    bex_policy_free(q);
}

static void how_to_act_can_be_set(void **state) {
    (void)state;
    run r = run_program(arguments(model, "--force --deploy.temperature=0.5 --deploy.exp=q:1"));
    if (r.code) fail_msg("%s", r.text);
    bex_policy *p = bex_policy_load(model), *q = bex_policy_load(out);
    assert_true(q->config.deploy.temperature == 0.5 && p->config.deploy.temperature == 1);
    assert_string_equal(q->config.deploy.exp, "q:1");
    assert_string_equal(q->config.deploy.history, p->config.deploy.history);
    bex_policy_free(q);
    bex_policy_free(p);
    assert_refused(arguments(model, "--force --model.width=32"), 2, "only deploy.* can be set");
    assert_refused(arguments(model, "--force --deploy.act=-3"), 2, "act");
    assert_refused(arguments(model, "--force --deploy.temprature=1"), 2, "temperature");
    // what a session would refuse on the robot
    assert_refused(arguments(model, "--force --deploy.exp=0.95"), 2, "is none of q:, z: and raw:");
    assert_refused(arguments(model, "--force --deploy.exp=q:95"), 2, "a quantile lies in 0 to 1");
    assert_refused(arguments(model, "--force --deploy.history=lastfive"), 2, "no history rule");
    assert_refused(arguments(model, "--force --deploy.action_steps=99"), 1,
                   "a chunk has 4 actions");
}

static void mistakes_are_one_line(void **state) {
    (void)state;
    assert_refused("export", 2, "which policy?");
    assert_refused("export x", 2, "where to?");
    assert_int_equal(run_program(arguments(model, "--force")).code, 0);
    assert_refused(arguments(model, ""), 1, "exists (--force replaces it)");
    assert_refused(arguments("no/such", "--force"), 1, "no/such");
    char text[1500];
    snprintf(text, sizeof text, "export %s -o no/such/folder/y", model);
    assert_refused(text, 1, "no/such/folder");
    // a file that is no policy leaves the one that was there
    snprintf(text, sizeof text, "%s", scratch_path("export-none.safetensors"));
    bex_st_writer *w = bex_st_writer_new();
    assert_int_equal(bex_st_save(w, text), 0);
    bex_st_writer_free(w);
    assert_refused(arguments(text, "--force"), 1, "not a bex policy");
    bex_policy *p = bex_policy_load(out);
    assert_non_null(p);
    bex_policy_free(p);
    unlink(text);
}

int main(void) {
    snprintf(model, sizeof model, "%s", scratch_path("export-model.safetensors"));
    snprintf(out, sizeof out, "%s", scratch_path("export-out.safetensors"));
    save_trained();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_acts_is_kept_bit_for_bit),
        cmocka_unit_test(weights_in_16_bits),
        cmocka_unit_test(how_to_act_can_be_set),
        cmocka_unit_test(mistakes_are_one_line),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(model), unlink(out);
    return code;
}
