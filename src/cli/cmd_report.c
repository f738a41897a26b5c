/* cli/cmd_report.c - `bex report RUN... -o DIR`. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/error.h"
#include "report/report.h"

#include <stdio.h>

enum { PATHS = 256 };

int bex_cmd_report(int argc, char **argv) {
    static const char *out, *title;
    static const bex_option options[] = {
        {"out", BEX_OPTION_TEXT, &out, "DIR",
         "where report.html and figures/ go (also -o DIR); else into the one RUN", 0, 0},
        {"title", BEX_OPTION_TEXT, &title, "TEXT", "of the page; else from the inputs", 0, 0},
    };
    static const bex_usage usage = {
        .command = "report",
        .synopsis = "RUN... [-o DIR]",
        .about =
            "One self-contained HTML page, and its figures as SVG and PNG, from training runs\n"
            "(metrics.csv) and explorations (results.json): coverage against steps, budgets,\n"
            "maps, rollouts given a history, calibration, training curves, and the trials,\n"
            "seeds and commands behind them. A RUN may also be a directory of such. What is\n"
            "missing is left out with a note.",
        .example = "bex report runs/maze -o out\n"
                   "bex report runs/be runs/bc explored --title 'BE and BC' -o out",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *paths[PATHS];
    int n = bex_options_parse(&usage, argc, argv, paths, PATHS);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (n == 0) return bex_fail("of which run?"), bex_command_fail(&usage, BEX_EXIT_USAGE);
    if (n > 1 && !out)
        return bex_fail("several runs need -o DIR"), bex_command_fail(&usage, BEX_EXIT_USAGE);
    const char *folder = out ? out : paths[0];
    if (bex_report_write(paths, n, title, folder) < 0)
        return bex_command_fail(&usage, BEX_EXIT_FAILED);
    printf("%s/report.html\n", folder);
    return BEX_EXIT_OK;
}
