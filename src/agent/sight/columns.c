/* agent/sight/columns.c - see the header. */
#include "agent/sight/columns.h"

#include "base/error.h"

#include <stdlib.h>

enum { MOMENTS = 4096 }; // that directions are found from: as good as all of them

int bex_sight_fit_columns(bex_policy *p, const bex_features *f, const int *frames, int rows) {
    int apart = rows / MOMENTS + 1, n = 0;
    const bex_real **x = malloc((size_t)(rows / apart + 1) * sizeof *x);
    if (!x) return bex_fail("out of memory");
    for (int r = 0; r < rows; r += apart) x[n++] = bex_features_at(f, frames[r]);
    int code =
        bex_seen_fit(&p->seen, (int)p->config.vision.columns, (int)bex_policy_features(p), x, n);
    free(x);
    return code;
}

void bex_sight_fill_columns(const bex_policy *p, const bex_features *f, const int *frames,
                            bex_dataset *d) {
    for (int r = 0; r < d->rows; r++)
        bex_seen_columns(&p->seen, d->observations + (size_t)r * (size_t)d->O + (size_t)p->given,
                         bex_features_at(f, frames[r]));
}
