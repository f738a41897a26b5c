#include "show/exploration_figures.h"
#include "show/world_picture.h"

#include "base/error.h"
#include "base/path.h"
#include "draw/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void draw_curve(bex_panel *p, const bex_curve *c, const bex_mark *mark) {
    bex_panel_line(p, c->x, c->mean, c->error, c->n, mark);
}

static void draw_regions(bex_panel *p, const bex_curve *c, int regions) {
    draw_curve(p, c, &(bex_mark){.colour = BEX_BLUE});
    bex_panel_hline(p, regions, &(bex_mark){.label = "all there are", .dashed = true});
    bex_panel_legend(p, BEX_LEGEND_BEST);
}

// the share of goals found, over a thin line for each goal
static void draw_goals(bex_panel *p, const bex_exploration_summary *s) {
    for (int g = 0; s->goals > 1 && g < s->goals; g++)
        bex_panel_line(
            p, s->goal[g].x, s->goal[g].mean, NULL, s->goal[g].n,
            &(bex_mark){.label = s->goal_name[g], .colour = bex_palette(g + 1), .width = 0.9});
    bex_panel_y_range(p, 0, 1.02);
    bex_panel_legend(p, BEX_LEGEND_OUTSIDE);
    draw_curve(p, &s->goals_by_step, &(bex_mark){.label = "all goals", .colour = BEX_BLUE});
}

static int draw_coverage(const bex_exploration_summary *s, const char *name, const char *paths) {
    char title[240];
    snprintf(title, sizeof title, "%s: %lld trials, mean and standard error", name, s->trials);
    bex_figure *f = bex_figure_new(1, s->goals ? 3 : 2, 300, 220);
    bex_figure_title(f, title);
    bex_panel *p = bex_figure_panel(f, 0, 0);
    bex_panel_labels(p, "After each episode", "episodes", "regions visited");
    draw_regions(p, &s->by_episode, (int)s->regions);
    p = bex_figure_panel(f, 0, 1);
    bex_panel_labels(p, "After each step", "steps", "regions visited");
    draw_regions(p, &s->by_step, (int)s->regions);
    if (s->goals) {
        p = bex_figure_panel(f, 0, 2);
        bex_panel_labels(p, "Goals found", "steps", "share of goals; of trials");
        draw_goals(p, s);
    }
    int code = bex_figure_save(f, paths);
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
        bex_paths p = {t->episodes, obs, length, e->O, all, (int)rows, 0};
        code = bex_world_picture(e->world, &p, title, paths);
    } else {
        bex_fail("out of memory");
    }
    free(all);
    free((void *)obs);
    free(length);
    return code;
}

int bex_explore_draw(const bex_explored *e, const bex_exploration_summary *summary,
                     const char *name, const char *out) {
    char paths[2 * BEX_PATH_SIZE];
    int n = snprintf(paths, sizeof paths, "%s/coverage.svg,%s/coverage.png", out, out);
    if (n >= (int)sizeof paths) return bex_fail("path too long: '%.60s...'", out);
    if (draw_coverage(summary, name, paths) < 0) return -1;
    snprintf(paths, sizeof paths, "%s/rollouts.svg,%s/rollouts.png", out, out);
    return draw_rollouts(e, name, paths);
}
