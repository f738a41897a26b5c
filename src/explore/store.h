/* explore/store.h - an exploration under way on disk, so that a kill costs the episodes under way and no
 * more.
 *
 *     FOLDER/request.json      the caller's: what it needs to go on
 *     FOLDER/lock              held by the process that explores
 *     FOLDER/000001.hdf5 ...   episodes that ended since the file before: observations, actions, rewards,
 *                              terminals, timeouts, infos/trial; a row with infos/final ends an episode
 *                              and is the state after its last action
 *     FOLDER/trial-000003.safetensors  what trial 3 has learned, of agents that do
 *
 * Every file appears whole or not at all. What is saved costs what is new, not what there is. */
#ifndef BEX_EXPLORE_STORE_H
#define BEX_EXPLORE_STORE_H

#include "base/path.h"
#include "explore/explored.h"
#include "host/json.h"

typedef struct bex_explore_store bex_explore_store;

/* Begin one; an older one in this folder is removed. Open one that is there. NULL with a message, in use
 * among them. */
bex_explore_store *bex_explore_store_new(const char *folder, const json_t *request);
bex_explore_store *bex_explore_store_open(const char *folder);
void bex_explore_store_free(bex_explore_store *s); // the files stay; NULL is fine

bool bex_explore_store_exists(const char *folder);
const json_t *bex_explore_store_request(const bex_explore_store *s); // borrowed

/* The saved episodes into an empty record. Negative with a message: damaged, or of another exploration. */
int bex_explore_store_restore(bex_explore_store *s, bex_explored *e);

/* Where what trial i has learned is kept, FOLDER/trial-000003.safetensors: the caller's, written after the
 * episodes it was learned from, so that it never knows of more. Negative with a message: path too long. */
int bex_explore_store_learner(char path[BEX_PATH_SIZE], const bex_explore_store *s, int trial);

/* The episodes that have ended since the last save, or restore. 0, or negative with a message. */
int bex_explore_store_save(bex_explore_store *s, const bex_explored *e);

/* The exploration is complete and kept elsewhere. Negative with a message. */
int bex_explore_store_remove(const char *folder);

#endif
