/* explore/session.h - one exploration from request to files: who acts, where, what is kept, how it goes on
 * after a stop.
 *
 *     bex_explore_session s = {.q = &request, .command = ..., .started = ..., .argc = ..., .argv = ...};
 *     bex_explore_session_find(&s, folder)     one that was stopped: the request is then read from s.store
 *     bex_explore_session_open -> play -> judge -> save, pictures (show/), finish
 *     bex_explore_session_fini                                      always
 *
 * Calls return 0 or negative with a message, the caller's fault or not (base/error.h). */
#ifndef BEX_EXPLORE_SESSION_H
#define BEX_EXPLORE_SESSION_H

#include "base/path.h"
#include "data/dataset.h"
#include "explore/explored.h"
#include "explore/source.h"
#include "explore/store.h"
#include "record/exploration_summary.h"

typedef struct bex_explore_session {
    // the caller's
    const bex_explore_request *q;
    const char *command; // as typed, at first
    const char *started; // then
    int argc;
    char **argv; // the same, in words
    // this file's; others may read
    bex_explore_store *store; // of q->out; NULL: nothing is kept
    char store_path[BEX_PATH_SIZE];
    const bex_explore_source *source;
    void *state; // the source's
    bex_world *world;
    bex_memory *segment; // of a file: rule, for the overlap
    bex_actor **actors;  // (trials)
    bex_explored explored;
    bex_dataset *demonstrations; // to draw beside it; NULL: none
    json_t *agent, *results;
    bex_exploration_summary summary; // what they say
} bex_explore_session;

/* The unfinished exploration in `folder`: opens s->store. */
int bex_explore_session_find(bex_explore_session *s, const char *folder);

/* World, agent, demonstrations, and the directory q->out, of which nothing is overwritten unless q->force. */
int bex_explore_session_open(bex_explore_session *s);

/* Trials until they are complete: 0, or BEX_EXPLORE_STOPPED (explore/explore.h): interrupted, and saved. */
int bex_explore_session_play(bex_explore_session *s);

/* s->summary and s->results of what was played. */
int bex_explore_session_judge(bex_explore_session *s);

/* trajectories.hdf5; then, pictures having been drawn, results.json and the memory asked for, and nothing is
 * unfinished. */
int bex_explore_session_save(bex_explore_session *s);
int bex_explore_session_finish(bex_explore_session *s);

void bex_explore_session_fini(bex_explore_session *s);

#endif
