/* explore/suite.h - one exploration in each scene, or for each task, of a class of worlds, and how soon tasks
 * were done over all of them.
 *
 *     DIR/suite.json               what was asked for: `bex explore --resume DIR` asks for the same
 *     DIR/KITCHEN_SCENE5/          an exploration like any other: results.json, trajectories.hdf5, ..
 *     DIR/tasks.json               record/attempts.h, once all are complete
 *
 *     bex_suite s = {.q = &request, ...};
 *     bex_suite_open(&s) -> bex_suite_play(&s) -> s.attempts, s.results
 *     bex_suite_fini(&s)                                            always */
#ifndef BEX_EXPLORE_SUITE_H
#define BEX_EXPLORE_SUITE_H

#include "explore/protocol.h"
#include "explore/session.h"
#include "record/attempts.h"

typedef struct bex_suite {
    // the caller's
    const bex_explore_request *q; // q->env_keys without scene and task; q->out: DIR
    bex_each each;                // scene or task
    const char *scenes;           // by commas; NULL or "": all
    const char *command, *started;
    int argc;
    char **argv;
    bool again; // going on: what is complete in DIR stays
    void (*told)(const struct bex_suite *s, int member, const bex_exploration_summary *summary);
    // this file's; others may read
    bex_world_label *member;
    int members;
    json_t *request; // suite.json
    bex_attempts attempts;
    json_t *results; // tasks.json
} bex_suite;

/* Is there one in this folder? Its request, the caller's to json_decref; NULL with a message. */
bool bex_suite_exists(const char *folder);
json_t *bex_suite_request(const char *folder);

/* Which worlds, and the directory, of which nothing is overwritten unless q->force. Negative with a
 * message, the caller's fault or not. */
int bex_suite_open(bex_suite *s);

/* One after the other, each with its trials at once; `told` after each. 0 with tasks.json written,
 * BEX_EXPLORE_STOPPED, or negative with a message naming the world. */
int bex_suite_play(bex_suite *s);

void bex_suite_fini(bex_suite *s);

#endif
