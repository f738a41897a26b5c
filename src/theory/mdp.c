/* theory/mdp.c - worlds in memory: building, checking, the two-goal example. */
#include "theory/mdp.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SUM_TOLERANCE = 1e-9;

bex_mdp *bex_mdp_new(int states, int actions, int horizon, int start) {
    if (states < 1 || states > BEX_MDP_STATES)
        return bex_fail("%d states (1 to %d)", states, BEX_MDP_STATES), NULL;
    if (actions < 1 || actions > BEX_MDP_ACTIONS || states * actions > BEX_MDP_MOVES)
        return bex_fail("%d actions in %d states (1 to %d, at most %d moves)", actions, states,
                        BEX_MDP_ACTIONS, BEX_MDP_MOVES),
               NULL;
    size_t S = (size_t)states, SA = S * (size_t)actions;
    bex_mdp *w = calloc(1, sizeof *w);
    if (!w) return bex_fail("out of memory"), NULL;
    *w = (bex_mdp){.states = states, .actions = actions, .horizon = horizon, .start = start};
    w->next = malloc(SA * sizeof *w->next);
    w->beta = calloc(SA, sizeof *w->beta);
    w->terminal = calloc(S, sizeof *w->terminal);
    w->order = malloc(S * sizeof *w->order);
    w->omega = malloc(S * sizeof *w->omega);
    if (!w->next || !w->beta || !w->terminal || !w->order || !w->omega) {
        bex_mdp_free(w);
        return bex_fail("out of memory for %d states", states), NULL;
    }
    for (size_t i = 0; i < SA; i++) w->next[i] = -1;
    return w;
}

void bex_mdp_free(bex_mdp *w) {
    if (!w) return;
    free(w->next), free(w->beta), free(w->terminal), free(w->order), free(w->omega);
    free(w);
}

void bex_mdp_set(bex_mdp *w, int s, int a, int next, double p) {
    w->next[s * w->actions + a] = next;
    w->beta[s * w->actions + a] = p;
}

// every row whole: moves where they belong, in range, probabilities that sum to 1
static int check_rows(const bex_mdp *w, int *state, int *action) {
    const int A = w->actions;
    for (int s = 0; s < w->states; s++) {
        double sum = 0;
        *state = s;
        for (int a = 0; a < A; a++) {
            int next = w->next[s * A + a];
            double p = w->beta[s * A + a];
            *action = a;
            if (w->terminal[s] && next >= 0)
                return bex_fail("state %d is terminal but has a move for action %d", s, a);
            if (w->terminal[s]) continue;
            if (next < 0) {
                *action = -1;
                return bex_fail("state %d has no move for action %d", s, a),
                       bex_fail_hint("every non-terminal state needs all %d actions", A);
            }
            if (next >= w->states)
                return bex_fail("action %d in state %d leads to state %d, the last is %d", a, s,
                                next, w->states - 1);
            if (!(p >= 0 && p <= 1))
                return bex_fail("action %d in state %d has probability %g", a, s, p);
            sum += p;
        }
        *action = -1;
        if (!w->terminal[s] && fabs(sum - 1) > SUM_TOLERANCE)
            return bex_fail("probabilities in state %d sum to %.10g, not 1", s, sum);
    }
    *state = -1;
    return 0;
}

static int fail_cycle(const bex_mdp *w, const int *path, int depth, int back) {
    int from = depth;
    while (path[from] != back) from--;
    char text[160];
    size_t used = 0;
    for (int i = from; i <= depth + 1 && used < sizeof text - 32; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", i > from ? " -> " : "",
                                 i <= depth ? path[i] : back);
    return bex_fail("states %s form a cycle: an episode can go past the horizon of %d", text,
                    w->horizon);
}

// depth first along what beta can do; finished states in reverse are the order
static int find_order(bex_mdp *w, int *state, int *action, int *path, int *tried, char *mark) {
    enum { NEW, OPEN, DONE };
    int depth = 0, filled = w->states;
    path[0] = w->start, tried[w->start] = 0, mark[w->start] = OPEN;
    while (depth >= 0) {
        int s = path[depth], a = tried[s]++;
        if (w->terminal[s] || a == w->actions) {
            mark[s] = DONE;
            w->order[--filled] = s;
            depth--;
            continue;
        }
        int next = w->next[s * w->actions + a];
        if (!(w->beta[s * w->actions + a] > 0) || mark[next] == DONE) continue;
        if (mark[next] == OPEN) {
            *state = s, *action = a;
            return fail_cycle(w, path, depth, next);
        }
        path[++depth] = next, tried[next] = 0, mark[next] = OPEN;
    }
    w->reachable = w->states - filled;
    memmove(w->order, w->order + filled, (size_t)w->reachable * sizeof *w->order);
    return 0;
}

static int check_horizon(bex_mdp *w, int *depth, int *state) {
    w->longest = 0;
    for (int i = 0; i < w->reachable; i++) depth[w->order[i]] = 0;
    for (int i = 0; i < w->reachable; i++) {
        int s = w->order[i];
        if (depth[s] > w->longest) w->longest = depth[s], *state = s;
        for (int a = 0; !w->terminal[s] && a < w->actions; a++) {
            int next = w->next[s * w->actions + a];
            if (w->beta[s * w->actions + a] > 0 && depth[next] <= depth[s])
                depth[next] = depth[s] + 1;
        }
    }
    if (w->longest > w->horizon)
        return bex_fail("an episode can take %d steps (to state %d), the horizon is %d", w->longest,
                        *state, w->horizon);
    *state = -1;
    return 0;
}

int bex_mdp_seal(bex_mdp *w, int *state, int *action) {
    *state = *action = -1;
    if (w->horizon < 1) return bex_fail("horizon %d is below 1", w->horizon);
    if (w->start < 0 || w->start >= w->states)
        return bex_fail("start %d is not a state (0 to %d)", w->start, w->states - 1);
    if (w->terminal[w->start]) return bex_fail("start %d is terminal", w->start);
    if (check_rows(w, state, action) < 0) return -1;
    size_t S = (size_t)w->states;
    int *scratch = malloc(2 * S * sizeof *scratch);
    char *mark = calloc(S, 1);
    int code = -1;
    if (!scratch || !mark)
        bex_fail("out of memory");
    else if (find_order(w, state, action, scratch, scratch + S, mark) == 0)
        code = check_horizon(w, scratch, state);
    w->n_beta = 0;
    for (int s = 0; code == 0 && s < w->states; s++)
        if (w->terminal[s] && mark[s]) w->omega[w->n_beta++] = s;
    free(scratch), free(mark);
    return code;
}

bex_mdp *bex_mdp_two_goals(double p) {
    enum { START, PATH_1, PATH_2, GOAL_1, GOAL_2, STATES };
    bex_mdp *w = bex_mdp_new(STATES, 2, 2, START);
    int state, action;
    if (!w) return NULL;
    w->terminal[GOAL_1] = w->terminal[GOAL_2] = true;
    bex_mdp_set(w, START, 0, PATH_1, 1 - p);
    bex_mdp_set(w, START, 1, PATH_2, p);
    for (int i = 0; i < 2; i++)
        for (int a = 0; a < 2; a++) bex_mdp_set(w, PATH_1 + i, a, GOAL_1 + i, a == 0);
    if (bex_mdp_seal(w, &state, &action) < 0) {
        bex_mdp_free(w);
        return NULL;
    }
    return w;
}

int bex_mdp_behave(const bex_mdp *w, int s, bex_rng *rng) {
    const double *p = w->beta + s * w->actions;
    double u = bex_rng_uniform(rng);
    int chosen = -1;
    // rounding may leave u past the last: then the last possible action
    for (int a = 0; a < w->actions && (chosen < 0 || u >= 0); a++)
        if (p[a] > 0) chosen = a, u -= p[a];
    return chosen;
}
