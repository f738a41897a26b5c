/* policy/policy_phi.c - [coverage] to coverage/feature.h. */
#include "policy/policy_phi.h"

#include "base/columns.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double CELLS_MOST = 1 << 30; // of a grid: an int counts them

bex_feature *bex_policy_phi(const bex_policy_config *config, const bex_normaliser *n) {
    const bex_coverage_config *c = &config->coverage;
    int dims[BEX_FEATURE_DIMS], bins[BEX_FEATURE_DIMS];
    bex_real low[BEX_FEATURE_DIMS], bin[BEX_FEATURE_DIMS], *std = NULL;
    int count = bex_columns_select(dims, BEX_FEATURE_DIMS, c->dims, n->columns, n->O);
    if (count < 0) return bex_fail_in("coverage.dims"), NULL;
    bex_feature_options o = {
        .kind = bex_phi_kinds[c->phi],
        .input = n->O,
        .dims = count ? dims : NULL,
        .dims_count = count,
        .out = (int)c->features,
        .hidden = (int)c->hidden,
        .bandwidth = c->bandwidth,
        .seed = (uint64_t)c->seed,
    };
    bool onehot = !strcmp(o.kind, "onehot");
    if (onehot) {
        // a grid of cells over four standard deviations each side of the mean
        if (!count || count > 3) return bex_fail("onehot needs coverage.dims, one to three"), NULL;
        o.out = 1;
        for (int i = 0; i < count; i++) {
            bex_real half = R(4) * n->std[dims[i]];
            low[i] = n->mean[dims[i]] - half;
            bin[i] = R(c->cell);
            double across = (double)(R(2) * half / bin[i]) + 1;
            if (!(across * o.out < CELLS_MOST))
                return bex_fail("coverage.cell %g: more than %g cells", c->cell, CELLS_MOST), NULL;
            bins[i] = (int)across;
            o.out *= bins[i];
        }
        o.low = low, o.bin = bin, o.bins = bins;
    } else if (c->standardise) {
        // a dropped dim is constant: any scale will do
        std = malloc((size_t)n->O * sizeof *std);
        if (!std) return bex_fail("out of memory"), NULL;
        for (int i = 0; i < n->O; i++) std[i] = n->std[i] > 0 ? n->std[i] : R(1);
        o.mean = n->mean, o.std = std;
    }
    bex_feature *f = bex_feature_new(&o);
    free(std);
    if (!f) bex_fail_in("coverage");
    return f;
}
