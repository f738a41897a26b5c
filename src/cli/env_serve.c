/* cli/env_serve.c - requests in, states out. */
#include "cli/env_serve.h"

#include "base/error.h"
#include "host/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const bex_world *world;
    int n;
    bex_env **env;            // (n)
    bex_real *state, *action; // (n,O), (n,A)
    bex_real *reward;         // (n)
    unsigned char *ended;     // (n)
    int32_t *region;          // (n)
    uint32_t *goals;          // (n)
} server;

static void fini(server *s) {
    for (int i = 0; s->env && i < s->n; i++)
        if (s->env[i]) s->world->class->free(s->env[i]);
    free(s->env), free(s->state), free(s->action), free(s->reward);
    free(s->ended), free(s->region), free(s->goals);
}

static int init(server *s, const bex_world *w, int n) {
    size_t N = (size_t)n;
    *s = (server){.world = w, .n = n};
    s->env = calloc(N, sizeof *s->env);
    s->state = calloc(N * (size_t)w->spec.state, sizeof *s->state);
    s->action = calloc(N * (size_t)w->A, sizeof *s->action);
    s->reward = calloc(N, sizeof *s->reward), s->ended = calloc(N, 1);
    s->region = calloc(N, sizeof *s->region), s->goals = calloc(N, sizeof *s->goals);
    if (!s->env || !s->state || !s->action || !s->reward || !s->ended || !s->region || !s->goals)
        return bex_fail("out of memory: %d instances", n);
    for (int i = 0; i < n; i++)
        if (!(s->env[i] = w->class->new (w))) return -1;
    return 0;
}

static void greet(const bex_world *w) {
    json_t *goals = json_array();
    for (int g = 0; w->class->goal_name && g < w->goals; g++) {
        char name[BEX_GOAL_NAME];
        w->class->goal_name(w, g, name);
        json_array_append_new(goals, json_string(name));
    }
    json_t *j = json_pack("{s:s, s:i, s:i, s:i, s:f, s:i, s:o}", "name", w->name, "state",
                          w->spec.state, "action", w->A, "time_limit", w->time_limit, "dt", w->dt,
                          "regions", w->regions, "goals", goals);
    char *line = json_dumps(j, JSON_COMPACT);
    puts(line ? line : "{}");
    fflush(stdout);
    free(line);
    json_decref(j);
}

static bool give(const void *bytes, size_t size) {
    return fwrite(bytes, 1, size, stdout) == size;
}

static bool take(void *bytes, size_t size) {
    return fread(bytes, 1, size, stdin) == size;
}

static bool give_status(int code) {
    const char *why = bex_error();
    int32_t head[2] = {code < 0 ? -1 : 0, (int32_t)strlen(why)};
    if (code >= 0) return give(head, sizeof *head);
    return give(head, sizeof head) && give(why, strlen(why));
}

static void look(server *s, int i) {
    const bex_env_class *c = s->world->class;
    const bex_real *x = s->state + (size_t)i * (size_t)s->world->spec.state;
    s->region[i] = c->region(s->world, x);
    s->goals[i] = c->found ? c->found(s->world, x) : 0;
}

static int begin(server *s, int i, uint64_t seed) {
    bex_frame out = {.state = s->state + (size_t)i * (size_t)s->world->spec.state};
    return s->world->class->reset(s->env[i], bex_rng_split(bex_rng_seed(seed), "serve", 0), &out);
}

static bool reset(server *s) {
    int32_t i;
    uint64_t seed;
    size_t O = (size_t)s->world->spec.state;
    if (!take(&i, sizeof i) || !take(&seed, sizeof seed)) return false;
    int code = i >= -1 && i < s->n ? 0 : bex_fail("instance %d of %d", i, s->n);
    int first = i < 0 ? 0 : i, last = i < 0 ? s->n - 1 : i;
    for (int k = first; code == 0 && k <= last; k++)
        code = begin(s, k, seed + (uint64_t)(k - first));
    if (!give_status(code) || code < 0) return code < 0;
    return give(s->state + (size_t)first * O, (size_t)(last - first + 1) * O * sizeof *s->state);
}

static bool step(server *s) {
    size_t O = (size_t)s->world->spec.state, A = (size_t)s->world->A, n = (size_t)s->n;
    if (!take(s->action, n * A * sizeof *s->action)) return false;
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++) {
        bex_frame out = {.state = s->state + i * O};
        bool ended = false;
        code = s->world->class->step(s->env[i], s->action + i * A, &out, &s->reward[i], &ended);
        s->ended[i] = ended;
        if (code == 0) look(s, (int)i);
    }
    if (!give_status(code) || code < 0) return code < 0;
    return give(s->state, n * O * sizeof *s->state) && give(s->reward, n * sizeof *s->reward) &&
           give(s->ended, n) && give(s->region, n * sizeof *s->region) &&
           give(s->goals, n * sizeof *s->goals);
}

int bex_env_serve(const bex_world *w, int instances) {
    server s;
    if (w->spec.cameras)
        return bex_fail("--serve passes on states, not pictures: leave out env.images");
    int code = init(&s, w, instances);
    if (code == 0) {
        greet(w);
        for (int c; (c = getchar()) != EOF && c != 'q';) {
            if (!(c == 'r' ? reset(&s) : c == 's' && step(&s))) break;
            fflush(stdout);
        }
    }
    fini(&s);
    return code;
}
