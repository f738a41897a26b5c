/* exp/run.c */
#include "base/error.h"
extern int bex_exp_unused;
