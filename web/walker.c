#include "web/walker.h"

#include "agent/actors/policy_actor.h"
#include "base/error.h"
#include "policy/deploy.h"

#include <stdlib.h>
#include <string.h>

static bex_actor *policy_actor(const stage *s, stage_kind kind, const char *exp, bex_rng rng) {
    const bex_policy *p = stage_policy(s, kind);
    if (!p)
        return bex_fail("no policy that %s", kind == STAGE_IMITATES ? "imitates" : "explores"),
               NULL;
    bex_deploy_config d = p->config.deploy;
    if (exp[0] && bex_deploy_set(&d, "exp", exp) < 0) return NULL;
    // a rule that names a file has none to read here
    bool forgets = kind == STAGE_FORGETS, file = !strncmp(d.history, "file:", 5);
    if ((forgets || file) && bex_deploy_set(&d, "history", forgets ? "first" : "uniform") < 0)
        return NULL;
    return bex_policy_actor_new(p, &d, NULL, rng);
}

static bex_actor *make(const stage *s, stage_kind kind, const char *exp) {
    static const char *const names[STAGE_KINDS] = {"be", "be", "bc", "retrieval"};
    bex_rng rng = bex_rng_split(bex_rng_seed(s->seed), names[kind], 0);
    if (kind != STAGE_LOOKS_UP) return policy_actor(s, kind, exp, rng);
    if (!s->retrieval) return bex_fail("no demonstrations to look up"), NULL;
    return bex_retrieval_actor_new(s->retrieval, &(bex_memory_options){.N = 32}, rng);
}

// an episode as actors are told of it: who acts here learns from its states alone, the rest is blank
static bex_episode as_told(stage_episode e) {
    static const bex_real blank[STAGE_ACTION * STAGE_ROWS] = {0};
    static const unsigned char never[STAGE_ROWS] = {0};
    return (bex_episode){.steps = e.rows,
                         .O = STAGE_STATE,
                         .A = STAGE_ACTION,
                         .obs = e.states,
                         .act = blank,
                         .reward = blank,
                         .terminal = never,
                         .timeout = never,
                         .last = e.rows ? e.states + (e.rows - 1) * STAGE_STATE : NULL};
}

bex_actor *walker_actor(const stage *s, stage_kind kind, const char *exp, int episode, bool past) {
    bex_actor *a = make(s, kind, exp);
    int code = a ? 0 : -1;
    for (int e = 0; e < episode && code == 0; e++) {
        bool known = past && e < s->episodes;
        bex_episode told = as_told(known ? s->past[e] : (stage_episode){NULL, 0});
        code = a->class->recall(a, &told);
    }
    if (code == 0) return a;
    if (a) a->class->free(a);
    return NULL;
}

void walker_close(walker *w) {
    if (w->actor) w->actor->class->free(w->actor);
    w->actor = NULL;
    w->steps = -1;
}

int walker_open(walker *w, stage *s, stage_kind kind, const char *exp, int episode, bool past) {
    bex_actor *actor = walker_actor(s, kind, exp, episode, past);
    if (!actor) return -1;
    walker_close(w);
    w->stage = s, w->kind = kind, w->actor = actor, w->episode = episode;
    return 0;
}

static void keep_state(walker *w) {
    ball_observe(&w->ball, w->states + w->steps * STAGE_STATE);
}

int walker_begin(walker *w) {
    BEX_CHECK(w->actor, "no actor");
    if (w->actor->class->begin(w->actor) < 0) return -1;
    w->ball = stage_begin(w->stage, w->episode++);
    w->steps = 0;
    keep_state(w);
    return 0;
}

int walker_run(walker *w, int steps) {
    int played = 0;
    BEX_CHECK(w->steps >= 0, "no episode has begun");
    for (; played < steps && w->steps < STAGE_STEPS; played++) {
        bex_real action[STAGE_ACTION];
        bex_observation seen = bex_observation_of(w->states + w->steps * STAGE_STATE);
        if (w->actor->class->act(w->actor, &seen, action) < 0) return -1;
        ball_step(&w->ball, &w->stage->walls, action);
        w->steps++;
        keep_state(w);
    }
    return played;
}

int walker_end(walker *w, bool remember) {
    int rows = w->steps;
    BEX_CHECK(rows >= 0, "no episode has begun");
    w->steps = -1;
    if (w->actor->class->end(w->actor) < 0) return -1;
    return remember ? stage_remember(w->stage, w->states, rows) : 0;
}
