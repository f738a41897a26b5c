/* cli/explore_summary.h - what `bex explore` prints when it is done. */
#ifndef BEX_CLI_EXPLORE_SUMMARY_H
#define BEX_CLI_EXPLORE_SUMMARY_H

#include "record/exploration_summary.h"

/* who: "policy, uniform history". */
void bex_explore_print(const bex_exploration_summary *s, const char *who);

#endif
