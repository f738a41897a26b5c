/* cli/cmd_bench.c - `bex bench WHAT`: the table of benchmarks. */
#include "bench/bench.h"
#include "cli/command.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/nearest.h"

#include <string.h>

static const struct {
    const char *name; // first member: base/nearest.h
    int (*run)(bex_bench *b);
} benchmarks[] = {
    {"act", bex_bench_act},       {"coverage", bex_bench_coverage}, {"data", bex_bench_data},
    {"env", bex_bench_env},       {"kernels", bex_bench_kernels},   {"reduce", bex_bench_reduce},
    {"rl", bex_bench_rl},         {"scaling", bex_bench_scaling},   {"train", bex_bench_train},
    {"vision", bex_bench_vision},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

int bex_cmd_bench(int argc, char **argv) {
    static bex_bench_options o;
    static const bex_option options[] = {
        {"json", BEX_OPTION_FLAG, &o.json, NULL, "an array of objects instead of a table", 0, 0},
        {"only", BEX_OPTION_TEXT, &o.only, "TEXT",
         "train, act, rl, vision, env, reduce: rows whose name holds this text", 0, 0},
        {"peer", BEX_OPTION_TEXT, &o.peer, "NAME",
         "train, act, rl, vision: torch runs the PyTorch twin beside ours", 0, 0},
        {"plot", BEX_OPTION_TEXT, &o.plot, "FILE", "scaling: a figure, .svg, .png or .pdf", 0, 0},
    };
    static const bex_usage usage = {
        .command = "bench",
        .synopsis = "kernels|train|act|rl|vision|scaling|reduce|coverage|env|data [options]",
        .about =
            "Measure ours beside a reference in the same run. A ratio above 1 beats the reference.",
        .example = "bex bench kernels\nbex bench train --only kitchen --peer torch\n"
                   "bex bench rl --only online --peer torch\n"
                   "bex bench coverage --json > coverage.json\n"
                   "mpirun -n 2 bex bench reduce --only kitchen",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *what[1];
    int n = bex_options_parse(&usage, argc, argv, what, 1);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (n == 0)
        return bex_fail(
                   "which benchmark? (kernels, train, act, rl, vision, scaling, reduce, coverage, "
                   "env, data)"),
               bex_command_fail(&usage, BEX_EXIT_USAGE);
    if (o.peer && strcmp(o.peer, "torch") != 0)
        return bex_fail("no peer '%s' (torch)", o.peer), bex_command_fail(&usage, BEX_EXIT_USAGE);
    for (int i = 0; i < BENCHMARKS; i++) {
        if (strcmp(benchmarks[i].name, what[0]) != 0) continue;
        bex_bench *b = bex_bench_new(&o);
        int code = benchmarks[i].run(b);
        bex_bench_finish(b);
        return code;
    }
    bex_fail("no benchmark '%s'", what[0]);
    const char *near = bex_nearest(what[0], benchmarks, BENCHMARKS, sizeof *benchmarks);
    if (near) bex_fail_hint("did you mean %s?", near);
    return bex_command_fail(&usage, BEX_EXIT_USAGE);
}
