/* env/tabletop/objects.h - a scene as a vector that is the same for all twenty: one place for each copy of
 * each kind that a LIBERO scene holds, in the order of the table of kinds; what is not there is zeros.
 *
 *   a movable   its origin from the grip site (3, world's axes), quaternion w x y z (4)
 *   a fixture   its origin from the grip site (3), its joints
 *
 * From the hand, because that is what a grasp depends on; and because then zero, for what is absent, lies
 * among the values of what is present, so that one policy of many scenes has columns of a good scale. */
#ifndef BEX_ENV_TABLETOP_OBJECTS_H
#define BEX_ENV_TABLETOP_OBJECTS_H

#include "env/tabletop/goals.h"

int bex_objects_width(void);

/* Negative with a message: more copies of a kind than there are places. */
int bex_objects_check(const bex_bddl *scene);

/* out (width); grip: where the grip site is. Of positions as they are now; the scene has been checked. */
void bex_objects_see(const bex_goals *g, const bex_mj_sim *sim, const double grip[3], double *out);

#endif
