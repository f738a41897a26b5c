/* explore/plans.c - recorded states to actors, what they chose to arrays, arrays to a file. */
#include "explore/plans.h"

#include "agent/actors/policy_actor.h"
#include "base/error.h"
#include "base/parallel.h"
#include "coverage/state_sum.h"
#include "data/writer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// a trial at work
typedef struct player {
    bex_choice *blind;
    double *gram;       // (wide) of the first state, as many as a history has
    bex_real *first;    // (N,O)
    bex_real *action;   // (A)
    int begin, episode; // of t: the trial's first, that which is played
    int choice;         // the last one, -1: none in this episode
    bool tells;         // its thread is the caller's, who sees the progress
} player;

typedef struct run {
    bex_plans *p;
    const bex_plans_options *o;
    const bex_trajectories *t;
    atomic_llong done;
} run;

static void player_fini(player *y) {
    bex_choice_free(y->blind);
    free(y->gram);
    free(y->first);
    free(y->action);
}

static int player_init(player *y, const run *r) {
    const bex_policy *policy = r->p->policy;
    size_t N = (size_t)policy->dit.o.N + 1;
    *y = (player){.blind = bex_choice_new(policy, r->p->n)};
    if (!y->blind) return -1;
    y->gram = malloc(bex_gram_size(bex_feature_wide(policy->phi)) * sizeof *y->gram);
    y->first = malloc(N * (size_t)r->t->O * sizeof *y->first);
    y->action = malloc((size_t)r->t->A * sizeof *y->action);
    return y->gram && y->first && y->action ? 0 : bex_fail("out of memory");
}

static void *more(void *old, size_t bytes, bool *whole) {
    void *larger = realloc(old, bytes);
    *whole = *whole && larger;
    return larger ? larger : old;
}

// memory for one more choice
static int grow(const bex_plans *p, bex_plans_trial *t) {
    if (t->count < t->room) return 0;
    int room = t->room ? 2 * t->room : 64;
    size_t rows = (size_t)room, all = rows * (size_t)p->n, real = sizeof(bex_real);
    size_t states = rows * (size_t)p->O * real;
    bool whole = true;
    t->episode = more(t->episode, rows * sizeof(int), &whole);
    t->step = more(t->step, rows * sizeof(int), &whole);
    t->length = more(t->length, rows * sizeof(int), &whole);
    t->chosen = more(t->chosen, rows * sizeof(int), &whole);
    t->blind = more(t->blind, rows * sizeof(int), &whole);
    t->from = more(t->from, states, &whole);
    t->made = more(t->made, states, &whole);
    t->places = more(t->places, all * (size_t)(p->K * p->W) * real, &whole);
    t->coverage = more(t->coverage, all * real, &whole);
    t->unaware = more(t->unaware, all * real, &whole);
    t->possible = more(t->possible, all, &whole);
    if (!whole) return bex_fail("out of memory: %d choices of %d futures", room, p->n);
    t->room = room;
    return 0;
}

// the same choice with the episode's first state as history
static int choose_blindly(const run *r, player *y, const bex_control *control,
                          const bex_real *state, int *best) {
    const bex_policy *policy = r->p->policy;
    int N = policy->dit.o.N, O = r->t->O;
    const bex_real *first = r->t->obs + (size_t)r->t->start[y->episode] * (size_t)O;
    for (int i = 0; i < N; i++) memcpy(y->first + i * O, first, (size_t)O * sizeof *first);
    if (bex_state_sum_of(policy->phi, y->gram, y->first, (size_t)N, state) < 0 ||
        bex_choice_history(y->blind, y->gram) < 0)
        return -1;
    const bex_plan_choice *c = bex_control_choice(control);
    return bex_choice_make(y->blind, c->x, c->n, state, bex_control_target(control), best);
}

static int keep_choice(const run *r, player *y, bex_plans_trial *trial, int row,
                       const bex_control *control) {
    const bex_plans *p = r->p;
    const bex_plan_choice *c = bex_control_choice(control);
    size_t at = (size_t)trial->count, O = (size_t)p->O, n = (size_t)p->n;
    size_t chunk = (size_t)(p->K * p->W), wide = bex_chunk_size(&p->policy->chunk);
    const bex_real *state = r->t->obs + (size_t)row * O;
    if (c->n != p->n) return bex_fail("%d proposals, not %d", c->n, p->n);
    if (grow(p, trial) < 0 || choose_blindly(r, y, control, state, &trial->blind[at]) < 0)
        return -1;
    trial->episode[at] = y->episode - y->begin, trial->step[at] = row - r->t->start[y->episode];
    trial->chosen[at] = c->best;
    memcpy(trial->from + at * O, state, O * sizeof *state);
    for (size_t i = 0; i < n; i++) {
        bex_chunk_positions(&p->policy->chunk, &p->policy->normaliser, c->x + i * wide, state,
                            trial->places + (at * n + i) * chunk);
        trial->coverage[at * n + i] = R(bex_choice_value(c->choice, (int)i));
        trial->unaware[at * n + i] = R(bex_choice_value(y->blind, (int)i));
        trial->possible[at * n + i] = bex_choice_possible(c->choice, (int)i);
    }
    y->choice = trial->count++;
    return 0;
}

// the last choice was followed until this row
static void settle(const run *r, player *y, bex_plans_trial *trial, int row) {
    size_t O = (size_t)r->p->O;
    if (y->choice < 0) return;
    trial->length[y->choice] = row - r->t->start[y->episode] - trial->step[y->choice];
    memcpy(trial->made + (size_t)y->choice * O, r->t->obs + (size_t)row * O, O * sizeof(bex_real));
}

static int play_row(run *r, player *y, bex_plans_trial *trial, bex_actor *actor, int row) {
    const bex_trajectories *t = r->t;
    const bex_real *act = t->act + (size_t)row * (size_t)t->A;
    const bex_control *control = bex_policy_actor_control(actor);
    bex_observation seen = bex_observation_of(t->obs + (size_t)row * (size_t)t->O);
    if (actor->class->act(actor, &seen, y->action) < 0) return -1;
    trial->rows++;
    trial->same += memcmp(act, y->action, (size_t)t->A * sizeof *act) == 0;
    if (bex_control_choice(control)) {
        settle(r, y, trial, row);
        if (keep_choice(r, y, trial, row, control) < 0) return -1;
    }
    long long done = atomic_fetch_add(&r->done, 1) + 1;
    if (r->o->progress && y->tells)
        bex_progress_update(r->o->progress, done, "%d trials", r->p->trials);
    return 0;
}

static int play_trial(run *r, player *y, bex_plans_trial *trial, int number) {
    const bex_trajectories *t = r->t;
    bex_actor *actor = r->o->actors[number];
    while (t->trial[y->begin] != number) y->begin++;
    for (int k = y->begin; k < t->episodes && t->trial[k] == number; k++) {
        y->episode = k, y->choice = -1;
        if (actor->class->begin(actor) < 0) return -1;
        for (int row = t->start[k]; row < t->start[k + 1]; row++)
            if (play_row(r, y, trial, actor, row) < 0) return -1;
        settle(r, y, trial, t->start[k + 1] - 1);
        if (actor->class->end(actor) < 0) return -1;
    }
    return 0;
}

static int play_piece(long piece, int worker, void *payload) {
    run *r = payload;
    player y;
    int code = player_init(&y, r);
    y.tells = worker == 0;
    if (code == 0) code = play_trial(r, &y, &r->p->trial[piece], (int)piece);
    player_fini(&y);
    return code < 0 ? bex_fail_in("trial %ld", piece) : 0;
}

int bex_plans_run(bex_plans *p, const bex_plans_options *o) {
    const bex_policy *policy = o->policy;
    const bex_trajectories *t = o->rows;
    *p = (bex_plans){policy,    o->candidates, policy->dit.o.K, policy->chunk.W, policy->O,
                     o->trials, NULL};
    if (o->candidates < 2 || !policy->chunk.W || !policy->condition)
        return bex_fail("this policy does not choose: it has one candidate, or no waypoints");
    if (t->O != policy->O || t->A != policy->A)
        return bex_fail(
            "%d observation and %d action values are recorded, the policy has %d and %d", t->O,
            t->A, policy->O, policy->A);
    p->trial = calloc((size_t)o->trials, sizeof *p->trial);
    if (!p->trial) return bex_fail("out of memory");
    run r = {.p = p, .o = o, .t = t};
    atomic_init(&r.done, 0);
    return bex_try_parallel(o->threads, o->trials, play_piece, &r);
}

void bex_plans_fini(bex_plans *p) {
    for (int i = 0; p->trial && i < p->trials; i++) {
        bex_plans_trial *t = &p->trial[i];
        free(t->episode), free(t->step), free(t->length), free(t->chosen), free(t->blind);
        free(t->from), free(t->made), free(t->places), free(t->coverage), free(t->unaware);
        free(t->possible);
    }
    free(p->trial);
}

static int append(bex_writer *w, const bex_plans_trial *t, int number) {
    int *trial = malloc(((size_t)t->count + 1) * sizeof *trial);
    if (!trial) return bex_fail("out of memory");
    for (int i = 0; i < t->count; i++) trial[i] = number;
    const void *blocks[] = {trial,   t->episode, t->step,   t->length,   t->chosen,  t->blind,
                            t->from, t->made,    t->places, t->coverage, t->unaware, t->possible};
    int code = t->count ? bex_writer_append(w, t->count, blocks) : 0;
    free(trial);
    return code;
}

int bex_plans_save(const bex_plans *p, const char *path) {
    const bex_column columns[] = {
        {"trial", BEX_COLUMN_INT32, 0},
        {"episode", BEX_COLUMN_INT32, 0},
        {"step", BEX_COLUMN_INT32, 0},
        {"length", BEX_COLUMN_INT32, 0},
        {"chosen", BEX_COLUMN_INT32, 0},
        {"blind", BEX_COLUMN_INT32, 0},
        {"state", BEX_COLUMN_FLOAT32, p->O},
        {"made", BEX_COLUMN_FLOAT32, p->O},
        {"places", BEX_COLUMN_FLOAT32, p->n * p->K * p->W},
        {"coverage", BEX_COLUMN_FLOAT32, p->n},
        {"unaware", BEX_COLUMN_FLOAT32, p->n},
        {"possible", BEX_COLUMN_FLAG, p->n},
    };
    bex_writer *w = NULL;
    int code = bex_writer_open(&w, path, columns, sizeof columns / sizeof *columns);
    for (int i = 0; code == 0 && i < p->trials; i++) code = append(w, &p->trial[i], i);
    if (code == 0) code = bex_writer_commit(w);
    bex_writer_free(w);
    return code;
}
