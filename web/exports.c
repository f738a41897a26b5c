/* web/exports.c - what the page's engine (web/page/engine.js) calls: one stage, its hero, the ghost beside
 * him, a fan, and the world of two goals. All arguments are numbers or places in this module's memory; a
 * negative result has a message in pg_error. Compiled natively the same functions are the other side of
 * the browser's test (tests/web/reference.c). */
#include "web/exports.h"

#include "base/error.h"
#include "policy/deploy.h"
#include "theory/cloned.h"
#include "theory/explorer.h"
#include "web/fan.h"
#include "web/walker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HERO, GHOST, WALKERS };

static stage the_stage;
static walker walkers[WALKERS] = {{.steps = -1}, {.steps = -1}};
static fan the_fan = {.best = -1};
static bex_mdp *goals;
static bex_explorer *explorer;
static bex_rng explorer_rng;

const char *pg_error(void) {
    return bex_error();
}

/* ---- the stage ---- */

// nobody may hold what is about to change
static void close_all(void) {
    for (int i = 0; i < WALKERS; i++) walker_close(&walkers[i]);
    fan_close(&the_fan);
}

int pg_policy(const void *bytes, int size) {
    close_all();
    return stage_take_policy(&the_stage, bytes, (size_t)size);
}

int pg_demonstrations(const unsigned char *bytes, int size) {
    close_all();
    return stage_take_demonstrations(&the_stage, bytes, (size_t)size);
}

int pg_maze(const unsigned char *wall, int rows, int cols, int start_row, int start_col) {
    close_all();
    return stage_set_maze(&the_stage, wall, rows, cols, start_row, start_col);
}

void pg_seed(unsigned seed) {
    close_all();
    stage_set_seed(&the_stage, seed);
}

int pg_draw(const float *points, int n) {
    return stage_draw(&the_stage, points, n);
}

void pg_forget(int keep) {
    stage_forget(&the_stage, keep);
}

int pg_past_rows(int episode) {
    return episode >= 0 && episode < the_stage.episodes ? the_stage.past[episode].rows : -1;
}

const float *pg_past_states(int episode) {
    return pg_past_rows(episode) < 0 ? NULL : the_stage.past[episode].states;
}

unsigned pg_digest(void) {
    return stage_digest(&the_stage);
}

int pg_demonstration_rows(void) {
    const bex_dataset *d = the_stage.demonstrations;
    return d ? bex_dataset_length(d, 0) : 0;
}

const float *pg_demonstration(int episode) {
    const bex_dataset *d = the_stage.demonstrations;
    if (!d || episode < 0 || episode >= d->episodes) return NULL;
    return d->observations + (size_t)d->start[episode] * STAGE_STATE;
}

// what the page tells of a policy: exp, guidance, candidates .. as [deploy] of a config names them
int pg_setting(int kind, const char *key, char *value) {
    const bex_policy *p = stage_policy(&the_stage, (stage_kind)kind);
    return p ? bex_deploy_get(&p->config.deploy, key, value)
             : bex_fail("no policy of kind %d", kind);
}

int pg_has_coverage(int kind) {
    const bex_policy *p = stage_policy(&the_stage, (stage_kind)kind);
    return p && p->dit.o.coverage;
}

/* ---- walkers ---- */

int pg_walker(int who, int kind, const char *exp, int episode, int past) {
    return walker_open(&walkers[who], &the_stage, (stage_kind)kind, exp, episode, past != 0);
}

int pg_begin(int who) {
    return walker_begin(&walkers[who]);
}

int pg_run(int who, int steps) {
    return walker_run(&walkers[who], steps);
}

int pg_end(int who, int remember) {
    return walker_end(&walkers[who], remember != 0);
}

int pg_steps(int who) {
    return walkers[who].steps;
}

const float *pg_states(int who) {
    return walkers[who].states;
}

/* ---- the fan ---- */

int pg_fan_open(int kind, const char *exp) {
    return fan_open(&the_fan, &the_stage, (stage_kind)kind, exp);
}

int pg_fan_spread(float x, float y) {
    return fan_spread(&the_fan, (double)x, (double)y);
}

int pg_fan_grow(void) {
    return fan_grow(&the_fan);
}

int pg_fan_count(void) {
    return the_fan.n;
}

int pg_fan_best(void) {
    return the_fan.best;
}

int pg_fan_points(int i) {
    return the_fan.future[i].points;
}

float pg_fan_value(int i) {
    return the_fan.future[i].value;
}

const float *pg_fan_path(int i) {
    return &the_fan.future[i].path[0][0];
}

/* ---- two goals ---- */

int pg_goals(double p, unsigned seed) {
    bex_mdp *world = p > 0 && p < 1 ? bex_mdp_two_goals(p) : NULL;
    if (!world) return bex_fail("p is %g, not between 0 and 1", p);
    bex_explorer *next = bex_explorer_new(world, BEX_FEATURE_TERMINAL, 0.01, BEX_AIM_MOST);
    if (!next) return bex_mdp_free(world), -1;
    bex_explorer_free(explorer);
    bex_mdp_free(goals);
    goals = world, explorer = next;
    explorer_rng = bex_rng_split(bex_rng_seed(seed), "goals", 0);
    return 0;
}

// which of the two an episode ends in: 0 or 1
static int which(int terminal) {
    return terminal == goals->omega[1];
}

double pg_goals_chance(void) {
    double p[2];
    bex_explorer_policy(explorer, goals->start, p);
    return p[1];
}

int pg_goals_explore(void) {
    return which(bex_explorer_episode(explorer, &explorer_rng));
}

int pg_goals_clone(void) {
    return which(bex_cloned_episode(goals, &explorer_rng));
}

double pg_goals_expected(void) {
    double w[2];
    return bex_cloned_terminals(goals, w) < 0 ? (double)NAN : bex_cloned_episodes(w, 2);
}
