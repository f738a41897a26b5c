/* agent/rl/learner.c - what trials share: methods, settings, skills, demonstrations. */
#include "agent/rl/learner.h"

#include "agent/train_config.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const bex_learner_method *const methods[] = {&bex_learner_rnd, &bex_learner_explore,
                                                    &bex_learner_hilp, &bex_learner_supe};
enum { METHODS = sizeof methods / sizeof *methods };

const bex_learner_method *bex_learner_method_at(int i) {
    return i >= 0 && i < METHODS ? methods[i] : NULL;
}

const bex_learner_method *bex_learner_method_named(const char *name) {
    const char *names[METHODS];
    for (int i = 0; i < METHODS; i++) {
        names[i] = methods[i]->name;
        if (!strcmp(names[i], name)) return methods[i];
    }
    const char *near = bex_nearest(name, names, METHODS, sizeof *names);
    bex_fail("no agent '%.40s' learns while it explores (rnd, explore, hilp, supe)", name);
    if (near) bex_fail_hint("did you mean %s?", near);
    return NULL;
}

void bex_learner_free(bex_learner *x) {
    if (!x) return;
    bex_prior_data_fini(&x->prior);
    if (x->method->close) x->method->close(x->skills);
    bex_dataset_free(x->data);
    free(x);
}

/* ---- settings ---- */

static int parse_widths(bex_learner *x) {
    const bex_learner_config *c = &x->config;
    const struct {
        int *widths;
        const char *text, *key;
    } each[] = {{x->actor, c->actor, "actor"},
                {x->critic, c->critic, "critic"},
                {x->novelty, c->novelty, "novelty"},
                {x->model, c->model, "model"}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (bex_widths_parse(each[i].widths, BEX_MLP_LAYERS - 1, each[i].text) < 0)
            return bex_fail_in("online.%s", each[i].key);
    return 0;
}

static int parse_warmup(bex_learner *x) {
    const char *text = x->config.warmup;
    x->start = LLONG_MAX / 4;
    if (!strcmp(text, "whole")) return 0;
    if (bex_integer_parse(&x->start, text) < 0 || x->start < 1 || x->start > 1000000000)
        return bex_fail("online.warmup = '%s': steps, at least 1, or whole", text);
    if (x->start < x->budget) return 0;
    bex_fail("online.warmup = %lld, a trial has %lld steps: it would learn nothing", x->start,
             x->budget);
    return bex_fail_hint("--online.warmup=%lld, or whole if that is meant",
                         x->budget > 4 ? x->budget / 4 : 1);
}

static int check_reward(const bex_learner *x) {
    int reward = x->config.reward;
    if ((reward != BEX_REWARD_GOAL && reward != BEX_REWARD_TASKS) ||
        (x->world->class->found && x->world->goals))
        return 0;
    return bex_fail("online.reward = %s: %s has no goals",
                    reward == BEX_REWARD_GOAL ? "goal" : "tasks", x->world->name);
}

// of a step; a decision's is discounted over its H
static double least_of_step(const bex_learner *x) {
    if (x->config.reward == BEX_REWARD_NONE || x->config.reward == BEX_REWARD_GOAL) return -1;
    double least = 0;
    const bex_dataset *d = x->data;
    if (x->config.reward == BEX_REWARD_TASKS || !d || !d->has_rewards) return 0;
    for (int i = 0; i < d->rows; i++)
        if (!i || (double)d->rewards[i] < least) least = (double)d->rewards[i];
    return least;
}

/* ---- skills and demonstrations ---- */

// two names of one world, e.g. kitchen and kitchen-partial
static bool same_world(const char *name, const bex_world *world) {
    const bex_env_class *other = bex_env_class_named(name);
    if (!*name || !strcmp(name, world->name)) return true;
    return other && other->equals && world->class->equals &&
           !strcmp(other->equals, world->class->equals);
}

static int check_skills(const bex_learner *x, const bex_skill_about *about) {
    const bex_world *w = x->world;
    if (strcmp(about->agent, x->method->name) != 0)
        return bex_fail("skills of %s, not of %s", about->agent, x->method->name);
    if (!same_world(about->world, w))
        return bex_fail("skills of %s, and %s is to be explored", about->world, w->name);
    if (about->O != bex_world_shown(w) || about->A != w->A)
        return bex_fail("skills of %d observation and %d action values, %s has %d and %d", about->O,
                        about->A, w->name, bex_world_shown(w), w->A);
    if (x->config.state && x->config.state != about->S)
        return bex_fail("skills of the first %d observation values, online.state = %lld", about->S,
                        x->config.state);
    return 0;
}

static int open_skills(bex_learner *x, const char *path) {
    bex_skill_about about;
    bex_st_file *f = bex_st_load(path);
    if (!f) return -1;
    int code = bex_skill_about_read(&about, f) < 0 || check_skills(x, &about) < 0 ? -1 : 0;
    if (code == 0) {
        x->S = about.S, x->U = about.Z, x->H = about.H;
        x->skills = x->method->open(f, &about);
        if (!x->skills) code = -1;
    }
    if (code < 0 && !strstr(bex_error(), path)) bex_fail_in("%s", path);
    bex_st_free(f);
    return code;
}

static int read_data(bex_learner *x) {
    const bex_world *w = x->world;
    if (x->data->O != bex_world_shown(w) || x->data->A != w->A)
        return bex_fail("the demonstrations have %d observation and %d action columns, %s has %d "
                        "and %d",
                        x->data->O, x->data->A, w->name, bex_world_shown(w), w->A);
    if (bex_prior_data_init(&x->prior, x->data, x->S, x->U, x->H, x->method->read, x->skills) < 0)
        return -1;
    long long wanted = x->config.updates * (x->config.batch / 2);
    if (!x->method->once || x->prior.n >= wanted) return 0;
    return bex_fail("the demonstrations have %d chunks of %d steps, an update wants %lld of them",
                    x->prior.n, x->H, wanted);
}

static int open_all(bex_learner *x, const char *skills) {
    const bex_learner_config *c = &x->config;
    int shown = bex_world_shown(x->world);
    x->S = c->state ? (int)c->state : shown;
    x->U = x->world->A, x->H = 1;
    if (x->S > shown)
        return bex_fail("online.state = %d: %s has %d observation values", x->S, x->world->name,
                        shown);
    if (parse_widths(x) < 0 || parse_warmup(x) < 0 || check_reward(x) < 0) return -1;
    if (x->method->skills && open_skills(x, skills) < 0) return -1;
    x->bonus = c->bonus < 0 ? x->method->bonus : c->bonus;
    double step = least_of_step(x), weight = 1;
    for (int k = 0; k < x->H; k++, weight *= c->discount) x->least += weight * step;
    return x->method->data ? read_data(x) : 0;
}

bex_learner *bex_learner_new(const bex_learner_method *method, const bex_learner_config *config,
                             const bex_world *world, const char *skills, bex_dataset *data,
                             long long budget) {
    BEX_CHECK(!skills == !method->skills && !data == !method->data, "%s: skills %s, data %s",
              method->name, skills ? "given" : "none", data ? "given" : "none");
    bex_learner *x = calloc(1, sizeof *x);
    if (!x) return bex_dataset_free(data), bex_fail("out of memory"), NULL;
    *x = (bex_learner){
        .method = method, .config = *config, .world = world, .data = data, .budget = budget};
    if (open_all(x, skills) == 0) return x;
    bex_learner_free(x);
    return NULL;
}
