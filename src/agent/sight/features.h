/* agent/sight/features.h - what a frozen network makes of every frame, once: then a policy learns as on
 * states.
 *
 *   features (frames, cameras, P, F) reals, in a file that is mapped: memory is what is in use
 *
 * The file knows of which weights and demonstrations it is; another one's is written anew. */
#ifndef BEX_AGENT_SIGHT_FEATURES_H
#define BEX_AGENT_SIGHT_FEATURES_H

#include "data/dataset.h"
#include "policy/policy.h"

typedef struct bex_features bex_features;

/* Of all frames of d->pictures as policy->vision sees them, without augmentation. path: where they are
 * kept, or
 * NULL: in memory. On `threads`. NULL with a message. */
bex_features *bex_features_new(const bex_policy *policy, const bex_dataset *d, const char *path,
                               int threads);
bex_features *bex_features_share(bex_features *f);
void bex_features_free(bex_features *f); // one owner fewer; NULL is fine

/* (cameras, P, F) of a frame. */
const bex_real *bex_features_at(const bex_features *f, int frame);

#endif
