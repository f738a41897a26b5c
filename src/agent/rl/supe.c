/* agent/rl/supe.c - SUPE: ExPLORe over skills. A decision u = tanh(z) names the skill that the decoder
 * follows for H steps; demonstrations are labelled by the encoder's mean; the prior proposes.
 * docs/agents/supe.md. */
#include "agent/rl/learner.h"
#include "agent/skills/demonstration_rows.h"
#include "agent/skills/skill_space.h"
#include "agent/skills/supe_skills.h"
#include "base/error.h"
#include "kernel/random.h"
#include "nn/param_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    bex_params *params;
    bex_segment_vae vae;
} supe;

static void close_skills(void *skills) {
    supe *s = skills;
    if (!s) return;
    bex_params_free(s->params);
    free(s);
}

static void *open_skills(const bex_st_file *f, const bex_skill_about *about) {
    supe *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory"), NULL;
    s->params = bex_params_new();
    s->vae = bex_segment_vae_add(s->params, bex_supe_network(about));
    if (bex_params_open(s->params, f) == 0) return s;
    close_skills(s);
    return NULL;
}

// the mean of q(z|chunk)
static void read_chunks(const void *payload, bex_arena *arena, const bex_dataset *d, const int *row,
                        const int *next, int n, bex_real *out) {
    const supe *s = payload;
    const bex_segment_vae_options *o = &s->vae.o;
    (void)next; // a skill is read from the actions between
    size_t T = (size_t)o->T, O = (size_t)o->O, A = (size_t)o->A;
    bex_tensor *mean, *log_std;
    bex_tape tape;
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    bex_tensor *states = bex_tensor_new(&tape, 3, BEX_DIMS(n, o->T, o->O), false);
    bex_tensor *actions = bex_tensor_new(&tape, 3, BEX_DIMS(n, o->T, o->A), false);
    for (size_t i = 0; i < (size_t)n; i++) {
        bex_rows_states(states->data + i * T * O, d, row[i], o->T, o->O);
        bex_rows_actions(actions->data + i * T * A, d, row[i], o->T);
    }
    bex_segment_vae_encode(&tape, &s->vae, states, actions, &mean, &log_std);
    bex_squash(out, mean->data, n * o->Z);
}

static void propose(const void *skills, bex_arena *arena, const bex_real *state, bex_rng *rng,
                    bex_real *u) {
    const supe *s = skills;
    bex_tensor *mean, *log_std;
    bex_tape tape;
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    bex_diagonal_gaussian_run(&tape, &s->vae.prior,
                              bex_constant(&tape, state, 2, BEX_DIMS(1, s->vae.o.O)), &mean,
                              &log_std);
    bex_tensor *noise = bex_tensor_like(&tape, mean);
    bex_random_normal(noise->data, bex_count(noise), rng);
    bex_squash(u, bex_gaussian_sample(&tape, mean, log_std, noise)->data, s->vae.o.Z);
}

static void act(const void *skills, bex_arena *arena, const bex_real *state, const bex_real *u,
                bex_rng *rng, bex_real *action) {
    const supe *s = skills;
    int O = s->vae.o.O, Z = s->vae.o.Z;
    bex_tape tape;
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    bex_tensor *x = bex_tensor_new(&tape, 2, BEX_DIMS(1, O + Z), false);
    memcpy(x->data, state, (size_t)O * sizeof *state);
    bex_unsquash(x->data + O, u, Z);
    bex_skill_act(&tape, &s->vae.decoder, x, rng, action);
}

const bex_learner_method bex_learner_supe = {.name = "supe",
                                             .title = "SUPE",
                                             .about = "ExPLORe over skills of an autoencoder",
                                             .data = true,
                                             .skills = true,
                                             .once = true,
                                             .bonus = 8,
                                             .open = open_skills,
                                             .close = close_skills,
                                             .read = read_chunks,
                                             .propose = propose,
                                             .act = act};
