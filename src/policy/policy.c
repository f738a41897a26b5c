/* policy/policy.c - build, save, load. */
#include "policy/policy.h"

#include "base/error.h"
#include "coverage/target.h"
#include "nn/param_file.h"
#include "policy/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char FORMAT[] = "bex-policy-1";

enum { MOST = 1 << 26 }; // numbers of a history or a chunk
static const double CELLS_MOST =
    1 << 30; // that an int holds; how many are allowed is the feature's to say

static int check_sizes(const bex_policy_config *c, int O, int A, int tasks, int scenes) {
    const bex_model_config *m = &c->model;
    if (m->agent == BEX_AGENT_SAC)
        return bex_fail("model.agent = sac is a learner, not a policy that denoises chunks");
    if (m->history * O > MOST || m->chunk * A > MOST)
        return bex_fail("a history of %lld states of %d, chunks of %lld actions of %d: too large",
                        m->history, O, m->chunk, A);
    if (m->width % m->heads)
        return bex_fail("model.width %lld is not a multiple of model.heads %lld", m->width,
                        m->heads);
    if (m->time_width % 2) return bex_fail("model.time_width %lld is odd", m->time_width);
    if (c->diffusion.ddim > c->diffusion.steps)
        return bex_fail("diffusion.ddim %lld exceeds diffusion.steps %lld", c->diffusion.ddim,
                        c->diffusion.steps);
    const char *phi = bex_phi_kinds[c->coverage.phi];
    if (m->features && (!strcmp(phi, "onehot") || !strcmp(phi, "cosine_relative")))
        return bex_fail("model.features does not go with coverage.phi = %s", phi);
    if (m->features && !c->coverage.features)
        return bex_fail("model.features needs coverage.features above 0");
    if (c->coverage.places && (!m->waypoints || m->agent != BEX_AGENT_BE))
        return bex_fail("coverage.places needs a be policy with model.waypoints");
    if (c->diffusion.lead > 0 &&
        (!m->waypoints || m->reach == 0 || c->diffusion.predicts != BEX_PREDICTS_CHUNK))
        return bex_fail("diffusion.lead needs model.waypoints, model.reach above 0 and "
                        "diffusion.predicts = chunk");
    bex_target exp;
    bex_memory_kind kind;
    const char *file;
    if (bex_target_parse(&exp, c->deploy.exp) < 0) return bex_fail_in("deploy.exp");
    if (bex_memory_parse(&kind, &file, c->deploy.history) < 0) return bex_fail_in("deploy.history");
    if (m->task && !tasks) return bex_fail("model.task: the demonstrations have no task labels");
    if (m->scene && !scenes)
        return bex_fail("model.scene: the demonstrations have no scene labels");
    return 0;
}

static bex_dit_options dit_options(const bex_policy_config *c, int O, int A, int W, int tasks,
                                   int scenes) {
    const bex_model_config *m = &c->model;
    bool history = m->agent != BEX_AGENT_BC;
    return (bex_dit_options){
        .O = O + (m->features ? (int)c->coverage.features : 0),
        .A = A + W,
        .K = (int)m->chunk,
        .C = (int)m->width,
        .F = (int)m->feedforward,
        .heads = (int)m->heads,
        .blocks = (int)m->blocks,
        .T = (int)m->time_width,
        .N = history ? (int)m->history : 0,
        .coverage = m->agent == BEX_AGENT_BE,
        .timestep = m->timestep,
        .tasks = m->task ? tasks : 0,
        .scenes = m->scene ? scenes : 0,
        .mode = history ? (bex_dit_mode)m->mode : BEX_DIT_FULL,
        .pool = (bex_dit_pool)m->pool,
        .dropout = m->dropout,
    };
}

// the dims phi sees: what a proposed future is judged by
static int find_waypoints(bex_policy *p) {
    p->W = bex_dims_parse(p->waypoint, BEX_FEATURE_DIMS, p->config.coverage.dims, p->O);
    if (p->W < 0) return bex_fail_in("coverage.dims");
    if (p->W) return 0;
    if (p->O > BEX_FEATURE_DIMS)
        return bex_fail("model.waypoints of %d dims: choose some, coverage.dims", p->O);
    for (; p->W < p->O; p->W++) p->waypoint[p->W] = p->W;
    return 0;
}

// parameters named and shaped, without memory
static bex_policy *lay_out(const bex_policy_config *config, int O, int A, int tasks, int scenes) {
    if (check_sizes(config, O, A, tasks, scenes) < 0) return NULL;
    bex_policy *p = calloc(1, sizeof *p);
    if (!p) return bex_fail("out of memory for a policy"), NULL;
    *p = (bex_policy){.config = *config, .O = O, .A = A, .tasks = tasks, .scenes = scenes};
    p->params = bex_params_new();
    if (!p->params || (config->model.waypoints && find_waypoints(p) < 0)) {
        bex_policy_free(p);
        return NULL;
    }
    bex_noise_schedule_init(&p->schedule, (int)config->diffusion.steps,
                            (bex_predicts)config->diffusion.predicts);
    p->dit = bex_dit_add(p->params, dit_options(config, O, A, p->W, tasks, scenes));
    return p;
}

bex_policy *bex_policy_new(const bex_policy_config *config, int O, int A, int tasks, int scenes,
                           int blocks, uint64_t seed) {
    bex_policy *p = lay_out(config, O, A, tasks, scenes);
    bex_rng init = bex_rng_split(bex_rng_seed(seed), "init", 0);
    if (!p || bex_params_build(p->params, blocks, init) == 0) return p;
    bex_policy_free(p);
    return NULL;
}

void bex_policy_free(bex_policy *p) {
    if (!p) return;
    bex_params_free(p->params);
    bex_normaliser_fini(&p->normaliser);
    bex_feature_free(p->phi);
    bex_condition_free(p->condition);
    bex_support_free(p->support);
    free(p);
}

void bex_policy_inputs(const bex_policy *p, bex_real *out, const bex_real *states, int n) {
    size_t wide = (size_t)p->dit.o.O, O = (size_t)p->O;
    for (size_t i = 0; i < (size_t)n; i++) {
        bex_normalise_states(&p->normaliser, out + i * wide, states + i * O, 1);
        if (wide > O) bex_feature_eval(p->phi, out + i * wide + O, states + i * O, 1, NULL, 1);
    }
}

// deviations that waypoint k counts as 1
static bex_real loudness(const bex_policy *p, int k) {
    double reach = p->config.model.reach;
    return reach > 0 ? R(reach * (k + 1) / p->dit.o.K) : R(2);
}

bex_real bex_policy_waypoint_value(const bex_policy *p, int k, bex_real s, bex_real now) {
    bex_real x = (p->config.model.reach > 0 ? s - now : s) / loudness(p, k);
    return x < R(-1) ? R(-1) : x > R(1) ? R(1) : x;
}

bex_real bex_policy_waypoint_state(const bex_policy *p, int k, int dim, bex_real value,
                                   bex_real now) {
    bex_real from = p->config.model.reach > 0 ? now : p->normaliser.mean[dim];
    return from + loudness(p, k) * value * p->normaliser.std[dim];
}

void bex_policy_places(const bex_policy *p, const bex_real *x, const bex_real *state,
                       bex_real *places) {
    int wide = p->dit.o.A;
    for (int k = 0; k < p->dit.o.K; k++)
        for (int i = 0; i < p->W; i++) {
            int dim = p->waypoint[i];
            places[k * p->W + i] =
                bex_policy_waypoint_state(p, k, dim, x[k * wide + p->A + i], state[dim]);
        }
}

void bex_policy_cool(const bex_policy *p, bex_real *x, size_t n, double temperature) {
    size_t wide = (size_t)p->dit.o.A;
    for (size_t i = 0; temperature != 1 && i < n * (size_t)p->dit.o.K; i++)
        for (size_t a = 0; a < (size_t)p->A; a++) x[i * wide + a] *= R(temperature);
}

bex_feature *bex_policy_phi(const bex_policy_config *config, const bex_normaliser *n) {
    const bex_coverage_config *c = &config->coverage;
    int dims[BEX_FEATURE_DIMS], bins[BEX_FEATURE_DIMS];
    bex_real low[BEX_FEATURE_DIMS], bin[BEX_FEATURE_DIMS], *std = NULL;
    int count = bex_dims_parse(dims, BEX_FEATURE_DIMS, c->dims, n->O);
    if (count < 0) return bex_fail_in("coverage.dims"), NULL;
    bex_feature_options o = {
        .kind = bex_phi_kinds[c->phi],
        .input = n->O,
        .dims = count ? dims : NULL,
        .dims_count = count,
        .out = (int)c->features,
        .hidden = (int)c->hidden,
        .bandwidth = c->bandwidth,
        .seed = (uint64_t)c->seed,
    };
    bool onehot = !strcmp(o.kind, "onehot");
    if (onehot) {
        // a grid of cells over four standard deviations each side of the mean
        if (!count || count > 3) return bex_fail("onehot needs coverage.dims, one to three"), NULL;
        o.out = 1;
        for (int i = 0; i < count; i++) {
            bex_real half = R(4) * n->std[dims[i]];
            low[i] = n->mean[dims[i]] - half;
            bin[i] = R(c->cell);
            double across = (double)(R(2) * half / bin[i]) + 1;
            if (!(across * o.out < CELLS_MOST))
                return bex_fail("coverage.cell %g: more than %g cells", c->cell, CELLS_MOST), NULL;
            bins[i] = (int)across;
            o.out *= bins[i];
        }
        o.low = low, o.bin = bin, o.bins = bins;
    } else if (c->standardise) {
        // a dropped dim is constant: any scale will do
        std = malloc((size_t)n->O * sizeof *std);
        if (!std) return bex_fail("out of memory"), NULL;
        for (int i = 0; i < n->O; i++) std[i] = n->std[i] > 0 ? n->std[i] : R(1);
        o.mean = n->mean, o.std = std;
    }
    bex_feature *f = bex_feature_new(&o);
    free(std);
    if (!f) bex_fail_in("coverage");
    return f;
}

static int save(const bex_policy *p, const char *path, bool half) {
    char number[32];
    char *text = bex_config_text(&bex_policy_schema, &p->config);
    if (!text) return bex_fail_in("%s", path);
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_metadata(w, "format", FORMAT);
    bex_st_add_metadata(w, "config", text);
    const struct {
        const char *key;
        int value;
    } sizes[] = {
        {"observation", p->O}, {"action", p->A}, {"tasks", p->tasks}, {"scenes", p->scenes}};
    for (int i = 0; i < 4; i++) {
        snprintf(number, sizeof number, "%d", sizes[i].value);
        bex_st_add_metadata(w, sizes[i].key, number);
    }
    int code = 0;
    if (half)
        code = bex_params_add_half(p->params, w);
    else
        bex_params_add_values(p->params, w);
    bex_normaliser_save(&p->normaliser, w);
    if (p->phi) bex_feature_save(p->phi, w);
    if (p->condition) bex_condition_save(p->condition, w);
    if (p->support) bex_support_save(p->support, w);
    if (code == 0) code = bex_st_save(w, path);
    bex_st_writer_free(w);
    free(text);
    return code;
}

int bex_policy_save(const bex_policy *p, const char *path) {
    return save(p, path, false);
}

int bex_policy_save_half(const bex_policy *p, const char *path) {
    return save(p, path, true);
}

static int size_from(const bex_st_file *f, const char *key, int least, int *value) {
    const char *text = bex_st_metadata(f, key);
    char *end = NULL;
    long n = text ? strtol(text, &end, 10) : 0;
    if (!text || end == text || *end || n < least || n > 1 << 20)
        return bex_fail("metadata '%s' is missing or out of range", key);
    *value = (int)n;
    return 0;
}

// a policy that has a running average acts with it; the last values are the trainer's alone
static void act_with_average(bex_params *p) {
    free(p->value);
    p->value = p->ema;
    p->ema = NULL;
    bex_params_changed(p);
}

static int read_weights(bex_policy *p, const bex_st_file *f) {
    bex_params *params = p->params;
    if (bex_params_fit(params, f) < 0) return -1; // before the file decides how much memory
    if (bex_params_allocate(params, 0) < 0 || bex_params_read_values(params, f) < 0) return -1;
    if (params->ema) act_with_average(params);
    return bex_params_pack(params, 1);
}

static int read_coverage(bex_policy *p, const bex_st_file *f) {
    p->phi = bex_feature_load(f);
    if (!p->phi) return -1;
    bex_gram_shape phi = bex_feature_shape(p->phi);
    if (bex_feature_input(p->phi) != p->O ||
        (p->config.model.features && phi.d != p->dit.o.O - p->O))
        return bex_fail("phi does not fit the policy");
    if (!p->dit.o.coverage) return 0;
    p->condition = bex_condition_load(f);
    if (!p->condition) return -1;
    bex_gram_shape statistics = bex_condition_shape(p->condition);
    if (statistics.d != phi.d || statistics.diagonal != phi.diagonal)
        return bex_fail("phi and coverage statistics do not fit the policy");
    return 0;
}

// everything of the file but its name
static bex_policy *from_file(const bex_st_file *f) {
    const char *format = bex_st_metadata(f, "format"), *text = bex_st_metadata(f, "config");
    if (!format || strcmp(format, FORMAT) != 0)
        return bex_fail("not a bex policy: metadata 'format' is '%.40s', not '%s'",
                        format ? format : "", FORMAT),
               NULL;
    if (!text) return bex_fail("metadata 'config' is missing"), NULL;
    bex_policy_config config;
    int O = 0, A = 0, tasks = 0, scenes = 0;
    bex_config_defaults(&bex_policy_schema, &config);
    if (bex_config_parse(&bex_policy_schema, &config, text, strlen(text), "metadata 'config'") <
            0 ||
        size_from(f, "observation", 1, &O) < 0 || size_from(f, "action", 1, &A) < 0 ||
        size_from(f, "tasks", 0, &tasks) < 0 || size_from(f, "scenes", 0, &scenes) < 0)
        return NULL;
    bex_policy *p = lay_out(&config, O, A, tasks, scenes);
    if (!p) return NULL;
    int code = read_weights(p, f);
    if (!code) code = bex_normaliser_load(&p->normaliser, f, O, A);
    if (!code && bex_policy_uses_phi(&config)) code = read_coverage(p, f);
    if (!code && config.coverage.places) {
        p->support =
            bex_support_load(f, &p->normaliser, p->waypoint, p->W, (int)config.coverage.places);
        code = p->support ? 0 : -1;
    }
    if (!code) return p;
    bex_policy_free(p);
    return NULL;
}

// `f`, which messages call `name`, is freed; NULL: it could not be read
static bex_policy *from(bex_st_file *f, const char *name) {
    if (!f) return NULL;
    bex_policy *p = from_file(f);
    // messages about tensors name the file
    if (!p && !strstr(bex_error(), name)) bex_fail_in("%s", name);
    bex_st_free(f);
    return p;
}

bex_policy *bex_policy_load(const char *path) {
    char inside[1100];
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        int length = snprintf(inside, sizeof inside, "%s/model.safetensors", path);
        if (length < 0 || length >= (int)sizeof inside)
            return bex_fail("path too long: '%.60s...'", path), NULL;
        path = inside;
    }
    return from(bex_st_load(path), path);
}

bex_policy *bex_policy_parse(const void *bytes, size_t size) {
    static const char name[] = "policy in memory";
    return from(bex_st_parse(bytes, size, name), name);
}
