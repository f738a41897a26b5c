#include "report/attempts_figure.h"

#include "base/error.h"
#include "base/path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5, TITLE = 38 };

static bex_mark mark_of(const bex_attempts_series *s, bool named) {
    return (bex_mark){.label = named ? s->label : NULL, .colour = s->colour};
}

// x 0..attempts: before the first attempt nothing is done
static void add_line(bex_panel *panel, const bex_attempts_series *s, const bex_attempt_task *t,
                     bool named) {
    int n = s->attempts->attempts + 1;
    double *x = malloc(3 * (size_t)n * sizeof *x), *y = x + n, *error = y + n;
    BEX_CHECK(x, "out of memory for %d points", n);
    bool band = !t;
    for (int k = 0; k < n; k++) {
        bex_estimate e = t ? (bex_estimate){.mean = bex_attempts_share(t, k)}
                           : bex_attempts_success(s->attempts, k);
        x[k] = k, y[k] = e.mean, error[k] = e.error;
        band = band && isfinite(e.error);
    }
    bex_mark mark = mark_of(s, named);
    bex_panel_line(panel, x, y, band ? error : NULL, n, &mark);
    free(x);
}

bex_figure *bex_attempts_mean_figure(const bex_attempts_series *s, int count) {
    bex_figure *f = bex_figure_new(1, 1, 320, 220);
    bex_panel *p = bex_figure_panel(f, 0, 0);
    bool named = false;
    bex_panel_labels(p, NULL, "attempts", "success, mean over tasks");
    for (int i = 0; i < count; i++) {
        add_line(p, &s[i], NULL, true);
        named = named || s[i].label;
    }
    bex_panel_y_range(p, 0, 1.02);
    if (named) bex_panel_legend(p, BEX_LEGEND_BEST);
    return f;
}

// "LR3 pick up the butter and put it .." of LIVING_ROOM_SCENE3, pick_up_the_butter_and_put_it_in_the_tray
static void title_of(char title[TITLE], const bex_attempt_task *t) {
    const char *at = strstr(t->scene, "_SCENE");
    int n = 0;
    for (const char *c = t->scene; at && c < at && n < 4; c++)
        if (c == t->scene || c[-1] == '_') title[n++] = *c;
    n += snprintf(title + n, (size_t)(TITLE - n), "%s %s", at ? at + strlen("_SCENE") : t->scene,
                  t->task);
    for (char *c = title; *c; c++)
        if (*c == '_') *c = ' ';
    if (n >= TITLE) snprintf(title + TITLE - 3, 3, "..");
}

static const bex_attempt_task *same_task(const bex_attempts *a, const bex_attempt_task *t) {
    for (int i = 0; i < a->tasks; i++)
        if (!strcmp(a->task[i].scene, t->scene) && !strcmp(a->task[i].task, t->task))
            return &a->task[i];
    return NULL;
}

bex_figure *bex_attempts_task_figure(const bex_attempts_series *s, int count, int from) {
    const bex_attempts *first = s[0].attempts;
    int n = first->tasks - from < BEX_ATTEMPTS_PANELS ? first->tasks - from : BEX_ATTEMPTS_PANELS;
    int columns = n < COLUMNS ? n : COLUMNS, rows = (n + columns - 1) / columns;
    bex_figure *f = bex_figure_new(rows, columns, 185, 100);
    for (int i = 0; i < rows * columns; i++) {
        bex_panel *p = bex_figure_panel(f, i / columns, i % columns);
        if (i >= n) {
            bex_panel_hide_axes(p);
            continue;
        }
        char title[TITLE];
        title_of(title, &first->task[from + i]);
        bex_panel_labels(p, title, i / columns == rows - 1 ? "attempts" : NULL,
                         i % columns ? NULL : "success");
        for (int k = 0; k < count; k++) {
            const bex_attempt_task *t = same_task(s[k].attempts, &first->task[from + i]);
            if (t) add_line(p, &s[k], t, false);
        }
        bex_panel_y_range(p, 0, 1.02);
    }
    return f;
}

static int save(bex_figure *f, const char *folder, const char *name) {
    char paths[2 * BEX_PATH_SIZE];
    snprintf(paths, sizeof paths, "%s/%s.svg,%s/%s.png", folder, name, folder, name);
    int code = bex_figure_save(f, paths);
    bex_figure_free(f);
    return code;
}

int bex_attempts_draw(const bex_attempts_series *s, int count, const char *folder) {
    int tasks = s[0].attempts->tasks, code = 0;
    if (save(bex_attempts_mean_figure(s, count), folder, "success") < 0) return -1;
    for (int from = 0; from < tasks && code == 0; from += BEX_ATTEMPTS_PANELS) {
        char name[32] = "each-task";
        if (tasks > BEX_ATTEMPTS_PANELS)
            snprintf(name, sizeof name, "each-task-%d", from / BEX_ATTEMPTS_PANELS + 1);
        code = save(bex_attempts_task_figure(s, count, from), folder, name);
    }
    return code;
}
