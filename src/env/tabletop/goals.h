/* env/tabletop/goals.h - whether a task is done: LIBERO's predicates on a simulation.
 *
 *   On(a, thing b)   b.z <= a.z, a and b touch, and their middles are less than 3 cm apart seen from above
 *   On(a, region)    |x|, |y| of M (a - region) within its half sizes, z between its top - 5 mm and its
 * top + 10 cm,
 *                    M the site's rotation, not its transpose; of a fixture: and a touches it
 *   In(a, region)    a's middle inside the box of half sizes |M size|, its lower face 1 cm lower
 *   Open, Close      cabinet < -0.14 / > 0, microwave < -1.3 / > -0.005: any / all joints of the
 * region's own body,
 *                    or of the thing
 *   Turnon, Turnoff  knob >= 0.5: any / < 0: all
 *
 * Pitfall: a drawer at exactly 0 is not closed. */
#ifndef BEX_ENV_TABLETOP_GOALS_H
#define BEX_ENV_TABLETOP_GOALS_H

#include "env/mj.h"
#include "env/tabletop/bddl.h"

typedef struct bex_goals {
    const bex_bddl *scene; // borrowed
    int body[BEX_BDDL_THINGS];
    int site[BEX_BDDL_REGIONS]; // -1: the region has no site (it can then be in no goal)
    short *thing;               // (bodies) which thing a body belongs to, -1: none
} bex_goals;

/* Finds everything by name. Negative with a message: a goal of something the model has not. */
int bex_goals_init(bex_goals *g, const bex_bddl *scene, const bex_mj_model *model);
void bex_goals_fini(bex_goals *g);

/* Of positions and contacts as they are now. */
bool bex_goals_fact(const bex_goals *g, const bex_mj_sim *sim, const bex_bddl_fact *fact);

/* Bit t: all of task t's goal holds. */
unsigned bex_goals_done(const bex_goals *g, const bex_mj_sim *sim);

/* Put the joints that a predicate speaks of at q. */
void bex_goals_set_joints(const bex_goals *g, bex_mj_sim *sim, const bex_bddl_fact *fact, double q);

/* Where the first of those joints is; NaN: there is none. */
double bex_goals_joint(const bex_goals *g, const bex_mj_sim *sim, const bex_bddl_fact *fact);

/* Do things a and b touch? */
bool bex_goals_touch(const bex_goals *g, const bex_mj_sim *sim, int a, int b);

#endif
