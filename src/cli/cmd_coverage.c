/* cli/cmd_coverage.c - `bex coverage POLICY --states FILE`: visited states judged by a policy's own
 * measure, wherever
 * they were visited. */
#include "cli/command.h"
#include "cli/options.h"
#include "show/coverage_figure.h"
#include "show/exploration_figures.h"

#include "base/error.h"
#include "base/path.h"
#include "data/load.h"
#include "explore/own_world.h"
#include "explore/results.h"
#include "explore/trajectories.h"
#include "host/folder.h"
#include "host/json.h"
#include "run/checkpoint.h"
#include "run/provenance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *states, *data, *out, *plot, *columns;
static bool json, force, best;

static const bex_option options[] = {
    {"states", BEX_OPTION_TEXT, &states, "FILE",
     "visited: a history file, a recording, episodes (HDF5), or a directory of bex explore", 0, 0},
    {"data", BEX_OPTION_TEXT, &data, "FILE",
     "demonstrations: which of their regions are still unseen", 0, 0},
    {"columns", BEX_OPTION_TEXT, &columns, "DIMS",
     "columns that regions and picture are of, at most three: 0,1 or eef_pos; else those that count "
     "as explored",
     0, 0},
    {"plot", BEX_OPTION_TEXT, &plot, "OUT", "draw it: .png, .svg or .pdf", 0, 0},
    {"out", BEX_OPTION_TEXT, &out, "DIR",
     "results.json and figures, as bex explore writes them, for bex report", 0, 0},
    {"best", BEX_OPTION_FLAG, &best, NULL, "the run's best checkpoint, not its newest", 0, 0},
    {"force", BEX_OPTION_FLAG, &force, NULL, "replace results in DIR", 0, 0},
    {"json", BEX_OPTION_FLAG, &json, NULL, "print JSON", 0, 0},
};
static const bex_usage usage = {
    .command = "coverage",
    .synopsis = "POLICY --states FILE [options]",
    .about =
        "How much was explored, told from visited states alone: coverage after each episode, what each\n"
        "episode added, and where that ranks among the demonstrators' own futures (quantile 0.5: as much as\n"
        "they typically add; 1: more than they ever did). POLICY is a run, a checkpoint or a\n"
        "model.safetensors of a be policy: its features and statistics are the measure. Regions are squares\n"
        "of half a standard deviation over the columns that count.",
    .example =
        "bex coverage runs/be --states history.safetensors\n"
        "bex coverage policy.safetensors --states episodes.hdf5 --data demos.hdf5 --plot explored.png\n"
        "bex coverage runs/be --states recording.safetensors --out explored && bex report explored",
    .options = options,
    .count = sizeof options / sizeof *options,
};

typedef struct {
    bex_policy *policy;
    bex_recording visited;
    bex_dataset *shown; // demonstrations; NULL: none
    bex_coverage_point *point;
    bex_own_world world;
    bex_explored explored;
    unsigned char *seen, *known; // (regions) visited; demonstrated
    int visited_regions, known_regions, unseen;
} judgement;

/* ---- reading ---- */

static int from_exploration(bex_recording *r, const char *folder) {
    char path[BEX_PATH_SIZE];
    bex_trajectories t = {0};
    if (bex_path_join(path, folder, "trajectories.hdf5") < 0) return -1;
    int code = bex_trajectories_load(&t, path);
    *r = (bex_recording){
        .rows = t.rows, .O = t.O, .A = t.A, .episodes = t.episodes, .trials = t.trials};
    if (code == 0) {
        r->obs = t.obs, r->act = t.act, r->start = t.start, r->trial = t.trial;
        t.obs = t.act = NULL, t.start = t.trial = NULL;
        r->terminal = calloc((size_t)r->episodes + 1, sizeof *r->terminal);
        if (!r->terminal) code = bex_fail("out of memory");
    }
    bex_trajectories_fini(&t);
    return code;
}

static int read_states(bex_recording *r) {
    struct stat st;
    char inside[BEX_PATH_SIZE];
    if (bex_is_recording(states)) return bex_recording_load(r, states);
    if (stat(states, &st) == 0 && S_ISDIR(st.st_mode) &&
        bex_path_join(inside, states, "trajectories.hdf5") == 0 && stat(inside, &st) == 0)
        return from_exploration(r, states);
    bex_load_options o = BEX_LOAD_INIT;
    bex_dataset *d = bex_dataset_load(states, &o);
    if (!d) return -1;
    int code = bex_recording_of(r, d);
    bex_dataset_free(d);
    return code;
}

static int read_all(judgement *j, const char *policy) {
    char path[BEX_PATH_SIZE];
    if (bex_checkpoint_model(path, sizeof path, policy, best) < 0) return -1;
    if (!(j->policy = bex_policy_load(path)) || read_states(&j->visited) < 0) return -1;
    if (j->visited.O != j->policy->O)
        return bex_fail("'%s' has states of %d values, the policy expects %d", states, j->visited.O,
                        j->policy->O);
    if (!data) return 0;
    bex_load_options o = BEX_LOAD_INIT;
    if (!(j->shown = bex_dataset_load(data, &o))) return -1;
    if (j->shown->O == j->policy->O) return 0;
    return bex_fail("'%s' has states of %d values, the policy expects %d", data, j->shown->O,
                    j->policy->O);
}

/* ---- judging ---- */

static int mark_regions(judgement *j) {
    const bex_world *w = &j->world.world;
    size_t O = (size_t)j->policy->O, n = (size_t)w->regions;
    j->seen = calloc(n, 1), j->known = calloc(n, 1);
    if (!j->seen || !j->known) return bex_fail("out of memory");
    for (int t = 0; t < j->visited.rows; t++)
        j->seen[w->class->region(w, j->visited.obs + (size_t)t * O)] = 1;
    for (int t = 0; j->shown && t < j->shown->rows; t++)
        j->known[w->class->region(w, j->shown->observations + (size_t)t * O)] = 1;
    for (size_t k = 0; k < n; k++)
        j->visited_regions += j->seen[k], j->known_regions += j->known[k],
            j->unseen += j->known[k] && !j->seen[k];
    return 0;
}

static int judge(judgement *j) {
    int dims[BEX_FEATURE_DIMS], n = 0;
    if (columns)
        n = bex_columns_select(dims, BEX_OWN_COLUMNS, columns, &j->policy->columns, j->policy->O);
    if (n < 0) return bex_fail_in("--columns");
    j->point = calloc((size_t)j->visited.episodes, sizeof *j->point);
    if (!j->point) return bex_fail("out of memory");
    if (bex_coverage_curve(j->point, j->policy, &j->visited) < 0) return -1;
    if (bex_own_world_init(&j->world, j->policy, &j->visited, dims, n) < 0) return -1;
    return mark_regions(j);
}

/* ---- telling ---- */

// the middle of a region: "eef_pos[0] 0.12, eef_pos[1] -0.3"
static void place_of(char *text, size_t size, const judgement *j, int region) {
    const bex_own_world *w = &j->world;
    size_t used = 0;
    int at[BEX_OWN_COLUMNS];
    for (int i = w->count - 1; i >= 0; i--) at[i] = region % w->across, region /= w->across;
    text[0] = 0;
    for (int i = 0; i < w->count && used < size; i++) {
        char label[BEX_COLUMN_LABEL];
        bool named = j->policy->columns.count;
        bex_column_label(label, NULL, w->columns[i]);
        used += (size_t)snprintf(text + used, size - used, "%s%s%s %.3g", i ? ", " : "",
                                 named ? "" : "column ",
                                 named ? j->policy->columns.name[w->columns[i]] : label,
                                 w->low[i] + (at[i] + 0.5) * w->side[i]);
    }
}

static void print_text(const judgement *j) {
    const bex_recording *r = &j->visited;
    char text[300], dims[100];
    bex_columns_describe(dims, sizeof dims, j->world.columns, j->world.count, &j->policy->columns);
    printf("%s: %d trial%s, %d episodes, %d states\n", states, r->trials, r->trials > 1 ? "s" : "",
           r->episodes, r->rows);
    printf("  trial episode  states   coverage    added   quantile: mean   best\n");
    for (int e = 0; e < r->episodes && e < 200; e++) {
        const bex_coverage_point *q = &j->point[e];
        char added[24] = "-";
        if (isfinite(q->novelty)) snprintf(added, sizeof added, "%.3f", q->novelty);
        printf("  %5d %7d %7d %10.3f %8s %16.2f %6.2f\n", q->trial + 1, q->episode + 1, q->rows,
               q->coverage, added, q->quantile, q->best);
    }
    printf(
        "  coverage: log, of all states of the trial so far. quantile: of the demonstrators' futures "
        "of %lld steps.\n",
        j->policy->config.coverage.future + 1);
    printf("  regions (%s): %d visited", dims, j->visited_regions);
    if (!j->shown) {
        printf("\n");
        return;
    }
    printf("; of %d demonstrated, %d are still unseen\n", j->known_regions, j->unseen);
    for (int k = 0, told = 0; k < j->world.world.regions && told < 8; k++) {
        if (!j->known[k] || j->seen[k]) continue;
        place_of(text, sizeof text, j, k);
        printf("  %s %s\n", told++ ? "       " : "unseen:", text);
    }
    if (j->unseen > 8) printf("          ... %d more (--json)\n", j->unseen - 8);
}

static json_t *real_or_null(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *as_json(const judgement *j) {
    json_t *episodes = json_array(), *unseen = json_array(), *dims = json_array();
    for (int e = 0; e < j->visited.episodes; e++) {
        const bex_coverage_point *q = &j->point[e];
        json_array_append_new(episodes, json_pack("{s:i, s:i, s:i, s:o, s:o, s:f, s:f}", "trial",
                                                  q->trial, "episode", q->episode, "states",
                                                  q->rows, "coverage", real_or_null(q->coverage),
                                                  "added", real_or_null(q->novelty), "quantile",
                                                  q->quantile, "best", q->best));
    }
    for (int k = 0; k < j->world.world.regions; k++)
        if (j->known[k] && !j->seen[k]) {
            char text[300];
            place_of(text, sizeof text, j, k);
            json_array_append_new(unseen, json_string(text));
        }
    for (int i = 0; i < j->world.count; i++)
        json_array_append_new(dims, json_integer(j->world.columns[i]));
    return json_pack("{s:i, s:i, s:o, s:o, s:i, s:o, s:o}", "trials", j->visited.trials, "states",
                     j->visited.rows, "episodes", episodes, "columns", dims, "regions_visited",
                     j->visited_regions, "regions_demonstrated",
                     j->shown ? json_integer(j->known_regions) : json_null(), "unseen", unseen);
}

static int draw(const judgement *j) {
    const int pair[2] = {j->world.columns[0], j->world.columns[j->world.count > 1]};
    char title[200];
    snprintf(title, sizeof title, "%.150s: %d of %d regions", states, j->visited_regions,
             j->world.world.regions);
    return bex_coverage_draw(&j->visited, j->point, j->policy,
                             j->shown ? j->shown->observations : NULL,
                             j->shown ? j->shown->rows : 0, pair, title, plot);
}

/* ---- as an exploration ---- */

static int check_folder(char path[BEX_PATH_SIZE]) {
    struct stat st;
    if (bex_path_join(path, out, "results.json") < 0) return -1;
    if (stat(path, &st) == 0 && !force) {
        bex_fail("'%s' exists", path);
        return bex_fail_hint("--force replaces it");
    }
    return bex_folder_make(out);
}

static int write_folder(judgement *j, const char *policy, const char *command) {
    char path[BEX_PATH_SIZE], rows[BEX_PATH_SIZE];
    const char *agent =
        j->visited.agent[0] ? j->visited.agent : bex_model_name(&j->policy->config.model);
    if (check_folder(path) < 0 || bex_path_join(rows, out, "trajectories.hdf5") < 0) return -1;
    if (bex_own_world_explored(&j->explored, &j->world, &j->visited) < 0) return -1;
    json_t *who = json_pack("{s:s, s:s, s:s}", "name", agent, "run", policy, "history",
                            j->policy->config.deploy.history);
    bex_explore_about about = {.command = command, .agent = who};
    if (j->shown) {
        about.demonstrations = j->shown->observations, about.demonstration_rows = j->shown->rows;
        about.demonstration_start = j->shown->start,
        about.demonstration_episodes = j->shown->episodes;
    }
    bex_exploration_summary s;
    int code = bex_explore_summarise(&s, &j->explored, &about);
    if (code == 0 && force) remove(rows);
    if (code == 0) code = bex_trajectories_save(&j->explored, command, rows);
    if (code == 0) code = bex_explore_draw(&j->explored, &s, agent, out);
    if (code == 0) {
        json_t *results = bex_explore_results(&s, &about);
        json_object_set_new(results, "coverage", as_json(j));
        code = bex_json_save(results, path);
        json_decref(results);
    }
    bex_exploration_summary_fini(&s);
    json_decref(who);
    return code;
}

static int run(judgement *j, const char *policy, const char *command) {
    if (read_all(j, policy) < 0 || judge(j) < 0) return -1;
    if (plot && draw(j) < 0) return -1;
    if (out && write_folder(j, policy, command) < 0) return -1;
    if (json) {
        json_t *all = as_json(j);
        bex_json_print(all);
        json_decref(all);
    } else {
        print_text(j);
        if (out) printf("%s\n", out);
    }
    return 0;
}

int bex_cmd_coverage(int argc, char **argv) {
    const char *policy = NULL;
    judgement j = {0};
    char *command = bex_command_line(argc, argv);
    int n = bex_options_parse(&usage, argc, argv, &policy, 1);
    int code = n == BEX_OPTIONS_HELP ? BEX_EXIT_OK : BEX_EXIT_USAGE;
    if (n == 0 || (n > 0 && !states)) {
        bex_fail(n ? "which states? (--states FILE)" : "which policy?");
        bex_command_fail(&usage, code);
    } else if (n > 0) {
        code =
            run(&j, policy, command) < 0 ? bex_command_fail(&usage, BEX_EXIT_FAILED) : BEX_EXIT_OK;
    }
    bex_explored_fini(&j.explored);
    free(j.point), free(j.seen), free(j.known);
    bex_recording_fini(&j.visited);
    bex_dataset_free(j.shown);
    bex_policy_free(j.policy);
    free(command);
    return code;
}
