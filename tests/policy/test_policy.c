/* A policy there and back through its file, and every way a file can be wrong: a message, never an abort. */
#include "base/file.h"
#include "base/path.h"
#include "nn/safetensors.h"
#include "policy/control.h"
#include "policy/tiny_control.h"
#include "policy/tiny_policy.h"

static char path[600];

static void expect_refused(const char *part) {
    bex_policy *p = bex_policy_load(path);
    if (p) fail_msg("loaded, though '%s' was expected", part);
    assert_message(part);
    // the file's name once
    const char *at = strstr(bex_error(), path);
    assert_non_null(at);
    assert_null(strstr(at + 1, path));
    assert_null(strchr(bex_error(), '\n'));
}

static void same_policy(const bex_policy *a, const bex_policy *b) {
    assert_int_equal(a->O, b->O);
    assert_int_equal(a->A, b->A);
    assert_int_equal(a->tasks, b->tasks);
    char *text = bex_config_text(&bex_policy_schema, &a->config);
    char *other = bex_config_text(&bex_policy_schema, &b->config);
    assert_string_equal(text, other);
    free(text), free(other);
    assert_int_equal(a->params->count, b->params->count);
    assert_memory_equal(a->params->value, b->params->value, a->params->count * sizeof(bex_real));
    assert_memory_equal(a->normaliser.std, b->normaliser.std, TINY_O * sizeof(bex_real));
    assert_int_equal(!a->phi, !b->phi);
    assert_int_equal(!a->condition, !b->condition);
    if (a->condition)
        for (int q = 0; q <= 100; q++)
            assert_true(bex_condition_quantile(a->condition, q / 100.0) ==
                        bex_condition_quantile(b->condition, q / 100.0));
}

static void round_trip(void **state) {
    (void)state;
    static const char *const kinds[][5] = {
        {NULL},
        {"model.mode=full", "model.timestep=true", "coverage.normalise=global", NULL},
        {"model.agent=bc", "model.task=true", NULL},
        {"model.agent=bc-history", NULL},
        {"coverage.phi=onehot", "coverage.cell=2", NULL},
        {"coverage.phi=cosine_relative", NULL},
        {"coverage.phi=mlp", "coverage.hidden=12", "deploy.exp=z:1", "deploy.history=last3", NULL},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bex_policy *p = tiny_policy(kinds[i], 3, i);
        if (i) p->origin = (bex_policy_origin){"KITCHEN_SCENE5", 64, 48}; // else not known
        assert_int_equal(bex_policy_save(p, path), 0);
        bex_policy *q = bex_policy_load(path);
        if (!q) fail_msg("%zu: %s", i, bex_error());
        same_policy(p, q);
        assert_string_equal(q->origin.scene, p->origin.scene);
        assert_int_equal(q->origin.height, p->origin.height);
        assert_int_equal(q->origin.width, p->origin.width);
        bex_policy_free(p);
        bex_policy_free(q);
    }
}

// a directory stands for the model in it
static void directories_are_opened(void **state) {
    (void)state;
    char folder[700], inside[800];
    snprintf(folder, sizeof folder, "%s.d", path);
    snprintf(inside, sizeof inside, "%s/model.safetensors", folder);
    char command[800];
    snprintf(command, sizeof command, "mkdir -p '%s'", folder);
    assert_int_equal(system(command), 0);
    assert_null(bex_policy_load(folder));
    assert_message("model.safetensors");
    tiny_policy_save(NULL, 0, 1, inside);
    bex_policy *p = bex_policy_load(folder);
    assert_non_null(p);
    bex_policy_free(p);
    unlink(inside);
    rmdir(folder);
    assert_null(bex_policy_load("no/such/model.safetensors"));
    assert_message("no/such/model.safetensors");
}

// the running average is what acts
static void averages_act(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 2);
    bex_params_ema(p->params);
    for (size_t i = 0; i < p->params->count; i++) p->params->ema[i] *= R(0.5);
    assert_int_equal(bex_policy_save(p, path), 0);
    bex_policy *q = bex_policy_load(path);
    assert_non_null(q);
    assert_memory_equal(q->params->value, p->params->ema, p->params->count * sizeof(bex_real));
    bex_policy_free(p);
    bex_policy_free(q);
}

// ---- files that are wrong ----

static char *bytes;
static size_t size;

static void read_bytes(void) {
    free(bytes);
    if (bex_file_read(&bytes, &size, path, 1 << 24) < 0) fail_msg("%s", bex_error());
}

static void write_bytes(const void *text, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static void truncation_is_refused(void **state) {
    (void)state;
    tiny_policy_save(NULL, 0, 3, path);
    read_bytes();
    static const double shares[] = {0, 0.00001, 0.01, 0.1, 0.5, 0.9, 0.9999};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        write_bytes(bytes, (size_t)(shares[i] * (double)size));
        expect_refused("");
    }
    write_bytes(bytes, size - 1);
    expect_refused("truncated");
    write_bytes("hello, this is no model at all", 30);
    expect_refused("not safetensors?");
}

// what is written differently from the file at `path`
typedef struct change {
    const char *without;            // tensor left out
    const char *shape;              // tensor given one row more
    const char *key, *value;        // metadata; value NULL: left out
    const char *config, *config_to; // replaced in the config's text
} change;

static char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (!at) fail_msg("'%s' is not in the config", from);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static void rewrite(change c) {
    static const char *const keys[] = {
        "format", "config",   "observation", "action",        "tasks",
        "scenes", "phi.kind", "phi.seed",    "phi.bandwidth", "coverage.normalise"};
    bex_st_file *f = bex_st_load(path);
    assert_non_null(f);
    bex_st_writer *w = bex_st_writer_new();
    char *config = NULL, *room = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = bex_st_metadata(f, keys[i]);
        if (c.key && !strcmp(keys[i], c.key)) value = c.value;
        if (c.config && !strcmp(keys[i], "config"))
            value = config = replaced(value, c.config, c.config_to);
        if (value) bex_st_add_metadata(w, keys[i], value);
    }
    for (int i = 0; i < bex_st_count(f); i++) {
        const bex_st_tensor *t = bex_st_at(f, i);
        if (c.without && !strcmp(t->name, c.without)) continue;
        int64_t dim[BEX_ST_RANK];
        memcpy(dim, t->dim, sizeof dim);
        const void *data = t->data;
        if (c.shape && !strcmp(t->name, c.shape)) {
            size_t row = t->count / (size_t)dim[0] * bex_st_dtype_size(t->dtype);
            dim[0]++;
            room = calloc((size_t)dim[0], row);
            memcpy(room, t->data, (size_t)(dim[0] - 1) * row);
            data = room;
        }
        bex_st_add(w, t->name, t->dtype, t->rank, dim, data);
    }
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_free(f);
    free(config), free(room);
}

static void tensors_are_checked(void **state) {
    (void)state;
    tiny_policy_save(NULL, 0, 4, path);
    bex_st_file *f = bex_st_load(path);
    for (int i = 0; i < bex_st_count(f); i++) {
        char name[200];
        snprintf(name, sizeof name, "%s", bex_st_at(f, i)->name);
        tiny_policy_save(NULL, 0, 4, path);
        rewrite((change){.without = name});
        expect_refused(strcmp(name, "coverage.bank") ? name : "needs a bank");
        if (!strcmp(name, "coverage.bank")) continue; // a bank of one more future is a bank
        tiny_policy_save(NULL, 0, 4, path);
        rewrite((change){.shape = name});
        expect_refused("");
    }
    bex_st_free(f);
}

static void metadata_is_checked(void **state) {
    (void)state;
    static const struct {
        change c;
        const char *part;
    } bad[] = {
        {{.key = "format", .value = NULL}, "not a bex policy"},
        {{.key = "format", .value = "bex-policy-2"}, "'bex-policy-2', not 'bex-policy-1'"},
        {{.key = "config", .value = NULL}, "metadata 'config' is missing"},
        {{.key = "config", .value = "\x7f garbage = = ]["}, "metadata 'config'"},
        {{.key = "config", .value = "[model]\nwidht = 16\n"}, "did you mean"},
        {{.key = "config", .value = ""}, "shape"},
        {{.key = "observation", .value = NULL}, "metadata 'observation'"},
        {{.key = "observation", .value = "0"}, "metadata 'observation'"},
        {{.key = "observation", .value = "-3"}, "metadata 'observation'"},
        {{.key = "observation", .value = "9999999999999999999999"}, "metadata 'observation'"},
        {{.key = "observation", .value = "5"}, "token.state.weight"},
        {{.key = "action", .value = "2x"}, "metadata 'action'"},
        {{.key = "action", .value = "3"}, "shape"},
        {{.key = "observation", .value = "1048576"}, "shape"},
        {{.key = "tasks", .value = "-1"}, "metadata 'tasks'"},
        {{.key = "phi.kind", .value = NULL}, "phi.kind"},
        {{.key = "phi.kind", .value = "sine"}, "no feature kind 'sine'"},
        {{.key = "phi.kind", .value = "onehot"}, "features: onehot"},
        {{.config = "width = 16", .config_to = "width = 20"}, "shape"},
        {{.config = "width = 16", .config_to = "width = 4096"}, "shape"},
        {{.config = "heads = 2", .config_to = "heads = 3"}, "not a multiple of model.heads"},
        {{.config = "heads = 2", .config_to = "heads = 0"}, "heads"},
        {{.config = "width = 16", .config_to = "width = nan"}, "width"},
        {{.config = "time_width = 8", .config_to = "time_width = 9"}, "odd"},
        {{.config = "blocks = 2", .config_to = "blocks = 3"}, "no tensor"},
        {{.config = "denoising_steps = 4", .config_to = "denoising_steps = 101"},
         "exceeds diffusion.steps"},
        {{.config = "task = false", .config_to = "task = true"}, "no task labels"},
        {{.config = "coverage = true", .config_to = "agent = bee"}, "agent 'bee' has learned no"},
        {{.config = "coverage = true", .config_to = "agent = sac"}, "agent 'sac' has learned no"},
        {{.config = "history = 6", .config_to = "history = 0"}, "model.coverage needs a history"},
        {{.config = "exp = q:0.95", .config_to = "exp = q:95"}, "deploy.exp: "},
        {{.config = "history = uniform", .config_to = "history = unifrom"}, "deploy.history: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tiny_policy_save(NULL, 0, 5, path);
        rewrite(bad[i].c);
        expect_refused(bad[i].part);
    }
}

// cells too small to be counted in an int
static void a_grid_has_limits(void **state) {
    (void)state;
    static const char *const cells[][4] = {
        {"coverage.phi=onehot", "coverage.cell=1e-6", "coverage.dims=0,1", NULL},
        {"coverage.phi=onehot", "coverage.cell=1e-6", "coverage.dims=0", NULL},
        {"coverage.phi=onehot", "coverage.cell=1e-3", "coverage.dims=0,1,2", NULL}};
    bex_policy *p = tiny_policy(NULL, 0, 6);
    p->normaliser.std[0] = R(1e5);
    for (int i = 0; i < 3; i++) {
        bex_policy_config c = tiny_config(cells[i]);
        assert_null(bex_policy_phi(&c, &p->normaliser));
        assert_message("coverage.cell");
    }
    bex_policy_free(p);
}

static void long_paths_are_refused(void **state) {
    (void)state;
    char far[BEX_PATH_SIZE] = "";
    while (strlen(far) < BEX_PATH_SIZE - 8) strcat(far, "./");
    assert_null(bex_policy_load(far));
    assert_message("path too long");
}

// statistics of one-hot features beside dense ones of as many: other sums, other sizes
// before, [model] told the learner, and a bc kept a history it had no use for
static void old_files_name_the_learner(void **state) {
    (void)state;
    static const struct {
        const char *setting, *coverage, *old, *history;
        bool has_history, has_coverage;
    } kinds[] = {
        {NULL, "coverage = true", "agent = be", NULL, true, true},
        {"model.agent=bc-history", "coverage = false", "agent = bc-history", NULL, true, false},
        {"model.agent=bc", "coverage = false", "agent = bc", "history = 0", false, false},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bex_policy *now = tiny_policy((const char *const[]){kinds[i].setting, NULL}, 0, 4);
        assert_int_equal(bex_policy_save(now, path), 0);
        rewrite((change){.config = kinds[i].coverage, .config_to = kinds[i].old});
        if (kinds[i].history)
            rewrite((change){.config = kinds[i].history, .config_to = "history = 32"});
        bex_policy *old = bex_policy_load(path);
        if (!old) fail_msg("%s: %s", kinds[i].old, bex_error());
        assert_int_equal(old->dit.o.N > 0, kinds[i].has_history);
        assert_int_equal(old->dit.o.coverage, kinds[i].has_coverage);
        assert_string_equal(bex_model_name(&old->config.model), kinds[i].old + strlen("agent = "));
        same_policy(now, old);
        bex_policy_free(old);
        bex_policy_free(now);
    }
}

static void published_policies_load(void **state) {
    (void)state;
    static const char *const files[][2] = {
        {"maze2d-medium/be1", "be"},  {"maze2d-medium/bc1", "bc"}, {"antmaze/large-be1", "be"},
        {"antmaze/medium-be2", "be"}, {"kitchen/be1", "be"},       {"kitchen/bc1", "bc"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char file[600];
        snprintf(file, sizeof file, "%s/results/%s", BEX_SOURCE_DIR, files[i][0]);
        bex_policy *p = bex_policy_load(file);
        if (!p) fail_msg("%s", bex_error());
        assert_string_equal(bex_model_name(&p->config.model), files[i][1]);
        assert_int_equal(p->dit.o.N > 0, !strcmp(files[i][1], "be"));
        bex_policy_free(p);
    }
}

static void statistics_fit_the_features(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 6);
    bex_rng g = bex_rng_seed(0);
    bex_condition_free(p->condition);
    p->condition = tiny_condition(&p->config, (bex_gram_shape){8, true}, &g);
    assert_int_equal(bex_policy_save(p, path), 0);
    bex_policy_free(p);
    expect_refused("do not fit");
}

// bytes changed at random: refused, or a policy that acts or says why not
static void mutations_never_abort(void **state) {
    (void)state;
    tiny_policy_save(NULL, 0, 7, path);
    read_bytes();
    char *copy = malloc(size);
    bex_rng g = bex_rng_seed(99);
    size_t header = 8;
    memcpy(&header, bytes, 8);
    int loaded = 0, acted = 0;
    for (int i = 0; i < 300; i++) {
        memcpy(copy, bytes, size);
        for (int k = 0; k < 1 + i % 3; k++) {
            size_t within = i % 2 ? header + 8 : size; // half of them in the header
            copy[bex_rng_below(&g, within)] = (char)bex_rng_u32(&g);
        }
        write_bytes(copy, size);
        bex_policy *p = bex_policy_load(path);
        if (!p) {
            assert_true(strlen(bex_error()) > 0);
            continue;
        }
        loaded++;
        tiny_settings o = TINY_SETTINGS;
        bex_control *c = tiny_control(p, o);
        float s[TINY_O], a[TINY_A];
        tiny_state(s, 0, 0);
        if (c && p->O == TINY_O && p->A == TINY_A && bex_control_begin(c) == 0)
            acted += bex_control_act(c, &(bex_observation){.state = s}, a) == 0;
        bex_control_free(c);
        bex_policy_free(p);
    }
    print_message("%d of 300 loaded, %d acted\n", loaded, acted);
    assert_true(loaded > 20 && acted > 10 && loaded < 280);
    free(copy);
}

// keys that were renamed are read by their old names, from files and overrides
static void old_spellings_are_read(void **state) {
    (void)state;
    bex_policy_config c;
    bex_config_defaults(&bex_policy_schema, &c);
    static const char *const old[] = {"diffusion.ddim=5", "diffusion.lead=0.25",
                                      "coverage.places=77", "deploy.act=3"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        assert_int_equal(bex_config_set(&bex_policy_schema, &c, old[i]), 0);
    assert_int_equal(c.deploy.denoising_steps, 5);
    assert_true(c.diffusion.show_waypoints == 0.25);
    assert_int_equal(c.coverage.support, 77);
    assert_int_equal(c.deploy.action_steps, 3);
}

int main(void) {
    snprintf(path, sizeof path, "%s", scratch_path("policy.safetensors"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(directories_are_opened),
        cmocka_unit_test(averages_act),
        cmocka_unit_test(truncation_is_refused),
        cmocka_unit_test(tensors_are_checked),
        cmocka_unit_test(metadata_is_checked),
        cmocka_unit_test(old_files_name_the_learner),
        cmocka_unit_test(published_policies_load),
        cmocka_unit_test(old_spellings_are_read),
        cmocka_unit_test(a_grid_has_limits),
        cmocka_unit_test(long_paths_are_refused),
        cmocka_unit_test(statistics_fit_the_features),
        cmocka_unit_test(mutations_never_abort),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    free(bytes);
    unlink(path);
    return code;
}
