/* report/attempts_figure.h - success against attempts: the mean over tasks, and each task by itself. */
#ifndef BEX_REPORT_ATTEMPTS_FIGURE_H
#define BEX_REPORT_ATTEMPTS_FIGURE_H

#include "draw/figure.h"
#include "record/attempts.h"

typedef struct bex_attempts_series {
    const char *label; // NULL: none
    const bex_attempts *attempts;
    bex_colour colour; // 0: the next of the palette
} bex_attempts_series;

/* The mean with a band of one standard error, a line a series. The caller frees it. */
bex_figure *bex_attempts_mean_figure(const bex_attempts_series *series, int count);

/* A panel for each task of the first series, up to 30 from task `from` on. The caller frees it. */
enum { BEX_ATTEMPTS_PANELS = 30 };
bex_figure *bex_attempts_task_figure(const bex_attempts_series *series, int count, int from);

/* FOLDER/success.svg and .png; each-task.svg and .png, or, of more than a figure holds, each-task-1 and so
 * on. 0, or negative with a message. */
int bex_attempts_draw(const bex_attempts_series *series, int count, const char *folder);

#endif
