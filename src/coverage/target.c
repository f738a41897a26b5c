/* coverage/target.c - the three forms of exp. */
#include "coverage/target.h"
#include "coverage/coverage.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *prefix;
    bex_exp_form form;
} forms[] = {{"q:", BEX_TARGET_QUANTILE}, {"z:", BEX_TARGET_Z}, {"raw:", BEX_TARGET_RAW}};

int bex_target_parse(bex_target *e, const char *text) {
    const char *number = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t length = strlen(forms[i].prefix);
        if (!strncmp(text, forms[i].prefix, length))
            e->form = forms[i].form, number = text + length;
    }
    if (!number) {
        bex_fail("exp '%s' is none of q:, z: and raw:", text);
        return bex_fail_hint("e.g. q:0.95, z:2 or raw:0.01");
    }
    if (bex_number_parse(&e->x, number) < 0)
        return bex_fail("exp '%s': '%s' is not a finite number", text, number);
    if (e->form == BEX_TARGET_QUANTILE && !(e->x >= 0 && e->x <= 1))
        return bex_fail("exp '%s': a quantile lies in 0 to 1", text);
    if (e->form == BEX_TARGET_RAW && !(e->x > 0))
        return bex_fail("exp '%s': a coverage is above 0", text);
    return 0;
}

bool bex_target_needs_history(bex_target e, const bex_condition *c) {
    return e.form == BEX_TARGET_RAW && bex_condition_normalise(c) == BEX_NORMALISE_HISTORY;
}

int bex_target_resolve(double *value, bex_target e, const bex_condition *c, const double *history) {
    if (e.form != BEX_TARGET_RAW) {
        *value = e.form == BEX_TARGET_Z ? e.x : bex_condition_quantile(c, e.x);
        return 0;
    }
    if (bex_condition_normalise(c) == BEX_NORMALISE_RANK)
        return bex_fail("exp raw:%g: this policy ranks futures; ask for a quantile, e.g. q:0.95",
                        e.x);
    if (!bex_target_needs_history(e, c)) {
        *value = bex_condition_value(c, log(e.x), NULL);
        return 0;
    }
    BEX_CHECK(history, "a raw coverage under history normalisation needs the history");
    bex_moments m = bex_condition_moments(c, history);
    if (!isfinite(m.std)) return bex_coverage_fail(bex_condition_lambda(c));
    *value = bex_condition_value(c, log(e.x), &m);
    return 0;
}
