/* web/fan.h - the futures that an actor sees from a place, before it takes one.
 *
 *   explores, forgets    the candidates of one plan: where their waypoints lead, and what they would cover
 *                        together with the past. Their noise is the same everywhere, so that a fan moves
 *                        smoothly with the place
 *   looks up             16 of the 64 nearest demonstrations' futures, the one that is taken among them
 *   imitates             8 episodes of 100 steps, played with the ball and not rated, 13 plans each:
 *                        fan_grow plays on, a plan at a time. So does any policy of one candidate
 *
 * A fan belongs to one stage, kind, exp and past; open another when one of them changes. */
#ifndef BEX_WEB_FAN_H
#define BEX_WEB_FAN_H

#include "policy/control.h"
#include "web/walker.h"

enum { FAN_MOST = 32, FAN_POINTS = 104, FAN_PLAYED = 8, FAN_STEPS = 100 };

typedef struct fan_future {
    int points;                // of path, the place itself first
    float value;               // larger covers more; NAN: not rated
    float path[FAN_POINTS][2]; // metres
} fan_future;

typedef struct fan {
    const stage *stage;
    stage_kind kind;
    bex_control *control; // of a policy
    bex_actor *actor;     // of the look-up
    bex_real *noise;      // (FAN_PLAYED or candidates, K, columns)
    bex_real *chunk;      // (K,A)
    bex_real *history;    // (N,O)
    bool rated;
    bool first; // the control has seen no state yet
    ball ball[FAN_PLAYED];
    int grown;   // plans played of a fan that is not rated
    int n, best; // best -1: none is taken yet
    fan_future future[FAN_MOST];
} fan;

int fan_open(fan *f, const stage *s, stage_kind kind, const char *exp);
void fan_close(fan *f);

/* From (x,y) at rest. 0, or 1: fan_grow has more to do; negative with a message. */
int fan_spread(fan *f, double x, double y);
int fan_grow(fan *f);

#endif
