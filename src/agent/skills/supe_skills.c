#include "agent/skills/supe_skills.h"

#include "agent/skills/demonstration_rows.h"
#include "agent/skills/pretraining.h"
#include "base/error.h"
#include "kernel/random.h"

#include <stdlib.h>

typedef struct {
    bex_pretraining base;
    bex_segment_vae vae;
} supe;

static const char *const columns[] = {"reconstruction", "divergence", NULL};

bex_segment_vae_options bex_supe_network(const bex_skill_about *a) {
    return (bex_segment_vae_options){
        .O = a->S, .A = a->A, .Z = a->Z, .T = a->H, .hidden = a->hidden[0]};
}

static void add(bex_pretraining *base, bex_params *params, bool targets) {
    (void)targets; // none
    ((supe *)base)->vae = bex_segment_vae_add(params, bex_supe_network(&base->about));
}

static bex_tensor *loss_of(bex_pretraining *base, bex_tape *tape, const bex_pretraining_samples *s,
                           double parts[]) {
    const supe *a = (const supe *)base;
    int T = base->about.H, S = base->about.S, A = base->about.A, Z = base->about.Z;
    bex_tensor *states = bex_tensor_new(tape, 3, BEX_DIMS(s->n, T, S), false);
    bex_tensor *actions = bex_tensor_new(tape, 3, BEX_DIMS(s->n, T, A), false);
    bex_tensor *noise = bex_tensor_new(tape, 2, BEX_DIMS(s->n, Z), false);
    for (int i = 0; i < s->n; i++) {
        bex_rows_states(states->data + (size_t)i * (size_t)(T * S), s->data, s->row[i], T,
                        base->about.S);
        bex_rows_actions(actions->data + (size_t)i * (size_t)(T * A), s->data, s->row[i], T);
        bex_random_normal(noise->data + (size_t)i * (size_t)Z, (size_t)Z, &s->rng[i]);
    }
    if (s->learn) bex_tape_train(tape, base->params);
    bex_tensor *reconstruction, *divergence;
    bex_segment_vae_loss(tape, &a->vae, states, actions, noise, &reconstruction, &divergence);
    parts[0] = s->factor * (double)reconstruction->data[0];
    parts[1] = s->factor * (double)divergence->data[0];
    double weight = base->config.supe.divergence;
    return bex_affine(tape, bex_add(tape, reconstruction, bex_affine(tape, divergence, weight, 0)),
                      s->factor, 0);
}

static void describe(const bex_pretraining *a, FILE *out) {
    fprintf(out, "networks     bidirectional GRU encoder, prior, decoder, %d wide; KL weighs %g\n",
            a->about.hidden[0], a->config.supe.divergence);
}

static const bex_pretraining_method method = {
    .columns = columns, .add = add, .loss = loss_of, .describe = describe};

static bex_agent *make(const bex_train_config *config, bex_sources *sources) {
    const bex_supe_config *c = &config->supe;
    supe *a = calloc(1, sizeof *a);
    if (!a) return bex_sources_fini(sources), bex_fail("out of memory"), NULL;
    a->base.about =
        (bex_skill_about){.Z = (int)c->skill, .H = (int)c->steps, .hidden = {(int)c->hidden}};
    a->base.follow = (int)c->steps - 1;
    a->base.lr = c->lr;
    if (bex_pretraining_init(&a->base, &bex_agent_supe, &method, config, sources->data, c->state) ==
        0)
        return &a->base.agent;
    bex_pretraining_free(&a->base.agent);
    return NULL;
}

const bex_agent_class bex_agent_supe = {.new = make, BEX_PRETRAINING_FUNCTIONS};
