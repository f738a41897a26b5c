/* agent/actors/actor.h - what an exploration protocol drives: one control stream, whatever decides in it.
 *
 *     begin   a new episode
 *     act     once an environment step: the state seen in, the action to take out. Action chunks are
 *             the actor's affair
 *     looks   will the next act look at pictures? They cost more than the step itself and are left undrawn,
 *             or as they were, where it will not. Between episodes they are always drawn. NULL: always
 *     saw     what came of it: reward, next state, end. For actors that learn; NULL: does not
 *     end     the episode is over: its states join the actor's history
 *     recall  instead of the four, an episode of this very actor that was played before: afterwards the
 *             next episode is what it would have been, by all that was remembered and learned
 *     save    between episodes: all that was learned, to a file; load takes a new actor there, and tells how
 *             many episodes it then has behind it. NULL where recall is cheap
 *
 * An actor is an object of its maker's with this struct at its head. One thread at a time; actors of
 * one maker may run in different threads. */
#ifndef BEX_AGENT_ACTORS_ACTOR_H
#define BEX_AGENT_ACTORS_ACTOR_H

#include "data/step.h"

typedef struct bex_actor bex_actor;

typedef struct bex_actor_class {
    const char *name;
    int (*begin)(bex_actor *actor);
    /* What is seen -> action (A). Allocates nothing. Pictures an actor does not know are refused. */
    int (*act)(bex_actor *actor, const bex_observation *obs, bex_real *action);
    bool (*looks)(const bex_actor *actor);
    /* After each act, the last of an episode too; step->obs and act are act's. */
    int (*saw)(bex_actor *actor, const bex_step *step);
    int (*end)(bex_actor *actor);
    int (*recall)(bex_actor *actor, const bex_episode *episode);
    int (*save)(bex_actor *actor, const char *path);
    int (*load)(bex_actor *actor, const char *path, int *episodes);
    void (*free)(bex_actor *actor); // NULL is fine
} bex_actor_class;                  // 0, or negative with a message

struct bex_actor {
    const bex_actor_class *class;
};

#endif
