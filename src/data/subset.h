/* data/subset.h - some episodes of a data set as one of its own: held-out episodes, small samples. */
#ifndef BEX_DATA_SUBSET_H
#define BEX_DATA_SUBSET_H

#include "base/rng.h"
#include "data/dataset.h"

/* A copy of the named episodes, in this order; labels keep their numbers. NULL with a message. */
bex_dataset *bex_dataset_subset(const bex_dataset *d, const int *episodes, int n);

/* Split by whole episodes, at random: *held has about `fraction` of them, at least one, *rest the
 * others, at least one. Both keep the order of the file. 0, or negative with a message. */
int bex_dataset_hold_out(bex_dataset **held, bex_dataset **rest, const bex_dataset *d,
                         double fraction, bex_rng rng);

#endif
