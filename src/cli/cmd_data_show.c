/* cli/cmd_data_show.c - `bex data show FILE`: what is in a file of demonstrations, and what is odd. */
#define _GNU_SOURCE // memrchr
#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/options.h"
#include "show/contact_sheet.h"
#include "show/data_plot.h"

#include "base/error.h"
#include "base/path.h"
#include "data/column_statistics.h"
#include "host/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 80 }; // of columns, as text

typedef struct summary {
    const char *path;
    const bex_dataset *data;
    bex_dataset_statistics all;
    bex_column_statistics *obs, *act; // (O), (A)
    bex_names warnings;
} summary;

static int warn(summary *s, const char *fmt, ...) BEX_PRINTF(2, 3);
static int warn(summary *s, const char *fmt, ...) {
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return bex_names_push(&s->warnings, text) < 0 ? -1 : 0;
}

// "0, 3, 7, ... (12 columns)" of the columns for which `pick` holds; returns how many
static int list_columns(char text[200], const bex_column_statistics *c, int n,
                        int (*pick)(const bex_column_statistics *)) {
    int found = 0;
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < n; i++) {
        if (!pick(&c[i])) continue;
        if (found++ < 12)
            used += (size_t)snprintf(text + used, 200 - used, "%s%d", used ? ", " : "", i);
    }
    if (found > 12) snprintf(text + used, 200 - used, ", ... (%d)", found);
    return found;
}

static int is_constant(const bex_column_statistics *c) {
    return c->constant;
}
static int is_bad(const bex_column_statistics *c) {
    return c->bad > 0;
}
static int is_wide(const bex_column_statistics *c) {
    return c->least < -1 - 1e-6 || c->most > 1 + 1e-6;
}

static int warn_columns(summary *s, const char *array, const bex_column_statistics *c, int n) {
    char list[200];
    if (list_columns(list, c, n, is_bad) &&
        warn(s, "%s: NaN or infinite values in columns %s", array, list) < 0)
        return -1;
    if (list_columns(list, c, n, is_constant) &&
        warn(s, "%s: constant columns %s", array, list) < 0)
        return -1;
    return 0;
}

static int warn_actions(summary *s) {
    const bex_dataset *d = s->data;
    char list[200];
    int wide = list_columns(list, s->act, d->A, is_wide);
    if (wide &&
        warn(s, "actions: outside [-1, 1] in columns %s (robomimic and D4RL environments clip)",
             list) < 0)
        return -1;
    double saturated = 0;
    for (int a = 0; a < d->A; a++) saturated += s->act[a].at_bounds;
    saturated /= (double)d->rows * d->A;
    if (!wide && saturated > 0.5)
        return warn(s, "actions: %.0f %% of the values are at -1 or 1", 100 * saturated);
    return 0;
}

static int warn_duplicates(summary *s) {
    const bex_dataset_statistics *a = &s->all;
    if (a->duplicate_episodes && warn(s, "%d of %d episodes equal an earlier one",
                                      a->duplicate_episodes, s->data->episodes) < 0)
        return -1;
    if (a->duplicate_rows && warn(s, "%d of %d rows equal an earlier one (%d the row just before)",
                                  a->duplicate_rows, s->data->rows, a->repeated_rows) < 0)
        return -1;
    return 0;
}

static int summarise(summary *s) {
    const bex_dataset *d = s->data;
    s->obs = malloc((size_t)d->O * sizeof *s->obs);
    s->act = malloc((size_t)d->A * sizeof *s->act);
    if (!s->obs || !s->act) return bex_fail("out of memory");
    bex_statistics_columns(s->obs, d->observations, d->rows, d->O);
    bex_statistics_columns(s->act, d->actions, d->rows, d->A);
    if (bex_statistics_dataset(&s->all, d) < 0) return -1;
    for (int i = 0; i < d->notes.count; i++)
        if (warn(s, "%s", d->notes.text[i]) < 0) return -1;
    if (warn_columns(s, "observations", s->obs, d->O) < 0 ||
        warn_columns(s, "actions", s->act, d->A) < 0)
        return -1;
    return warn_actions(s) < 0 ? -1 : warn_duplicates(s);
}

// ---- text

static void print_columns(const char *name, const bex_column_statistics *c, int n,
                          const bex_column_names *names) {
    for (int i = 0; i < n && i < MOST_LINES; i++)
        printf("  %-4s %4d %12.5g %12.5g %12.5g %12.5g  %s%s%s\n", name, i, c[i].least, c[i].most,
               c[i].mean, c[i].deviation, names && names->count ? names->name[i] : "",
               c[i].constant ? "  constant" : "", c[i].bad ? "  NaN" : "");
    if (n > MOST_LINES) printf("  %-4s  ... %d more (--json)\n", name, n - MOST_LINES);
}

static void print_labels(const char *name, const bex_names *l) {
    if (!l->count) return;
    printf("  %-13s %d: ", name, l->count);
    for (int i = 0; i < l->count && i < 4; i++) printf("%s'%s'", i ? ", " : "", l->text[i]);
    puts(l->count > 4 ? ", ..." : "");
}

static void print_cameras(const bex_dataset *d) {
    int h, w;
    if (!d->pictures) {
        print_labels("cameras", &d->cameras);
        return;
    }
    printf("  %-13s ", "cameras");
    for (int c = 0; c < bex_dataset_cameras(d); c++) {
        bex_pictures_stored(d->pictures, c, &h, &w);
        printf("%s%s (%d x %d)", c ? ", " : "", bex_pictures_cameras(d->pictures)->text[c], w, h);
    }
    putchar('\n');
}

static void print_text(const summary *s) {
    const bex_dataset *d = s->data;
    int terminal = 0;
    for (int e = 0; e < d->episodes; e++) terminal += d->terminals[d->start[e + 1] - 1];
    printf("%s\n  %-13s %s\n", s->path, "kind", d->kind);
    printf("  %-13s %d, of %d to %d rows (median %g, mean %.1f)\n", "episodes", d->episodes,
           s->all.shortest, s->all.longest, s->all.median_length, s->all.mean_length);
    printf("  %-13s %d terminal, %d otherwise\n", "ends", terminal, d->episodes - terminal);
    printf("  %-13s (%d, %d)", "observations", d->rows, d->O);
    for (int k = 0; k < d->keys.count && d->keys.count > 1; k++)
        printf("%s%s %d", k ? " + " : " = ", d->keys.text[k], d->key_width[k]);
    printf("\n  %-13s (%d, %d)\n", "actions", d->rows, d->A);
    if (d->rewards)
        printf("  %-13s sum %g, returns %g to %g\n", "rewards", s->all.reward_sum,
               s->all.worst_return, s->all.best_return);
    else
        printf("  %-13s none\n", "rewards");
    print_labels("tasks", &d->tasks);
    print_labels("scenes", &d->scenes);
    print_cameras(d);
    printf("\n  %-9s %12s %12s %12s %12s  %s\n", "column", "min", "max", "mean", "std",
           d->columns.count ? "name" : "");
    print_columns("obs", s->obs, d->O, &d->columns);
    print_columns("act", s->act, d->A, NULL);
    if (s->warnings.count) printf("\n");
    for (int i = 0; i < s->warnings.count; i++) printf("  warning: %s\n", s->warnings.text[i]);
}

// ---- JSON

static json_t *texts(const bex_names *l) {
    json_t *a = json_array();
    for (int i = 0; i < l->count; i++) {
        json_t *t = json_string(l->text[i]);
        json_array_append_new(a, t ? t : json_string("?")); // not UTF-8
    }
    return a;
}

static json_t *columns(const bex_column_statistics *c, int n, const bex_column_names *names) {
    json_t *a = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(a, json_pack("{s:s?, s:f, s:f, s:f, s:f, s:b, s:i}", "name",
                                           names && names->count ? names->name[i] : NULL, "min",
                                           c[i].least, "max", c[i].most, "mean", c[i].mean, "std",
                                           c[i].deviation, "constant", c[i].constant, "nonfinite",
                                           c[i].bad));
    return a;
}

static json_t *keys(const bex_dataset *d) {
    json_t *a = json_array();
    for (int k = 0; k < d->keys.count; k++)
        json_array_append_new(
            a, json_pack("{s:s, s:i}", "key", d->keys.text[k], "columns", d->key_width[k]));
    return a;
}

static json_t *cameras(const bex_dataset *d) {
    json_t *a = json_array();
    for (int c = 0, h, w; c < bex_dataset_cameras(d); c++) {
        bex_pictures_stored(d->pictures, c, &h, &w);
        json_array_append_new(a, json_pack("{s:s, s:i, s:i}", "name",
                                           bex_pictures_cameras(d->pictures)->text[c], "height", h,
                                           "width", w));
    }
    return d->pictures ? a : (json_decref(a), texts(&d->cameras));
}

static void print_json(const summary *s) {
    const bex_dataset *d = s->data;
    const bex_dataset_statistics *a = &s->all;
    json_t *j = json_pack("{s:s, s:s, s:i, s:i}", "path", s->path, "kind", d->kind, "episodes",
                          d->episodes, "rows", d->rows);
    if (!j) j = json_object(); // a path that is not UTF-8
    json_object_set_new(j, "lengths",
                        json_pack("{s:i, s:i, s:f, s:f}", "min", a->shortest, "max", a->longest,
                                  "median", a->median_length, "mean", a->mean_length));
    json_object_set_new(j, "observation_keys", keys(d));
    json_object_set_new(j, "observations", columns(s->obs, d->O, &d->columns));
    json_object_set_new(j, "actions", columns(s->act, d->A, NULL));
    bool finite = isfinite(a->reward_sum);
    json_object_set_new(j, "rewards",
                        d->rewards && finite
                            ? json_pack("{s:f, s:f, s:f}", "sum", a->reward_sum, "least_return",
                                        a->worst_return, "most_return", a->best_return)
                            : json_null());
    json_object_set_new(j, "duplicates",
                        json_pack("{s:i, s:i, s:i}", "rows", a->duplicate_rows, "repeated_rows",
                                  a->repeated_rows, "episodes", a->duplicate_episodes));
    json_object_set_new(j, "tasks", texts(&d->tasks));
    json_object_set_new(j, "scenes", texts(&d->scenes));
    json_object_set_new(j, "cameras", cameras(d));
    json_object_set_new(j, "warnings", texts(&s->warnings));
    bex_json_print(j);
    json_decref(j);
}

// with pictures that cannot be read there is still the rest to tell of
static bex_dataset *load_all(summary *s, const bex_load_options *load) {
    bex_load_options blind = *load;
    bex_dataset *d = bex_dataset_load(s->path, load);
    if (d || !load->images || strcmp(load->images, "all") != 0) return d;
    bex_failure failure;
    bex_failure_take(&failure);
    blind.images = NULL;
    d = bex_dataset_load(s->path, &blind);
    if (!d) return bex_failure_restore(&failure), NULL;
    if (warn(s, "pictures: %s", failure.message) == 0) return d;
    bex_dataset_free(d);
    return NULL;
}

// "x.png" -> "x-cameras.png"
static int draw_cameras(const bex_dataset *d, const char *plot) {
    char path[BEX_PATH_SIZE];
    size_t n = strcspn(plot, ",");
    const char *dot = memrchr(plot, '.', n), *slash = memrchr(plot, '/', n);
    if (!dot || (slash && dot < slash)) dot = plot + n;
    if (bex_path_print(path, "%.*s-cameras.png", (int)(dot - plot), plot) < 0) return -1;
    return bex_contact_sheet(d, path);
}

static int show(const char *path, const bex_load_options *load, bool json, const char *plot,
                const char *dims) {
    int code = -1;
    summary s = {.path = path};
    bex_dataset *d = load_all(&s, load);
    if (!d) {
        bex_names_fini(&s.warnings);
        return -1;
    }
    s.data = d;
    if (summarise(&s) < 0) goto done;
    if (plot) {
        int pair[2] = {0, d->O > 1};
        if (dims && bex_parse_columns(pair, dims, "dims", d) < 0) goto done;
        if (bex_data_plot(d, s.obs, s.act, pair, path, plot) < 0) goto done;
        if (d->pictures && draw_cameras(d, plot) < 0) goto done;
    }
    if (json)
        print_json(&s);
    else
        print_text(&s);
    code = 0;
done:
    free(s.obs);
    free(s.act);
    bex_names_fini(&s.warnings);
    bex_dataset_free(d);
    return code;
}

int bex_cmd_data_show(int argc, char **argv) {
    static bex_data_flags in;
    static bool json;
    static const char *plot, *dims;
    static const bex_option options[] = {
        {"json", BEX_OPTION_FLAG, &json, NULL, "one JSON object instead of text", 0, 0},
        {"plot", BEX_OPTION_TEXT, &plot, "OUT",
         "draw it: .png, .svg or .pdf, several by commas; pictures beside it: OUT-cameras.png", 0,
         0},
        {"dims", BEX_OPTION_TEXT, &dims, "I,J", "observation columns of the map in the plot [0,1]",
         0, 0},
        BEX_DATA_OPTIONS(in),
    };
    static const bex_usage usage = {
        .command = "data show",
        .synopsis = "FILE [options]",
        .about =
            "Kind, episodes, shapes, ranges and oddities of a file (or directory) of demonstrations:\n"
            "D4RL, Minari, robomimic or LIBERO; which cameras there are. NaN and infinite values are\n"
            "reported, not refused.",
        .example = "bex data show demos.hdf5\n"
                   "bex data show image.hdf5 --plot look.png --flip vertical\n"
                   "bex data show antmaze-medium-diverse-v2.hdf5 --plot maze.png --dims 0,1",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *path[1];
    int n = bex_options_parse(&usage, argc, argv, path, 1);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    bex_load_options load;
    if (n < 1) return bex_fail("which file?"), bex_command_fail(&usage, BEX_EXIT_USAGE);
    if (bex_data_flags_resolve(&load, &in) < 0) return bex_command_fail(&usage, BEX_EXIT_USAGE);
    load.keep_nonfinite = 1;
    if (show(path[0], &load, json, plot, dims) < 0)
        return bex_command_fail(&usage, BEX_EXIT_FAILED);
    return BEX_EXIT_OK;
}
