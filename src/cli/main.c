/* cli/main.c - find the command, run it. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/log.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name; // first member: base/nearest.h
    int (*run)(int argc, char **argv);
    const char *about;
} commands[] = {
    {"act", bex_cmd_act, "states in, action chunks out: a policy as a pipe"},
    {"bench", bex_cmd_bench, "measure kernels beside a reference"},
    {"compare", bex_cmd_compare,
     "two explorations, trial by trial: differences, errors, intervals"},
    {"coverage", bex_cmd_coverage, "how much visited states explore, in any world"},
    {"data", bex_cmd_data, "look at, convert demonstrations"},
    {"doctor", bex_cmd_doctor, "what this machine and this build can do"},
    {"env", bex_cmd_env, "the worlds, and pictures of trajectories in them"},
    {"eval", bex_cmd_eval, "a policy beside demonstrations that were held out from it"},
    {"explore", bex_cmd_explore, "let an agent explore an environment, count what it covers"},
    {"export", bex_cmd_export, "a policy as it is deployed, one file"},
    {"plans", bex_cmd_plans, "what an exploration chose from: futures proposed, taken, made"},
    {"report", bex_cmd_report, "a page with the figures and tables of runs"},
    {"serve", bex_cmd_serve, "the playground, to a browser"},
    {"show", bex_cmd_show, "what a policy, a run or a file is"},
    {"theory", bex_cmd_theory, "the exact explorer in finite worlds, and the paper's proposition"},
    {"train", bex_cmd_train, "demonstrations to a policy"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(void) {
    puts("bex: policies that explore in context over what demonstrators did.\n\n"
         "usage: bex COMMAND [arguments]\n");
    for (int i = 0; i < COMMANDS; i++) printf("  %-10s %s\n", commands[i].name, commands[i].about);
    puts(
        "\n`bex COMMAND --help` explains a command, with an example. `bex --version` prints the version.\n"
        "Exit codes: 0 ok, 1 failed, 2 usage.");
}

// output that did not arrive (full disk) is a failure whatever the command thought
static int finish(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fputs("bex: cannot write to standard output\n", stderr);
    return code ? code : BEX_EXIT_FAILED;
}

int main(int argc, char **argv) {
    bex_log_set(bex_log_to_stderr, NULL, BEX_LOG_INFO);
    if (argc < 2) {
        fputs("bex: no command (try bex --help)\n", stderr);
        return BEX_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
        return help(), finish(BEX_EXIT_OK);
    if (!strcmp(name, "--version")) return puts("bex " BEX_VERSION), finish(BEX_EXIT_OK);
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name)) return finish(commands[i].run(argc - 1, argv + 1));
    const char *near = bex_nearest(name, commands, COMMANDS, sizeof *commands);
    bex_fail("unknown command '%s'", name);
    if (near)
        bex_fail_hint("did you mean %s?", near);
    else
        bex_fail_hint("try bex --help");
    fprintf(stderr, "bex: %s\n", bex_error());
    return BEX_EXIT_USAGE;
}
