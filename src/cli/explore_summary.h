/* cli/explore_summary.h - what `bex explore` prints when it is done. */
#ifndef BEX_CLI_EXPLORE_SUMMARY_H
#define BEX_CLI_EXPLORE_SUMMARY_H

#include "base/json.h"
#include "explore/explored.h"

/* who: "policy, uniform history". */
void bex_explore_print(const bex_explored *e, const json_t *results, const char *who);

#endif
