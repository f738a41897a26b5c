/* cli/explore_summary.h - what `bex explore` prints when it is done. */
#ifndef BEX_CLI_EXPLORE_SUMMARY_H
#define BEX_CLI_EXPLORE_SUMMARY_H

#include "explore/explored.h"
#include "host/json.h"

/* who: "policy, uniform history". */
void bex_explore_print(const bex_explored *e, const json_t *results, const char *who);

#endif
