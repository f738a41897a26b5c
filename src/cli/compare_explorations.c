/* cli/compare_explorations.c - two explorations of one world, trial by trial. */
#include "cli/comparison.h"

#include "base/error.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_exploration(const json_t *results) {
    return json_object_get(results, "environment") != NULL;
}

static int look(bex_compared *s) {
    long long trials;
    s->seed = -1;
    bex_json_get_integer(s->results, "seed", &s->seed);
    bex_error_clear();
    if (bex_json_get_integer(s->results, "trials", &trials) < 0 || trials < 1 || trials > 100000)
        return bex_fail("'%s' is no exploration (trials)", s->path);
    s->n = (int)trials;
    s->of = json_string_value(json_object_get(json_object_get(s->results, "environment"), "name"));
    return s->of ? 0 : bex_fail("'%s' is no exploration (environment)", s->path);
}

// regions after each episode that both have, by trial
static void add_regions(bex_comparison *c) {
    const json_t *all[2];
    size_t episodes = SIZE_MAX;
    for (int s = 0; s < 2; s++) {
        const json_t *regions =
            json_object_get(json_object_get(c->side[s].results, "by_episode"), "regions");
        all[s] = json_object_get(regions, "trials");
        if (json_array_size(all[s]) < episodes) episodes = json_array_size(all[s]);
    }
    // the first, the last, and some between
    for (size_t k = 0; k < episodes; k++) {
        bool told = k == 0 || k + 1 == episodes || (k + 1) % (episodes / 4 + 1) == 0;
        bex_measure *m = told ? bex_comparison_add(c, false) : NULL;
        if (!m) continue;
        snprintf(m->name, sizeof m->name, "regions after %zu episode%s", k + 1, k ? "s" : "");
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < c->side[s].n; i++)
                m->value[s][i] =
                    json_number_value(json_array_get(json_array_get(all[s], k), (size_t)i));
    }
}

static void add_goals(bex_comparison *c) {
    const json_t *first[2],
        *called = json_object_get(json_object_get(c->side[0].results, "goals"), "names");
    for (int s = 0; s < 2; s++)
        first[s] = json_object_get(json_object_get(c->side[s].results, "goals"), "first_step");
    size_t goals = json_array_size(called);
    if (!goals || !first[1]) return;
    bex_measure *share = bex_comparison_add(c, false);
    for (size_t g = 0; share && g < goals; g++) {
        bex_measure *m = bex_comparison_add(c, true);
        if (!m) break;
        snprintf(m->name, sizeof m->name, "found %.40s",
                 json_string_value(json_array_get(called, g)));
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < c->side[s].n; i++) {
                m->value[s][i] =
                    json_is_integer(json_array_get(json_array_get(first[s], (size_t)i), g));
                share->value[s][i] += m->value[s][i] / (double)goals;
            }
    }
    if (share) snprintf(share->name, sizeof share->name, "share of goals found");
}

static void add_conduct(bex_comparison *c) {
    const char *name;
    json_t *value;
    json_t *mine = json_object_get(c->side[0].results, "conduct"),
           *theirs = json_object_get(c->side[1].results, "conduct");
    json_object_foreach(mine, name, value) {
        const json_t *of[2] = {json_object_get(value, "trials"),
                               json_object_get(json_object_get(theirs, name), "trials")};
        bex_measure *m = of[0] && of[1] ? bex_comparison_add(c, false) : NULL;
        if (!m) continue;
        snprintf(m->name, sizeof m->name, "%.47s", name);
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < c->side[s].n; i++)
                m->value[s][i] = json_number_value(json_array_get(of[s], (size_t)i));
    }
}

static int measure(bex_comparison *c, bool unpaired) {
    const bex_compared *a = &c->side[0], *b = &c->side[1];
    if (strcmp(a->of, b->of) != 0)
        return bex_fail("'%s' is of %s, '%s' of %s", a->path, a->of, b->path, b->of);
    c->paired = !unpaired && a->seed == b->seed && a->n == b->n;
    add_regions(c), add_goals(c), add_conduct(c);
    return 0;
}

// regions by episode of both
static void draw(const bex_comparison *c, bex_panel *panel) {
    for (int s = 0; s < 2; s++) {
        const json_t *regions =
            json_object_get(json_object_get(c->side[s].results, "by_episode"), "regions");
        size_t n = json_array_size(json_object_get(regions, "mean"));
        double *x = bex_comparison_numbers(3 * (long long)n + 1), *y = x + n, *e = y + n;
        for (size_t k = 0; k < n; k++) {
            x[k] = (double)k + 1,
            y[k] = json_number_value(json_array_get(json_object_get(regions, "mean"), k));
            e[k] = json_number_value(json_array_get(json_object_get(regions, "error"), k));
        }
        bex_panel_line(panel, x, y, e, (int)n,
                       &(bex_mark){.label = c->side[s].name, .colour = bex_palette(s)});
        free(x);
    }
    bex_panel_labels(panel, "Regions visited", "episode", NULL);
}

const bex_comparison_kind bex_compare_explorations = {
    .name = "exploration",
    .unit = "trial",
    .why = "other seeds or numbers of trials",
    .is = is_exploration,
    .look = look,
    .measure = measure,
    .draw = draw,
};
