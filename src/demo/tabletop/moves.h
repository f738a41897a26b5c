/* demo/tabletop/moves.h - what a hand does with one thing: pick, put, drawers, doors, knobs. Loops of
 * hand.h's steps; each looks where things are when it begins. */
#ifndef BEX_DEMO_TABLETOP_MOVES_H
#define BEX_DEMO_TABLETOP_MOVES_H

#include "demo/tabletop/hand.h"

/* Take hold of a thing and lift it by `lift`. along: the fingers' way wanted in the world; NULL: any.
 * False: it is not in the hand; another try takes hold elsewhere. */
bool bex_move_pick(bex_hand *h, int thing, const double *along, double lift);

/* How to put down what is held. */
typedef struct bex_put {
    double at[3];    // of its origin
    const double *R; // of the hand then; NULL: straight down as it is
    double over;     // height of its origin on the way there, world z; 0: chosen
    double least;    // the grip site goes no lower than this world z; 0: as low as `at` says
    double away[3];  // where the hand goes after, relative; 0: up
} bex_put;
void bex_move_put(bex_hand *h, const bex_put *put);

/* Take what is held to above a place of its origin with the hand at R, over everything in between. */
void bex_move_carry(bex_hand *h, const double at[3], const double R[9]);

/* Move what is held straight to a place of its origin. */
void bex_move_bring(bex_hand *h, const double at[3], const double R[9], double near, int most);

/* A drawer of a cabinet by its region: opened by its handle, dragged open where other handles are in the way,
 * pushed shut. */
void bex_move_open_drawer(bex_hand *h, int region);
void bex_move_close_drawer(bex_hand *h, int region);

void bex_move_turn_knob(bex_hand *h, int stove, bool on);
void bex_move_open_microwave(bex_hand *h, int microwave);
void bex_move_close_microwave(bex_hand *h, int microwave);

#endif
