/* The presets of configs/: each loads, is what its name says, and builds the network the paper counts. */
#include "agent/agent.h"
#include "agent/skills/hilp_skills.h"
#include "agent/skills/supe_skills.h"

#include "base/error.h"
#include "host/folder.h"
#include "policy/policy.h"
#include "policy/policy_phi.h"

#include "test.h"

static const struct {
    const char *name;
    int O, A;
    size_t network; // parameters without the tokens' projections; 0: the spec gives none
} presets[] = {
    {"ant-walker.ini", 29, 8, 0},
    {"antmaze-large-bc.ini", 29, 8, 6066000},
    {"antmaze-large-be-paper.ini", 29, 8, 2068432},
    {"antmaze-large-be.ini", 29, 8, 2068432},
    {"antmaze-large-hilp.ini", 29, 8, 3371603},
    {"antmaze-large-supe.ini", 29, 8, 2245936},
    {"antmaze-medium-bc.ini", 29, 8, 6066000},
    {"antmaze-medium-be-paper.ini", 29, 8, 5015376},
    {"antmaze-medium-be.ini", 29, 8, 5015376},
    {"antmaze-medium-hilp.ini", 29, 8, 3371603},
    {"antmaze-medium-supe.ini", 29, 8, 2245936},
    {"kitchen-bc.ini", 60, 9, 306275},
    {"kitchen-be-paper.ini", 60, 9, 603491},
    {"kitchen-be.ini", 60, 9, 603491},
    {"kitchen-hilp.ini", 30, 9, 3376213},
    {"kitchen-supe.ini", 30, 9, 2248754},
    {"libero-bc-given.ini", 234, 7, 0},
    {"libero-bc-paper.ini", 9, 7, 0},
    {"libero-bc.ini", 234, 7, 0},
    {"libero-be-given.ini", 234, 7, 0},
    {"libero-be-paper.ini", 9, 7, 0},
    {"libero-be.ini", 234, 7, 0},
    {"maze2d-medium-bc.ini", 4, 2, 0},
    {"maze2d-medium-be-paper.ini", 4, 2, 0},
    {"maze2d-medium-be.ini", 4, 2, 0},
};
enum { PRESETS = sizeof presets / sizeof *presets };

static bex_train_config load(const char *name) {
    bex_train_config c;
    char path[600];
    snprintf(path, sizeof path, "%s/configs/%s", BEX_SOURCE_DIR, name);
    bex_config_defaults(&bex_train_schema, &c);
    if (bex_config_load(&bex_train_schema, &c, path) < 0) fail_msg("%s", bex_error());
    return c;
}

static void every_preset_is_listed_here(void **state) {
    (void)state;
    char **names;
    int count = bex_folder_list(&names, BEX_SOURCE_DIR "/configs"), found = 0;
    for (int i = 0; i < count; i++) {
        size_t n = strlen(names[i]);
        if (n < 4 || strcmp(names[i] + n - 4, ".ini") != 0) continue;
        found++;
        int at = 0;
        while (at < PRESETS && strcmp(presets[at].name, names[i]) != 0) at++;
        if (at == PRESETS) fail_msg("configs/%s is not tested", names[i]);
    }
    free(names);
    assert_int_equal(found, PRESETS);
}

static size_t without_tokens(const bex_params *p) {
    size_t n = 0;
    for (int i = 0; i < p->params; i++)
        if (strncmp(p->param[i]->name, "token.", 6) != 0) n += p->param[i]->count;
    return n;
}

// phi of states with some statistics, as a trainer makes it
static void build_phi(const char *name, const bex_policy_config *c, int O, int A) {
    bex_normaliser n = {.O = O, .A = A};
    bex_real mean[256], std[256];
    for (int i = 0; i < O; i++) mean[i] = R(i), std[i] = R(i % 2);
    n.mean = mean, n.std = std;
    bex_feature *phi = bex_policy_phi(c, &n);
    if (!phi) fail_msg("%s: %s", name, bex_error());
    assert_int_equal(bex_feature_shape(phi).d, strstr(name, "libero") ? 16 : 32);
    bex_feature_free(phi);
}

// ends in the name of an agent that makes skills
static const char *skilled(const char *preset) {
    return strstr(preset, "-supe.ini") ? "supe" : strstr(preset, "-hilp.ini") ? "hilp" : NULL;
}

// whose sizes are upstream's, and whose world is said
static void presets_of_skills_build_theirs(void **state) {
    (void)state;
    for (int i = 0; i < PRESETS; i++) {
        const char *agent = skilled(presets[i].name);
        if (!agent) continue;
        bex_train_config c = load(presets[i].name);
        bool supe = !strcmp(agent, "supe");
        assert_string_equal(bex_train_agent(&c), agent);
        assert_int_equal(bex_agent_settle(&c), 0);
        assert_true(strncmp(presets[i].name, c.env.name, strcspn(c.env.name, "-")) == 0);
        assert_int_equal(c.train.batch, supe ? 256 : 1024);
        assert_string_equal(c.data.path, "");
        bool part = supe ? c.supe.state != 0 : c.hilp.state != 0;
        assert_int_equal(part, presets[i].O == 30);
        bex_skill_about about = {.S = presets[i].O, .A = presets[i].A};
        about.Z = (int)(supe ? c.supe.skill : c.hilp.skill), about.H = (int)c.supe.steps;
        about.hidden[0] = (int)c.supe.hidden;
        if (!supe) assert_int_equal(bex_widths_parse(about.hidden, 7, c.hilp.hidden), 0);
        bex_params *p = bex_params_new();
        if (supe)
            bex_segment_vae_add(p, bex_supe_network(&about));
        else
            bex_hilbert_add(p, bex_hilp_network(&about));
        if (bex_params_total(p) != presets[i].network)
            fail_msg("%s: %zu parameters", presets[i].name, bex_params_total(p));
        bex_params_free(p);
    }
}

static void every_preset_builds_its_network(void **state) {
    (void)state;
    for (int i = 0; i < PRESETS; i++) {
        bex_train_config c = load(presets[i].name);
        if (bex_agent_class_of(&c)->needs & BEX_NEEDS_WORLD || skilled(presets[i].name)) continue;
        bool be = strstr(presets[i].name, "-be") != NULL;
        assert_string_equal(bex_train_agent(&c), be ? "be" : "bc");
        assert_int_equal(bex_agent_settle(&c), 0);
        assert_int_equal(c.train.batch % c.train.samples_per_history, 0);
        assert_true(c.train.warmup < c.train.steps);
        assert_string_equal(c.data.path, ""); // whose data is for the user to say
        // rows of actions alone: the paper's network
        c.policy.model.waypoints = false, c.policy.coverage.support = 0,
        c.policy.diffusion.show_waypoints = 0;
        int tasks = c.policy.model.task ? 90 : 0, scenes = c.policy.model.scene ? 20 : 0;
        bex_policy *p = bex_policy_new(&c.policy, presets[i].O, presets[i].A, tasks, scenes, 0, 0);
        if (!p) fail_msg("%s: %s", presets[i].name, bex_error());
        size_t counted = without_tokens(p->params);
        if (presets[i].network && counted != presets[i].network)
            fail_msg("%s: %zu parameters, expected %zu", presets[i].name, counted,
                     presets[i].network);
        assert_int_equal(p->dit.o.N, be ? c.policy.model.history : 0);
        bex_policy_free(p);
        if (be) build_phi(presets[i].name, &c.policy, presets[i].O, presets[i].A);
    }
}

static void the_walker_fits_its_world(void **state) {
    (void)state;
    bex_train_config c = load("ant-walker.ini");
    assert_string_equal(bex_train_agent(&c), "sac");
    assert_string_equal(c.env.name, "ant-walker");
    int widths[8], in = 29, parameters = 0;
    assert_int_equal(bex_widths_parse(widths, 8, c.sac.actor), 0);
    for (int i = 0; widths[i]; i++) parameters += widths[i] * (in + 1), in = widths[i];
    parameters += 2 * 8 * (in + 1);
    assert_true(4 * parameters < 1000000); // bytes of the controller
    assert_true(c.sac.subset <= c.sac.critics && c.sac.start < c.sac.replay);
}

static void widths_are_numbers_by_commas(void **state) {
    (void)state;
    int w[4];
    assert_int_equal(bex_widths_parse(w, 4, "12,3,8192"), 0);
    assert_true(w[0] == 12 && w[1] == 3 && w[2] == 8192 && w[3] == 0);
    static const char *const wrong[] = {"", ",", "1,", "0", "-1", "8193", "1,2,3,4", "1;2", "x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(bex_widths_parse(w, 4, wrong[i]), -1);
    assert_message("widths 'x': numbers from 1 to 8192");
}

static void paper_presets_are_literal(void **state) {
    (void)state;
    for (int i = 0; i < PRESETS; i++) {
        bex_train_config c = load(presets[i].name);
        if (!strstr(presets[i].name, "-be-paper")) continue;
        const bex_coverage_config *v = &c.policy.coverage;
        assert_int_equal(c.policy.model.mode, BEX_DIT_FULL);
        assert_int_equal(c.policy.model.pool, BEX_POOL_ALL);
        assert_int_equal(v->normalise, BEX_NORMALISE_GLOBAL);
        bool seeing = strstr(presets[i].name, "libero"); // cosines of proprioception, appendix B.2
        assert_string_equal(bex_phi_kinds[v->phi], seeing ? "cosine" : "mlp");
        assert_true(v->features == (seeing ? 16 : 32) && v->hidden == 128 && v->lambda == 0.01);
        if (!seeing) assert_true(!v->standardise && v->dims[0] == 0);
        assert_true(c.train.trajectories == 1 && c.train.samples_per_history == 1);
        assert_true(c.train.lr == 3e-4 && c.train.warmup == 2000);
        assert_true(c.train.batch == (seeing ? 150 : 256));
        assert_true(c.train.beta1 == 0.95 && c.train.decay == 1e-6 && c.train.clip == 0);
        assert_true(c.train.coverage_dropout == 0 && c.policy.deploy.guidance == 1);
    }
}

// [model] agent is read, [train] agent is written; the tokens follow the name
static void the_agent_decides_the_tokens(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int history;
        bool coverage;
    } agents[] = {{"be", 32, true}, {"bc", 0, false}, {"bc-history", 32, false}};
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
        for (int old = 0; old < 2; old++) {
            bex_train_config c;
            char text[64];
            snprintf(text, sizeof text, "[%s]\nagent = %s\n", old ? "model" : "train",
                     agents[i].name);
            bex_config_defaults(&bex_train_schema, &c);
            assert_int_equal(bex_config_parse(&bex_train_schema, &c, text, strlen(text), "x.ini"),
                             0);
            assert_string_equal(bex_train_agent(&c), agents[i].name);
            for (int again = 0; again < 2; again++) assert_int_equal(bex_agent_settle(&c), 0);
            assert_int_equal(c.policy.model.history, agents[i].history);
            assert_int_equal(c.policy.model.coverage, agents[i].coverage);
            assert_string_equal(bex_model_name(&c.policy.model), agents[i].name);
            char *written = bex_config_text(&bex_train_schema, &c);
            assert_null(strstr(strstr(written, "[model]"), "\nagent = ") <
                                strstr(written, "[diffusion]")
                            ? written
                            : NULL);
            snprintf(text, sizeof text, "\nagent = %s\n", agents[i].name);
            assert_non_null(strstr(strstr(written, "[train]"), text));
            free(written);
        }
    bex_train_config c;
    bex_config_defaults(&bex_train_schema, &c);
    c.policy.model.history = 0;
    assert_int_equal(bex_agent_settle(&c), -1);
    assert_message("be needs a history: model.history is 0");
    assert_int_equal(bex_config_set(&bex_train_schema, &c, "model.agent=bx"), -1);
    assert_message("train.agent = 'bx': not one of be, bc, bc-history, encoder, sac");
}

// in files and on the command line; today's alone are written
static void keys_of_before_are_read(void **state) {
    (void)state;
    static const struct {
        const char *was, *is;
    } keys[] = {{"hide = 0.25", "coverage_dropout = 0.25"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        bex_train_config c;
        char text[96];
        snprintf(text, sizeof text, "[train]\n%s\n", keys[i].was);
        bex_config_defaults(&bex_train_schema, &c);
        assert_int_equal(bex_config_parse(&bex_train_schema, &c, text, strlen(text), "x.ini"), 0);
        char *written = bex_config_text(&bex_train_schema, &c);
        snprintf(text, sizeof text, "\n%s\n", keys[i].is);
        assert_non_null(strstr(written, text));
        snprintf(text, sizeof text, "\n%s\n", keys[i].was);
        assert_null(strstr(written, text));
        free(written);
    }
    bex_train_config c;
    bex_config_defaults(&bex_train_schema, &c);
    assert_int_equal(bex_config_set(&bex_train_schema, &c, "train.hide=0.5"), 0);
    assert_true(c.train.coverage_dropout == 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_is_listed_here),
        cmocka_unit_test(the_agent_decides_the_tokens),
        cmocka_unit_test(keys_of_before_are_read),
        cmocka_unit_test(every_preset_builds_its_network),
        cmocka_unit_test(presets_of_skills_build_theirs),
        cmocka_unit_test(the_walker_fits_its_world),
        cmocka_unit_test(widths_are_numbers_by_commas),
        cmocka_unit_test(paper_presets_are_literal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
