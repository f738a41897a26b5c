/* cli/cmd_data.c - `bex data ...`: the table of sub-commands. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name; // first member: base/nearest.h
    int (*run)(int argc, char **argv);
    const char *about;
} commands[] = {
    {"gen", bex_cmd_data_gen, "make demonstrations: in mazes, and of LIBERO's tasks"},
    {"show", bex_cmd_data_show, "what a file of demonstrations holds; --plot draws it"},
    {"suggest", bex_cmd_data_suggest,
     "which columns count, and what training would choose; --plot"},
    {"convert", bex_cmd_data_convert, "any format bex reads into D4RL's layout; --split holds out"},
    {"import-kitchen", bex_cmd_data_import_kitchen,
     "replay human kitchen logs into D4RL's kitchen data"},
    {"import-libero", bex_cmd_data_import_libero,
     "replay LIBERO or robosuite demonstrations, check them, draw them again"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int help(void) {
    puts("usage: bex data COMMAND [arguments]\n");
    for (int i = 0; i < COMMANDS; i++) printf("  %-15s %s\n", commands[i].name, commands[i].about);
    puts("\nexample:\n  bex data show demos.hdf5 --plot demos.png");
    return BEX_EXIT_OK;
}

int bex_cmd_data(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) return help();
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name)) return commands[i].run(argc - 1, argv + 1);
    const char *near = *name ? bex_nearest(name, commands, COMMANDS, sizeof *commands) : NULL;
    if (!*name)
        bex_fail("which command?");
    else if (*name == '-')
        bex_fail("unknown option %s", name);
    else
        bex_fail("unknown command '%s'", name);
    if (near)
        bex_fail_hint("did you mean %s?", near);
    else
        bex_fail_hint("try bex data --help");
    fprintf(stderr, "bex data: %s\n", bex_error());
    return BEX_EXIT_USAGE;
}
