/* agent/rl/hilp.c - HILP with demonstrations (in the SUPE paper also "SUPE (HILP)"): ExPLORe over skills
 * that are directions of a Hilbert space. u in (-1,1)^Z; the skill is z = atanh(u) / |atanh(u)|;
 * demonstrations are labelled by where they went. docs/agents/hilp.md. */
#include "agent/rl/learner.h"
#include "agent/skills/demonstration_rows.h"
#include "agent/skills/hilp_skills.h"
#include "agent/skills/skill_space.h"
#include "base/error.h"
#include "nn/param_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bex_params *params;
    bex_hilbert net;
} hilp;

static void close_skills(void *skills) {
    hilp *s = skills;
    if (!s) return;
    bex_params_free(s->params);
    free(s);
}

static void *open_skills(const bex_st_file *f, const bex_skill_about *about) {
    hilp *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory"), NULL;
    s->params = bex_params_new();
    s->net = bex_hilbert_add(s->params, bex_hilp_network(about));
    if (bex_params_open(s->params, f) == 0) return s;
    close_skills(s);
    return NULL;
}

// to length 1; what has none stays
static void normalise(bex_real *z, int n) {
    double length = 0;
    for (int i = 0; i < n; i++) length += (double)z[i] * (double)z[i];
    length = sqrt(length);
    for (int i = 0; length > 0 && i < n; i++) z[i] = R((double)z[i] / length);
}

// the direction from a chunk's first state to the one after it
static void read_chunks(const void *payload, bex_arena *arena, const bex_dataset *d, const int *row,
                        const int *next, int n, bex_real *out) {
    const hilp *s = payload;
    int S = s->net.o.O, Z = s->net.o.Z;
    bex_tape tape;
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    bex_tensor *states = bex_tensor_new(&tape, 2, BEX_DIMS(2 * n, S), false);
    for (int i = 0; i < n; i++) {
        bex_rows_states(states->data + (size_t)i * (size_t)S, d, row[i], 1, S);
        bex_rows_states(states->data + (size_t)(n + i) * (size_t)S, d, next[i], 1, S);
    }
    const bex_real *at = bex_hilbert_place(&tape, &s->net, states)->data;
    size_t block = (size_t)n * (size_t)Z;
    bex_real *z = bex_scratch(&tape, block);
    for (size_t i = 0; i < block; i++) z[i] = at[block + i] - at[i];
    for (int i = 0; i < n; i++) normalise(z + (size_t)i * (size_t)Z, Z);
    bex_squash(out, z, n * Z);
}

static void act(const void *skills, bex_arena *arena, const bex_real *state, const bex_real *u,
                bex_rng *rng, bex_real *action) {
    const hilp *s = skills;
    int S = s->net.o.O, Z = s->net.o.Z;
    bex_tape tape;
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    bex_tensor *x = bex_tensor_new(&tape, 2, BEX_DIMS(1, S + Z), false);
    memcpy(x->data, state, (size_t)S * sizeof *state);
    bex_unsquash(x->data + S, u, Z);
    normalise(x->data + S, Z);
    bex_skill_act(&tape, &s->net.actor, x, rng, action);
}

const bex_learner_method bex_learner_hilp = {.name = "hilp",
                                             .title = "HILP",
                                             .about = "ExPLORe over directions of a Hilbert space",
                                             .data = true,
                                             .skills = true,
                                             .once = true,
                                             .bonus = 8,
                                             .open = open_skills,
                                             .close = close_skills,
                                             .read = read_chunks,
                                             .act = act};
