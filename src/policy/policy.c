/* policy/policy.c - build, save, load. */
#include "policy/policy.h"

#include "base/error.h"
#include "base/path.h"
#include "coverage/target.h"
#include "nn/param_file.h"
#include "policy/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char FORMAT[] = "bex-policy-1";

enum {
    MOST = 1 << 26,     // numbers of a history or a chunk
    PIXELS = 512,       // of a picture's side, as the network sees it
    VISION_GROUPS = 16, // of the picture network's norms, as dit-policy has them
};

static int check_vision(const bex_vision_config *v) {
    int cameras = bex_vision_cameras(v);
    if (!cameras) return 0;
    if (cameras > BEX_CAMERAS)
        return bex_fail("'%s' are %d cameras, at most %d are possible", v->images, cameras,
                        BEX_CAMERAS);
    if (v->height < 1 || v->width < 1 || v->height > PIXELS || v->width > PIXELS)
        return bex_fail("pictures of %lld x %lld pixels, 1 to %d are possible", v->height, v->width,
                        PIXELS);
    if (v->channels % VISION_GROUPS)
        return bex_fail("vision.channels %lld is not a multiple of %d", v->channels, VISION_GROUPS);
    return 0;
}

static int check_seen(const bex_policy_config *c, int O) {
    long long n = c->vision.columns;
    if (!n) return 0;
    if (!bex_vision_cameras(&c->vision))
        return bex_fail("vision.columns %lld are made from pictures: data.images is empty", n);
    if (c->model.encoder != BEX_ENCODER_FROZEN) {
        bex_fail("vision.columns needs a network that stays as it is");
        return bex_fail_hint("--model.encoder=frozen --train.encoder=FILE");
    }
    return n < O ? 0 : bex_fail("vision.columns %lld, the state has %d in all", n, O);
}

static int check_sizes(const bex_policy_config *c, int O, int A, int tasks, int scenes) {
    const bex_model_config *m = &c->model;
    if (m->coverage && !m->history)
        return bex_fail("model.coverage needs a history: model.history is 0");
    if (m->history * O > MOST || m->chunk * A > MOST)
        return bex_fail("a history of %lld states of %d, chunks of %lld actions of %d: too large",
                        m->history, O, m->chunk, A);
    if (m->width % m->heads)
        return bex_fail("model.width %lld is not a multiple of model.heads %lld", m->width,
                        m->heads);
    if (m->time_width % 2) return bex_fail("model.time_width %lld is odd", m->time_width);
    if (c->deploy.denoising_steps > c->diffusion.steps)
        return bex_fail("deploy.denoising_steps %lld exceeds diffusion.steps %lld",
                        c->deploy.denoising_steps, c->diffusion.steps);
    const char *phi = bex_phi_kinds[c->coverage.phi];
    if (m->features && (!strcmp(phi, "onehot") || !strcmp(phi, "cosine_relative")))
        return bex_fail("model.features does not go with coverage.phi = %s", phi);
    if (m->features && !c->coverage.features)
        return bex_fail("model.features needs coverage.features above 0");
    if (c->coverage.support && (!m->waypoints || !m->coverage))
        return bex_fail("coverage.support needs a be policy with model.waypoints");
    if (c->diffusion.show_waypoints > 0 &&
        (!m->waypoints || m->reach == 0 || c->diffusion.predicts != BEX_PREDICTS_CHUNK))
        return bex_fail("diffusion.show_waypoints needs model.waypoints, model.reach above 0 and "
                        "diffusion.predicts = chunk");
    if (c->follower.width &&
        (!m->waypoints || m->reach == 0 || c->diffusion.predicts != BEX_PREDICTS_CHUNK ||
         c->diffusion.show_waypoints > 0))
        return bex_fail("follower.width needs model.waypoints, model.reach above 0, "
                        "diffusion.predicts = chunk and diffusion.show_waypoints = 0");
    if (c->follower.width % c->follower.heads)
        return bex_fail("follower.width %lld is not a multiple of follower.heads %lld",
                        c->follower.width, c->follower.heads);
    if (check_vision(&c->vision) < 0 || check_seen(c, O) < 0) return -1;
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

static bex_vision_options vision_options(const bex_vision_config *v) {
    return (bex_vision_options){.cameras = bex_vision_cameras(v),
                                .height = (int)v->height,
                                .width = (int)v->width,
                                .shared = v->shared,
                                .net = {.depth = v->network ? 34 : 18,
                                        .width = (int)v->channels,
                                        .groups = VISION_GROUPS,
                                        .pool = (bex_resnet_pool)v->pool}};
}

static bex_dit_options dit_options(const bex_policy_config *c, int O, int columns, int tasks,
                                   int scenes) {
    const bex_model_config *m = &c->model;
    return (bex_dit_options){
        .O = O + (m->features ? (int)c->coverage.features : 0),
        .columns = columns,
        .K = (int)m->chunk,
        .C = (int)m->width,
        .feedforward = (int)m->feedforward,
        .heads = (int)m->heads,
        .blocks = (int)m->blocks,
        .time_width = (int)m->time_width,
        .N = (int)m->history,
        .coverage = m->coverage,
        .timestep = m->timestep,
        .tasks = m->task ? tasks : 0,
        .scenes = m->scene ? scenes : 0,
        .mode = m->history ? (bex_dit_mode)m->mode : BEX_DIT_FULL,
        .pool = (bex_dit_pool)m->pool,
        .dropout = m->dropout,
    };
}

// the same tokens of the present, none of the past
static bex_dit_options follower_options(const bex_policy_config *c, const bex_policy *p) {
    bex_dit_options o = p->dit.o;
    o.columns = p->chunk.columns;
    o.C = (int)c->follower.width, o.heads = (int)c->follower.heads;
    o.blocks = (int)c->follower.blocks, o.feedforward = (int)c->follower.feedforward;
    o.N = 0, o.coverage = false, o.mode = BEX_DIT_FULL;
    return o;
}

// waypoints are in the dims phi sees: what a candidate future is judged by
static int lay_out_chunk(bex_chunk_shape *s, const bex_policy_config *c, int O, int A) {
    int K = (int)c->model.chunk;
    *s = (bex_chunk_shape){.K = K,
                           .A = A,
                           .columns = A,
                           .reach = c->model.reach,
                           .spacing = (double)c->coverage.future / K};
    if (!c->model.waypoints) return 0;
    s->W = bex_columns_select(s->dim, BEX_FEATURE_DIMS, c->coverage.dims, NULL, O);
    if (s->W < 0) return bex_fail_in("coverage.dims");
    if (!s->W && O > BEX_FEATURE_DIMS)
        return bex_fail("model.waypoints of %d dims: choose some, coverage.dims", O);
    if (!s->W)
        for (; s->W < O; s->W++) s->dim[s->W] = s->W;
    s->columns = A + s->W;
    return 0;
}

// parameters named and shaped, without memory
static bex_policy *lay_out(const bex_policy_config *config, int O, int A, int tasks, int scenes) {
    if (check_sizes(config, O, A, tasks, scenes) < 0) return NULL;
    bex_policy *p = calloc(1, sizeof *p);
    if (!p) return bex_fail("out of memory for a policy"), NULL;
    *p = (bex_policy){.config = *config, .O = O, .A = A, .tasks = tasks, .scenes = scenes};
    p->given = O - (int)config->vision.columns;
    p->params = bex_params_new();
    if (!p->params || lay_out_chunk(&p->chunk, config, O, A) < 0) {
        bex_policy_free(p);
        return NULL;
    }
    if (config->model.coverage)
        p->coverage_count =
            bex_columns_select(p->coverage_dims, BEX_FEATURE_DIMS, config->coverage.dims, NULL, O);
    if (p->coverage_count < 0) {
        bex_fail_in("coverage.dims");
        bex_policy_free(p);
        return NULL;
    }
    bex_noise_schedule_init(&p->schedule, (int)config->diffusion.steps,
                            (bex_predicts)config->diffusion.predicts);
    bool sees = bex_vision_cameras(&config->vision) > 0;
    if (sees && config->model.encoder == BEX_ENCODER_FROZEN && !(p->frozen = bex_params_new())) {
        bex_policy_free(p);
        return NULL;
    }
    p->vision = bex_vision_add(bex_policy_sight(p), vision_options(&config->vision));
    int columns = bex_policy_follows(p) ? p->chunk.W : p->chunk.columns;
    bex_dit_options dit = dit_options(config, O, columns, tasks, scenes);
    dit.cameras = p->vision.o.cameras;
    dit.places = p->vision.places, dit.features = p->vision.features;
    p->dit = bex_dit_add(p->params, dit);
    if (bex_policy_follows(p)) {
        bex_params_scope(p->params, "follower.");
        p->follower = bex_dit_add(p->params, follower_options(config, p));
        bex_params_scope(p->params, NULL);
    }
    return p;
}

bex_policy *bex_policy_new(const bex_policy_config *config, int O, int A, int tasks, int scenes,
                           int blocks, uint64_t seed) {
    bex_policy *p = lay_out(config, O, A, tasks, scenes);
    bex_rng init = bex_rng_split(bex_rng_seed(seed), "init", 0);
    if (!p || (bex_params_build(p->params, blocks, init) == 0 &&
               (!p->frozen || bex_params_build(p->frozen, 0, init) == 0)))
        return p;
    bex_policy_free(p);
    return NULL;
}

void bex_policy_free(bex_policy *p) {
    if (!p) return;
    bex_params_free(p->params);
    bex_params_free(p->frozen);
    bex_normaliser_fini(&p->normaliser);
    bex_seen_fini(&p->seen);
    bex_feature_free(p->phi);
    bex_condition_free(p->condition);
    bex_support_free(p->support);
    bex_columns_fini(&p->columns);
    bex_labels_fini(&p->task_names);
    bex_labels_fini(&p->scene_names);
    free(p);
}

int bex_policy_name_columns(bex_policy *p, const bex_column_names *columns) {
    BEX_CHECK(!columns->count || columns->count == p->O, "%d names, %d columns", columns->count,
              p->O);
    bex_columns_fini(&p->columns);
    if (bex_columns_copy(&p->columns, columns) < 0) return -1;
    p->normaliser.columns = &p->columns;
    return 0;
}

static int name_labels(bex_labels *to, const bex_labels *from, int labels) {
    bex_labels_fini(to);
    for (int i = 0; labels && i < from->count; i++)
        if (bex_labels_add(to, from->name[i]) < 0) return -1;
    return 0;
}

int bex_policy_name_labels(bex_policy *p, const bex_labels *tasks, const bex_labels *scenes) {
    BEX_CHECK(tasks->count == p->tasks && scenes->count == p->scenes,
              "%d task and %d scene names, %d and %d labels", tasks->count, scenes->count, p->tasks,
              p->scenes);
    return name_labels(&p->task_names, tasks, p->dit.o.tasks) < 0
               ? -1
               : name_labels(&p->scene_names, scenes, p->dit.o.scenes);
}

void bex_policy_inputs(const bex_policy *p, bex_real *out, const bex_real *states, int n) {
    size_t wide = (size_t)p->dit.o.O, O = (size_t)p->O;
    for (size_t i = 0; i < (size_t)n; i++) {
        bex_normalise_states(&p->normaliser, out + i * wide, states + i * O, 1);
        if (wide > O) bex_feature_eval(p->phi, out + i * wide + O, states + i * O, 1, NULL, 1);
    }
}

static void add_origin(const bex_policy_origin *o, bex_st_writer *w) {
    char text[40];
    if (*o->scene) bex_st_add_metadata(w, "scene", o->scene);
    if (!o->height) return;
    snprintf(text, sizeof text, "%d x %d", o->height, o->width);
    bex_st_add_metadata(w, "pictures", text);
}

// files of before know nothing
static void read_origin(bex_policy_origin *o, const bex_st_file *f) {
    const char *scene = bex_st_metadata(f, "scene"), *pictures = bex_st_metadata(f, "pictures");
    char *end = NULL;
    if (scene) snprintf(o->scene, sizeof o->scene, "%s", scene);
    long h = pictures ? strtol(pictures, &end, 10) : 0, w = 0;
    if (h && !strncmp(end, " x ", 3)) w = strtol(end + 3, NULL, 10);
    if (h > 0 && w > 0 && h <= 1 << 14 && w <= 1 << 14) o->height = (int)h, o->width = (int)w;
}

// the policy's own; metadata of the file
typedef struct label_row {
    const char *key;
    bex_labels *labels;
    int count; // of the token; 0: there is none
} label_row;

enum { LABELS = 2 };

static void list_labels(label_row rows[LABELS], bex_policy *p) {
    rows[0] = (label_row){"task_names", &p->task_names, p->dit.o.tasks};
    rows[1] = (label_row){"scene_names", &p->scene_names, p->dit.o.scenes};
}

static int save_labels(const bex_policy *p, bex_st_writer *w) {
    label_row rows[LABELS];
    list_labels(rows, (bex_policy *)p);
    for (int i = 0; i < LABELS; i++) {
        if (!rows[i].labels->count) continue;
        char *text = bex_labels_text(rows[i].labels);
        if (!text) return -1;
        bex_st_add_metadata(w, rows[i].key, text);
        free(text);
    }
    return 0;
}

static int save(const bex_policy *p, const char *path, bool half) {
    char number[32];
    char *text = bex_config_text(&bex_policy_schema, &p->config);
    char *columns = text ? bex_columns_text(&p->columns) : NULL;
    if (!columns) return free(text), bex_fail_in("%s", path);
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_metadata(w, "format", FORMAT);
    bex_st_add_metadata(w, "config", text);
    if (*columns) bex_st_add_metadata(w, "columns", columns);
    add_origin(&p->origin, w);
    const struct {
        const char *key;
        int value;
    } sizes[] = {
        {"observation", p->O}, {"action", p->A}, {"tasks", p->tasks}, {"scenes", p->scenes}};
    for (int i = 0; i < 4; i++) {
        snprintf(number, sizeof number, "%d", sizes[i].value);
        bex_st_add_metadata(w, sizes[i].key, number);
    }
    int code = save_labels(p, w);
    bex_params *blocks[] = {p->params, p->frozen};
    for (int i = 0; i < 2 && blocks[i] && code == 0; i++) {
        if (half)
            code = bex_params_add_half(blocks[i], w);
        else
            bex_params_add_values(blocks[i], w);
    }
    bex_normaliser_save(&p->normaliser, w);
    bex_seen_save(&p->seen, w);
    if (p->phi) bex_feature_save(p->phi, w);
    if (p->condition) bex_condition_save(p->condition, w);
    if (p->support) bex_support_save(p->support, w);
    if (code == 0) code = bex_st_save(w, path);
    bex_st_writer_free(w);
    free(columns);
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
    if (bex_params_pack(params, 1) < 0) return -1;
    return p->frozen ? bex_params_open(p->frozen, f) : 0;
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

// names are a help, not a need: files of before have none
static int read_columns(bex_policy *p, const bex_st_file *f) {
    const char *text = bex_st_metadata(f, "columns");
    p->normaliser.columns = &p->columns;
    if (!text) return 0;
    return bex_columns_parse(&p->columns, text, p->O) < 0 ? bex_fail_in("metadata 'columns'") : 0;
}

// files of before have none
static int read_labels(bex_policy *p, const bex_st_file *f) {
    label_row rows[LABELS];
    list_labels(rows, p);
    for (int i = 0; i < LABELS; i++) {
        const char *text = rows[i].count ? bex_st_metadata(f, rows[i].key) : NULL;
        if (text && bex_labels_parse(rows[i].labels, text, rows[i].count) < 0)
            return bex_fail_in("metadata '%s'", rows[i].key);
    }
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
        bex_policy_config_settle(&config) < 0 || size_from(f, "observation", 1, &O) < 0 ||
        size_from(f, "action", 1, &A) < 0 || size_from(f, "tasks", 0, &tasks) < 0 ||
        size_from(f, "scenes", 0, &scenes) < 0)
        return NULL;
    bex_policy *p = lay_out(&config, O, A, tasks, scenes);
    if (!p) return NULL;
    read_origin(&p->origin, f);
    int code = read_weights(p, f);
    if (!code) code = bex_normaliser_load(&p->normaliser, f, O, A);
    if (!code) code = read_columns(p, f);
    if (!code && config.vision.columns)
        code = bex_seen_load(&p->seen, f, (int)config.vision.columns, (int)bex_policy_features(p));
    if (!code) code = read_labels(p, f);
    if (!code && bex_policy_uses_phi(&config)) code = read_coverage(p, f);
    if (!code && config.coverage.support) {
        p->support = bex_support_load(f, &p->normaliser, p->chunk.dim, p->chunk.W,
                                      (int)config.coverage.support);
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
    char inside[BEX_PATH_SIZE];
    struct stat st;
    // a checkpoint, or a run: its newest
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        if (bex_path_join(inside, path, "checkpoints/last/model.safetensors") < 0) return NULL;
        if (stat(inside, &st) != 0 && bex_path_join(inside, path, "model.safetensors") < 0)
            return NULL;
        path = inside;
    }
    return from(bex_st_load(path), path);
}

bex_policy *bex_policy_parse(const void *bytes, size_t size) {
    static const char name[] = "policy in memory";
    return from(bex_st_parse(bytes, size, name), name);
}
