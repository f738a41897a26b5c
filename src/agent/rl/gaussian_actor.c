/* agent/rl/gaussian_actor.c - drawing, the file, the stream. */
#include "agent/rl/gaussian_actor.h"

#include "agent/train_config.h"
#include "base/error.h"
#include "base/number.h"
#include "kernel/random.h"
#include "nn/param_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char FORMAT[] = "bex-actor-1";
enum { MOST_COLUMNS = 1 << 16 };

void bex_gaussian_act(const bex_tanh_gaussian *pi, bex_arena *arena, const bex_real *obs, int n,
                      bex_rng *rng, bex_real *act) {
    bex_tape tape;
    size_t count = (size_t)n * (size_t)pi->o.A;
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    bex_tensor *noise = rng ? bex_tensor_new(&tape, 2, BEX_DIMS(n, pi->o.A), false) : NULL;
    if (rng) bex_random_normal(noise->data, count, rng);
    bex_tensor *s = bex_constant(&tape, obs, 2, BEX_DIMS(n, pi->o.O));
    memcpy(act, bex_tanh_gaussian_sample(&tape, pi, s, noise, NULL)->data, count * sizeof *act);
}

/* ---- the file ---- */

int bex_gaussian_policy_save(const bex_tanh_gaussian *pi, const bex_params *params,
                             const char *agent, const char *world, const char *path) {
    char number[32], hidden[16 * BEX_MLP_LAYERS] = "";
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_metadata(w, "format", FORMAT);
    bex_st_add_metadata(w, "what",
                        "tanh-Gaussian actor: ReLU layers fc0.., heads mean and "
                        "log_std (clipped to [-20,2]), action = tanh");
    bex_st_add_metadata(w, "agent", agent);
    bex_st_add_metadata(w, "world", world);
    snprintf(number, sizeof number, "%d", pi->o.O);
    bex_st_add_metadata(w, "observation", number);
    snprintf(number, sizeof number, "%d", pi->o.A);
    bex_st_add_metadata(w, "action", number);
    for (int i = 0, used = 0; pi->o.hidden[i]; i++)
        used += snprintf(hidden + used, sizeof hidden - (size_t)used, "%s%d", i ? "," : "",
                         pi->o.hidden[i]);
    bex_st_add_metadata(w, "hidden", hidden);
    bex_params_add_values(params, w);
    int code = bex_st_save(w, path);
    bex_st_writer_free(w);
    return code;
}

static const char *metadata(const bex_st_file *f, const char *key) {
    const char *text = bex_st_metadata(f, key);
    return text ? text : "";
}

bool bex_gaussian_policy_is(const char *path) {
    bex_st_file *f = bex_st_load(path);
    bool is = f && !strcmp(metadata(f, "format"), FORMAT);
    bex_st_free(f);
    return is;
}

static int read_size(const bex_st_file *f, const char *key, int *value) {
    long long n;
    if (bex_integer_parse(&n, metadata(f, key)) < 0 || n < 1 || n > MOST_COLUMNS)
        return bex_fail("metadata '%s' is missing or out of range", key);
    *value = (int)n;
    return 0;
}

static int read_policy(bex_gaussian_policy *p, const bex_st_file *f) {
    bex_tanh_gaussian_options o = {0};
    if (strcmp(metadata(f, "format"), FORMAT) != 0)
        return bex_fail("not an actor: metadata 'format' is '%.40s', not '%s'",
                        metadata(f, "format"), FORMAT);
    if (read_size(f, "observation", &o.O) < 0 || read_size(f, "action", &o.A) < 0) return -1;
    if (bex_widths_parse(o.hidden, BEX_MLP_LAYERS, metadata(f, "hidden")) < 0)
        return bex_fail_in("metadata 'hidden'");
    p->O = o.O, p->A = o.A;
    snprintf(p->agent, sizeof p->agent, "%s", metadata(f, "agent"));
    snprintf(p->world, sizeof p->world, "%s", metadata(f, "world"));
    p->params = bex_params_new();
    p->pi = bex_tanh_gaussian_add(p->params, o);
    return bex_params_open(p->params, f);
}

bex_gaussian_policy *bex_gaussian_policy_load(const char *path) {
    bex_st_file *f = bex_st_load(path);
    if (!f) return NULL;
    bex_gaussian_policy *p = calloc(1, sizeof *p);
    int code = p ? read_policy(p, f) : bex_fail("out of memory");
    // messages about tensors name the file
    if (code < 0 && !strstr(bex_error(), path)) bex_fail_in("%s", path);
    bex_st_free(f);
    if (code == 0) return p;
    bex_gaussian_policy_free(p);
    return NULL;
}

void bex_gaussian_policy_free(bex_gaussian_policy *p) {
    if (!p) return;
    bex_params_free(p->params);
    free(p);
}

/* ---- a stream ---- */

typedef struct {
    bex_actor actor;
    const bex_gaussian_policy *policy;
    bex_arena *arena;
    bex_rng rng, own; // of the stream; of the running episode
    uint64_t episode; // begun so far
} gaussian_actor;

static int begin(bex_actor *actor) {
    gaussian_actor *a = (gaussian_actor *)actor;
    a->own = bex_rng_split(a->rng, "act", a->episode++);
    return 0;
}

static int act(bex_actor *actor, const bex_observation *seen, bex_real *action) {
    gaussian_actor *a = (gaussian_actor *)actor;
    const bex_gaussian_policy *p = a->policy;
    const bex_real *obs = seen->state;
    if (bex_observation_check(seen, 0) < 0) return -1;
    for (int i = 0; i < p->O; i++)
        if (!isfinite(obs[i])) return bex_fail("observation %d is %g", i, (double)obs[i]);
    bex_gaussian_act(&p->pi, a->arena, obs, 1, &a->own, action);
    for (int i = 0; i < p->A; i++)
        if (!isfinite(action[i])) return bex_fail("the network gives %g", (double)action[i]);
    return 0;
}

static int end(bex_actor *actor) {
    (void)actor;
    return 0;
}

static int recall(bex_actor *actor, const bex_episode *episode) {
    (void)episode;
    return begin(actor);
}

static void destroy(bex_actor *actor) {
    gaussian_actor *a = (gaussian_actor *)actor;
    if (!a) return;
    bex_arena_free(a->arena);
    free(a);
}

static const bex_actor_class class = {
    .name = "gaussian", .begin = begin, .act = act, .end = end, .recall = recall, .free = destroy};

bex_actor *bex_gaussian_actor_new(const bex_gaussian_policy *p, bex_rng rng) {
    gaussian_actor *a = calloc(1, sizeof *a);
    if (!a) return bex_fail("out of memory"), NULL;
    *a = (gaussian_actor){
        .actor = {&class}, .policy = p, .arena = bex_arena_new(), .rng = rng, .own = rng};
    return &a->actor;
}
