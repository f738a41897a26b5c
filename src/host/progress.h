/* host/progress.h - one live line on a terminal, plain lines when piped, silent when told.
 *
 *     bex_progress p;
 *     bex_progress_start(&p, stderr, "train", total_steps);
 *     bex_progress_update(&p, step, "loss %.4f  lr %.1e", loss, lr);   as often as you like
 *     bex_progress_finish(&p);
 *
 *   train  12,400/50,000  24.8%  310.2/s  ETA 2m01s  loss 0.0321  lr 2.9e-04
 *
 * On a terminal the line is redrawn at most 10 times a second, cut to the width; otherwise a line
 * is printed every 10 s and at the end. */
#ifndef BEX_HOST_PROGRESS_H
#define BEX_HOST_PROGRESS_H

#include "base/error.h"

#include <stdio.h>

typedef struct bex_progress {
    FILE *out; // NULL: silent
    const char *label;
    long long total, done, first;
    double started, drawn; // seconds
    int live, width;       // width: characters of the last live line
} bex_progress;

void bex_progress_start(bex_progress *p, FILE *out, const char *label, long long total);
void bex_progress_resume(bex_progress *p, long long done); // rate and ETA count from here
void bex_progress_update(bex_progress *p, long long done, const char *fmt, ...) BEX_PRINTF(3, 4);
void bex_progress_finish(bex_progress *p);

#endif
