/* policy/past.c - one history: drawn or given, encoded once, summed once. */
#include "policy/past.h"

#include "base/error.h"
#include "coverage/state_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// whose history raw is
typedef enum { NONE, DRAWN, GIVEN } origin;

struct bex_past {
    const bex_policy *policy;
    bex_memory *memory; // NULL without history tokens
    origin origin;
    bool encoded;              // inputs and keys are raw's
    bool resolved;             // target is that of raw and exp
    double target;             // the coverage token's input
    bex_real *raw, *inputs;    // (N,O), (N, dit.o.O)
    bex_real *keys;            // (blocks,N,2C) keys and values of the history, prefix mode
    double *gram;              // Lambda(h); wide while it is summed
    double *whole;             // (wide) Lambda of the whole memory, counted as N states
    unsigned long long summed; // revision of the memory that `whole` is of
};

static bex_memory *open_memory(const bex_past *p, const char *rule) {
    bex_memory_options o = {
        .O = p->policy->O, .N = p->policy->dit.o.N, .normaliser = &p->policy->normaliser};
    if (bex_memory_parse(&o.kind, &o.file, rule) < 0) return NULL;
    return bex_memory_new(&o);
}

static int allocate(bex_past *p, const char *rule) {
    const bex_dit_options *n = &p->policy->dit.o;
    size_t N = (size_t)n->N;
    if (!n->N) return 0;
    if (!(p->memory = open_memory(p, rule))) return -1;
    p->raw = calloc(N * (size_t)p->policy->O, sizeof *p->raw);
    p->inputs = calloc(N * (size_t)n->O, sizeof *p->inputs);
    p->keys = calloc((size_t)n->blocks * N * 2 * (size_t)n->C, sizeof *p->keys);
    if (!p->raw || !p->inputs || !p->keys) return bex_fail("out of memory");
    if (!n->coverage) return 0;
    size_t wide = bex_gram_size(bex_feature_wide(p->policy->phi));
    p->gram = calloc(wide, sizeof *p->gram);
    p->whole = calloc(wide, sizeof *p->whole);
    p->summed = bex_memory_revision(p->memory) - 1;
    return p->gram && p->whole ? 0 : bex_fail("out of memory");
}

bex_past *bex_past_new(const bex_policy *policy, const char *rule) {
    bex_past *p = calloc(1, sizeof *p);
    if (!p) return bex_fail("out of memory"), NULL;
    p->policy = policy;
    p->target = NAN;
    if (allocate(p, rule) == 0) return p;
    bex_past_free(p);
    return NULL;
}

void bex_past_free(bex_past *p) {
    if (!p) return;
    bex_memory_free(p->memory);
    free(p->raw);
    free(p->inputs);
    free(p->keys);
    free(p->gram);
    free(p->whole);
    free(p);
}

bex_memory *bex_past_memory(bex_past *p) {
    return p->memory;
}

int bex_past_set_rule(bex_past *p, const char *rule) {
    if (!p->memory) return 0;
    bex_memory *next = open_memory(p, rule);
    if (!next) return -1;
    bex_memory_free(p->memory);
    p->memory = next;
    p->summed = bex_memory_revision(next) - 1;
    p->origin = NONE;
    p->resolved = false;
    return 0;
}

/* A choice needs no sample of the memory: the sum over all of it, scaled to N states, is what Lambda(h) is on
 * average over draws. Taken when an episode begins, for it reads every state. */
static int sum_whole(bex_past *p) {
    bex_memory_source source[BEX_MEMORY_SOURCES];
    unsigned long long now = bex_memory_revision(p->memory);
    if (p->summed == now) return 0;
    const bex_feature *phi = p->policy->phi;
    bex_gram_shape wide = bex_feature_wide(phi);
    int n = bex_memory_sources(p->memory, source);
    bex_gram_zero(wide, p->whole);
    for (int i = 0; i < n; i++) {
        // gram is scratch here
        bex_gram_zero(wide, p->gram);
        if (bex_state_sum_add(phi, p->gram, source[i].rows, (size_t)source[i].n) < 0) return -1;
        bex_gram_scale(wide, p->gram, source[i].places / (double)source[i].n);
        bex_gram_union(wide, p->whole, p->gram);
    }
    p->summed = now;
    return 0;
}

int bex_past_begin(bex_past *p, bool whole) {
    if (whole && p->memory && sum_whole(p) < 0) return -1;
    p->origin = NONE;
    p->resolved = false;
    return 0;
}

/* ---- encoding ---- */

static bex_encoder_prefix prefix_at(bex_past *p, bex_tape *tape, int block) {
    const bex_dit_options *n = &p->policy->dit.o;
    bex_real *at = p->keys + (size_t)block * (size_t)n->N * 2 * (size_t)n->C;
    bex_tensor *kv = bex_constant(tape, at, 3, BEX_DIMS(1, n->N, 2 * n->C));
    return (bex_encoder_prefix){{kv, 0}, {kv, n->C}};
}

// the history's keys and values out of the arena, [k | v] row by row
static void keep_keys(bex_past *p, bex_tape *tape) {
    const bex_dit_options *n = &p->policy->dit.o;
    bex_encoder_prefix prefix[BEX_ENCODER_BLOCKS];
    size_t C = (size_t)n->C, row = C * sizeof(bex_real);
    bex_dit_history(tape, &p->policy->dit, p->inputs, 1, prefix);
    for (int b = 0; b < n->blocks; b++)
        for (size_t i = 0; i < (size_t)n->N; i++) {
            bex_real *to = p->keys + ((size_t)b * (size_t)n->N + i) * 2 * C;
            bex_columns k = prefix[b].k, v = prefix[b].v;
            memcpy(to, k.t->data + i * (size_t)bex_width(k.t) + (size_t)k.at, row);
            memcpy(to + C, v.t->data + i * (size_t)bex_width(v.t) + (size_t)v.at, row);
        }
    bex_tape_reset(tape);
}

// raw is another history now
static void encode_history(bex_past *p, bex_tape *tape) {
    const bex_dit_options *n = &p->policy->dit.o;
    p->encoded = false; // until it is, should this be left by a guard (base/arena.h)
    bex_tape_reset(tape);
    bex_policy_inputs(p->policy, p->inputs, p->raw, n->N);
    if (n->mode == BEX_DIT_PREFIX) keep_keys(p, tape);
    p->encoded = true;
    p->resolved = false;
}

void bex_past_push(bex_past *p, bex_tape *tape, const bex_real *state, bex_rng rng) {
    if (!p->memory) return;
    bex_memory_push(p->memory, state);
    if (p->origin == DRAWN) return;
    bex_memory_draw(p->memory, p->raw, rng);
    encode_history(p, tape);
    p->origin = DRAWN;
}

void bex_past_give(bex_past *p, bex_tape *tape, const bex_real *history) {
    size_t size = (size_t)p->policy->dit.o.N * (size_t)p->policy->O * sizeof *history;
    if (!size) return;
    if (!p->encoded || memcmp(p->raw, history, size) != 0) {
        memcpy(p->raw, history, size);
        encode_history(p, tape);
    }
    p->origin = GIVEN;
    p->resolved = false;
}

bool bex_past_own(const bex_past *p) {
    return p->origin == DRAWN;
}

// full mode attends window by window: the history once for each
static const bex_real *copies(bex_past *p, bex_tape *tape, int B) {
    size_t size = (size_t)p->policy->dit.o.N * (size_t)p->policy->dit.o.O;
    if (B == 1 || !size) return p->inputs;
    bex_real *all = bex_scratch(tape, (size_t)B * size);
    for (size_t b = 0; b < (size_t)B; b++) memcpy(all + b * size, p->inputs, size * sizeof *all);
    return all;
}

void bex_past_encode(bex_past *p, bex_tape *tape, bex_dit_input *input, bex_tensor **pooled) {
    const bex_dit *dit = &p->policy->dit;
    if (dit->o.mode != BEX_DIT_PREFIX) {
        input->history = copies(p, tape, input->B);
        bex_dit_encode(tape, dit, input, pooled);
        return;
    }
    bex_encoder_prefix prefix[BEX_ENCODER_BLOCKS];
    for (int i = 0; i < dit->o.blocks; i++) prefix[i] = prefix_at(p, tape, i);
    input->history = p->inputs;
    bex_dit_query(tape, dit, input, prefix, pooled);
}

/* ---- the target ---- */

// Lambda(h) of the history in raw, or for a choice of the memory it was drawn from, seen from `state` if phi
// is relative
static int sum_history(bex_past *p, bool chooses, const bex_real *state) {
    const bex_feature *phi = p->policy->phi;
    bex_gram_shape wide = bex_feature_wide(phi);
    bex_memory_source source[BEX_MEMORY_SOURCES];
    bool whole = chooses && p->origin == DRAWN && bex_memory_sources(p->memory, source) > 0;
    if (!whole) return bex_state_sum_of(phi, p->gram, p->raw, (size_t)p->policy->dit.o.N, state);
    if (sum_whole(p) < 0) return -1; // loaded since the episode began
    bex_gram_zero(wide, p->gram);
    bex_gram_union(wide, p->gram, p->whole);
    return bex_state_sum_from(phi, p->gram, state);
}

int bex_past_resolve(bex_past *p, bex_target exp, bex_choice *choice, const bex_real *state) {
    const bex_condition *condition = p->policy->condition;
    if (!p->policy->dit.o.coverage || p->resolved) return 0;
    if ((choice || bex_target_needs_history(exp, condition)) &&
        sum_history(p, choice != NULL, state) < 0)
        return -1;
    if (choice && bex_choice_history(choice, p->gram) < 0) return -1;
    if (bex_target_resolve(&p->target, exp, condition, p->gram) < 0) return -1;
    // relative features see the history from each state anew
    p->resolved = !bex_feature_relative(p->policy->phi);
    return 0;
}

void bex_past_forget_target(bex_past *p) {
    p->resolved = false;
}

double bex_past_target(const bex_past *p) {
    return p->target;
}
