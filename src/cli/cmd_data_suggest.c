/* cli/cmd_data_suggest.c - `bex data suggest FILE`: what training would choose by itself for these
 * demonstrations, and
 * why. */
#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/options.h"
#include "show/suggestion_figure.h"

#include "agent/agent.h"
#include "base/error.h"
#include "host/json.h"
#include "suggest/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_LINES = 100 };

static bex_data_flags in;
static bool json;
static const char *plot;
static long long future;
static const bex_option options[] = {
    {"json", BEX_OPTION_FLAG, &json, NULL, "one JSON object instead of text", 0, 0},
    {"plot", BEX_OPTION_TEXT, &plot, "OUT",
     "draw what would count as different: .png, .svg or .pdf", 0, 0},
    {"future", BEX_OPTION_INTEGER, &future, "F", "rows of a future in the picture (0: as chosen)",
     0, 1e5},
    BEX_DATA_OPTIONS(in),
};
static const bex_usage usage = {
    .command = "data suggest",
    .synopsis = "FILE [options]",
    .about =
        "What `bex train --data FILE` chooses by itself, and why: first of all which columns of a "
        "state count as\n"
        "somewhere else (coverage.dims). `between`: share of a column's variance between futures, "
        "`lasting`: its\n"
        "correlation with itself a quarter of a future on, `moves`: how far it goes in a future, "
        "`word`: what its\n"
        "name says. Columns that score are places and objects; gaits, velocities and noise do not. "
        "Nothing is trained.",
    .example = "bex data suggest demos.hdf5\n"
               "bex data suggest demos.hdf5 --plot suggestion.png",
    .options = options,
    .count = sizeof options / sizeof *options,
};

static const char *name_of(const bex_dataset *d, int j) {
    return d->columns.count ? d->columns.name[j] : "";
}

static bool is_chosen(const bex_column_choice *c, int j) {
    const bex_column_set *s = bex_column_choice_best(c);
    for (int i = 0; i < s->n; i++)
        if (s->dims[i] == j) return true;
    return false;
}

static void print_columns(const bex_column_choice *c, const bex_dataset *d) {
    printf("\n  column   between lasting  moves   word  worth\n");
    for (int j = 0; j < c->O && j < MOST_LINES; j++) {
        const bex_column_judgement *q = &c->column[j];
        printf("  %s %4d", is_chosen(c, j) ? "->" : "  ", j);
        if (q->role == BEX_COLUMN_CONSTANT)
            printf("%40s", "");
        else
            printf("  %7.2f %7.2f %6.2f %6.2f %6.2f", q->between, q->lasting, q->moves, q->word,
                   q->worth);
        printf("  %-22s", name_of(d, j));
        if (q->of >= 0)
            printf(" %s %d %s\n", bex_column_role_name(q->role), q->of, name_of(d, q->of));
        else
            printf(" %s\n", bex_column_role_name(q->role));
    }
    if (c->O > MOST_LINES) printf("  ... %d more (--json)\n", c->O - MOST_LINES);
    printf("\n  set of columns             columns  worth  explained  score\n");
    for (int i = 0; i < c->sets; i++) {
        const bex_column_set *s = &c->set[i];
        char dims[60];
        bex_columns_describe(dims, sizeof dims, s->dims, s->n, &d->columns);
        printf("  %s %-25s %4d %6.2f %10.2f %6.2f  %s\n", i == c->best ? "->" : "  ", s->name, s->n,
               s->worth, s->explained, s->score, dims);
    }
}

static json_t *numbers(const int *dims, int n) {
    json_t *a = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(a, json_integer(dims[i]));
    return a;
}

static void print_json(const bex_suggestions *s, const bex_dataset *d) {
    const bex_column_choice *c = &s->columns;
    json_t *columns = json_array(), *sets = json_array(), *settings = json_array();
    for (int j = 0; j < c->O; j++) {
        const bex_column_judgement *q = &c->column[j];
        json_array_append_new(
            columns,
            json_pack("{s:i, s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:b}", "column", j, "name",
                      name_of(d, j), "role", bex_column_role_name(q->role), "of", q->of, "between",
                      q->between, "lasting", q->lasting, "moves", q->moves, "word", q->word,
                      "worth", q->worth, "chosen", is_chosen(c, j)));
    }
    for (int i = 0; i < c->sets; i++)
        json_array_append_new(sets,
                              json_pack("{s:s, s:o, s:f, s:f, s:f, s:b}", "name", c->set[i].name,
                                        "columns", numbers(c->set[i].dims, c->set[i].n), "worth",
                                        c->set[i].worth, "explained", c->set[i].explained, "score",
                                        c->set[i].score, "chosen", i == c->best));
    for (int i = 0; i < s->count; i++)
        json_array_append_new(settings, json_pack("{s:s, s:s, s:s}", "key", s->row[i].key, "value",
                                                  s->row[i].value, "reason", s->row[i].reason));
    json_t *j = json_pack("{s:s, s:b, s:o, s:o, s:o}", "dims", s->dims, "doubtful", c->doubtful,
                          "columns", columns, "sets", sets, "settings", settings);
    bex_json_print(j);
    json_decref(j);
}

static void print_text(const bex_suggestions *s, const bex_dataset *d, const char *path) {
    const bex_column_choice *c = &s->columns;
    printf("%s: %d episodes, %d rows, %d columns; judged by futures of %d rows\n", path,
           d->episodes, d->rows, d->O, c->F);
    if (d->episodes < 10)
        printf("  few episodes (%d): what differs between them may be chance\n", d->episodes);
    print_columns(c, d);
    if (c->doubtful)
        printf("\n  DOUBTFUL: no column lasts. Name what counts yourself "
               "(--coverage.dims), or put the position of what "
               "moves into the states.\n");
    printf("\n  %-24s %-12s why\n", "setting", "value");
    for (int i = 0; i < s->count; i++)
        printf("  %-24s %-12s %s\n", s->row[i].key, s->row[i].value, s->row[i].reason);
    printf("\n  what counts: %s\n", s->dims);
}

static int suggest(const char *path, const bex_load_options *load) {
    bex_train_config config;
    bex_suggestions s = {0};
    bex_config_defaults(&bex_train_schema, &config);
    bex_config_all_auto(&bex_train_schema, &config);
    bex_dataset *d = bex_dataset_load(path, load);
    int code = d ? bex_agent_settle(&config) : -1;
    if (code == 0) code = bex_suggest_settle(&config, d, &s);
    if (code == 0 && plot)
        code = bex_suggestion_draw(&s, d, future ? (int)future : (int)config.policy.coverage.future,
                                   path, plot);
    if (code == 0 && json)
        print_json(&s, d);
    else if (code == 0)
        print_text(&s, d, path);
    bex_suggestions_fini(&s);
    bex_dataset_free(d);
    return code;
}

int bex_cmd_data_suggest(int argc, char **argv) {
    const char *path[1];
    int n = bex_options_parse(&usage, argc, argv, path, 1);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    bex_load_options load;
    if (n < 1) return bex_fail("which file?"), bex_command_fail(&usage, BEX_EXIT_USAGE);
    if (bex_data_flags_resolve(&load, &in) < 0) return bex_command_fail(&usage, BEX_EXIT_USAGE);
    return suggest(path[0], &load) < 0 ? bex_command_fail(&usage, BEX_EXIT_FAILED) : BEX_EXIT_OK;
}
