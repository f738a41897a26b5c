/* policy/control.c - see the header; one plan is one pass through encode and bex_sample. */
#include "policy/control.h"

#include "base/error.h"
#include "coverage/state_sum.h"
#include "policy/lead.h"
#include "policy/proposals.h"
#include "policy/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bex_control {
    const bex_policy *policy;
    bex_memory *history; // NULL without history tokens
    bex_arena *arena;
    bex_tape tape;
    bex_sampler sampler, led; // led: waypoints given
    bex_lead *lead;           // NULL: a chosen future is followed by its noise
    bex_choice *choice;       // NULL: the only proposal
    bex_proposals *proposals;
    bex_control_chosen last; // n 0: the last action was no choice
    int candidates, commit;
    bex_target exp;
    double noise, temperature;
    int act, task, scene;
    bex_rng root;
    uint64_t episode, plans; // plans of this episode
    long long all_plans;
    int64_t step;   // of this episode
    int64_t chosen; // step of the last choice
    bool hides;     // the coverage: guidance 0
    bool running;   // between begin and end
    bool drawn;     // raw is this episode's history
    bool encoded;   // seen and keys are raw's
    bool resolved;  // target is that of raw and exp
    double target;  // the coverage token's input
    int next;       // action of the chunk that comes next; `act`: plan first

    bex_real *chunk;      // (K,A) world's units
    bex_real *x;          // (candidates,K,A)
    bex_real *raw, *seen; // (H,O) history in the world's and the network's units
    double *gram;         // Lambda(h); wide while it is summed
    double *memory; // (wide) Lambda of all previous episodes, counted as H states; for the choice
    unsigned long long summed; // revision of the history that memory is of
    bex_real *keys;            // (blocks,H,2C) keys and values of the history, prefix mode
    bex_real *time, *led_time; // (steps,C) of the samplers
    bex_real *noises;          // (candidates,K,A) that x is denoised from, with lead
};

static int parse_options(bex_control *c, const bex_control_options *o) {
    const bex_deploy_config *d = &c->policy->config.deploy;
    int K = c->policy->dit.o.K;
    if (o->act < 0 || o->act > K) return bex_fail("%d actions of a chunk of %d", o->act, K);
    c->act = o->act ? o->act : (int)d->act;
    if (c->act == 0 || c->act > K) c->act = K;
    c->noise = isnan(o->noise) ? d->noise : o->noise;
    if (!(c->noise >= 0 && c->noise <= 10))
        return bex_fail("action noise %g is not in 0 to 10", c->noise);
    c->temperature = isnan(o->temperature) ? d->temperature : o->temperature;
    if (!(c->temperature >= 0 && c->temperature <= 10))
        return bex_fail("temperature %g is not in 0 to 10", c->temperature);
    c->sampler = (bex_sampler){
        .schedule = &c->policy->schedule,
        .steps = o->ddim ? o->ddim : (int)c->policy->config.diffusion.ddim,
        .guidance = isnan(o->guidance) ? d->guidance : o->guidance,
    };
    if (c->sampler.steps < 1 || c->sampler.steps > c->policy->schedule.steps)
        return bex_fail("%d denoising steps, the policy has %d", c->sampler.steps,
                        c->policy->schedule.steps);
    if (!(c->sampler.guidance >= 0 && c->sampler.guidance <= 100))
        return bex_fail("guidance %g is not in 0 to 100", c->sampler.guidance);
    // no weight of the coverage is a pass with it hidden, and one such pass is all there is to do
    c->hides = c->sampler.guidance == 0;
    if (c->hides || !c->policy->dit.o.coverage) c->sampler.guidance = 1;
    c->candidates = o->candidates ? o->candidates : (int)d->candidates;
    if (c->candidates < 1 || c->candidates > 256)
        return bex_fail("%d candidates are not in 1 to 256", c->candidates);
    c->commit = o->commit ? o->commit : (int)d->commit;
    if (c->commit < 0) return bex_fail("to follow a future for %d actions", c->commit);
    if (bex_control_set_task(c, o->task, o->scene) < 0) return -1;
    return bex_control_set_exp(c, o->exp ? o->exp : d->exp);
}

static int allocate_lead(bex_control *c) {
    const bex_policy *p = c->policy;
    const bex_dit_options *n = &p->dit.o;
    if (!(c->lead = bex_lead_new(p))) return -1;
    c->noises = calloc((size_t)c->candidates * (size_t)n->K * (size_t)n->A, sizeof *c->noises);
    c->led_time = calloc((size_t)c->sampler.steps * (size_t)n->C, sizeof *c->led_time);
    return c->noises && c->led_time ? 0 : bex_fail("out of memory");
}

// what the samplers know of their steps beforehand
static void prepare_samplers(bex_control *c) {
    const bex_policy *p = c->policy;
    bex_sampler_time(&c->tape, &p->dit, &c->sampler, c->time);
    if (c->lead) {
        c->led = c->sampler, c->led.given = p->A, c->led.guidance = 1;
        bex_sampler_time(&c->tape, &p->dit, &c->led, c->led_time);
        c->led.time = c->led_time;
    }
    c->sampler.time = c->time;
}

static int allocate(bex_control *c, const bex_control_options *o) {
    const bex_policy *p = c->policy;
    const bex_dit_options *n = &p->dit.o;
    size_t chunk = (size_t)n->K * (size_t)n->A, states = (size_t)n->N * (size_t)n->O;
    if (!(c->arena = bex_arena_new())) return -1;
    bex_tape_init(&c->tape, c->arena);
    c->chunk = calloc((size_t)n->K * (size_t)p->A, sizeof *c->chunk);
    c->x = calloc((size_t)c->candidates * chunk, sizeof *c->x);
    c->time = calloc((size_t)c->sampler.steps * (size_t)n->C, sizeof *c->time);
    if (!c->chunk || !c->x || !c->time) return bex_fail("out of memory");
    // ways tell the future by themselves, places only together with the actions (policy.h)
    int from = p->W && p->config.model.reach > 0 ? p->A : 0;
    if (!(c->proposals = bex_proposals_new(c->candidates, n->K, n->A, from))) return -1;
    if (c->candidates > 1 && !(c->choice = bex_choice_new(p, c->candidates))) return -1;
    if (c->choice && p->config.diffusion.lead > 0 && allocate_lead(c) < 0) return -1;
    if (!n->N) return 0;
    bex_memory_options h = {
        .O = p->O, .H = n->N, .episode_most = o->episode_most, .normaliser = &p->normaliser};
    if (bex_memory_parse(&h.kind, &h.file, o->history ? o->history : p->config.deploy.history) < 0)
        return o->history ? bex_misused() : -1;
    c->history = bex_memory_new(&h);
    if (!c->history) return -1;
    c->raw = calloc((size_t)n->N * (size_t)p->O, sizeof *c->raw);
    c->seen = calloc(states, sizeof *c->seen);
    c->keys = calloc((size_t)n->blocks * (size_t)n->N * 2 * (size_t)n->C, sizeof *c->keys);
    if (!c->raw || !c->seen || !c->keys) return bex_fail("out of memory");
    if (!n->coverage) return 0;
    bex_gram_shape wide = bex_feature_wide(p->phi);
    c->gram = calloc(bex_gram_size(wide), sizeof *c->gram);
    c->memory = calloc(bex_gram_size(wide), sizeof *c->memory);
    c->summed = bex_memory_revision(c->history) - 1;
    return c->gram && c->memory ? 0 : bex_fail("out of memory");
}

typedef struct {
    bex_control *c;
    const bex_real *state, *history;
    int code;
} first_passes;

static void run_first_passes(void *payload) {
    first_passes *f = payload;
    prepare_samplers(f->c);
    f->code = bex_control_plan_from(f->c, f->state, f->history, NULL, f->c->chunk);
}

// one plan with made-up states sizes the arena: acting then never grows it
static int warm_up(bex_control *c) {
    const bex_dit_options *n = &c->policy->dit.o;
    size_t O = (size_t)c->policy->O;
    bex_real *state = calloc(O, sizeof *state);
    bex_real *history = calloc((size_t)(n->N ? n->N : 1) * O, sizeof *history);
    int code = state && history ? 0 : bex_fail("out of memory");
    if (!code) {
        memcpy(state, c->policy->normaliser.mean, O * sizeof *state);
        for (int i = 0; i < n->N; i++) memcpy(history + (size_t)i * O, state, O * sizeof *state);
        first_passes f = {.c = c, .state = state, .history = history};
        code = bex_arena_guard(run_first_passes, &f);
        if (!code) code = f.code;
    }
    c->plans = 0;
    c->all_plans = 0;
    c->last.n = 0;
    free(state);
    free(history);
    return code;
}

bex_control *bex_control_new(const bex_policy *policy, const bex_control_options *options) {
    bex_control *c = calloc(1, sizeof *c);
    if (!c) return bex_fail("out of memory"), NULL;
    c->policy = policy;
    c->target = NAN;
    c->root = bex_rng_split(bex_rng_seed(options->seed), "control", 0);
    int code = parse_options(c, options);
    if (code < 0) bex_misused(); // the policy's own were checked when it was loaded
    if (code == 0) code = allocate(c, options);
    if (code == 0) code = warm_up(c);
    if (code == 0) return c;
    bex_control_free(c);
    return NULL;
}

void bex_control_free(bex_control *c) {
    if (!c) return;
    bex_memory_free(c->history);
    bex_choice_free(c->choice);
    bex_lead_free(c->lead);
    bex_proposals_free(c->proposals);
    bex_arena_free(c->arena);
    free(c->chunk);
    free(c->x);
    free(c->raw);
    free(c->seen);
    free(c->gram);
    free(c->memory);
    free(c->keys);
    free(c->time);
    free(c->led_time);
    free(c->noises);
    free(c);
}

int bex_control_set_exp(bex_control *c, const char *exp) {
    bex_target e;
    if (bex_target_parse(&e, exp) < 0) return bex_misused();
    c->exp = e;
    c->resolved = false;
    return 0;
}

static int check_label(const char *what, int label, int labels) {
    if (label >= 0 && label < (labels ? labels : 1)) return 0;
    if (labels)
        bex_fail("%s %d, the policy knows 0 to %d", what, label, labels - 1);
    else
        bex_fail("%s %d, the policy is told of none", what, label);
    return bex_misused();
}

int bex_control_set_task(bex_control *c, int task, int scene) {
    const bex_dit_options *n = &c->policy->dit.o;
    if (check_label("task", task, n->tasks) < 0 || check_label("scene", scene, n->scenes) < 0)
        return -1;
    c->task = task, c->scene = scene;
    return 0;
}

int bex_control_set_step(bex_control *c, long long step) {
    if (step < 0) return bex_fail("step %lld of an episode", step), bex_misused();
    c->step = step;
    return 0;
}

int bex_control_set_seed(bex_control *c, uint64_t seed) {
    if (c->running) return bex_fail("an episode is running"), bex_misused();
    c->root = bex_rng_split(bex_rng_seed(seed), "control", 0);
    c->episode = 0;
    return 0;
}

long long bex_control_plans(const bex_control *c) {
    return c->all_plans;
}

double bex_control_target(const bex_control *c) {
    return c->target;
}

const bex_control_chosen *bex_control_choice(const bex_control *c) {
    return c->last.n ? &c->last : NULL;
}

bex_memory *bex_control_history(bex_control *c) {
    return c->history;
}

int bex_control_chunk(const bex_control *c) {
    return c->policy->dit.o.K;
}

/* The choice needs no sample of the memory: the sum over all of it, scaled to H states, is what Lambda(h) is
 * on average over draws. Taken when an episode begins, for it reads every state. */
static int sum_memory(bex_control *c) {
    bex_memory_source source[BEX_MEMORY_SOURCES];
    unsigned long long now = c->history ? bex_memory_revision(c->history) : 0;
    if (!c->choice || c->summed == now) return 0;
    const bex_feature *phi = c->policy->phi;
    bex_gram_shape wide = bex_feature_wide(phi);
    int n = bex_memory_sources(c->history, source);
    bex_gram_zero(wide, c->memory);
    for (int i = 0; i < n; i++) {
        // gram is scratch here
        bex_gram_zero(wide, c->gram);
        if (bex_state_sum_add(phi, c->gram, source[i].rows, (size_t)source[i].n) < 0) return -1;
        bex_gram_scale(wide, c->gram, source[i].places / (double)source[i].n);
        bex_gram_union(wide, c->memory, c->gram);
    }
    c->summed = now;
    return 0;
}

int bex_control_begin(bex_control *c) {
    if (sum_memory(c) < 0) return -1;
    if (c->running) {
        if (c->history) bex_memory_abandon(c->history);
        c->episode++;
    }
    c->running = true;
    c->drawn = c->resolved = false;
    bex_proposals_forget(c->proposals);
    c->last.n = 0;
    c->plans = 0;
    c->step = 0;
    c->next = c->act;
    return 0;
}

int bex_control_end(bex_control *c) {
    if (!c->running) return bex_fail("no episode has begun"), bex_misused();
    c->running = false;
    c->episode++;
    return c->history ? bex_memory_end(c->history) : 0;
}

int bex_control_recall(bex_control *c, const bex_real *states, int rows) {
    if (c->running) return bex_fail("an episode is running"), bex_misused();
    c->episode++;
    if (!c->history) return 0;
    for (int t = 0; t < rows; t++)
        bex_memory_push(c->history, states + (size_t)t * (size_t)c->policy->O);
    return bex_memory_end(c->history);
}

static bex_encoder_prefix prefix_at(bex_control *c, int block) {
    const bex_dit_options *n = &c->policy->dit.o;
    bex_real *at = c->keys + (size_t)block * (size_t)n->N * 2 * (size_t)n->C;
    bex_tensor *kv = bex_constant(&c->tape, at, 3, BEX_DIMS(1, n->N, 2 * n->C));
    return (bex_encoder_prefix){{kv, 0}, {kv, n->C}};
}

// the history's keys and values out of the arena, [k | v] row by row
static void keep_keys(bex_control *c) {
    const bex_dit_options *n = &c->policy->dit.o;
    bex_encoder_prefix prefix[BEX_ENCODER_BLOCKS];
    size_t C = (size_t)n->C, row = C * sizeof(bex_real);
    bex_dit_history(&c->tape, &c->policy->dit, c->seen, 1, prefix);
    for (int b = 0; b < n->blocks; b++)
        for (size_t i = 0; i < (size_t)n->N; i++) {
            bex_real *to = c->keys + ((size_t)b * (size_t)n->N + i) * 2 * C;
            bex_columns k = prefix[b].k, v = prefix[b].v;
            memcpy(to, k.t->data + i * (size_t)bex_width(k.t) + (size_t)k.at, row);
            memcpy(to + C, v.t->data + i * (size_t)bex_width(v.t) + (size_t)v.at, row);
        }
    bex_tape_reset(&c->tape);
}

// Lambda(h) of the history in c->raw, or of the memory it was drawn from, seen from `state` if phi is relative
static int sum_history(bex_control *c, const bex_real *state) {
    const bex_feature *phi = c->policy->phi;
    bex_gram_shape wide = bex_feature_wide(phi);
    bex_memory_source source[BEX_MEMORY_SOURCES];
    bool whole = c->choice && c->drawn && bex_memory_sources(c->history, source) > 0;
    if (whole && sum_memory(c) < 0) return -1; // loaded since the episode began
    bex_gram_zero(wide, c->gram);
    if (whole)
        bex_gram_union(wide, c->gram, c->memory);
    else if (bex_state_sum_add(phi, c->gram, c->raw, (size_t)c->policy->dit.o.N) < 0)
        return -1;
    return bex_state_sum_from(phi, c->gram, state);
}

static int resolve_target(bex_control *c, const bex_real *state) {
    const bex_condition *condition = c->policy->condition;
    if ((c->choice || bex_target_needs_history(c->exp, condition)) && sum_history(c, state) < 0)
        return -1;
    if (c->choice && bex_choice_history(c->choice, c->gram) < 0) return -1;
    if (bex_target_resolve(&c->target, c->exp, condition, c->gram) < 0) return -1;
    // relative features see the history from each state anew
    c->resolved = !bex_feature_relative(c->policy->phi);
    return 0;
}

// c->raw is another history now
static void encode_history(bex_control *c) {
    const bex_dit_options *n = &c->policy->dit.o;
    c->encoded = false; // until it is, should this be left by a guard (base/arena.h)
    bex_policy_inputs(c->policy, c->seen, c->raw, n->N);
    if (n->mode == BEX_DIT_PREFIX) keep_keys(c);
    c->encoded = true;
    c->resolved = false;
}

// the history of a plan: the caller's, or that of the episode
static int take_history(bex_control *c, const bex_real *history) {
    size_t size = (size_t)c->policy->dit.o.N * (size_t)c->policy->O * sizeof *history;
    if (!size) return 0;
    if (!history && c->drawn) return 0;
    if (!history) return bex_fail("no history: no episode has seen a state"), bex_misused();
    if (!c->encoded || memcmp(c->raw, history, size) != 0) {
        memcpy(c->raw, history, size);
        encode_history(c);
    }
    c->drawn = c->resolved = false;
    bex_proposals_forget(c->proposals); // any state may come next
    return 0;
}

// row of x (., C) as (1,C)
static bex_tensor *row_of(bex_control *c, const bex_tensor *x, int row) {
    int C = x->dim[1];
    return bex_constant(&c->tape, x->data + (size_t)row * (size_t)C, 2, BEX_DIMS(1, C));
}

// pooled vectors for the state, B of them: `pooled` with the coverage hidden as hidden[0] says, `null` as hidden[1]
static void encode(bex_control *c, const bex_real *state, const unsigned char *hidden, int B,
                   bex_tensor **pooled, bex_tensor **null) {
    const bex_policy *p = c->policy;
    const bex_dit_options *n = &p->dit.o;
    bex_real *twice = bex_scratch(&c->tape, 2 * (size_t)n->O), *coverage = bex_scratch(&c->tape, 2);
    bex_real *time = bex_scratch(&c->tape, 2);
    bex_policy_inputs(p, twice, state, 1);
    memcpy(twice + n->O, twice, (size_t)n->O * sizeof *twice);
    coverage[0] = coverage[1] = (bex_real)c->target;
    time[0] = time[1] = (bex_real)c->step / (bex_real)p->config.model.horizon;
    const int task[2] = {c->task, c->task}, scene[2] = {c->scene, c->scene};
    bex_dit_input in = {.B = B,
                        .G = B,
                        .state = twice,
                        .coverage = coverage,
                        .hidden = hidden,
                        .timestep = time,
                        .task = task,
                        .scene = scene,
                        .history = c->seen};
    if (n->mode == BEX_DIT_PREFIX) {
        bex_encoder_prefix prefix[BEX_ENCODER_BLOCKS];
        for (int i = 0; i < n->blocks; i++) prefix[i] = prefix_at(c, i);
        bex_dit_query(&c->tape, &p->dit, &in, prefix, pooled);
    } else {
        if (B == 2 && n->N) { // full mode attends window by window: the history once for each
            size_t size = (size_t)n->N * (size_t)n->O;
            bex_real *copies = bex_scratch(&c->tape, 2 * size);
            memcpy(copies, c->seen, size * sizeof *copies);
            memcpy(copies + size, c->seen, size * sizeof *copies);
            in.history = copies;
        }
        bex_dit_encode(&c->tape, &p->dit, &in, pooled);
    }
    for (int i = 0; i < n->blocks; i++) {
        if (B == 2) null[i] = row_of(c, pooled[i], 1);
        pooled[i] = row_of(c, pooled[i], 0);
    }
}

static int check_told(const bex_real *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return bex_fail("the policy gave an action that is not finite");
    return 0;
}

// the noise of a plan into c->x: the caller's, that of the future being followed, or that of all candidates; how many
static int take_noise(bex_control *c, const bex_real *noise, size_t size, bex_rng *rng) {
    if (noise) {
        memcpy(c->x, noise, (size_t)c->candidates * size * sizeof *c->x);
        return c->candidates;
    }
    if (c->step < c->chosen + c->commit && bex_proposals_follow(c->proposals, c->x, rng)) return 1;
    bex_proposals_draw(c->proposals, c->x, rng);
    c->chosen = c->step;
    return c->candidates;
}

// actions that lead where x (K,A) told, or where the future being followed does; x is denoised again from `noise`
static void follow_lead(bex_control *c, const bex_real *state, bool told, const bex_real *noise,
                        bex_real *x, bex_tensor **hidden) {
    const bex_policy *p = c->policy;
    int wide = p->dit.o.A;
    for (int k = 0; k < p->dit.o.K; k++)
        memcpy(x + k * wide, noise + k * wide, (size_t)p->A * sizeof *x);
    if (!told) bex_lead_tell(c->lead, (double)(c->step - c->chosen), state, x);
    bex_sample(&c->tape, &p->dit, &c->led, x, 1, hidden, NULL);
}

// c->x, noise of so many proposals, becomes chunks; the one to play, NULL with a message
static bex_real *denoise(bex_control *c, const bex_real *state, int proposed, bool own) {
    const bex_policy *p = c->policy;
    size_t size = (size_t)p->dit.o.K * (size_t)p->dit.o.A, n = (size_t)proposed * size;
    bool choose = c->choice && proposed == c->candidates;
    bex_tensor *pooled[BEX_ENCODER_BLOCKS], *hidden[BEX_ENCODER_BLOCKS];
    bex_tensor **null = c->sampler.guidance == 1 ? NULL : hidden;
    const unsigned char hides[2] = {c->hides, 1}; // the coverage, in proposals and when following
    int best = 0;
    if (c->lead) memcpy(c->noises, c->x, n * sizeof *c->x);
    if (choose || !c->lead) {
        encode(c, state, hides, null || c->lead ? 2 : 1, pooled, hidden);
        bex_sample(&c->tape, &p->dit, &c->sampler, c->x, proposed, pooled, null);
    } else {
        encode(c, state, hides + 1, 1, hidden, NULL);
    }
    if (check_told(c->x, n) < 0) return NULL;
    if (choose && bex_choice_make(c->choice, c->x, proposed, state, c->target, &best) < 0)
        return NULL;
    bex_real *x = c->x + (size_t)best * size;
    if (choose) c->last = (bex_control_chosen){c->choice, c->x, proposed, best};
    if (choose && !own && c->drawn) {
        bex_proposals_rank(c->proposals, bex_choice_distances(c->choice));
        if (c->lead) bex_lead_set(c->lead, x, state);
    }
    if (c->lead) follow_lead(c, state, choose, c->noises + (size_t)best * size, x, hidden);
    return c->lead && check_told(x, size) < 0 ? NULL : x;
}

int bex_control_plan_from(bex_control *c, const bex_real *state, const bex_real *history,
                          const bex_real *noise, bex_real *chunk) {
    const bex_policy *p = c->policy;
    const bex_dit_options *n = &p->dit.o;
    size_t size = (size_t)n->K * (size_t)n->A;
    c->last.n = 0;
    bex_tape_reset(&c->tape); // one before this may have been left by a guard
    if (bex_normaliser_check(&p->normaliser, state) < 0) return bex_misused();
    if (take_history(c, history) < 0) return -1;
    if (n->coverage && !c->resolved && resolve_target(c, state) < 0) return -1;
    bex_rng rng = bex_rng_split(bex_rng_split(c->root, "episode", c->episode), "plan", c->plans++);
    c->all_plans++;
    int proposed = take_noise(c, noise, size, &rng);
    bex_policy_cool(p, c->x, (size_t)proposed, c->temperature);
    bex_real *x = denoise(c, state, proposed, noise != NULL);
    bex_tape_reset(&c->tape);
    if (!x) return -1;
    if (c->noise > 0)
        for (size_t i = 0; i < size; i++) {
            bex_real a = x[i] + R(c->noise * bex_rng_normal(&rng));
            x[i] = a < R(-1) ? R(-1) : a > R(1) ? R(1) : a;
        }
    for (int k = 0; k < n->K; k++)
        bex_denormalise_actions(&p->normaliser, chunk + (size_t)k * (size_t)p->A,
                                x + (size_t)k * (size_t)n->A, 1);
    return check_told(chunk, (size_t)n->K * (size_t)p->A);
}

// record the state; the first one of an episode also fixes its history
static int observe(bex_control *c, const bex_real *state) {
    c->last.n = 0;
    if (!c->running) return bex_fail("no episode has begun"), bex_misused();
    if (bex_normaliser_check(&c->policy->normaliser, state) < 0) return bex_misused();
    if (!c->history) return 0;
    bex_memory_push(c->history, state);
    if (c->drawn) return 0;
    bex_memory_draw(c->history, c->raw, bex_rng_split(c->root, "history", c->episode));
    encode_history(c);
    c->drawn = true;
    return 0;
}

int bex_control_plan(bex_control *c, const bex_real *state, bex_real *chunk) {
    if (observe(c, state) < 0 || bex_control_plan_from(c, state, NULL, NULL, chunk) < 0) return -1;
    c->step += c->policy->dit.o.K;
    c->next = c->act;
    return 0;
}

int bex_control_act(bex_control *c, const bex_real *state, bex_real *action) {
    int A = c->policy->A;
    if (observe(c, state) < 0) return -1;
    if (c->next == c->act) {
        if (bex_control_plan_from(c, state, NULL, NULL, c->chunk) < 0) return -1;
        c->next = 0;
    }
    memcpy(action, c->chunk + (size_t)c->next++ * (size_t)A, (size_t)A * sizeof *action);
    c->step++;
    return 0;
}
