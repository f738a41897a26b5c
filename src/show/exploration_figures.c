/* show/exploration_figures.c */
#include "show/exploration_figures.h"
#include "show/world_picture.h"

#include "base/error.h"
#include "base/path.h"
#include "draw/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_at(const json_t *object, const char *key, size_t i) {
    return json_number_value(json_array_get(json_object_get(object, key), i));
}

static int draw_curve(bex_panel *p, const json_t *c, const char *x, const bex_mark *mark) {
    size_t n = json_array_size(json_object_get(c, x));
    double *values = malloc(3 * (n + 1) * sizeof *values);
    if (!values) return bex_fail("out of memory");
    for (size_t i = 0; i < n; i++) {
        values[i] = number_at(c, x, i);
        values[n + i] = number_at(c, "mean", i);
        values[2 * n + i] = number_at(c, "error", i);
    }
    bex_panel_line(p, values, values + n, values + 2 * n, (int)n, mark);
    free(values);
    return 0;
}

static int draw_regions(bex_panel *p, const json_t *results, const char *by, const char *x,
                        int regions) {
    const json_t *c = json_object_get(json_object_get(results, by), "regions");
    int code = draw_curve(p, c, x, &(bex_mark){.colour = BEX_BLUE});
    bex_panel_hline(p, regions, &(bex_mark){.label = "all there are", .dashed = true});
    bex_panel_legend(p, BEX_LEGEND_BEST);
    return code;
}

// the share of goals found, over a thin line for each goal
static int draw_goals(bex_panel *p, const json_t *results) {
    const json_t *c = json_object_get(json_object_get(results, "by_step"), "goals");
    const json_t *each = json_object_get(c, "each"), *steps = json_object_get(c, "step");
    const json_t *names = json_object_get(json_object_get(results, "goals"), "names");
    size_t n = json_array_size(steps);
    double *values = malloc(2 * (n + 1) * sizeof *values);
    if (!values) return bex_fail("out of memory");
    for (size_t i = 0; i < n; i++) values[i] = number_at(c, "step", i);
    for (size_t g = 0; json_array_size(each) > 1 && g < json_array_size(each); g++) {
        const json_t *share = json_array_get(each, g);
        for (size_t i = 0; i < n; i++) values[n + i] = json_number_value(json_array_get(share, i));
        bex_panel_line(p, values, values + n, NULL, (int)n,
                       &(bex_mark){.label = json_string_value(json_array_get(names, g)),
                                   .colour = bex_palette((int)g + 1),
                                   .width = 0.9});
    }
    free(values);
    bex_panel_y_range(p, 0, 1.02);
    bex_panel_legend(p, BEX_LEGEND_OUTSIDE);
    return draw_curve(p, c, "step", &(bex_mark){.label = "all goals", .colour = BEX_BLUE});
}

static int draw_coverage(const bex_explored *e, const json_t *results, const char *name,
                         const char *paths) {
    char title[240];
    snprintf(title, sizeof title, "%s: %d trials, mean and standard error", name, e->trials);
    bex_figure *f = bex_figure_new(1, e->G ? 3 : 2, 300, 220);
    bex_figure_title(f, title);
    bex_panel *p = bex_figure_panel(f, 0, 0);
    bex_panel_labels(p, "After each episode", "episodes", "regions visited");
    int code = draw_regions(p, results, "by_episode", "episode", e->R);
    p = bex_figure_panel(f, 0, 1);
    bex_panel_labels(p, "After each step", "steps", "regions visited");
    if (code == 0) code = draw_regions(p, results, "by_step", "step", e->R);
    if (code == 0 && e->G) {
        p = bex_figure_panel(f, 0, 2);
        bex_panel_labels(p, "Goals found", "steps", "share of goals; of trials");
        code = draw_goals(p, results);
    }
    if (code == 0) code = bex_figure_save(f, paths);
    bex_figure_free(f);
    return code;
}

// trial 0's episodes as paths, all trials' rows as the map
static int draw_rollouts(const bex_explored *e, const char *name, const char *paths) {
    if (!e->world->class->draw) return 0;
    const bex_trial *t = &e->trial[0];
    size_t rows = 0, O = (size_t)e->O, episodes = (size_t)t->episodes;
    for (int i = 0; i < e->trials; i++) rows += (size_t)e->trial[i].steps;
    bex_real *all = malloc(rows * O * sizeof *all), *at = all;
    const bex_real **obs = malloc(episodes * sizeof *obs);
    int *length = malloc(episodes * sizeof *length), code = -1;
    if (all && obs && length) {
        for (int i = 0; i < e->trials; i++) {
            size_t n = (size_t)e->trial[i].steps * O;
            memcpy(at, e->trial[i].obs, n * sizeof *at);
            at += n;
        }
        for (size_t k = 0; k < episodes; k++) {
            obs[k] = t->obs + (size_t)t->start[k] * O;
            length[k] = t->start[k + 1] - t->start[k];
        }
        char title[160];
        snprintf(title, sizeof title, "%s: %d episodes of one trial", name, t->episodes);
        bex_paths p = {t->episodes, obs, length, e->O, all, (int)rows};
        code = bex_world_picture(e->world, &p, title, paths);
    } else {
        bex_fail("out of memory");
    }
    free(all);
    free((void *)obs);
    free(length);
    return code;
}

int bex_explore_draw(const bex_explored *e, const json_t *results, const char *name,
                     const char *out) {
    char paths[2 * BEX_PATH_SIZE];
    int n = snprintf(paths, sizeof paths, "%s/coverage.svg,%s/coverage.png", out, out);
    if (n >= (int)sizeof paths) return bex_fail("path too long: '%.60s...'", out);
    if (draw_coverage(e, results, name, paths) < 0) return -1;
    snprintf(paths, sizeof paths, "%s/rollouts.svg,%s/rollouts.png", out, out);
    return draw_rollouts(e, name, paths);
}
