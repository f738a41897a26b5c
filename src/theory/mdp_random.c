/* theory/mdp_random.c - random worlds that try the proposition's corners.
 *
 * Non-terminal states lie in levels 0 (the start alone) to K-1; a move goes to a later level or to
 * a terminal, so paths join and lengths differ. Some terminals have no path at all, some only
 * through actions of probability 0. Ids are shuffled: nothing may lean on their order. */
#include "theory/mdp.h"

#include "base/error.h"

#include <math.h>

enum { LEVELS = 6, WIDTH = 8, TERMINALS = 24, ACTIONS = 5 };
enum { MOST_STATES = LEVELS * WIDTH + TERMINALS };

static int between(bex_rng *rng, int lo, int hi) {
    return lo + (int)bex_rng_below(rng, (uint64_t)(hi - lo + 1));
}

// one row of beta: certain, uniform (ties), skewed down to 1e-4, or with actions never taken
static void draw_behaviour(double *p, int A, double certainty, bex_rng *rng) {
    enum { CERTAIN, UNIFORM, SKEWED, SPARSE };
    int style = bex_rng_uniform(rng) < certainty ? CERTAIN : between(rng, UNIFORM, SPARSE);
    int always = between(rng, 0, A - 1);
    double sum = 0;
    for (int a = 0; a < A; a++) {
        double u = bex_rng_uniform(rng);
        p[a] = 1;
        if (style == CERTAIN) p[a] = a == always;
        if (style == SKEWED) p[a] = pow(10, -4 * u);
        if (style == SPARSE) p[a] = a == always || u < 0.5 ? 0.05 + bex_rng_uniform(rng) : 0;
        sum += p[a];
    }
    for (int a = 0; a < A; a++) p[a] /= sum;
}

bex_mdp *bex_mdp_random(bex_rng rng) {
    int K = between(&rng, 1, LEVELS), A = between(&rng, 0, 9) ? between(&rng, 2, ACTIONS) : 1;
    double certainty = 0.4 * bex_rng_uniform(&rng);
    int terminals = between(&rng, 1, TERMINALS),
        linked = between(&rng, (terminals + 1) / 2, terminals);
    int level[LEVELS + 1], id[MOST_STATES]; // level[l]: first state of a level, before shuffling
    level[0] = 0, level[1] = 1;
    for (int l = 1; l < K; l++) level[l + 1] = level[l] + between(&rng, 1, WIDTH);
    int S = level[K] + terminals;
    for (int i = 0; i < S; i++) id[i] = i;
    bex_rng_shuffle(&rng, id, S);
    bex_mdp *w = bex_mdp_new(S, A, K, id[0]);
    if (!w) return NULL;
    for (int i = 0; i < terminals; i++) w->terminal[id[level[K] + i]] = true;
    double p[ACTIONS], early = 0.3 * bex_rng_uniform(&rng);
    for (int l = 0; l < K; l++)
        for (int s = level[l]; s < level[l + 1]; s++) {
            draw_behaviour(p, A, certainty, &rng);
            for (int a = 0; a < A; a++) {
                bool end = l + 1 == K || bex_rng_uniform(&rng) < early;
                int later = l + 1 == K ? l : between(&rng, l + 1, l + 2 < K ? l + 2 : K - 1);
                int next = end ? level[K] + between(&rng, 0, linked - 1)
                               : between(&rng, level[later], level[later + 1] - 1);
                bex_mdp_set(w, id[s], a, id[next], p[a]);
            }
        }
    int state, action;
    int code = bex_mdp_seal(w, &state, &action);
    BEX_CHECK(code == 0, "random world: %s", bex_error());
    return w;
}
