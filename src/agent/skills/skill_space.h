/* agent/skills/skill_space.h - between skills z in R^Z and what a squashed actor decides, u in (-1,1)^Z:
 *
 *   u = tanh z kept within 1 - 1e-5;  z = atanh u, so |z| <= 6.1
 *
 * and the action of a skill's network: drawn from its Gaussian, kept within [-1, 1]. */
#ifndef BEX_AGENT_SKILLS_SKILL_SPACE_H
#define BEX_AGENT_SKILLS_SKILL_SPACE_H

#include "model/diagonal_gaussian.h"

/* x within 1 - 1e-5. */
bex_real bex_inside(bex_real x);

void bex_squash(bex_real *u, const bex_real *z, int n);
void bex_unsquash(bex_real *z, const bex_real *u, int n);

/* x (1,in) -> action (out). */
void bex_skill_act(bex_tape *tape, const bex_diagonal_gaussian *net, bex_tensor *x, bex_rng *rng,
                   bex_real *action);

#endif
