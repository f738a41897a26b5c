#include "agent/skills/demonstration_rows.h"

#include "agent/skills/skill_space.h"

#include <string.h>

void bex_rows_states(bex_real *out, const bex_dataset *d, int row, int n, int S) {
    size_t O = (size_t)d->O;
    for (int i = 0; i < n; i++)
        memcpy(out + (size_t)i * (size_t)S, d->observations + (size_t)(row + i) * O,
               (size_t)S * sizeof *out);
}

void bex_rows_actions(bex_real *out, const bex_dataset *d, int row, int n) {
    const bex_real *from = d->actions + (size_t)row * (size_t)d->A;
    for (size_t i = 0; i < (size_t)n * (size_t)d->A; i++) out[i] = bex_inside(from[i]);
}
