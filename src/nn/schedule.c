/* nn/schedule.c - linear warm-up, then half a cosine. */
#include "nn/schedule.h"

#include <math.h>

double bex_schedule_lr(const bex_schedule *s, long step) {
    if (step < s->warmup) return s->peak * (double)step / (double)s->warmup;
    if (s->total == 0) return s->peak;
    if (step >= s->total) return 0;
    double done = (double)(step - s->warmup) / (double)(s->total - s->warmup);
    return 0.5 * s->peak * (1 + cos(3.14159265358979323846 * done));
}
