/* explore/explored.c - arrays of a trial from two X-macro lists: of fixed size, and growing with episodes. */
#include "explore/explored.h"

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// every array of a trial, once: member, elements; those of fixed size, and those that grow by episodes
#define FIXED(X)                                                                                   \
    X(obs, (size_t)e->room *(size_t)e->O)                                                          \
    X(act, (size_t)e->room *(size_t)e->A)                                                          \
    X(reward, (size_t)e->room)                                                                     \
    X(terminal, (size_t)e->room)                                                                   \
    X(timeout, (size_t)e->room)                                                                    \
    X(first_step, (size_t)e->regions)                                                              \
    X(first_episode, (size_t)e->regions)                                                           \
    X(goal_step, (size_t)e->goals)                                                                 \
    X(goal_episode, (size_t)e->goals)                                                              \
    X(occupancy, (size_t)e->regions)
#define GROWING(X)                                                                                 \
    X(start, places + 1)                                                                           \
    X(final_obs, places *(size_t)e->O)                                                             \
    X(visited, places *(size_t)e->regions)

void bex_explored_fini(bex_explored *e) {
    for (int i = 0; e->trial && i < e->trials; i++) {
#define FREE(member, count) free(e->trial[i].member);
        FIXED(FREE)
        GROWING(FREE)
#undef FREE
    }
    free(e->trial);
    *e = (bex_explored){0};
}

static int grow(const bex_explored *e, bex_trial *t, size_t places) {
#define GROW(member, count)                                                                        \
    {                                                                                              \
        void *more = realloc(t->member, ((count) + 1) * sizeof *t->member);                        \
        if (!more) return bex_fail("out of memory for %zu episodes", places);                      \
        t->member = more;                                                                          \
    }
    GROWING(GROW)
#undef GROW
    t->places = (int)places;
    return 0;
}

static int init_trial(const bex_explored *e, bex_trial *t) {
    bool whole = true;
#define ALLOCATE(member, count)                                                                    \
    t->member = calloc((count) + 1, sizeof *t->member);                                            \
    whole = whole && t->member;
    FIXED(ALLOCATE)
#undef ALLOCATE
    if (!whole) return bex_fail("out of memory for %d trials of %d steps", e->trials, e->room);
    for (int k = 0; k < e->regions; k++) t->first_step[k] = t->first_episode[k] = -1;
    for (int g = 0; g < e->goals; g++) t->goal_step[g] = t->goal_episode[g] = -1;
    if (grow(e, t, (size_t)(e->room / e->world->time_limit) + 1) < 0) return -1;
    t->start[0] = 0;
    return 0;
}

int bex_explored_init(bex_explored *e, const bex_world *w, int trials, int episodes, int steps) {
    *e = (bex_explored){.world = w,
                        .O = w->spec.state,
                        .A = w->A,
                        .regions = w->regions,
                        .goals = w->class->found ? w->goals : 0,
                        .budget = steps,
                        .limit = episodes};
    BEX_CHECK(trials > 0 && (episodes > 0) != (steps > 0), "%d trials of %d episodes, %d steps",
              trials, episodes, steps);
    if (w->time_limit <= 0) return bex_fail("%s has no time limit: episodes do not end", w->name);
    if ((long long)episodes * w->time_limit > 1 << 30 || steps > 1 << 30)
        return bex_fail("%lld steps of a trial: too many",
                        steps ? steps : (long long)episodes * w->time_limit);
    e->room = steps ? steps : episodes * w->time_limit;
    e->trial = calloc((size_t)trials, sizeof *e->trial);
    if (!e->trial) return bex_fail("out of memory for %d trials", trials);
    for (e->trials = 0; e->trials < trials; e->trials++)
        if (init_trial(e, &e->trial[e->trials]) < 0) return e->trials++, -1;
    return 0;
}

// ---- filling ----

bool bex_explored_complete(const bex_explored *e, int trial) {
    const bex_trial *t = &e->trial[trial];
    if (e->until && e->world->task >= 0 && e->world->task < e->goals &&
        t->goal_step[e->world->task] >= 0)
        return true;
    return e->budget ? t->steps >= e->budget : t->episodes >= e->limit;
}

int bex_explored_begin(bex_explored *e, int trial) {
    bex_trial *t = &e->trial[trial];
    BEX_CHECK(!bex_explored_complete(e, trial), "trial %d is complete", trial);
    if (t->episodes == t->places && grow(e, t, 2 * (size_t)t->places) < 0) return -1;
    memset(t->visited + (size_t)t->episodes * (size_t)e->regions, 0, (size_t)e->regions);
    return 0;
}

// a state of the running episode
static void see(bex_explored *e, bex_trial *t, const bex_real *obs) {
    int region = e->world->class->region(e->world, obs);
    unsigned found = e->goals ? e->world->class->found(e->world, obs) : 0;
    for (int g = 0; g < e->goals; g++)
        if (found >> g & 1 && t->goal_step[g] < 0)
            t->goal_step[g] = t->steps, t->goal_episode[g] = t->episodes;
    if (region < 0) return;
    if (t->first_step[region] < 0)
        t->first_step[region] = t->steps, t->first_episode[region] = t->episodes;
    t->occupancy[region]++;
    t->visited[(size_t)t->episodes * (size_t)e->regions + (size_t)region] = 1;
}

bool bex_explored_step(bex_explored *e, int trial, const bex_step *row) {
    bex_trial *t = &e->trial[trial];
    size_t at = (size_t)t->steps, O = (size_t)e->O, A = (size_t)e->A;
    BEX_CHECK(t->steps < e->room, "step %d of %d", t->steps, e->room);
    see(e, t, row->obs.state);
    memcpy(t->obs + at * O, row->obs.state, O * sizeof *t->obs);
    memcpy(t->act + at * A, row->act, A * sizeof *row->act);
    t->reward[at] = row->reward;
    t->steps++;
    t->terminal[at] = row->terminal;
    t->timeout[at] = row->timeout || (e->budget && t->steps == e->budget && !row->terminal);
    return t->terminal[at] || t->timeout[at];
}

void bex_explored_end(bex_explored *e, int trial, const bex_real *final_obs) {
    bex_trial *t = &e->trial[trial];
    see(e, t, final_obs);
    memcpy(t->final_obs + (size_t)t->episodes * (size_t)e->O, final_obs,
           (size_t)e->O * sizeof *final_obs);
    t->start[++t->episodes] = t->steps;
}

// ---- asking ----

bex_episode bex_explored_episode(const bex_explored *e, int trial, int k) {
    const bex_trial *t = &e->trial[trial];
    BEX_CHECK(k >= 0 && k < t->episodes, "episode %d of %d", k, t->episodes);
    size_t at = (size_t)t->start[k], O = (size_t)e->O;
    return (bex_episode){.steps = t->start[k + 1] - t->start[k],
                         .O = e->O,
                         .A = e->A,
                         .obs = t->obs + at * O,
                         .act = t->act + at * (size_t)e->A,
                         .reward = t->reward + at,
                         .terminal = t->terminal + at,
                         .timeout = t->timeout + at,
                         .last = t->final_obs + (size_t)k * O};
}

int bex_explored_most_episodes(const bex_explored *e) {
    int most = 0;
    for (int i = 0; i < e->trials; i++)
        if (e->trial[i].episodes > most) most = e->trial[i].episodes;
    return most;
}

int bex_explored_least_episodes(const bex_explored *e) {
    int least = INT_MAX;
    for (int i = 0; i < e->trials; i++)
        if (e->trial[i].episodes < least) least = e->trial[i].episodes;
    return least;
}

int bex_explored_least_steps(const bex_explored *e) {
    int least = INT_MAX;
    for (int i = 0; i < e->trials; i++)
        if (e->trial[i].steps < least) least = e->trial[i].steps;
    return least;
}

static int count_below(const int *first, int n, int limit) {
    int count = 0;
    for (int k = 0; k < n; k++) count += first[k] >= 0 && first[k] < limit;
    return count;
}

int bex_explored_after_steps(const bex_explored *e, int trial, int steps) {
    return count_below(e->trial[trial].first_step, e->regions, steps + 1);
}

int bex_explored_after_episodes(const bex_explored *e, int trial, int episodes) {
    return count_below(e->trial[trial].first_episode, e->regions, episodes);
}

double bex_explored_goals_after_steps(const bex_explored *e, int trial, int steps) {
    return e->goals ? (double)count_below(e->trial[trial].goal_step, e->goals, steps + 1) / e->goals
                    : 0;
}

double bex_explored_goals(const bex_explored *e, int trial, int episodes) {
    return e->goals
               ? (double)count_below(e->trial[trial].goal_episode, e->goals, episodes) / e->goals
               : 0;
}

int bex_explored_attempts(const bex_explored *e, int trial) {
    const bex_trial *t = &e->trial[trial];
    for (int k = 0; k < t->episodes; k++)
        for (int row = t->start[k]; row < t->start[k + 1]; row++)
            if (t->reward[row] > 0) return k + 1;
    return 0;
}
