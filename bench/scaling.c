/* bench/scaling.c - `bex bench scaling`: does the time of an update grow as its work does?
 *
 *   scaling_full/batch/64        ms an update of Kitchen's size at another batch or history, beside what
 *   scaling_prefix/history/200   the preset's own says: its time, in proportion to the model's FLOPs.
 *                                Ratio 1: linear
 *
 * --plot draws time against work, a line for each mode. */
#include "bench/workload.h"

#include "base/error.h"
#include "cli/options.h"
#include "draw/figure.h"

#include <stdio.h>
#include <string.h>

enum { POINTS = 5, MODES = 2, SWEEPS = 2 };

static const struct {
    const char *name, *axis;
    long long at[POINTS];
    int own; // of the preset, the yardstick
} sweeps[SWEEPS] = {
    {"batch", "windows a batch", {64, 128, 256, 512, 1024}, 2},
    {"history", "history states", {25, 50, 100, 200, 400}, 1},
};
static const struct {
    const char *name;
    bex_colour colour;
} modes[MODES] = {{"full", BEX_BLUE}, {"prefix", BEX_ORANGE}};

static const bex_workload *kitchen(const char *kind) {
    const bex_workload *w;
    for (int i = 0; (w = bex_workload_at(i)); i++)
        if (!strcmp(w->kind, kind) && !strcmp(w->world, "kitchen")) break;
    return w;
}

static int measure(const char *mode, int sweep, bex_workload_step step[POINTS]) {
    const bex_workload *w = kitchen(mode);
    for (int i = 0; i < POINTS; i++) {
        bex_train_config config;
        if (bex_workload_config(w, &config) < 0) return -1;
        if (sweep == 0)
            config.train.batch = sweeps[0].at[i];
        else
            config.policy.model.history = sweeps[1].at[i];
        if (bex_workload_measure(w, &config, &step[i]) < 0) return -1;
    }
    return 0;
}

static void draw(bex_panel *p, int mode, int sweep, const bex_workload_step step[POINTS]) {
    double x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++)
        x[i] = (double)sweeps[sweep].at[i], y[i] = 1e3 * step[i].seconds;
    bex_panel_line(p, x, y, NULL, POINTS,
                   &(bex_mark){.label = modes[mode].name, .colour = modes[mode].colour});
    bex_panel_scatter(p, x, y, POINTS, &(bex_mark){.size = 4, .colour = modes[mode].colour});
}

static int sweep_rows(bex_bench *b, int mode, int sweep, bex_panel *panel) {
    bex_workload_step step[POINTS];
    if (measure(modes[mode].name, sweep, step) < 0) return -1;
    const bex_workload_step *own = &step[sweeps[sweep].own];
    for (int i = 0; i < POINTS; i++) {
        char name[64];
        snprintf(name, sizeof name, "scaling_%s/%s/%lld", modes[mode].name, sweeps[sweep].name,
                 sweeps[sweep].at[i]);
        bex_bench_row(b, name, 1e3 * step[i].seconds, "ms", BEX_BENCH_TIME, "linear in FLOPs",
                      1e3 * own->seconds * step[i].gflop / own->gflop);
    }
    draw(panel, mode, sweep, step);
    return 0;
}

int bex_bench_scaling(bex_bench *b) {
    bex_figure *f = bex_figure_new(1, SWEEPS, 260, 190);
    int code = 0;
    for (int s = 0; !code && s < SWEEPS; s++) {
        bex_panel *p = bex_figure_panel(f, 0, s);
        bex_panel_labels(p, NULL, sweeps[s].axis, "ms an update");
        for (int m = 0; !code && m < MODES; m++) code = sweep_rows(b, m, s, p);
        bex_panel_legend(p, BEX_LEGEND_TOP_LEFT);
    }
    if (!code && bex_bench_plot(b)) code = bex_figure_save(f, bex_bench_plot(b));
    bex_figure_free(f);
    if (code < 0) fprintf(stderr, "bex bench scaling: %s\n", bex_error());
    return code < 0 ? BEX_EXIT_FAILED : BEX_EXIT_OK;
}
