/* explore/explore.c - act, step, record; a round of episodes at a time. */
#include "explore/explore.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "env/batch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

// a trial at work
typedef struct player {
    bex_env *env;        // where trials are played one after the other, one for all of them
    bex_frame obs, next; // what is seen, and after the step; its own
    bex_real *act;       // (A)
    bool within;         // an episode was begun and has not ended
    int kept;            // episodes behind what is saved of the actor's learning
} player;

typedef struct run {
    bex_explored *e;
    const bex_explore_options *o;
    player *players;   // (trials)
    atomic_llong done; // steps of all trials
    atomic_bool stopped;
    double saved; // when: seconds
} run;

static int step(run *r, int i, int *length, bool *over) {
    player *p = &r->players[i];
    bex_actor *actor = r->o->actors[i];
    bex_step s = {.obs = bex_frame_seen(&p->obs), .act = p->act, .next = bex_frame_seen(&p->next)};
    if (actor->class->act(actor, &s.obs, p->act) < 0) return -1;
    bex_frame wanted = p->next;
    bool looks = !actor->class->looks || actor->class->looks(actor);
    for (int c = 0; c < BEX_CAMERAS && !looks; c++) wanted.image[c] = NULL;
    if (r->o->world->class->step(p->env, p->act, &wanted, &s.reward, &s.terminal) < 0) return -1;
    s.timeout = !s.terminal && ++*length >= r->o->world->time_limit;
    *over = bex_explored_step(r->e, i, &s);
    s.timeout = *over && !s.terminal; // the end of a budget is one
    if (actor->class->saw && actor->class->saw(actor, &s) < 0) return -1;
    bex_frame seen = p->obs;
    p->obs = p->next, p->next = seen;
    return 0;
}

// in the caller's thread alone, which takes trials like the others
static void report(run *r, int episode) {
    bex_progress *progress = r->o->progress;
    if (!progress) return;
    long long done = atomic_load(&r->done);
    if (r->e->budget)
        bex_progress_update(progress, done, "episode %d", episode);
    else
        bex_progress_update(progress, done, "episode %d of %d", episode, r->e->limit);
}

static int play(run *r, int i, int *length, bool reports) {
    player *p = &r->players[i];
    bex_actor *actor = r->o->actors[i];
    bex_rng rng = bex_env_stream(r->o->seed, i, r->e->trial[i].episodes);
    bool over = false;
    p->within = true;
    if (bex_explored_begin(r->e, i) < 0 || actor->class->begin(actor) < 0) return -1;
    if (r->o->world->class->reset(p->env, rng, &p->obs) < 0) return -1;
    while (!over) {
        if (atomic_load(&r->stopped)) return 0;
        if (step(r, i, length, &over) < 0) return -1;
        atomic_fetch_add(&r->done, 1);
        if (!over && reports)
            report(r, r->e->trial[i].episodes + 1); // the last word is the round's
        if (r->o->stop && r->o->stop()) atomic_store(&r->stopped, true);
    }
    bex_explored_end(r->e, i, p->obs.state);
    if (actor->class->end(actor) < 0) return -1;
    p->within = false;
    return 0;
}

static int play_piece(long piece, int worker, void *payload) {
    run *r = payload;
    int i = (int)piece, length = 0;
    if (bex_explored_complete(r->e, i) || play(r, i, &length, worker == 0) == 0) return 0;
    return bex_fail_in("trial %d: episode %d, step %d", i, r->e->trial[i].episodes + 1, length);
}

// after the episodes; of an actor that was stopped within one, what it had learned before stays
static int save_learners(run *r) {
    char path[BEX_PATH_SIZE];
    for (int i = 0; i < r->e->trials; i++) {
        player *p = &r->players[i];
        bex_actor *actor = r->o->actors[i];
        int episodes = r->e->trial[i].episodes;
        if (!actor->class->save || p->within || p->kept == episodes) continue;
        if (bex_explore_store_learner(path, r->o->store, i) < 0 ||
            actor->class->save(actor, path) < 0)
            return -1;
        p->kept = episodes;
    }
    return 0;
}

// a failure costs no more than the episodes under way
static int save(run *r) {
    bool due = bex_seconds() - r->saved >= r->o->save_seconds || atomic_load(&r->stopped);
    if (!r->o->store || !due) return 0;
    int code = bex_explore_store_save(r->o->store, r->e);
    if (code == 0) code = save_learners(r);
    r->saved = bex_seconds();
    return code;
}

// a machine plays one trial after the other; simulations play all of them at once
static bool one_by_one(const bex_explore_options *o) {
    const bex_world *w = o->world;
    return w->realtime || (w->instances_most && w->instances_most < o->trials);
}

static long first_incomplete(const bex_explored *e) {
    int i = 0;
    while (i < e->trials - 1 && bex_explored_complete(e, i)) i++;
    return i;
}

static int play_round(run *r, bool *complete) {
    bex_failure failure;
    int code = one_by_one(r->o) ? play_piece(first_incomplete(r->e), 0, r)
                                : bex_try_parallel(r->o->threads, r->e->trials, play_piece, r);
    bex_failure_take(&failure);
    report(r, bex_explored_most_episodes(r->e));
    if (save(r) < 0) return -1;
    if (code < 0) return bex_failure_restore(&failure);
    *complete = true;
    for (int i = 0; i < r->e->trials; i++) *complete = *complete && bex_explored_complete(r->e, i);
    return 0;
}

static void free_players(player *players, const bex_explore_options *o) {
    for (int i = 0; players && i < o->trials; i++) {
        if (i == 0 || !one_by_one(o)) o->world->class->free(players[i].env);
        bex_frame_fini(&players[i].obs);
        bex_frame_fini(&players[i].next);
        free(players[i].act);
    }
    free(players);
}

static player *new_players(const bex_explore_options *o) {
    const bex_world *w = o->world;
    player *players = calloc((size_t)o->trials, sizeof *players);
    bool whole = players || bex_fail("out of memory") == 0;
    for (int i = 0; whole && i < o->trials; i++) {
        player *p = &players[i];
        p->act = calloc((size_t)w->A, sizeof *p->act);
        whole = (p->act || bex_fail("out of memory") == 0) &&
                bex_frame_init(&p->obs, &w->spec) == 0 && bex_frame_init(&p->next, &w->spec) == 0;
        if (i && one_by_one(o))
            p->env = players[0].env;
        else
            whole = whole && (p->env = w->class->new (w));
    }
    if (whole) return players;
    free_players(players, o);
    return NULL;
}

// what was saved of its learning, and the episodes since
static int restore_actor(run *r, int i) {
    const bex_trial *t = &r->e->trial[i];
    bex_actor *actor = r->o->actors[i];
    char path[BEX_PATH_SIZE];
    int known = 0;
    if (actor->class->load) {
        if (bex_explore_store_learner(path, r->o->store, i) < 0) return -1;
        if (access(path, F_OK) == 0 && actor->class->load(actor, path, &known) < 0) return -1;
        if (known > t->episodes)
            return bex_fail("%s: learned from %d episodes, %d are there", path, known, t->episodes);
        r->players[i].kept = known;
    }
    for (int k = known; k < t->episodes; k++) {
        bex_episode episode = bex_explored_episode(r->e, i, k);
        if (actor->class->recall(actor, &episode) < 0) return -1;
    }
    return 0;
}

// what the store holds, to the record and the actors
static int restore(run *r) {
    long long done = 0;
    if (!r->o->store) return 0;
    if (bex_explore_store_restore(r->o->store, r->e) < 0) return -1;
    for (int i = 0; i < r->e->trials; i++) {
        if (restore_actor(r, i) < 0) return bex_fail_in("trial %d", i);
        done += r->e->trial[i].steps;
    }
    atomic_store(&r->done, done);
    if (r->o->progress) bex_progress_resume(r->o->progress, done);
    return 0;
}

int bex_explore(bex_explored *out, const bex_explore_options *o) {
    run r = {.e = out, .o = o, .saved = bex_seconds()};
    atomic_init(&r.done, 0);
    atomic_init(&r.stopped, false);
    if (bex_explored_init(out, o->world, o->trials, o->episodes, o->steps) < 0) return -1;
    out->until = o->until;
    r.players = new_players(o);
    int code = r.players ? restore(&r) : -1;
    for (bool complete = false; code == 0 && !complete && !atomic_load(&r.stopped);) {
        code = play_round(&r, &complete);
        if (complete) atomic_store(&r.stopped, false); // asked too late
    }
    free_players(r.players, o);
    return code == 0 && atomic_load(&r.stopped) ? BEX_EXPLORE_STOPPED : code;
}
