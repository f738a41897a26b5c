/* cli/cmd_env_check.c - `bex env check antmaze FILE`: our physics on recorded transitions. */
#include "cli/command.h"
#include "cli/env_options.h"

#include "base/error.h"
#include "check/ant_transitions.h"
#include "data/load.h"
#include "env/ant/antmaze.h"
#include "host/json.h"

#include <stdio.h>
#include <string.h>

// what D4RL's own files reach, rounded up: they hold float32
#define MEDIAN_MOST 2e-6
#define P99_MOST    1e-5

typedef struct request {
    const char *env, *file;
    bex_env_flags world;
    bool json;
} request;

static int open_world(bex_world **world, const request *q, const bex_dataset *data) {
    const char *name = q->env;
    bool any = !strcmp(name, bex_antmaze_any.name);
    if (any && !q->world.maze && !strstr(q->world.own.lines, "maze="))
        name = bex_ant_transitions_world(q->file, data);
    if (!name || bex_env_flags_open(world, name, NULL, &q->world) < 0) return -1;
    return bex_antmaze_maze(*world) ? 0 : bex_fail("%s is not an antmaze", name);
}

static int print(const request *q, const bex_world *world, const bex_ant_transitions *r) {
    bool fine = r->median <= MEDIAN_MOST && r->p99 <= P99_MOST;
    if (q->json) {
        json_t *j = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:i, s:i, s:b}", "file", q->file,
                              "world", world->name, "median", r->median, "p99", r->p99, "max",
                              r->max, "speed_median", r->speed_median, "rows", r->rows, "resets",
                              r->resets, "passed", fine);
        if (!j) return bex_fail("the name of the file is not UTF-8");
        bex_json_print(j);
        json_decref(j);
    } else {
        printf("%s, %s: %d transitions, %d at resets left out\n"
               "  largest error of a position after one step: median %.2g, 99 %% below %.2g, "
               "most %.2g (m, rad)\n",
               q->file, world->name, r->rows, r->resets, r->median, r->p99, r->max);
    }
    if (fine) return 0;
    return bex_fail("the motion is not D4RL's: median above %g or p99 above %g", MEDIAN_MOST,
                    P99_MOST);
}

static int check(const request *q) {
    bex_world *world = NULL;
    bex_ant_transitions result;
    bex_load_options o = BEX_LOAD_INIT;
    bex_dataset *data = bex_dataset_load(q->file, &o);
    int code = BEX_EXIT_FAILED;
    if (!data) return code;
    if (open_world(&world, q, data) < 0) {
        code = BEX_EXIT_USAGE;
        goto done;
    }
    if (bex_ant_transitions_run(&result, world, data) < 0) {
        bex_fail_in("'%s'", q->file);
        goto done;
    }
    if (result.rows == 0) {
        bex_fail("'%s': no two rows follow one another", q->file);
        goto done;
    }
    if (print(q, world, &result) == 0) code = BEX_EXIT_OK;
done:
    bex_world_close(world);
    bex_dataset_free(data);
    return code;
}

int bex_cmd_env_check(int argc, char **argv) {
    static request q;
    static const bex_option options[] = {
        BEX_ENV_OPTIONS(q.world),
        {"json", BEX_OPTION_FLAG, &q.json, NULL, "median, p99, max, rows ... as JSON", 0, 0},
    };
    static const bex_usage usage = {
        .command = "env check",
        .synopsis = "antmaze|antmaze-umaze|-medium|-large FILE [options]",
        .about = "Replay recorded transitions one by one: the state of a row and its action into\n"
                 "our simulator, and the largest difference of any position to the next row.\n"
                 "antmaze alone takes the maze from the name of the file, or from where its rows\n"
                 "are. Fails (1) if the median is above 2e-6 or the 99th percentile above 1e-5.",
        .example = "bex env check antmaze antmaze-medium-diverse-v2.hdf5",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *given[2];
    int n = bex_options_parse(&usage, argc, argv, given, 2);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (n < 2) {
        bex_fail(n ? "which file of demonstrations?" : "which world? (antmaze)");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    q.env = given[0], q.file = given[1];
    int code = check(&q);
    return code == BEX_EXIT_OK ? code : bex_command_fail(&usage, code);
}
