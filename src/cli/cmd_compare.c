/* cli/cmd_compare.c - `bex compare A B`: two explorations of one world, trial by trial. */
#include "cli/command.h"
#include "cli/compare_film.h"
#include "cli/options.h"
#include "draw/figure.h"

#include "base/error.h"
#include "base/path.h"
#include "host/json.h"
#include "host/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_ROWS = 64, NAME = 48 };
static const double CONFIDENCE = 0.95;

static const char *plot, *names, *film;
static long long film_trial = 1;
static bex_env_flags world;
static bool json, unpaired;
static const bex_option options[] = {
    {"names", BEX_OPTION_TEXT, &names, "A,B", "what to call them [the directories]", 0, 0},
    {"plot", BEX_OPTION_TEXT, &plot, "OUT", "draw it: .png, .svg or .pdf", 0, 0},
    {"film", BEX_OPTION_TEXT, &film, "OUT.gif", "one trial of both, side by side, with counters", 0,
     0},
    {"trial", BEX_OPTION_INTEGER, &film_trial, "N", "of --film, from 1", 1, 100000},
    BEX_ENV_OPTIONS(world),
    {"unpaired", BEX_OPTION_FLAG, &unpaired, NULL, "as independent trials, whatever their seeds", 0,
     0},
    {"json", BEX_OPTION_FLAG, &json, NULL, "print JSON", 0, 0},
};
static const bex_usage usage = {
    .command = "compare",
    .synopsis = "A B [options]",
    .about =
        "A minus B of two explorations (directories of bex explore, bex coverage --out or bex.explore, or\n"
        "their results.json). With one seed and as many trials, trial i of one is paired with trial "
        "i of the\n"
        "other: the mean difference, its standard error over pairs, Student's p. Otherwise trials count as\n"
        "independent (Welch). Rates, such as the trials that found a goal, have Wilson's 95 % intervals.",
    .example = "bex compare explored/online explored/first --plot difference.svg\n"
               "bex compare explored/be explored/bc --names BE,BC --film race.gif",
    .options = options,
    .count = sizeof options / sizeof *options,
};

/* One exploration: numbers by trial. */
typedef struct {
    json_t *results;
    char name[NAME];
    long long seed, trials;
    const char *environment;
} side;

typedef struct {
    char name[NAME];
    double *value[2]; // (trials) of each side
    bool rate;        // 0 or 1 by trial
} measure;

typedef struct {
    side of[2];
    bool paired;
    measure row[MOST_ROWS];
    int rows;
} comparison;

/* ---- reading ---- */

static int open_side(side *s, const char *path) {
    char file[BEX_PATH_SIZE];
    struct stat st;
    bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (folder && bex_path_join(file, path, "results.json") < 0) return -1;
    s->results = bex_json_load(folder ? file : path);
    if (!s->results) return -1;
    s->seed = -1;
    bex_json_get_integer(s->results, "seed", &s->seed);
    bex_error_clear();
    if (bex_json_get_integer(s->results, "trials", &s->trials) < 0 || s->trials < 1 ||
        s->trials > 100000)
        return bex_fail("'%s' is no exploration (trials)", path);
    s->environment =
        json_string_value(json_object_get(json_object_get(s->results, "environment"), "name"));
    if (!s->environment) return bex_fail("'%s' is no exploration (environment)", path);
    const char *end = path + strlen(path);
    while (end > path && end[-1] == '/') end--;
    const char *base = end;
    while (base > path && base[-1] != '/') base--;
    snprintf(s->name, sizeof s->name, "%.*s", (int)(end - base), base);
    return 0;
}

static double *numbers(long long n) {
    double *x = calloc((size_t)n, sizeof *x);
    BEX_CHECK(x, "out of memory: %lld trials", n);
    return x;
}

// a row of both sides, to be filled; NULL: no room
static measure *add(comparison *c, bool rate) {
    if (c->rows == MOST_ROWS) return NULL;
    measure *m = &c->row[c->rows++];
    m->rate = rate;
    for (int s = 0; s < 2; s++) m->value[s] = numbers(c->of[s].trials);
    return m;
}

// regions after each episode that both have, by trial
static void add_regions(comparison *c) {
    const json_t *all[2];
    size_t episodes = SIZE_MAX;
    for (int s = 0; s < 2; s++) {
        const json_t *regions =
            json_object_get(json_object_get(c->of[s].results, "by_episode"), "regions");
        all[s] = json_object_get(regions, "trials");
        if (json_array_size(all[s]) < episodes) episodes = json_array_size(all[s]);
    }
    // the first, the last, and some between
    for (size_t k = 0; k < episodes; k++) {
        bool told = k == 0 || k + 1 == episodes || (k + 1) % (episodes / 4 + 1) == 0;
        measure *m = told ? add(c, false) : NULL;
        if (!m) continue;
        snprintf(m->name, sizeof m->name, "regions after %zu episode%s", k + 1, k ? "s" : "");
        for (int s = 0; s < 2; s++)
            for (long long i = 0; i < c->of[s].trials; i++)
                m->value[s][i] =
                    json_number_value(json_array_get(json_array_get(all[s], k), (size_t)i));
    }
}

static void add_goals(comparison *c) {
    const json_t *first[2],
        *called = json_object_get(json_object_get(c->of[0].results, "goals"), "names");
    for (int s = 0; s < 2; s++)
        first[s] = json_object_get(json_object_get(c->of[s].results, "goals"), "first_step");
    size_t goals = json_array_size(called);
    if (!goals || !first[1]) return;
    measure *share = add(c, false);
    for (size_t g = 0; share && g < goals; g++) {
        measure *m = add(c, true);
        if (!m) break;
        snprintf(m->name, sizeof m->name, "found %.40s",
                 json_string_value(json_array_get(called, g)));
        for (int s = 0; s < 2; s++)
            for (long long i = 0; i < c->of[s].trials; i++) {
                m->value[s][i] =
                    json_is_integer(json_array_get(json_array_get(first[s], (size_t)i), g));
                share->value[s][i] += m->value[s][i] / (double)goals;
            }
    }
    if (share) snprintf(share->name, sizeof share->name, "share of goals found");
}

static void add_conduct(comparison *c) {
    const char *name;
    json_t *value;
    json_t *mine = json_object_get(c->of[0].results, "conduct"),
           *theirs = json_object_get(c->of[1].results, "conduct");
    json_object_foreach(mine, name, value) {
        const json_t *of[2] = {json_object_get(value, "trials"),
                               json_object_get(json_object_get(theirs, name), "trials")};
        measure *m = of[0] && of[1] ? add(c, false) : NULL;
        if (!m) continue;
        snprintf(m->name, sizeof m->name, "%.47s", name);
        for (int s = 0; s < 2; s++)
            for (long long i = 0; i < c->of[s].trials; i++)
                m->value[s][i] = json_number_value(json_array_get(of[s], (size_t)i));
    }
}

static int name_sides(comparison *c) {
    if (!names) return 0;
    size_t n = strcspn(names, ",");
    if (!names[n] || !n || !names[n + 1])
        return bex_fail("--names takes two names such as online,first");
    snprintf(c->of[0].name, NAME, "%.*s", (int)n, names);
    snprintf(c->of[1].name, NAME, "%s", names + n + 1);
    return 0;
}

static int read_both(comparison *c, const char *const *path) {
    for (int s = 0; s < 2; s++)
        if (open_side(&c->of[s], path[s]) < 0) return -1;
    if (name_sides(c) < 0) return bex_misused();
    if (strcmp(c->of[0].environment, c->of[1].environment) != 0)
        return bex_fail("'%s' is of %s, '%s' of %s", path[0], c->of[0].environment, path[1],
                        c->of[1].environment);
    if (film && (strlen(film) < 5 || strcmp(film + strlen(film) - 4, ".gif") != 0))
        return bex_fail("--film draws a .gif, not '%s'", film), bex_misused();
    c->paired = !unpaired && c->of[0].seed == c->of[1].seed && c->of[0].trials == c->of[1].trials;
    add_regions(c), add_goals(c), add_conduct(c);
    return c->rows ? 0
                   : bex_fail("'%s' and '%s' have nothing in common to compare", path[0], path[1]);
}

/* ---- judging ---- */

static bex_difference difference(const comparison *c, const measure *m) {
    if (c->paired) return bex_difference_paired(m->value[0], m->value[1], (int)c->of[0].trials);
    return bex_difference_welch(bex_estimate_of(m->value[0], (int)c->of[0].trials),
                                bex_estimate_of(m->value[1], (int)c->of[1].trials));
}

static bex_interval interval(const comparison *c, const measure *m, int s) {
    int hits = 0, n = (int)c->of[s].trials;
    for (int i = 0; i < n; i++) hits += m->value[s][i] > 0;
    return bex_interval_wilson(hits, n, CONFIDENCE);
}

static void print_text(const comparison *c) {
    printf("%s, A %s (%lld trials), B %s (%lld): %s\n", c->of[0].environment, c->of[0].name,
           c->of[0].trials, c->of[1].name, c->of[1].trials,
           c->paired  ? "paired by trial"
           : unpaired ? "as independent trials"
                      : "independent trials: other seeds or numbers of trials");
    printf("  %-28s %18s %18s %20s %8s\n", "", "A", "B", "A - B", "p");
    for (int k = 0; k < c->rows; k++) {
        const measure *m = &c->row[k];
        bex_difference d = difference(c, m);
        printf("  %-28s", m->name);
        for (int s = 0; s < 2; s++) {
            bex_estimate e = bex_estimate_of(m->value[s], (int)c->of[s].trials);
            char text[40];
            bex_interval w = interval(c, m, s);
            if (m->rate)
                snprintf(text, sizeof text, "%.2f [%.2f, %.2f]", e.mean, w.low, w.high);
            else
                snprintf(text, sizeof text, "%.3g +- %.2g", e.mean, isnan(e.error) ? 0 : e.error);
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
        c->paired ? "pairs (A - B)" : "trials", c->rows);
}

static json_t *number(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

static void print_json(const comparison *c) {
    json_t *rows = json_array();
    for (int k = 0; k < c->rows; k++) {
        const measure *m = &c->row[k];
        bex_difference d = difference(c, m);
        json_t *row = json_pack("{s:s, s:b, s:o, s:o, s:o, s:o}", "name", m->name, "rate", m->rate,
                                "difference", number(d.value), "error", number(d.error), "p",
                                number(d.p), "freedom", number(d.freedom));
        for (int s = 0; s < 2; s++) {
            bex_estimate e = bex_estimate_of(m->value[s], (int)c->of[s].trials);
            bex_interval w = m->rate
                                 ? interval(c, m, s)
                                 : bex_interval_t(m->value[s], (int)c->of[s].trials, CONFIDENCE);
            json_object_set_new(row, s ? "b" : "a",
                                json_pack("{s:f, s:o, s:o, s:o}", "mean", e.mean, "error",
                                          number(e.error), "low", number(w.low), "high",
                                          number(w.high)));
        }
        json_array_append_new(rows, row);
    }
    json_t *j = json_pack("{s:s, s:s, s:s, s:b, s:o}", "environment", c->of[0].environment, "a",
                          c->of[0].name, "b", c->of[1].name, "paired", c->paired, "measures", rows);
    bex_json_print(j);
    json_decref(j);
}

// left: regions by episode of both; right: A - B of everything, in standard errors
static int draw(const comparison *c) {
    bex_figure *f = bex_figure_new(1, 2, 300, 240);
    if (!f) return bex_fail("out of memory");
    char title[160];
    snprintf(title, sizeof title, "%s: %s and %s", c->of[0].environment, c->of[0].name,
             c->of[1].name);
    bex_figure_title(f, title);
    bex_panel *curves = bex_figure_panel(f, 0, 0), *differences = bex_figure_panel(f, 0, 1);
    for (int s = 0; s < 2; s++) {
        const json_t *regions =
            json_object_get(json_object_get(c->of[s].results, "by_episode"), "regions");
        size_t n = json_array_size(json_object_get(regions, "mean"));
        double *x = numbers(3 * (long long)n + 1), *y = x + n, *e = y + n;
        for (size_t k = 0; k < n; k++) {
            x[k] = (double)k + 1,
            y[k] = json_number_value(json_array_get(json_object_get(regions, "mean"), k));
            e[k] = json_number_value(json_array_get(json_object_get(regions, "error"), k));
        }
        bex_panel_line(curves, x, y, e, (int)n,
                       &(bex_mark){.label = c->of[s].name, .colour = bex_palette(s)});
        free(x);
    }
    bex_panel_labels(curves, "Regions visited", "episode", NULL);
    bex_panel_legend(curves, BEX_LEGEND_BEST);
    for (int k = 0; k < c->rows; k++) {
        bex_difference d = difference(c, &c->row[k]);
        double y = -k, ratio = isfinite(d.ratio) ? d.ratio : 0;
        const double x[2] = {ratio - 1.96, ratio + 1.96}, at[2] = {y, y};
        bex_panel_path(differences, x, at, 2, &(bex_mark){.colour = BEX_BLUE, .width = 1.5});
        bex_panel_scatter(differences, &ratio, &y, 1, &(bex_mark){.colour = BEX_BLUE, .size = 5});
        bex_panel_text(differences, x[1], y, c->row[k].name, -1, &(bex_mark){.size = 6});
    }
    bex_panel_vline(differences, 0, &(bex_mark){.dashed = true});
    bex_panel_labels(differences, "A - B, with 95 %", "standard errors of the difference", NULL);
    int code = bex_figure_save(f, plot);
    bex_figure_free(f);
    return code;
}

int bex_cmd_compare(int argc, char **argv) {
    const char *path[2];
    comparison *c = calloc(1, sizeof *c);
    BEX_CHECK(c, "out of memory");
    int n = bex_options_parse(&usage, argc, argv, path, 2), code = BEX_EXIT_USAGE;
    if (n == BEX_OPTIONS_HELP) {
        code = BEX_EXIT_OK;
    } else if (n >= 0 && n < 2) {
        bex_fail("which two explorations?");
        bex_command_fail(&usage, code);
    } else if (n == 2) {
        int done = read_both(c, path);
        if (done == 0 && plot) done = draw(c);
        const char *called[2] = {c->of[0].name, c->of[1].name};
        if (done == 0 && film) done = bex_compare_film(path, called, (int)film_trial, &world, film);
        if (done == 0) (json ? print_json : print_text)(c);
        code = done == 0 ? BEX_EXIT_OK
                         : bex_command_fail(&usage, bex_error_is_misuse() ? BEX_EXIT_USAGE
                                                                          : BEX_EXIT_FAILED);
    }
    for (int k = 0; k < c->rows; k++) free(c->row[k].value[0]), free(c->row[k].value[1]);
    for (int s = 0; s < 2; s++) json_decref(c->of[s].results);
    free(c);
    return code;
}
