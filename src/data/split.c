/* data/split.c - the rules, and the scale of an ordinary step. */
#include "data/split.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned rule;
} names[] = {
    {"flags", BEX_SPLIT_FLAGS},       {"terminals", BEX_SPLIT_TERMINALS},
    {"timeouts", BEX_SPLIT_TIMEOUTS}, {"jumps", BEX_SPLIT_JUMPS},
    {"length", BEX_SPLIT_LENGTH},
};
enum { NAMES = sizeof names / sizeof *names, MOST_SAMPLES = 100000 };

int bex_split_parse(unsigned *rules, const char *text) {
    *rules = 0;
    for (const char *at = text;;) {
        size_t n = strcspn(at, ",");
        unsigned rule = 0;
        for (int i = 0; i < NAMES; i++)
            if (strlen(names[i].name) == n && !strncmp(names[i].name, at, n)) rule = names[i].rule;
        if (!rule)
            return bex_fail(
                "no rule '%.*s' to split at (flags, terminals, timeouts, jumps, length)", (int)n,
                at);
        *rules |= rule;
        if (!at[n]) return 0;
        at += n + 1;
    }
}

int bex_split_terminals_in_runs(const unsigned char *terminals, int rows) {
    for (int t = 0; t + 1 < rows; t++)
        if (terminals[t] && terminals[t + 1]) return 1;
    return 0;
}

double bex_split_step(const bex_real *obs, int O, const int position[2], int t) {
    double sum = 0;
    const bex_real *s = obs + (size_t)t * (size_t)O;
    for (int i = 0; i < 2; i++) {
        if (position[i] < 0 || position[i] >= O || (i && position[1] == position[0])) continue;
        double d = (double)s[O + position[i]] - (double)s[position[i]];
        sum += d * d;
    }
    return sqrt(sum);
}

double bex_split_change(const bex_real *obs, int O, int t) {
    double sum = 0;
    const bex_real *s = obs + (size_t)t * (size_t)O;
    for (int c = 0; c < O; c++)
        sum += ((double)s[O + c] - (double)s[c]) * ((double)s[O + c] - (double)s[c]);
    return sqrt(sum);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bex_split_jump(const bex_real *obs, int rows, int O, const int position[2]) {
    int stride = rows / MOST_SAMPLES + 1, n = 0;
    double *steps = malloc(sizeof *steps * (size_t)(rows / stride + 1));
    if (!steps || rows < 2) return free(steps), HUGE_VAL;
    for (int t = 0; t + 1 < rows; t += stride) {
        double step = bex_split_step(obs, O, position, t);
        if (isfinite(step)) steps[n++] = step;
    }
    qsort(steps, (size_t)n, sizeof *steps, by_value);
    double usual = n ? steps[(int)(0.9 * (n - 1))] : 0;
    free(steps);
    return usual > 0 ? 5 * usual : HUGE_VAL;
}

int bex_split_rows(int **start, int *episodes, const bex_split *split,
                   const unsigned char *terminals, const unsigned char *timeouts,
                   const bex_real *obs, int rows, int O) {
    unsigned rules = split->rules;
    if (!rules) rules = BEX_SPLIT_FLAGS | (split->length ? BEX_SPLIT_LENGTH : 0);
    if ((rules & BEX_SPLIT_LENGTH) && split->length < 1)
        return bex_fail("splitting by length needs the episodes' length");
    if (rules & BEX_SPLIT_FLAGS) rules |= BEX_SPLIT_TIMEOUTS;
    if ((rules & BEX_SPLIT_FLAGS) && terminals && !bex_split_terminals_in_runs(terminals, rows))
        rules |= BEX_SPLIT_TERMINALS;
    if (!terminals) rules &= ~(unsigned)BEX_SPLIT_TERMINALS;
    if (!timeouts) rules &= ~(unsigned)BEX_SPLIT_TIMEOUTS;
    double jump = split->jump;
    if (rules & BEX_SPLIT_JUMPS && !(jump > 0))
        jump = bex_split_jump(obs, rows, O, split->position);

    int *cuts = malloc(((size_t)rows + 1) * sizeof *cuts), n = 0;
    if (!cuts) return bex_fail("out of memory: %d rows", rows);
    cuts[n++] = 0;
    for (int t = 0; t + 1 < rows; t++) {
        int cut = ((rules & BEX_SPLIT_TERMINALS) && terminals[t]) ||
                  ((rules & BEX_SPLIT_TIMEOUTS) && timeouts[t]) ||
                  ((rules & BEX_SPLIT_LENGTH) && t + 1 - cuts[n - 1] >= split->length) ||
                  ((rules & BEX_SPLIT_JUMPS) && bex_split_step(obs, O, split->position, t) > jump);
        if (cut) cuts[n++] = t + 1;
    }
    cuts[n] = rows;
    int *fitted = realloc(cuts, ((size_t)n + 1) * sizeof *cuts);
    *start = fitted ? fitted : cuts;
    *episodes = n;
    return 0;
}
