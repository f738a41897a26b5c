/* coverage/state_sum.c - features of sixteen states at a time, on the stack. */
#include "coverage/state_sum.h"

#include <string.h>

enum { BLOCK = 16 };

int bex_state_sum_add(const bex_feature *f, double *g, const bex_real *states, size_t n) {
    bex_gram_shape wide = bex_feature_wide(f);
    size_t input = (size_t)bex_feature_input(f);
    bex_real features[BLOCK * BEX_GRAM_WIDTH];
    int32_t cells[BLOCK];
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        const bex_real *rows = states + first * input;
        if (wide.diagonal) {
            if (bex_feature_cells(f, cells, rows, count, 1) < 0) return -1;
            for (size_t i = 0; i < count; i++) g[cells[i]] += 1;
        } else {
            if (bex_feature_eval_wide(f, features, rows, count, 1) < 0) return -1;
            bex_gram_rows(wide, g, features, count, BEX_GRAM_ADD);
        }
    }
    return 0;
}

int bex_state_sum_from(const bex_feature *f, double *g, const bex_real *state) {
    bex_real reference[BEX_GRAM_WIDTH];
    double seen[BEX_GRAM_MOST];
    if (!bex_feature_relative(f)) return 0;
    if (bex_feature_eval_wide(f, reference, state, 1, 1) < 0) return -1;
    bex_feature_contract(f, seen, g, reference);
    memcpy(g, seen, bex_gram_size(bex_feature_shape(f)) * sizeof *seen);
    return 0;
}

int bex_state_sum_of(const bex_feature *f, double *g, const bex_real *states, size_t n,
                     const bex_real *state) {
    bex_gram_zero(bex_feature_wide(f), g);
    return bex_state_sum_add(f, g, states, n) < 0 ? -1 : bex_state_sum_from(f, g, state);
}
