#include "agent/skills/hilp_skills.h"

#include "agent/skills/demonstration_rows.h"
#include "agent/skills/pretraining.h"
#include "base/error.h"
#include "kernel/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bex_pretraining base;
    bex_hilbert net, target;
} hilp;

static const char *const columns[] = {"representation_1", "representation_2", "skill_value",
                                      "skill_critics",    "skill_actor",      NULL};

bex_hilbert_options bex_hilp_network(const bex_skill_about *a) {
    bex_hilbert_options o = {.O = a->S, .A = a->A, .Z = a->Z};
    memcpy(o.hidden, a->hidden, sizeof o.hidden);
    return o;
}

static void add(bex_pretraining *base, bex_params *params, bool targets) {
    const bex_hilp_config *c = &base->config.hilp;
    hilp *a = (hilp *)base;
    bex_hilbert_options o = bex_hilp_network(&base->about);
    o.discount = c->discount, o.sharpness = c->sharpness;
    o.representation_expectile = c->representation_expectile;
    o.value_expectile = c->value_expectile;
    *(targets ? &a->target : &a->net) = bex_hilbert_add(params, o);
}

/* ---- samples ---- */

// the last row of the episode that has this one
static int last_row(const bex_dataset *d, int row) {
    int low = 0, high = d->episodes; // start[low] <= row < start[high]
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (d->start[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return d->start[low + 1] - 1;
}

// a state of the same episode's future, geometrically far, or any state
static int draw_goal(const hilp *a, const bex_dataset *d, int row, bex_rng *rng) {
    const bex_hilp_config *c = &a->base.config.hilp;
    bool random = bex_rng_uniform(rng) < c->random_goals;
    double u = bex_rng_uniform(rng);
    if (random) return (int)(u * d->rows);
    int last = last_row(d, row);
    double ahead = c->discount > 0 ? ceil(log(1 - u) / log(c->discount)) : 1;
    return ahead < last - row ? row + (int)ahead : last;
}

// a direction: drawn anew, or one of a fixed set
static void draw_skill(const hilp *a, const bex_pretraining_samples *s, int i, bex_real *z) {
    int Z = a->base.about.Z;
    bex_rng rng = s->rng[i];
    if (a->base.config.hilp.directions) {
        uint64_t n = bex_rng_below(&rng, (uint64_t)a->base.config.hilp.directions);
        rng = bex_rng_split(bex_rng_seed((uint64_t)a->base.config.train.seed), "direction", n);
    }
    bex_random_normal(z, (size_t)Z, &rng);
    double length = 0;
    for (int j = 0; j < Z; j++) length += (double)z[j] * (double)z[j];
    for (int j = 0; j < Z; j++) z[j] /= R(sqrt(length));
}

static bex_tensor *loss_of(bex_pretraining *base, bex_tape *tape, const bex_pretraining_samples *s,
                           double parts[]) {
    const hilp *a = (const hilp *)base;
    size_t n = (size_t)s->n, S = (size_t)base->about.S, A = (size_t)base->about.A,
           Z = (size_t)base->about.Z;
    bex_real *obs = bex_scratch(tape, n * S), *next = bex_scratch(tape, n * S),
             *goal = bex_scratch(tape, n * S), *act = bex_scratch(tape, n * A),
             *skill = bex_scratch(tape, n * Z), *reward = bex_scratch(tape, n),
             *mask = bex_scratch(tape, n);
    for (size_t i = 0; i < n; i++) {
        int row = s->row[i], at = draw_goal(a, s->data, row, &s->rng[i]);
        bex_rows_states(obs + i * S, s->data, row, 1, base->about.S);
        bex_rows_states(next + i * S, s->data, row + 1, 1, base->about.S);
        bex_rows_states(goal + i * S, s->data, at, 1, base->about.S);
        bex_rows_actions(act + i * A, s->data, row, 1);
        draw_skill(a, s, (int)i, skill + i * Z);
        mask[i] = at == row ? R(0) : R(1), reward[i] = -mask[i];
    }
    bex_hilbert_batch b = {s->n, obs, act, next, goal, skill, reward, mask};
    return bex_hilbert_loss(tape, &a->net, &a->target, &b, s->learn ? base->params : NULL,
                            s->factor, parts);
}

static void describe(const bex_pretraining *base, FILE *out) {
    const bex_hilp_config *c = &base->config.hilp;
    fprintf(out, "networks     two heads, value, two critics, actor: %s each; skills %s\n",
            c->hidden, c->directions ? "of a fixed set" : "drawn anew each step");
}

static const bex_pretraining_method method = {
    .columns = columns, .add = add, .loss = loss_of, .describe = describe};

static bex_agent *make(const bex_train_config *config, bex_sources *sources) {
    const bex_hilp_config *c = &config->hilp;
    hilp *a = calloc(1, sizeof *a);
    if (!a) return bex_sources_fini(sources), bex_fail("out of memory"), NULL;
    bex_dataset *data = sources->data;
    a->base.about = (bex_skill_about){.Z = (int)c->skill, .H = (int)c->steps};
    a->base.follow = 1;
    a->base.lr = c->lr, a->base.tau = c->tau;
    if (bex_widths_parse(a->base.about.hidden, BEX_MLP_LAYERS - 1, c->hidden) < 0) {
        bex_dataset_free(data);
        free(a);
        return bex_fail_in("hilp.hidden"), NULL;
    }
    if (bex_pretraining_init(&a->base, &bex_agent_hilp, &method, config, data, c->state) == 0)
        return &a->base.agent;
    bex_pretraining_free(&a->base.agent);
    return NULL;
}

const bex_agent_class bex_agent_hilp = {.new = make, BEX_PRETRAINING_FUNCTIONS};
