/* cli/cmd_compare.c - `bex compare A B`: two explorations trial by trial, or two evaluations episode by
 * episode. */
#include "cli/command.h"
#include "cli/compare_film.h"
#include "cli/comparison.h"
#include "cli/evaluation.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/path.h"
#include "host/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double CONFIDENCE = 0.95;

static const char *plot, *names, *film;
static long long film_trial = 1;
static bex_env_flags world;
static bool json, unpaired;
static bex_evaluation_options judge = {.windows = 512, .chunks = 8};
static const bex_option options[] = {
    {"names", BEX_OPTION_TEXT, &names, "A,B", "what to call them [the directories]", 0, 0},
    {"plot", BEX_OPTION_TEXT, &plot, "OUT", "draw it: .png, .svg or .pdf", 0, 0},
    {"film", BEX_OPTION_TEXT, &film, "OUT.gif", "one trial of both, side by side, with counters", 0,
     0},
    {"trial", BEX_OPTION_INTEGER, &film_trial, "N", "of --film, from 1", 1, 100000},
    BEX_ENV_OPTIONS(world),
    {"unpaired", BEX_OPTION_FLAG, &unpaired, NULL, "as independent trials, whatever their seeds", 0,
     0},
    {"data", BEX_OPTION_TEXT, &judge.data, "FILE",
     "runs and policies: demonstrations to put both beside", 0, 0},
    {"windows", BEX_OPTION_INTEGER, &judge.windows, "N", "runs and policies: states to act from", 1,
     1e6},
    {"chunks", BEX_OPTION_INTEGER, &judge.chunks, "N", "runs and policies: chunks at each", 2, 256},
    {"json", BEX_OPTION_FLAG, &json, NULL, "print JSON", 0, 0},
};
static const bex_usage usage = {
    .command = "compare",
    .synopsis = "A B [options]",
    .about =
        "A minus B of two explorations (directories of bex explore, bex coverage --out or bex.explore, or\n"
        "their results.json), or of two evaluations: files of bex eval --json, or runs, which are then\n"
        "evaluated as bex eval does; with --data FILE any two policies of the same demonstrations.\n"
        "Explorations with one seed and as many trials are paired by trial, evaluations by the episodes\n"
        "that both have: the mean difference, its standard error over pairs, Student's p. Otherwise trials\n"
        "or episodes count as independent (Welch). Rates, such as the trials that found a goal, have\n"
        "Wilson's 95 % intervals.",
    .example = "bex compare explored/online explored/first --plot difference.svg\n"
               "bex compare explored/be explored/bc --names BE,BC --film race.gif\n"
               "bex compare runs/be runs/bc\n"
               "bex compare a.safetensors b.safetensors --data held-out.hdf5",
    .options = options,
    .count = sizeof options / sizeof *options,
};

static const bex_comparison_kind *const kinds[] = {&bex_compare_explorations,
                                                   &bex_compare_evaluations};
enum { KINDS = sizeof kinds / sizeof *kinds };

double *bex_comparison_numbers(long long n) {
    double *x = calloc((size_t)n, sizeof *x);
    BEX_CHECK(x, "out of memory: %lld numbers", n);
    return x;
}

bex_measure *bex_comparison_add(bex_comparison *c, bool rate) {
    if (c->rows == BEX_COMPARED_MOST) return NULL;
    bex_measure *m = &c->row[c->rows++];
    m->rate = rate;
    for (int s = 0; s < 2; s++) m->value[s] = bex_comparison_numbers(c->side[s].n);
    return m;
}

/* ---- reading ---- */

static bool ends_in(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcmp(path + n - m, end);
}

// results on disk; of a run or a policy those of an evaluation made now
static json_t *results_of(const char *path) {
    char file[BEX_PATH_SIZE];
    struct stat st;
    bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (folder && bex_path_join(file, path, "results.json") < 0) return NULL;
    if (folder && stat(file, &st) == 0) return bex_json_load(file);
    if (!folder && !ends_in(path, ".safetensors")) return bex_json_load(path);
    bex_evaluated e;
    json_t *j = bex_evaluated_make(&e, path, &judge) < 0 ? NULL : bex_evaluated_json(&e);
    bex_evaluated_fini(&e);
    return j;
}

// the last part of the path without its ending; of a checkpoint too
static void name_side(bex_compared *s) {
    const char *end = s->path + strlen(s->path);
    while (end > s->path && end[-1] == '/') end--;
    const char *base = end;
    while (base > s->path && base[-1] != '/') base--;
    snprintf(s->name, sizeof s->name, "%.*s", (int)(end - base), base);
}

static int name_sides(bex_comparison *c) {
    for (int s = 0; s < 2; s++) name_side(&c->side[s]);
    if (!names) return 0;
    size_t n = strcspn(names, ",");
    if (!names[n] || !n || !names[n + 1])
        return bex_fail("--names takes two names such as online,first");
    snprintf(c->side[0].name, BEX_COMPARED_NAME, "%.*s", (int)n, names);
    snprintf(c->side[1].name, BEX_COMPARED_NAME, "%s", names + n + 1);
    return 0;
}

static int read_both(bex_comparison *c, const bex_comparison_kind **kind, const char *const *path) {
    const bex_comparison_kind *of[2] = {NULL, NULL};
    for (int s = 0; s < 2; s++) c->side[s].path = path[s];
    if (name_sides(c) < 0) return bex_misused();
    for (int s = 0; s < 2; s++) {
        bex_compared *side = &c->side[s];
        if (!(side->results = results_of(path[s]))) return -1;
        for (int k = 0; k < KINDS; k++)
            if (kinds[k]->is(side->results)) of[s] = kinds[k];
        if (!of[s]) {
            bex_fail("'%s' is neither an exploration nor an evaluation", path[s]);
            return bex_fail_hint("results of bex explore, or of bex eval --json");
        }
        if (of[s]->look(side) < 0) return -1;
    }
    if (of[0] != of[1])
        return bex_fail("'%s' is an %s, '%s' an %s", path[0], of[0]->name, path[1], of[1]->name);
    *kind = of[0];
    if (of[0]->measure(c, unpaired) < 0) return -1;
    return c->rows ? 0
                   : bex_fail("'%s' and '%s' have nothing in common to compare", path[0], path[1]);
}

/* ---- judging ---- */

static bex_difference difference(const bex_comparison *c, const bex_measure *m) {
    if (c->paired) return bex_difference_paired(m->value[0], m->value[1], c->side[0].n);
    return bex_difference_welch(bex_estimate_of(m->value[0], c->side[0].n),
                                bex_estimate_of(m->value[1], c->side[1].n));
}

static bex_interval interval(const bex_comparison *c, const bex_measure *m, int s) {
    int hits = 0, n = c->side[s].n;
    for (int i = 0; i < n; i++) hits += m->value[s][i] > 0;
    return bex_interval_wilson(hits, n, CONFIDENCE);
}

static void print_text(const bex_comparison *c, const bex_comparison_kind *kind) {
    const bex_compared *x = &c->side[0], *y = &c->side[1];
    printf("%s, A %s (%d %ss), B %s (%d): ", x->of, x->name, x->n, kind->unit, y->name, y->n);
    if (c->paired)
        printf("paired by %s\n", kind->unit);
    else if (unpaired)
        printf("as independent %ss\n", kind->unit);
    else
        printf("independent %ss: %s\n", kind->unit, kind->why);
    printf("  %-32s %18s %18s %20s %8s\n", "", "A", "B", "A - B", "p");
    for (int k = 0; k < c->rows; k++) {
        const bex_measure *m = &c->row[k];
        bex_difference d = difference(c, m);
        printf("  %-32s", m->name);
        for (int s = 0; s < 2; s++) {
            bex_estimate e = bex_estimate_of(m->value[s], c->side[s].n);
            char text[40];
            bex_interval w = interval(c, m, s);
            if (m->rate)
                snprintf(text, sizeof text, "%.2f [%.2f, %.2f]", e.mean, w.low, w.high);
            else
                snprintf(text, sizeof text, "%.4g +- %.2g", e.mean, isnan(e.error) ? 0 : e.error);
            printf(" %18s", text);
        }
        char text[40], p[16] = "-";
        snprintf(text, sizeof text, "%.3g +- %.2g", d.value, isnan(d.error) ? 0 : d.error);
        if (isfinite(d.p)) snprintf(p, sizeof p, "%.3g", d.p);
        printf(" %20s %8s\n", text, p);
    }
    printf(
        "  +-: standard error over %s; p: two-sided, of Student's t, one of %d comparisons; [ ]: "
        "Wilson, 95 %%\n",
        c->paired ? "pairs (A - B)" : kind->unit, c->rows);
}

static json_t *number(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

static void print_json(const bex_comparison *c, const bex_comparison_kind *kind) {
    json_t *rows = json_array();
    for (int k = 0; k < c->rows; k++) {
        const bex_measure *m = &c->row[k];
        bex_difference d = difference(c, m);
        json_t *row = json_pack("{s:s, s:b, s:o, s:o, s:o, s:o}", "name", m->name, "rate", m->rate,
                                "difference", number(d.value), "error", number(d.error), "p",
                                number(d.p), "freedom", number(d.freedom));
        for (int s = 0; s < 2; s++) {
            bex_estimate e = bex_estimate_of(m->value[s], c->side[s].n);
            bex_interval w =
                m->rate ? interval(c, m, s) : bex_interval_t(m->value[s], c->side[s].n, CONFIDENCE);
            json_object_set_new(row, s ? "b" : "a",
                                json_pack("{s:f, s:o, s:o, s:o}", "mean", e.mean, "error",
                                          number(e.error), "low", number(w.low), "high",
                                          number(w.high)));
        }
        json_array_append_new(rows, row);
    }
    json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:b, s:s, s:o}", "kind", kind->name, "of",
                          c->side[0].of, "a", c->side[0].name, "b", c->side[1].name, "paired",
                          c->paired, "unit", kind->unit, "measures", rows);
    bex_json_print(j);
    json_decref(j);
}

// left: what the kind draws of both; right: A - B of everything, in standard errors
static int draw(const bex_comparison *c, const bex_comparison_kind *kind) {
    bex_figure *f = bex_figure_new(1, 2, 300, 240);
    if (!f) return bex_fail("out of memory");
    char title[BEX_PATH_SIZE + 256];
    snprintf(title, sizeof title, "%s: %s and %s", c->side[0].of, c->side[0].name, c->side[1].name);
    bex_figure_title(f, title);
    bex_panel *curves = bex_figure_panel(f, 0, 0), *differences = bex_figure_panel(f, 0, 1);
    kind->draw(c, curves);
    bex_panel_legend(curves, BEX_LEGEND_BEST);
    double most = 3;
    for (int k = 0; k < c->rows; k++) {
        double ratio = fabs(difference(c, &c->row[k]).ratio);
        if (isfinite(ratio)) most = fmax(most, ratio + 2.2);
    }
    bex_panel_x_range(differences, -most, most);
    bex_panel_y_range(differences, -c->rows + 0.5, 0.9);
    for (int k = 0; k < c->rows; k++) {
        bex_difference d = difference(c, &c->row[k]);
        double y = -k, ratio = isfinite(d.ratio) ? d.ratio : 0;
        const double x[2] = {ratio - 1.96, ratio + 1.96}, at[2] = {y, y};
        bex_panel_path(differences, x, at, 2, &(bex_mark){.colour = BEX_BLUE, .width = 1.5});
        bex_panel_scatter(differences, &ratio, &y, 1, &(bex_mark){.colour = BEX_BLUE, .size = 5});
        bex_panel_text(differences, -most, y + 0.45, c->row[k].name, -1, &(bex_mark){.size = 6});
    }
    bex_panel_vline(differences, 0, &(bex_mark){.dashed = true});
    bex_panel_labels(differences, "A - B, with 95 %", "standard errors of the difference", NULL);
    int code = bex_figure_save(f, plot);
    bex_figure_free(f);
    return code;
}

static int compare(bex_comparison *c, const char *const *path) {
    const bex_comparison_kind *kind = NULL;
    const char *called[2] = {c->side[0].name, c->side[1].name};
    if (film && (strlen(film) < 5 || strcmp(film + strlen(film) - 4, ".gif") != 0))
        return bex_fail("--film draws a .gif, not '%s'", film), bex_misused();
    if (read_both(c, &kind, path) < 0 || (plot && draw(c, kind) < 0)) return -1;
    if (film && kind != &bex_compare_explorations)
        return bex_fail("--film is of explorations, '%s' is an %s", path[0], kind->name);
    if (film && bex_compare_film(path, called, (int)film_trial, &world, film) < 0) return -1;
    (json ? print_json : print_text)(c, kind);
    return 0;
}

int bex_cmd_compare(int argc, char **argv) {
    const char *path[2];
    bex_comparison *c = calloc(1, sizeof *c);
    BEX_CHECK(c, "out of memory");
    int n = bex_options_parse(&usage, argc, argv, path, 2), code = BEX_EXIT_USAGE;
    if (n == BEX_OPTIONS_HELP) {
        code = BEX_EXIT_OK;
    } else if (n >= 0 && n < 2) {
        bex_fail("which two explorations or evaluations?");
        bex_command_fail(&usage, code);
    } else if (n == 2) {
        code = compare(c, path) == 0
                   ? BEX_EXIT_OK
                   : bex_command_fail(&usage,
                                      bex_error_is_misuse() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED);
    }
    for (int k = 0; k < c->rows; k++) free(c->row[k].value[0]), free(c->row[k].value[1]);
    for (int s = 0; s < 2; s++) json_decref(c->side[s].results), free(c->side[s].at);
    free(c);
    return code;
}
