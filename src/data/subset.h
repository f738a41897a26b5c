/* data/subset.h - some episodes of a data set as one of its own: held-out episodes, small samples. */
#ifndef BEX_DATA_SUBSET_H
#define BEX_DATA_SUBSET_H

#include "base/rng.h"
#include "data/dataset.h"

/* A copy of the named episodes, in this order; labels keep their numbers. NULL with a message. */
bex_dataset *bex_dataset_subset(const bex_dataset *d, const int *episodes, int n);

/* Take about `fraction` of the episodes out of d, at random, whole: at least one, and at least one stays.
 * Those taken out, as a data set of their own; d keeps the others, in place, and needs no second copy.
 * Both keep the order of the file. NULL with a message: d is unchanged. */
bex_dataset *bex_dataset_hold_out(bex_dataset *d, double fraction, bex_rng rng);

#endif
