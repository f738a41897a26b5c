/* exp/explore.c - act, step, account; one batch for all trials. */
#include "exp/explore.h"

#include "base/error.h"
#include "base/parallel.h"
#include "env/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// every array of the result, once: member, elements of a trial
#define ARRAYS(X)                                                                                  \
    X(steps, 1)                                                                                    \
    X(start, e->episodes + 1)                                                                      \
    X(obs, (size_t)e->room *(size_t)e->O)                                                          \
    X(act, (size_t)e->room *(size_t)e->A)                                                          \
    X(reward, e->room)                                                                             \
    X(terminal, e->room)                                                                           \
    X(timeout, e->room)                                                                            \
    X(final_obs, (size_t)e->episodes *(size_t)e->O)                                                \
    X(first_step, e->R)                                                                            \
    X(first_episode, e->R)                                                                         \
    X(first_goal, e->G + 1)                                                                        \
    X(occupancy, e->R)                                                                             \
    X(visited, (size_t)e->episodes *(size_t)e->R)

void bex_explored_fini(bex_explored *e) {
#define FREE(member, per) free(e->member);
    ARRAYS(FREE)
#undef FREE
    *e = (bex_explored){0};
}

static int allocate(bex_explored *e) {
    bool whole = true;
#define ALLOCATE(member, per)                                                                      \
    e->member = calloc((size_t)e->trials * (size_t)(per), sizeof *e->member);                      \
    whole = whole && e->member;
    ARRAYS(ALLOCATE)
#undef ALLOCATE
    if (!whole)
        return bex_fail("out of memory for %d trials of %d episodes", e->trials, e->episodes);
    for (size_t i = 0; i < (size_t)e->trials * (size_t)e->R; i++)
        e->first_step[i] = e->first_episode[i] = -1;
    for (size_t i = 0; i < (size_t)e->trials * (size_t)(e->G + 1); i++) e->first_goal[i] = -1;
    return 0;
}

typedef struct run {
    bex_explored *e;
    const bex_explore_options *o;
    bex_env_batch *batch;
    int *episode; // (trials) ended so far
    char (*failure)[256];
} run;

// a state of trial i's running episode, seen after `steps` of its steps
static void account(run *r, int i, const bex_real *obs) {
    bex_explored *e = r->e;
    int region = e->world->class->region(e->world, obs), *goal = e->first_goal + i * (e->G + 1);
    unsigned found = e->G ? e->world->class->found(e->world, obs) : 0;
    for (int g = 0; g < e->G; g++)
        if (found >> g & 1 && goal[g] < 0) goal[g] = r->episode[i];
    if (region < 0) return;
    size_t at = (size_t)i * (size_t)e->R + (size_t)region;
    if (e->first_step[at] < 0) {
        e->first_step[at] = e->steps[i];
        e->first_episode[at] = r->episode[i];
    }
    e->occupancy[at]++;
    size_t episode = (size_t)i * (size_t)e->episodes + (size_t)r->episode[i];
    e->visited[episode * (size_t)e->R + (size_t)region] = 1;
}

static int act_one(run *r, int i) {
    bex_explored *e = r->e;
    bex_actor *actor = r->o->actors[i];
    const bex_real *obs = r->batch->obs + (size_t)i * (size_t)e->O;
    bex_real *act = r->batch->act + (size_t)i * (size_t)e->A;
    size_t row = (size_t)i * (size_t)e->room + (size_t)e->steps[i];
    if (r->batch->length[i] == 0 && actor->class->begin(actor) < 0) return -1;
    if (actor->class->act(actor, obs, act) < 0) return -1;
    account(r, i, obs);
    memcpy(e->obs + row * (size_t)e->O, obs, (size_t)e->O * sizeof *obs);
    memcpy(e->act + row * (size_t)e->A, act, (size_t)e->A * sizeof *act);
    return 0;
}

static void act_piece(long piece, void *payload) {
    run *r = payload;
    int i = (int)piece;
    if (r->episode[i] == r->e->episodes) return;
    if (act_one(r, i) < 0)
        snprintf(r->failure[i], sizeof *r->failure, "episode %d, step %d: %s", r->episode[i] + 1,
                 r->batch->length[i], bex_error());
}

// what the step did to trial i
static int take_step(run *r, int i) {
    bex_explored *e = r->e;
    const bex_env_batch *b = r->batch;
    size_t row = (size_t)i * (size_t)e->room + (size_t)e->steps[i]++;
    e->reward[row] = b->reward[i];
    e->terminal[row] = b->terminated[i];
    e->timeout[row] = b->truncated[i];
    if (!b->terminated[i] && !b->truncated[i]) return 0;
    const bex_real *last = b->final_obs + (size_t)i * (size_t)e->O;
    size_t episode = (size_t)i * (size_t)e->episodes + (size_t)r->episode[i];
    account(r, i, last);
    memcpy(e->final_obs + episode * (size_t)e->O, last, (size_t)e->O * sizeof *last);
    e->start[(size_t)i * (size_t)(e->episodes + 1) + (size_t)++r->episode[i]] = e->steps[i];
    bex_actor *actor = r->o->actors[i];
    return actor->class->end(actor) < 0 ? bex_fail_in("trial %d", i) : 0;
}

static int step_all(run *r, int *running) {
    bex_explored *e = r->e;
    long long done = 0;
    bex_parallel(r->o->threads, e->trials, act_piece, r);
    for (int i = 0; i < e->trials; i++)
        if (r->failure[i][0]) return bex_fail("trial %d: %s", i, r->failure[i]);
    if (bex_env_batch_step(r->batch) < 0) return -1;
    *running = 0;
    for (int i = 0; i < e->trials; i++) {
        if (r->episode[i] < e->episodes && take_step(r, i) < 0) return -1;
        *running += r->episode[i] < e->episodes;
        done += e->steps[i];
    }
    if (r->o->progress)
        bex_progress_update(r->o->progress, done, "episode %d of %d",
                            r->episode[0] + (r->episode[0] < e->episodes), e->episodes);
    return 0;
}

int bex_explore(bex_explored *out, const bex_explore_options *o) {
    const bex_world *w = o->world;
    *out = (bex_explored){.world = w,
                          .trials = o->trials,
                          .episodes = o->episodes,
                          .O = w->O,
                          .A = w->A,
                          .R = w->regions,
                          .G = w->class->found ? w->goals : 0,
                          .length = w->time_limit};
    BEX_CHECK(o->trials > 0 && o->episodes > 0, "%d trials of %d episodes", o->trials, o->episodes);
    if (w->time_limit <= 0) return bex_fail("%s has no time limit: episodes do not end", w->name);
    if ((long long)o->episodes * w->time_limit > 1 << 30)
        return bex_fail("%d episodes of %d steps: too many", o->episodes, w->time_limit);
    out->room = o->episodes * w->time_limit;
    run r = {.e = out, .o = o};
    r.episode = calloc((size_t)o->trials, sizeof *r.episode);
    r.failure = calloc((size_t)o->trials, sizeof *r.failure);
    int code = r.episode && r.failure ? allocate(out) : bex_fail("out of memory");
    if (code == 0) code = bex_env_batch_new(&r.batch, w, o->trials, o->seed);
    for (int running = 1; code == 0 && running;) code = step_all(&r, &running);
    bex_env_batch_free(r.batch);
    free(r.episode);
    free(r.failure);
    return code;
}

static int count_below(const int *first, int R, int limit) {
    int count = 0;
    for (int k = 0; k < R; k++) count += first[k] >= 0 && first[k] < limit;
    return count;
}

int bex_explored_after_steps(const bex_explored *e, int trial, int steps) {
    return count_below(e->first_step + (size_t)trial * (size_t)e->R, e->R, steps + 1);
}

int bex_explored_after_episodes(const bex_explored *e, int trial, int episodes) {
    return count_below(e->first_episode + (size_t)trial * (size_t)e->R, e->R, episodes);
}

double bex_explored_goals(const bex_explored *e, int trial, int episodes) {
    const int *first = e->first_goal + (size_t)trial * (size_t)(e->G + 1);
    return e->G ? (double)count_below(first, e->G, episodes) / e->G : 0;
}

int bex_explored_attempts(const bex_explored *e, int trial) {
    const int *start = e->start + (size_t)trial * (size_t)(e->episodes + 1);
    const bex_real *reward = e->reward + (size_t)trial * (size_t)e->room;
    for (int k = 0; k < e->episodes; k++)
        for (int t = start[k]; t < start[k + 1]; t++)
            if (reward[t] > 0) return k + 1;
    return 0;
}
