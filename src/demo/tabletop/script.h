/* demo/tabletop/script.h - a whole task: its predicates one after the other, each by the moves that
 * bring it about. */
#ifndef BEX_DEMO_TABLETOP_SCRIPT_H
#define BEX_DEMO_TABLETOP_SCRIPT_H

#include "demo/tabletop/hand.h"

/* Play until the hand's episode is over or there is nothing left to try. True: the task held at the end. */
bool bex_script_play(bex_hand *h);

#endif
