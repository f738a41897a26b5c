/* report/page_attempts.c - success against attempts, over all tasks and each by itself, and the numbers at
 * the end: a section a protocol. Explorations of the same agent are pooled, whatever their seeds. */
#include "report/record.h"

#include "report/attempts_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct pooled {
    bex_attempts_series series[BEX_SERIES_MOST];
    bex_attempts attempts[BEX_SERIES_MOST];
    int count, left_out;
} pooled;

static const bex_colour colours[] = {BEX_BLUE,   BEX_VERMILION, BEX_GREEN, BEX_PURPLE,
                                     BEX_ORANGE, BEX_SKY,       BEX_GREY};

// the series of this label, made if it is new; -1: no more of them
static int series_of(pooled *p, const char *label) {
    for (int i = 0; i < p->count; i++)
        if (!strcmp(p->series[i].label, label)) return i;
    if (p->count == BEX_SERIES_MOST) return -1;
    p->series[p->count] = (bex_attempts_series){
        .label = label,
        .attempts = &p->attempts[p->count],
        .colour = colours[(size_t)p->count % (sizeof colours / sizeof *colours)]};
    return p->count++;
}

static void gather(pooled *p, const bex_record *r, const bex_suite_record *first) {
    *p = (pooled){.count = 0};
    for (int i = 0; i < r->suite_count; i++) {
        const bex_suite_record *s = &r->suites[i];
        if (strcmp(s->protocol, first->protocol) != 0) continue;
        int k = series_of(p, s->label);
        if (k < 0 || bex_attempts_join(&p->attempts[k], &s->attempts) < 0) p->left_out++;
    }
}

static void show_mean(bex_page *p, const pooled *w, const char *protocol) {
    char name[128];
    bex_figure *f = bex_attempts_mean_figure(w->series, w->count);
    bex_page_figure(
        p, f, bex_figure_name(name, protocol, "success"),
        "Share of trials that have done the task, against attempts",
        "A curve that starts no higher and rises further belongs to an agent that tries "
        "something else after a failure.",
        "Success against attempts: the mean over tasks, band of one standard error over "
        "trials with the tasks as they are.");
    bex_figure_free(f);
}

static void show_tasks(bex_page *p, const pooled *w, const char *protocol) {
    char name[128], what[40], alt[100];
    int tasks = w->attempts[0].tasks;
    for (int from = 0; from < tasks; from += BEX_ATTEMPTS_PANELS) {
        int last = from + BEX_ATTEMPTS_PANELS < tasks ? from + BEX_ATTEMPTS_PANELS : tasks;
        bex_figure *f = bex_attempts_task_figure(w->series, w->count, from);
        snprintf(what, sizeof what, "each-task-%d", from / BEX_ATTEMPTS_PANELS + 1);
        snprintf(alt, sizeof alt, "Success against attempts of tasks %d to %d", from + 1, last);
        bex_page_figure(p, f, bex_figure_name(name, protocol, what), alt,
                        "Look for tasks that stay at 0 for one agent alone: an average hides them.",
                        "Each task by itself, colours as above.");
        bex_figure_free(f);
    }
}

static void estimate_cell(bex_page *p, bex_estimate e) {
    if (isfinite(e.error))
        bex_page_cell(p, "%.3f \u00b1 %.3f", e.mean, e.error);
    else
        bex_page_cell(p, "%.3f", e.mean);
}

static void show_table(bex_page *p, const pooled *w) {
    static const char *const names[] = {
        "agent",           "trials of a task",     "tasks", "first attempt", "all attempts",
        "attempts needed", "tasks of a scene done"};
    bool shared = w->attempts[0].shared;
    bex_page_table_begin(p, names, "lrrrrrr", shared ? 7 : 6);
    for (int i = 0; i < w->count; i++) {
        const bex_attempts *a = &w->attempts[i];
        bex_page_cell(p, "%s", w->series[i].label);
        bex_page_cell(p, "%d", a->tasks ? a->task[0].trials : 0);
        bex_page_cell(p, "%d", a->tasks);
        estimate_cell(p, bex_attempts_success(a, 1));
        estimate_cell(p, bex_attempts_success(a, a->attempts));
        bex_page_cell(p, "%.1f", bex_attempts_needed(a));
        if (shared) bex_page_cell(p, "%.2f", bex_attempts_distinct(a, a->attempts));
    }
    bex_page_table_end(p);
    bex_page_text(p,
                  "Attempts needed: a trial without success counts as one more than it had (%d).",
                  w->attempts[0].attempts + 1);
}

static void show_protocol(bex_page *p, const bex_record *r, const bex_suite_record *first) {
    char title[100];
    pooled w;
    gather(&w, r, first);
    snprintf(title, sizeof title, "Tasks%s%s", *first->protocol ? ": " : "", first->protocol);
    bex_page_section(p, title);
    if (w.count && w.attempts[0].tasks) {
        show_mean(p, &w, first->protocol);
        show_table(p, &w);
        show_tasks(p, &w, first->protocol);
    } else {
        bex_page_note(p, "Left out: no task was tried.");
    }
    if (w.left_out)
        bex_page_note(
            p, "Left out: %d exploration%s of another number of attempts, or one series too many.",
            w.left_out, w.left_out == 1 ? "" : "s");
    for (int i = 0; i < w.count; i++) bex_attempts_fini(&w.attempts[i]);
}

void bex_page_attempts(bex_page *p, const bex_record *r) {
    for (int i = 0; i < r->suite_count; i++) {
        bool again = false;
        for (int k = 0; k < i; k++) again |= !strcmp(r->suites[k].protocol, r->suites[i].protocol);
        if (!again) show_protocol(p, r, &r->suites[i]);
    }
}
