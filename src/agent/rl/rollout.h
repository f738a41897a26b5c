/* agent/rl/rollout.h - worlds that are learned in: a batch of instances, and the way back into it.
 *
 * The actions of the running episodes are kept, (B, time limit, A). With the number of each episode they
 * are all of a batch's state: loading takes them again (env/batch.h) and holds the states it comes to
 * against those that were saved, bit for bit. Costs at most B episodes of stepping, and no world need
 * know how to save itself.
 *
 *     fill r->batch->act; bex_rollout_step(r);   then r->before -> r->next is what each action did
 */
#ifndef BEX_AGENT_RL_ROLLOUT_H
#define BEX_AGENT_RL_ROLLOUT_H

#include "env/batch.h"
#include "nn/safetensors.h"

typedef struct bex_rollout {
    bex_env_batch *batch;
    int limit;                 // steps an episode has at most
    bex_real *before;          // (B,O) states before the last step
    bex_real *next;            // (B,O) states after it, the last ones where an episode ended
    bex_real *acts;            // (B,limit,A) of the running episodes, 0 beyond them
    int64_t *episode, *length; // (B) as saved
} bex_rollout;

/* B instances of `world` (borrowed), which must have a time limit. 0, or negative with a message. */
int bex_rollout_new(bex_rollout **out, const bex_world *world, int B, uint64_t seed);
void bex_rollout_free(bex_rollout *r); // NULL is fine

/* One step of every instance with the actions in batch->act; as bex_env_batch_step. */
int bex_rollout_step(bex_rollout *r);

/* Whether instance i's episode ended with the last step. */
static inline bool bex_rollout_ended(const bex_rollout *r, int i) {
    return r->batch->terminated[i] || r->batch->truncated[i];
}

/* Tensors "rollout.*"; the rollout must outlive the save, unchanged. */
void bex_rollout_save(bex_rollout *r, bex_st_writer *w);

/* Negative with a message: other sizes, or a world that no longer moves as it did. */
int bex_rollout_load(bex_rollout *r, const bex_st_file *f);

#endif
