/* demo/goal_weights.c - the text and its meaning. */
#include "demo/goal_weights.h"

#include "base/error.h"
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define RARE 0.05 // weight of a rare cell unless said

// the cell with the least sum of distances
static int most_central(const bex_maze *m, int *steps, int *queue) {
    long least = -1;
    int best = 0;
    for (int c = 0; c < m->cells; c++) {
        long sum = 0;
        bex_maze_distances(m, c, steps, queue);
        for (int i = 0; i < m->cells; i++) sum += steps[i];
        if (least < 0 || sum < least) least = sum, best = c;
    }
    return best;
}

static int weigh_by_distance(double *weights, const bex_maze *m, double scale, int from) {
    int *steps = malloc(2 * (size_t)m->cells * sizeof *steps);
    if (!steps) return bex_fail("out of memory");
    if (from < 0) from = most_central(m, steps, steps + m->cells);
    bex_maze_distances(m, from, steps, steps + m->cells);
    for (int i = 0; i < m->cells; i++) weights[i] = exp(-steps[i] / scale);
    free(steps);
    return 0;
}

// "R,C": advances *text
static bool read_cell(const char **text, int cell[2]) {
    for (int i = 0; i < 2; i++) {
        if (i && *(*text)++ != ',') return false;
        if (!isdigit((unsigned char)**text)) return false;
        char *end;
        long n = strtol(*text, &end, 10);
        cell[i] = n < BEX_MAZE_SIDE ? (int)n : BEX_MAZE_SIDE;
        *text = end;
    }
    return true;
}

// ":W", or what it is without; advances *text
static bool read_number(const char **text, double *value) {
    if (**text != ':') return true;
    ++*text;
    return bex_number_take(value, text) == 0 && *value >= 0;
}

static int weigh_rectangle(double *weights, const bex_maze *m, const int a[2], const int b[2],
                           double weight) {
    int found = 0;
    for (int i = 0; i < m->cells; i++)
        if (m->at[i][0] >= a[0] && m->at[i][0] <= b[0] && m->at[i][1] >= a[1] &&
            m->at[i][1] <= b[1])
            weights[i] = weight, found++;
    return found ? 0
                 : bex_fail("goal weights: no free cell in %d,%d-%d,%d", a[0], a[1], b[0], b[1]);
}

static int not_understood(const char *text) {
    bex_fail("goal weights '%s' are not understood", text);
    return bex_fail_hint("for example 6,1 or 4,1-6,2:0.05 or far:3");
}

int bex_goal_weights(double *weights, const bex_maze *m, const char *text, int from) {
    const char *at = text;
    double scale = 3, sum = 0;
    for (int i = 0; i < m->cells; i++) weights[i] = 1;
    if (!strncmp(at, "far", 3)) {
        at += 3;
        if (!read_number(&at, &scale) || *at || !(scale > 0)) return not_understood(text);
        return weigh_by_distance(weights, m, scale, from);
    }
    do {
        int a[2], b[2];
        double weight = RARE;
        if (!read_cell(&at, a)) return not_understood(text);
        b[0] = a[0], b[1] = a[1];
        if (*at == '-' && (at++, !read_cell(&at, b))) return not_understood(text);
        if (!read_number(&at, &weight)) return not_understood(text);
        if (weigh_rectangle(weights, m, a, b, weight) < 0) return -1;
    } while (*at == '+' && *++at);
    if (*at || at[-1] == '+') return not_understood(text);
    for (int i = 0; i < m->cells; i++) sum += weights[i];
    return sum > 0 ? 0 : bex_fail("goal weights '%s': no cell is left to be a goal", text);
}
