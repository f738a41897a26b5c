/* draw/axis.h - one axis: its range, its ticks at 1-2-5 steps, their labels, and the map from
 * values to [0, 1]. Knows nothing of drawing. */
#ifndef BEX_DRAW_AXIS_H
#define BEX_DRAW_AXIS_H

#include <stdbool.h>

enum { BEX_AXIS_TICKS = 16 };

typedef struct bex_axis {
    double lo, hi; // lo < hi; both positive when log
    bool log;
    int count;
    double at[BEX_AXIS_TICKS]; // within [lo, hi], ascending
    char text[BEX_AXIS_TICKS][24];
} bex_axis;

/* Fit to data in [lo, hi]; empty (lo > hi) gives [0, 1], a single value a range around it.
 * exact: keep lo and hi as they are, else widen to whole steps. most: ticks wanted, 2..12. */
void bex_axis_fit(bex_axis *axis, double lo, double hi, bool log, bool exact, int most);

/* Where a value lies: 0 at lo, 1 at hi, beyond outside. NaN for values <= 0 on a log axis. */
double bex_axis_place(const bex_axis *axis, double value);

#endif
