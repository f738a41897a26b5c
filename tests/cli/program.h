/* tests/cli/program.h - run the built program as a user would. */
#ifndef BEX_TESTS_CLI_PROGRAM_H
#define BEX_TESTS_CLI_PROGRAM_H

#include "test.h"

#include <sys/wait.h>

typedef struct run {
    int code;
    char text[4096]; // stdout and stderr
    int lines;
} run;

// `before` is put before the program's name: environment settings
static inline run run_program_in(const char *before, const char *arguments) {
    char command[2048];
    run r = {0};
    snprintf(command, sizeof command, "%s %s/bin/bex %s 2>&1", before, BEX_BINARY_DIR, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t n = fread(r.text, 1, sizeof r.text - 1, pipe);
    r.text[n] = 0;
    int status = pclose(pipe);
    r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    for (size_t i = 0; i < n; i++) r.lines += r.text[i] == '\n';
    return r;
}

static inline run run_program(const char *arguments) {
    return run_program_in("", arguments);
}

// one line on stderr that contains `part`, with this exit code
static inline void assert_refused(const char *arguments, int code, const char *part) {
    run r = run_program(arguments);
    if (r.code != code || r.lines != 1 || !strstr(r.text, part))
        fail_msg("'bex %s' gave code %d and: %s", arguments, r.code, r.text);
}

typedef struct refusal {
    const char *arguments;
    int code;
    const char *part;
} refusal;

static inline void assert_all_refused(const refusal *bad, size_t n) {
    for (size_t i = 0; i < n; i++) assert_refused(bad[i].arguments, bad[i].code, bad[i].part);
}

#endif
