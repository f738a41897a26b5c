/* nn/schedule.h - learning rate over steps: linear warm-up, then half a cosine to zero.
 *
 *   lr(s) = peak s / warmup                                       s < warmup: the first update has 0
 *   lr(s) = peak/2 (1 + cos(pi (s - warmup) / (total - warmup)))  after; 0 from total on */
#ifndef BEX_NN_SCHEDULE_H
#define BEX_NN_SCHEDULE_H

typedef struct bex_schedule {
    double peak;
    long warmup, total; // steps; total 0: constant after the warm-up
} bex_schedule;

double bex_schedule_lr(const bex_schedule *schedule, long step);

#endif
