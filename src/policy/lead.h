/* policy/lead.h - the chosen future while it is followed: places, told to the network as ways from where the body has come to.
 *
 * A network with diffusion.lead has learned actions also for waypoints that are given without noise (model.md). So a plan is
 * made in two steps: what the future might be, waypoints and actions denoised together, one of them chosen; then actions that
 * lead there, at once and for as long as the future is followed, the waypoints staying what they are.
 *
 *     set(told, state)             the waypoints of a told chunk, as places
 *     tell(steps, state, x)        the same, so many steps later, into the waypoints' columns of x: waypoint k is where the future
 *                                  is (k+1) F/K steps from now, on straight lines between its places, its last place behind them
 *
 * Nothing is allocated after new. */
#ifndef BEX_POLICY_LEAD_H
#define BEX_POLICY_LEAD_H

#include "policy/policy.h"

typedef struct bex_lead bex_lead;

bex_lead *bex_lead_new(const bex_policy *policy); // which it borrows; NULL with a message
void bex_lead_free(bex_lead *lead);               // NULL is fine

void bex_lead_set(bex_lead *lead, const bex_real *told, const bex_real *state); // (K,A + W), (O)
void bex_lead_tell(const bex_lead *lead, double steps, const bex_real *state, bex_real *x);

#endif
