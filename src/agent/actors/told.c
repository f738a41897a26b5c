#include "agent/actors/told.h"

#include "base/error.h"
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

static const char *const rules[] = {"given", "scene", "any"};
enum { GIVEN, SCENE, ANY, RULES };

static int find_rule(const char *text) {
    for (int i = 0; i < RULES; i++)
        if (!strcmp(rules[i], text)) return i;
    bex_fail("no such rule '%s' of what is told", text);
    const char *near = bex_nearest(text, rules, RULES, sizeof *rules);
    return near ? bex_fail_hint("did you mean %s?", near) : bex_fail_hint("given, scene or any");
}

// the policy's number of a label
static int number_of(const bex_labels *known, const char *what, const char *label) {
    char list[400];
    int n = bex_labels_find(known, label);
    if (n >= 0) return n;
    if (!known->count) {
        bex_fail("this policy file does not say what its %ss are called", what);
        return bex_fail_hint("train it again; older files have numbers alone");
    }
    return bex_fail("the policy knows no %s '%s', only %s", what, label,
                    bex_labels_list(list, sizeof list, known));
}

static int add(bex_told *t, const bex_policy *p, const char *label) {
    int n = number_of(&p->task_names, "task", label);
    if (n >= 0) t->task[t->tasks++] = n;
    return n < 0 ? -1 : 0;
}

static int choose_tasks(bex_told *t, const bex_policy *p, const bex_world *w, int rule) {
    int most = p->dit.o.tasks > w->task_count ? p->dit.o.tasks : w->task_count;
    t->task = malloc(((size_t)most + 1) * sizeof *t->task);
    if (!t->task) return bex_fail("out of memory");
    if (rule == ANY)
        for (; t->tasks < p->dit.o.tasks; t->tasks++) t->task[t->tasks] = t->tasks;
    for (int i = 0; rule == SCENE && i < w->task_count; i++)
        if (add(t, p, w->tasks[i]) < 0) return -1;
    if (rule == GIVEN && (!w->tasks || w->task < 0)) {
        bex_fail("the policy must be told a task, and the world has none chosen");
        return bex_fail_hint("--env.task=NAME, or --tell scene or any");
    }
    if (rule == GIVEN && add(t, p, w->tasks[w->task]) < 0) return -1;
    return t->tasks ? 0 : bex_fail("%s has no tasks to tell", w->name);
}

static int choose(bex_told *t, const bex_policy *p, const bex_world *w, const char *text) {
    int rule = find_rule(text);
    if (rule < 0) return -1;
    t->rule = rules[rule];
    if (p->dit.o.scenes && !w->scene)
        return bex_fail("the policy must be told a scene, and %s has none", w->name);
    if (p->dit.o.scenes && (t->scene = number_of(&p->scene_names, "scene", w->scene)) < 0)
        return -1;
    return p->dit.o.tasks ? choose_tasks(t, p, w, rule) : 0;
}

int bex_told_init(bex_told *t, const bex_policy *policy, const bex_world *world, const char *rule) {
    *t = (bex_told){.rule = rules[GIVEN]};
    return choose(t, policy, world, rule) < 0 ? bex_misused() : 0;
}

void bex_told_fini(bex_told *t) {
    free(t->task);
    *t = (bex_told){0};
}
