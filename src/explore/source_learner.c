/* explore/source_learner.c - `bex explore --agent NAME`: an agent that learns while it explores
 * (agent/rl/learner.h); RUN holds its skills, --data the demonstrations it learns from too. */
#include "explore/source.h"

#include "agent/rl/learner.h"
#include "base/error.h"
#include "base/path.h"
#include "data/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    const bex_learner_method *method;
    bex_learner *learner;
    char path[BEX_PATH_SIZE]; // of the skills; "": none
} state;

// skills say whose they are
static bool wanted(const bex_explore_request *q) {
    char path[BEX_PATH_SIZE];
    if (q->agent || q->data) return true;
    return q->run && bex_explore_model(path, q) == 0 && bex_skill_file_is(path);
}

static void close_state(void *payload) {
    state *s = payload;
    if (!s) return;
    bex_learner_free(s->learner);
    free(s);
}

static int find_method(state *s, const bex_explore_request *q) {
    bex_skill_about about;
    if (q->run && bex_explore_model(s->path, q) < 0) return -1;
    if (q->agent) {
        s->method = bex_learner_method_named(q->agent);
        return s->method ? 0 : bex_misused();
    }
    if (!q->run) return bex_fail("--data: whose? (--agent explore, hilp or supe)"), bex_misused();
    bex_st_file *f = bex_st_load(s->path);
    if (!f) return -1;
    int code = bex_skill_about_read(&about, f);
    bex_st_free(f);
    if (code < 0) return bex_fail_in("%s", s->path);
    s->method = bex_learner_method_named(about.agent);
    return s->method ? 0 : -1;
}

// what the method needs is there, and nothing else
static int check_given(const state *s, const bex_explore_request *q) {
    const char *name = s->method->name;
    if (s->method->skills && !q->run) {
        bex_fail("%s explores by skills: no RUN is given", name);
        bex_fail_hint("bex train --agent %s --data FILE makes them", name);
    } else if (!s->method->skills && q->run) {
        bex_fail("%s needs no skills: what is '%s' for?", name, q->run);
    } else if (s->method->data && !q->data) {
        bex_fail("%s learns from demonstrations too: --data FILE", name);
    } else if (!s->method->data && q->data) {
        bex_fail("%s learns from what it does alone: no --data", name);
    } else {
        return bex_explore_only_history(q, name);
    }
    return bex_misused();
}

static int open_learner(state *s, const bex_explore_request *q, const bex_world *world) {
    bex_dataset *data = NULL;
    if (find_method(s, q) < 0 || check_given(s, q) < 0) return -1;
    if (q->data) {
        bex_load_options o = BEX_LOAD_INIT;
        o.keys = q->obs_keys;
        data = bex_dataset_load(q->data, &o);
        if (!data) return -1;
    }
    long long budget = q->steps ? q->steps : q->episodes * world->time_limit;
    s->learner = bex_learner_new(s->method, q->online, world, s->method->skills ? s->path : NULL,
                                 data, budget);
    return s->learner ? 0 : -1;
}

static int open_state(void **out, const bex_explore_request *q, const bex_world *world) {
    state *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory");
    int code = open_learner(s, q, world);
    *out = s;
    if (code < 0) close_state(s), *out = NULL;
    return code;
}

static bex_actor *new_actor(void *payload, bex_rng rng) {
    return bex_learner_actor_new(((state *)payload)->learner, rng);
}

// learners that differ in what matters to a reader are told apart
static void make_label(char *label, size_t size, const state *s) {
    const bex_learner_config *c = &s->learner->config;
    bex_learner_config usual;
    bex_config_defaults(&bex_learner_schema, &usual);
    if (!strcmp(c->warmup, "whole")) { // nothing is learned; without skills the proposal is uniform
        if (s->method->skills)
            snprintf(label, size, "%s before it learns", s->method->title);
        else
            snprintf(label, size, "Random actions");
        return;
    }
    int n = snprintf(label, size, "%s, warm-up %s", s->method->title, c->warmup);
    if (c->updates != usual.updates)
        n += snprintf(label + n, size - (size_t)n, ", UTD %lld", c->updates);
    if (c->critics != usual.critics)
        n += snprintf(label + n, size - (size_t)n, ", %lld critics", c->critics);
    if (c->reward == BEX_REWARD_GOAL) snprintf(label + n, size - (size_t)n, ", one goal");
}

static json_t *describe(const void *payload, const bex_explore_request *q) {
    const state *s = payload;
    char label[120], value[BEX_CONFIG_TEXT_SIZE];
    make_label(label, sizeof label, s);
    json_t *d =
        json_pack("{s:s, s:s, s:s}", "name", s->method->name, "history", "none", "label", label);
    json_t *online = json_object();
    for (const bex_config_row *row = bex_learner_rows; row->name; row++)
        if (bex_config_get(&bex_learner_schema, &s->learner->config, "online", row->name, value) ==
            0)
            json_object_set_new(online, row->name, json_string(value));
    if (d) json_object_set_new(d, "online", online);
    if (d && q->run) json_object_set_new(d, "run", json_string(q->run));
    if (d && q->data) json_object_set_new(d, "data", json_string(q->data));
    return d;
}

static const char *file(const void *payload) {
    return ((const state *)payload)->path;
}

const bex_explore_source bex_explore_learner = {
    .name = "learner",
    .wanted = wanted,
    .open = open_state,
    .actor = new_actor,
    .describe = describe,
    .file = file,
    .close = close_state,
};
