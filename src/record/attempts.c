#include "record/attempts.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS_MOST = 10000, TRIALS_MOST = 1 << 20, TASKS_MOST = 4096 };

void bex_attempts_fini(bex_attempts *a) {
    for (int i = 0; i < a->tasks; i++) free(a->task[i].first);
    free(a->task);
    *a = (bex_attempts){0};
}

// the task of this name, made if it is new; NULL: no memory
static bex_attempt_task *task_of(bex_attempts *a, const char *scene, const char *task) {
    for (int i = 0; i < a->tasks; i++)
        if (!strcmp(a->task[i].scene, scene) && !strcmp(a->task[i].task, task)) return &a->task[i];
    bex_attempt_task *more = realloc(a->task, ((size_t)a->tasks + 1) * sizeof *more);
    if (!more) return NULL;
    a->task = more;
    bex_attempt_task *t = &a->task[a->tasks++];
    *t = (bex_attempt_task){.trials = 0};
    snprintf(t->scene, sizeof t->scene, "%s", scene);
    snprintf(t->task, sizeof t->task, "%s", task);
    return t;
}

int bex_attempts_add(bex_attempts *a, const char *scene, const char *task, const int *first,
                     int trials, int stride) {
    bex_attempt_task *t = task_of(a, scene, task);
    size_t n = t ? (size_t)t->trials + (size_t)trials : 0;
    int *more = t && n < TRIALS_MOST ? realloc(t->first, (n + 1) * sizeof *more) : NULL;
    if (!more) return bex_fail("out of memory for %zu trials of '%s'", n, task);
    t->first = more;
    for (int i = 0; i < trials; i++) {
        int at = first[(size_t)i * (size_t)stride];
        if (at < 0 || at > a->attempts)
            return bex_fail("'%s': attempt %d of %d", task, at, a->attempts);
        t->first[t->trials++] = at;
    }
    return 0;
}

int bex_attempts_join(bex_attempts *a, const bex_attempts *b) {
    if (!a->tasks) a->attempts = b->attempts, a->shared = b->shared;
    if (a->attempts != b->attempts || a->shared != b->shared)
        return bex_fail("trials of %d attempts and of %d, or of a scene and of a task", a->attempts,
                        b->attempts);
    for (int i = 0; i < b->tasks; i++) {
        const bex_attempt_task *t = &b->task[i];
        if (bex_attempts_add(a, t->scene, t->task, t->first, t->trials, 1) < 0) return -1;
    }
    return 0;
}

static bool done_by(const bex_attempt_task *t, int trial, int k) {
    return t->first[trial] > 0 && t->first[trial] <= k;
}

static int count_by(const bex_attempt_task *t, int k) {
    int n = 0;
    for (int i = 0; i < t->trials; i++) n += done_by(t, i, k);
    return n;
}

double bex_attempts_share(const bex_attempt_task *t, int k) {
    return t->trials ? (double)count_by(t, k) / t->trials : 0;
}

bex_interval bex_attempts_interval(const bex_attempt_task *t, int k) {
    return bex_interval_wilson(count_by(t, k), t->trials, 0.95);
}

// is task i the first of those that succeed and fail together?
static bool leads(const bex_attempts *a, int i) {
    for (int j = 0; a->shared && j < i; j++)
        if (!strcmp(a->task[j].scene, a->task[i].scene)) return false;
    return true;
}

// tasks that trial `trial` of task i's run has done after k attempts; *of: how many they are
static int done_together(const bex_attempts *a, int i, int trial, int k, int *of) {
    int n = 0;
    *of = 0;
    for (int j = i; j < a->tasks; j++) {
        if (j != i && (!a->shared || strcmp(a->task[j].scene, a->task[i].scene) != 0)) continue;
        ++*of;
        n += trial < a->task[j].trials && done_by(&a->task[j], trial, k);
    }
    return n;
}

// variance of the mean of done_together over the trials of i
static double variance_of(const bex_attempts *a, int i, int k) {
    double sum = 0, squares = 0;
    int n = a->task[i].trials, of;
    if (n < 2) return (double)NAN;
    for (int t = 0; t < n; t++) {
        double d = done_together(a, i, t, k, &of);
        sum += d, squares += d * d;
    }
    double spread = squares - sum * sum / n;
    return fmax(spread, 0) / (n - 1) / n;
}

bex_estimate bex_attempts_success(const bex_attempts *a, int k) {
    double mean = 0, variance = 0;
    for (int i = 0; i < a->tasks; i++) {
        mean += bex_attempts_share(&a->task[i], k);
        if (leads(a, i)) variance += variance_of(a, i, k);
    }
    if (!a->tasks) return (bex_estimate){(double)NAN, (double)NAN, (double)NAN, 0};
    return (bex_estimate){mean / a->tasks, sqrt(variance) / a->tasks, (double)NAN, a->tasks};
}

double bex_attempts_distinct(const bex_attempts *a, int k) {
    double sum = 0;
    int scenes = 0;
    for (int i = 0; i < a->tasks; i++) {
        if (!leads(a, i)) continue;
        double done = 0, all = 0;
        for (int t = 0; t < a->task[i].trials; t++) {
            int of;
            done += done_together(a, i, t, k, &of);
            all += of;
        }
        sum += all > 0 ? done / all : 0;
        scenes++;
    }
    return scenes ? sum / scenes : (double)NAN;
}

double bex_attempts_needed(const bex_attempts *a) {
    double sum = 0;
    for (int i = 0; i < a->tasks; i++) {
        const bex_attempt_task *t = &a->task[i];
        double all = 0;
        for (int n = 0; n < t->trials; n++) all += t->first[n] ? t->first[n] : a->attempts + 1;
        sum += t->trials ? all / t->trials : a->attempts + 1;
    }
    return a->tasks ? sum / a->tasks : (double)NAN;
}

/* ---- JSON ---- */

static json_t *real(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *task_json(const bex_attempts *a, const bex_attempt_task *t) {
    json_t *first = json_array(), *share = json_array();
    for (int i = 0; i < t->trials; i++) json_array_append_new(first, json_integer(t->first[i]));
    for (int k = 1; k <= a->attempts; k++)
        json_array_append_new(share, json_real(bex_attempts_share(t, k)));
    bex_interval w = bex_attempts_interval(t, a->attempts);
    return json_pack("{s:s, s:s, s:o, s:o, s:[o, o]}", "scene", t->scene, "task", t->task, "first",
                     first, "success", share, "interval", real(w.low), real(w.high));
}

int bex_attempts_write(const bex_attempts *a, json_t *out) {
    json_t *mean = json_array(), *error = json_array(), *distinct = json_array(),
           *tasks = json_array();
    for (int k = 1; k <= a->attempts; k++) {
        bex_estimate e = bex_attempts_success(a, k);
        json_array_append_new(mean, real(e.mean));
        json_array_append_new(error, real(e.error));
        json_array_append_new(distinct, real(bex_attempts_distinct(a, k)));
    }
    for (int i = 0; i < a->tasks; i++) json_array_append_new(tasks, task_json(a, &a->task[i]));
    json_t *all =
        json_pack("{s:i, s:b, s:{s:o, s:o}, s:o, s:o, s:o}", "attempts", a->attempts, "shared",
                  a->shared, "success", "mean", mean, "error", error, "distinct", distinct,
                  "attempts_needed", real(bex_attempts_needed(a)), "tasks", tasks);
    int code = all ? json_object_update(out, all) : -1;
    json_decref(all);
    return code < 0 ? bex_fail("out of memory") : 0;
}

static int read_task(bex_attempts *a, const json_t *from, int *first) {
    const char *scene, *task;
    const json_t *all;
    if (bex_json_get_string(from, "scene", &scene) < 0 ||
        bex_json_get_string(from, "task", &task) < 0 || bex_json_get_array(from, "first", &all) < 0)
        return -1;
    int trials = (int)json_array_size(all);
    for (int i = 0; i < trials; i++) {
        const json_t *n = json_array_get(all, (size_t)i);
        if (!json_is_integer(n)) return bex_fail("'first' of '%s' holds no numbers", task);
        json_int_t at = json_integer_value(n);
        first[i] = at < 0 || at > ATTEMPTS_MOST ? -1 : (int)at;
    }
    return bex_attempts_add(a, scene, task, first, trials, 1);
}

int bex_attempts_read(bex_attempts *a, const json_t *from) {
    const json_t *tasks, *attempts = json_object_get(from, "attempts");
    *a = (bex_attempts){.shared = json_is_true(json_object_get(from, "shared"))};
    json_int_t n = json_integer_value(attempts);
    if (!json_is_integer(attempts) || n < 1 || n > ATTEMPTS_MOST)
        return bex_fail("'attempts' is missing or out of range");
    a->attempts = (int)n;
    if (bex_json_get_array(from, "tasks", &tasks) < 0) return -1;
    if (json_array_size(tasks) > TASKS_MOST) return bex_fail("%zu tasks", json_array_size(tasks));
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const json_t *one = json_array_get(tasks, i);
        size_t trials = json_array_size(json_object_get(one, "first"));
        int *first = trials < TRIALS_MOST ? malloc((trials + 1) * sizeof *first) : NULL;
        int code = first ? read_task(a, one, first) : bex_fail("%zu trials", trials);
        free(first);
        if (code < 0) return bex_fail_in("tasks[%zu]", i);
    }
    return 0;
}
