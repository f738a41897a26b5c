/* agent/actors/policy_actor.h - a trained policy as an actor: one policy/control.h stream a trial. */
#ifndef BEX_AGENT_ACTORS_POLICY_ACTOR_H
#define BEX_AGENT_ACTORS_POLICY_ACTOR_H

#include "agent/actors/actor.h"
#include "agent/actors/told.h"
#include "policy/control.h"

/* deploy NULL: the policy's own. told NULL: label 0, where it has such inputs. Policy and told must
 * outlive the actor; the stream's seed is drawn from rng. NULL with a message. */
bex_actor *bex_policy_actor_new(const bex_policy *policy, const bex_deploy_config *deploy,
                                const bex_told *told, bex_rng rng);

/* The stream it acts by, to look at. */
const bex_control *bex_policy_actor_control(const bex_actor *actor);

/* Its memory of past episodes; NULL if the policy has no history. */
bex_memory *bex_policy_actor_memory(bex_actor *actor);

#endif
