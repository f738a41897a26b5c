/* web/walker.h - one ball that lives episodes on the stage, whoever decides for it.
 *
 *     begin            a new episode from the start cell; the past is what the stage holds
 *     run(steps)       some of its control steps; 0 when the 300 are played
 *     end              it is over; `remember`: its states join the stage's past
 *
 * A walker made anew goes on exactly as the one before would have: an episode is a function of the stage
 * (walls, seed, policy, past), of `kind`, exp and its number. Nothing allocates between begin and end. */
#ifndef BEX_WEB_WALKER_H
#define BEX_WEB_WALKER_H

#include "agent/actors/actor.h"
#include "web/stage.h"

typedef struct walker {
    stage *stage;
    stage_kind kind;
    bex_actor *actor; // NULL: none yet
    ball ball;
    int episode; // the next one's number
    int steps;   // of the running one, -1: none runs
    bex_real states[(STAGE_STEPS + 1) * STAGE_STATE];
} walker;

/* Who decides, after `episode` episodes; `past`: the stage's past is its own. exp: "q:0.95"; "" is the
 * policy's. Negative with a message: no such policy, a wrong exp. */
int walker_open(walker *w, stage *s, stage_kind kind, const char *exp, int episode, bool past);
void walker_close(walker *w);

int walker_begin(walker *w);
int walker_run(walker *w, int steps); // steps played; negative with a message
int walker_end(walker *w, bool remember);

/* An actor of this kind that remembers the stage's past, or, if not `past`, as many episodes without
 * states. Caller frees. NULL with a message. */
bex_actor *walker_actor(const stage *s, stage_kind kind, const char *exp, int episode, bool past);

#endif
