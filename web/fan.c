#include "web/fan.h"

#include "base/error.h"
#include "policy/choice.h"
#include "policy/deploy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 16 }; // of the neighbours that are looked up

void fan_close(fan *f) {
    bex_control_free(f->control);
    if (f->actor) f->actor->class->free(f->actor);
    free(f->noise);
    free(f->chunk);
    free(f->history);
    *f = (fan){.best = -1};
}

// column of the chunk's waypoints that holds state dim i; -1: none
static int waypoint_column(const bex_policy *p, int i) {
    for (int c = 0; c < p->chunk.W; c++)
        if (p->chunk.dim[c] == i) return c;
    return -1;
}

static int allocate(fan *f, const bex_policy *p, int candidates) {
    int many = candidates > FAN_PLAYED ? candidates : FAN_PLAYED;
    size_t noise = (size_t)many * bex_chunk_size(&p->chunk);
    bex_rng rng = bex_rng_split(bex_rng_seed(f->stage->seed), "fan", 0);
    f->noise = malloc(noise * sizeof *f->noise);
    f->chunk = malloc((size_t)p->chunk.K * STAGE_ACTION * sizeof *f->chunk);
    f->history = malloc((size_t)(p->dit.o.N + 1) * STAGE_STATE * sizeof *f->history);
    if (!f->noise || !f->chunk || !f->history) return bex_fail("out of memory");
    for (size_t i = 0; i < noise; i++) f->noise[i] = (bex_real)bex_rng_normal(&rng);
    return 0;
}

static int open_policy(fan *f, const char *exp) {
    const stage *s = f->stage;
    const bex_policy *p = stage_policy(s, f->kind);
    if (!p)
        return bex_fail("no policy that %s", f->kind == STAGE_IMITATES ? "imitates" : "explores");
    bex_deploy_config d = p->config.deploy;
    if (exp[0] && bex_deploy_set(&d, "exp", exp) < 0) return -1;
    bool forgets = f->kind == STAGE_FORGETS, file = !strncmp(d.history, "file:", 5);
    if ((forgets || file) && bex_deploy_set(&d, "history", forgets ? "first" : "uniform") < 0)
        return -1;
    if (d.candidates > FAN_MOST) d.candidates = FAN_MOST;
    f->rated = d.candidates > 1 && waypoint_column(p, 0) >= 0 && waypoint_column(p, 1) >= 0;
    if (!f->rated) d.candidates = 1;
    if (allocate(f, p, (int)d.candidates) < 0) return -1;
    if (!(f->control = bex_control_new(p, &d, s->seed))) return -1;
    for (int e = 0; e < s->episodes; e++)
        if (bex_control_recall(f->control, s->past[e].states, s->past[e].rows, p->O) < 0) return -1;
    f->first = true;
    return bex_control_begin(f->control);
}

int fan_open(fan *f, const stage *s, stage_kind kind, const char *exp) {
    fan_close(f);
    f->stage = s, f->kind = kind;
    int code = -1;
    if (kind == STAGE_LOOKS_UP) {
        f->rated = true;
        f->actor = walker_actor(s, kind, exp, s->episodes, true);
        code = f->actor ? f->actor->class->begin(f->actor) : -1;
    } else {
        code = open_policy(f, exp);
    }
    if (code < 0) fan_close(f);
    return code;
}

static void begin_path(fan_future *t, const bex_real *state) {
    t->points = 1;
    t->value = NAN;
    t->path[0][0] = state[0], t->path[0][1] = state[1];
}

static void go_to(fan_future *t, bex_real x, bex_real y) {
    if (t->points == FAN_POINTS) return;
    t->path[t->points][0] = x, t->path[t->points][1] = y;
    t->points++;
}

/* ---- one plan, rated ---- */

// of a past: the control's own; of none: the place itself, as in an episode that begins there
static const bex_real *history_at(fan *f, const bex_real *state) {
    const bex_policy *p = stage_policy(f->stage, f->kind);
    bex_memory_source source[BEX_MEMORY_SOURCES];
    bex_memory *m = bex_control_memory(f->control);
    if (!m || bex_memory_sources(m, source) > 0) return NULL;
    for (int i = 0; i < p->dit.o.N; i++)
        memcpy(f->history + (size_t)i * STAGE_STATE, state, STAGE_STATE * sizeof *state);
    return f->history;
}

static int plan_at(fan *f, const bex_real *state, const bex_real *noise) {
    bex_observation seen = bex_observation_of(state);
    const bex_real *history = history_at(f, state);
    // the history of an episode is drawn when it sees its first state
    if (f->first && !history && bex_control_plan(f->control, &seen, f->chunk) < 0) return -1;
    f->first = f->first && history;
    return bex_control_plan_from(f->control, &seen, history, noise, f->chunk);
}

static int spread_plan(fan *f, const bex_real *state) {
    const bex_policy *p = stage_policy(f->stage, f->kind);
    const bex_chunk_shape *s = &p->chunk;
    bex_real positions[256 * BEX_FEATURE_DIMS];
    if (plan_at(f, state, f->noise) < 0) return -1;
    const bex_plan_choice *c = bex_control_choice(f->control);
    int x = waypoint_column(p, 0), y = waypoint_column(p, 1);
    BEX_CHECK(c && c->n <= FAN_MOST && s->K <= 256, "a plan without a choice");
    f->n = c->n, f->best = c->best;
    for (int i = 0; i < f->n; i++) {
        fan_future *t = &f->future[i];
        begin_path(t, state);
        t->value = (float)bex_choice_value(c->choice, i);
        bex_chunk_positions(s, &p->normaliser, c->x + (size_t)i * bex_chunk_size(s), state,
                            positions);
        for (int k = 0; k < s->K; k++) go_to(t, positions[k * s->W + x], positions[k * s->W + y]);
    }
    return 0;
}

/* ---- the look-up ---- */

static void take_neighbour(fan *f, double cov, int row) {
    const bex_dataset *d = f->stage->demonstrations;
    fan_future *t = &f->future[f->n];
    begin_path(t, d->observations + (size_t)row * STAGE_STATE);
    t->value = (float)log(cov);
    for (int k = 1; k <= FAN_STEPS; k++) {
        const bex_real *s = d->observations + (size_t)(row + k) * STAGE_STATE;
        go_to(t, s[0], s[1]);
    }
    if (row == bex_retrieval_actor_row(f->actor)) f->best = f->n;
    f->n++;
}

static int spread_look_up(fan *f, const bex_real *state) {
    enum { ALL = 64, CHUNK = 8 }; // of BEX_RETRIEVAL_INIT
    bex_real action[STAGE_ACTION];
    bex_observation seen = bex_observation_of(state);
    // without a past each place is the first of an episode of its own
    if (!f->stage->episodes && f->actor->class->begin(f->actor) < 0) return -1;
    // a whole chunk, so that the next call looks up again
    for (int k = 0; k < CHUNK; k++)
        if (f->actor->class->act(f->actor, &seen, action) < 0) return -1;
    f->n = 0, f->best = -1;
    for (int i = 0; i < ALL; i++) {
        double cov;
        int row = bex_retrieval_actor_neighbour(f->actor, i, &cov);
        if (i % (ALL / (SHOWN - 1)) == 0 || row == bex_retrieval_actor_row(f->actor))
            take_neighbour(f, cov, row);
    }
    return 0;
}

/* ---- playing ---- */

static void begin_playing(fan *f, const bex_real *state) {
    f->n = FAN_PLAYED, f->best = -1, f->grown = 0;
    for (int i = 0; i < FAN_PLAYED; i++) {
        f->ball[i] = (ball){{(double)state[0], (double)state[1]}, {0, 0}};
        begin_path(&f->future[i], state);
    }
}

int fan_grow(fan *f) {
    const bex_policy *p = stage_policy(f->stage, f->kind);
    const bex_deploy_config *d = bex_control_deploy(f->control);
    size_t size = bex_chunk_size(&p->chunk);
    int steps = bex_deploy_actions(p, d), i = f->grown % FAN_PLAYED,
        from = f->grown / FAN_PLAYED * steps;
    bex_real state[STAGE_STATE];
    // another noise for each plan of a future: the rows of the first one, turned
    bex_real *noise = f->noise + (size_t)((i + f->grown / FAN_PLAYED) % FAN_PLAYED) * size;
    ball_observe(&f->ball[i], state);
    if (plan_at(f, state, noise) < 0) return -1;
    for (int k = 0; k < steps && from + k < FAN_STEPS; k++) {
        ball_step(&f->ball[i], &f->stage->walls, f->chunk + (size_t)k * STAGE_ACTION);
        go_to(&f->future[i], (bex_real)f->ball[i].position[0], (bex_real)f->ball[i].position[1]);
    }
    f->grown++;
    return f->grown < FAN_PLAYED * ((FAN_STEPS + steps - 1) / steps);
}

int fan_spread(fan *f, double x, double y) {
    const bex_real state[STAGE_STATE] = {(bex_real)x, (bex_real)y, 0, 0};
    BEX_CHECK(f->control || f->actor, "the fan is not open");
    if (f->actor) return spread_look_up(f, state);
    if (f->rated) return spread_plan(f, state);
    begin_playing(f, state);
    return 1;
}
