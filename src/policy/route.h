/* policy/route.h - the chosen future while it is executed: positions, shown to the network as displacements
 * from where the body has come to.
 *
 * A network with diffusion.show_waypoints has also learned actions for waypoints that are shown without noise
 * (docs/model.md). So a plan has two steps: candidate futures, waypoints and actions denoised together, one
 * of them chosen; then actions that follow its waypoints, at once and for as long as the future is executed,
 * the waypoints staying what they are.
 *
 *     set(x, state)              the waypoints of a chunk, as positions
 *     show(steps, state, x)      the same, so many steps later, into the waypoint columns of x: waypoint k is
 *                                where the future is (k + 1) F / K steps from now, on straight lines between
 *                                its positions, its last position behind them
 *
 * Nothing is allocated after new. */
#ifndef BEX_POLICY_ROUTE_H
#define BEX_POLICY_ROUTE_H

#include "policy/policy.h"

typedef struct bex_route bex_route;

bex_route *bex_route_new(const bex_policy *policy); // which it borrows; NULL with a message
void bex_route_free(bex_route *route);              // NULL is fine

void bex_route_set(bex_route *route, const bex_real *x, const bex_real *state); // (K,columns), (O)
void bex_route_show(const bex_route *route, double steps, const bex_real *state, bex_real *x);

#endif
