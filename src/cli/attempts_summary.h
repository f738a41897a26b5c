/* cli/attempts_summary.h - what `bex explore` prints of an exploration over many worlds. */
#ifndef BEX_CLI_ATTEMPTS_SUMMARY_H
#define BEX_CLI_ATTEMPTS_SUMMARY_H

#include "record/attempts.h"

void bex_attempts_print(const bex_attempts *a);

#endif
