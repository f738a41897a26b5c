/* explore/source_retrieval.c - `bex explore --retrieval FILE`: demonstrations and an agent over them. */
#include "explore/source.h"

#include "agent/actors/retrieval.h"
#include "base/columns.h"
#include "base/error.h"
#include "data/load.h"
#include "policy/deploy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    const char *path;
    bex_dataset *data;
    bex_retrieval *retrieval;
    bex_deploy_config deploy; // of which `history` is heeded
    int history_states;
} state;

static bool wanted(const bex_explore_request *q) {
    return q->retrieval;
}

// "0,1" to dims; NULL: where the world is seen from above; "all". Their number, 0 for all
static int parse_dims(int *dims, const char *text, const bex_world *world) {
    if (!text && world->class->draw) {
        dims[0] = world->right < world->down ? world->right : world->down;
        dims[1] = world->right < world->down ? world->down : world->right;
        return 2;
    }
    if (!text || !strcmp(text, "all")) return 0;
    int count = bex_columns_select(dims, BEX_FEATURE_DIMS, text, NULL, world->spec.state);
    return count < 0 ? bex_fail_in("--phi-dims") : count;
}

// looking up has no network: of the settings of acting only the history rule means something
static int take_history(state *s, const bex_explore_request *q) {
    bex_config_defaults(&bex_deploy_schema, &s->deploy);
    s->history_states = (int)q->history_states;
    if (bex_explore_only_history(q, "--retrieval") < 0) return -1;
    return bex_deploy_apply(&s->deploy, q->deploy, q->deploy_count);
}

static int open_agent(state *s, const bex_explore_request *q, const bex_world *world) {
    int dims[BEX_FEATURE_DIMS];
    bex_retrieval_options o = BEX_RETRIEVAL_INIT;
    o.k = (int)q->k, o.chunk = (int)q->chunk, o.future = (int)q->future, o.lambda = q->lambda;
    o.raw = q->phi_raw, o.bin = q->bin;
    o.phi = (bex_feature_options){.kind = q->phi,
                                  .out = (int)q->phi_features,
                                  .bandwidth = q->bandwidth,
                                  .seed = (uint64_t)q->phi_seed};
    o.phi.dims_count = parse_dims(dims, q->phi_dims, world);
    if (o.phi.dims_count < 0 || bex_retrieval_parse_choice(&o.among, q->choose) < 0 ||
        take_history(s, q) < 0)
        return bex_misused();
    if (o.phi.dims_count) o.phi.dims = dims;
    bex_load_options load = BEX_LOAD_INIT;
    s->data = bex_dataset_load(q->retrieval, &load);
    if (!s->data) return -1;
    if (s->data->O != world->spec.state || s->data->A != world->A) {
        return bex_fail("'%s' has %d observation and %d action columns, %s has %d and %d",
                        q->retrieval, s->data->O, s->data->A, world->name, world->spec.state,
                        world->A);
    }
    s->retrieval = bex_retrieval_new(s->data, &o);
    return s->retrieval ? 0 : -1;
}

static void close_state(void *payload) {
    state *s = payload;
    if (!s) return;
    bex_retrieval_free(s->retrieval);
    bex_dataset_free(s->data);
    free(s);
}

static int open_state(void **out, const bex_explore_request *q, const bex_world *world) {
    state *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory");
    s->path = q->retrieval;
    int code = open_agent(s, q, world);
    *out = s;
    if (code < 0) close_state(s), *out = NULL;
    return code;
}

static bex_actor *new_actor(void *payload, bex_rng rng) {
    const state *s = payload;
    bex_memory_options o = {.N = s->history_states};
    if (bex_memory_parse(&o.kind, &o.file, s->deploy.history) < 0) return NULL;
    return bex_retrieval_actor_new(s->retrieval, &o, rng);
}

static json_t *describe(const void *payload, const bex_explore_request *q) {
    const state *s = payload;
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:f, "
                     "s:{s:s, s:s, s:I, s:f, s:f, s:b, s:I}}",
                     "name", "retrieval", "data", q->retrieval, "choose", q->choose, "history",
                     s->deploy.history, "history_states", (json_int_t)q->history_states, "k",
                     (json_int_t)q->k, "chunk", (json_int_t)q->chunk, "future",
                     (json_int_t)q->future, "lambda", q->lambda, "phi", "kind", q->phi, "dims",
                     q->phi_dims ? q->phi_dims : "position", "features",
                     (json_int_t)q->phi_features, "bandwidth", q->bandwidth, "bin", q->bin, "raw",
                     q->phi_raw, "seed", (json_int_t)q->phi_seed);
}

static const char *file(const void *payload) {
    return ((const state *)payload)->path;
}

static const char *history(const void *payload) {
    return ((const state *)payload)->deploy.history;
}

const bex_explore_source bex_explore_retrieval = {
    .name = "retrieval",
    .wanted = wanted,
    .open = open_state,
    .actor = new_actor,
    .memory = bex_retrieval_actor_history,
    .describe = describe,
    .file = file,
    .history = history,
    .close = close_state,
};
