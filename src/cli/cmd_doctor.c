/* cli/cmd_doctor.c - `bex doctor`: what this machine and this build can do, for people or as JSON. */
#include "cli/command.h"
#include "cli/options.h"

#include "run/machine.h"

#include <stdio.h>

static void print_machine(const bex_machine *m) {
    printf("bex        %s, %s, %s\n", BEX_VERSION, bex_build_precision(), bex_build_compiler());
    printf("flags      %s\n", bex_build_flags());
    printf("system     %s\n", m->system);
    printf("processor  %s, %d core%s usable of %d, %d thread%s\n", m->cpu, m->usable,
           m->usable == 1 ? "" : "s", m->cores, m->threads, m->threads == 1 ? "" : "s");
    printf("features  ");
    for (int i = 0; i < BEX_CPU_FEATURES; i++)
        if (m->feature[i].present)
            printf(" %s%s", m->feature[i].name, m->feature[i].used ? "" : " (unused)");
    printf("\nmemory     %.1f GiB", (double)m->memory / 0x1p30);
    if (m->available) printf(", %.1f GiB available", (double)m->available / 0x1p30);
    printf("\n\n");
}

// returns how many are missing
static int print_libraries(void) {
    int missing = 0;
    bex_library l;
    printf("%-10s %-10s %s\n", "library", "version", "serves");
    for (int i = 0; bex_library_at(i, &l); i++) {
        missing += !l.present;
        printf("%-10s %-10s %s", l.name, l.present ? l.version : "MISSING", l.serves);
        if (!l.present) printf(": disabled (install %s and rebuild)", l.package);
        putchar('\n');
    }
    return missing;
}

int bex_cmd_doctor(int argc, char **argv) {
    static bool json;
    static const bex_option options[] = {
        {"json", BEX_OPTION_FLAG, &json, NULL, "one JSON object instead of text", 0, 0},
    };
    static const bex_usage usage = {
        .command = "doctor",
        .synopsis = "[options]",
        .about = "Show processor, build and library versions, and what a missing library disables.",
        .example = "bex doctor\nbex doctor --json > machine.json",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    int n = bex_options_parse(&usage, argc, argv, NULL, 0);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (json) {
        json_t *all = bex_machine_json();
        bex_json_print(all);
        json_decref(all);
        return BEX_EXIT_OK;
    }
    bex_machine m;
    bex_machine_look(&m);
    print_machine(&m);
    int missing = print_libraries();
    const char *warning = bex_machine_mismatch(&m);
    if (*warning)
        printf("\nwarning: %s\n", warning);
    else if (!missing)
        puts("\nAll is well.");
    return BEX_EXIT_OK;
}
