/* tests/torture/mutant.c - a fork server: mutations of a file, each given to a command of bex in a process of
 * its own.
 *
 *     mutant SEED TARGET FIRST COUNT SECONDS KEEP [--fresh FROM TO] -- COMMAND WORD...
 *
 * Mutation i (tests/torture/mutate.h) of SEED is written to TARGET; with --fresh the directory TO is a new
 * copy of FROM before. COMMAND is one of bex's, or `config FILE`, `protocol FILE`: those readers alone. The
 * original itself must pass. Prints one line of counts,
 *
 *     tried ok refused crash hang wrong library
 *
 * wrong: refused without a message; library: a crash whose innermost frames are libhdf5's own. The input and
 * the last words of each crash, hang and wrong one are kept as KEEP-i.input and KEEP-i.log. */
#include "tests/torture/mutate.h"

#include "agent/train_config.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/command.h"
#include "explore/protocol.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_config(int argc, char **argv) {
    bex_train_config c;
    bex_config_defaults(&bex_train_schema, &c);
    if (argc == 2 && bex_config_load(&bex_train_schema, &c, argv[1]) == 0) return 0;
    return fprintf(stderr, "%s\n", bex_error()), 1;
}

static int read_protocol(int argc, char **argv) {
    bex_protocol p;
    if (argc == 2 && bex_protocol_load(&p, argv[1]) == 0) return 0;
    return fprintf(stderr, "%s\n", bex_error()), 1;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"act", bex_cmd_act},         {"data", bex_cmd_data},     {"env", bex_cmd_env},
    {"explore", bex_cmd_explore}, {"export", bex_cmd_export}, {"report", bex_cmd_report},
    {"theory", bex_cmd_theory},   {"train", bex_cmd_train},   {"config", read_config},
    {"protocol", read_protocol},
};

typedef enum { OK, REFUSED, CRASH, HANG, WRONG, LIBRARY, VERDICTS } verdict;

typedef struct job {
    const char *target, *keep, *from, *to;
    unsigned char *seed, *bytes;
    size_t size, room;
    unsigned seconds;
    int argc;
    char **argv;
} job;

static void put_file(const char *path, const unsigned char *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f)) {
        perror(path);
        exit(2);
    }
}

static _Noreturn void play(const job *j, const char *log) {
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(out, 1), dup2(out, 2);
    alarm(j->seconds);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(commands[i].name, j->argv[0])) exit(commands[i].run(j->argc, j->argv));
    fprintf(stderr, "no command '%s'\n", j->argv[0]);
    _exit(200);
}

// are the innermost frames of a sanitizer's report in a library that is not ours?
static bool in_library(const char *text) {
    const char *frame = strstr(text, "#0 ");
    if (!frame) return false;
    const char *end = strstr(frame, "#3 ");
    size_t n = end ? (size_t)(end - frame) : strlen(frame);
    char *part = strndup(frame, n);
    bool is = part && strstr(part, "libhdf5") && !strstr(part, "/src/");
    free(part);
    return is;
}

static verdict judge(int status, const char *log) {
    char *text = NULL;
    size_t size = 0;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return HANG;
    if (bex_file_read(&text, &size, log, 1 << 28) < 0) return WRONG;
    bool reported = strstr(text, "ERROR: AddressSanitizer") || strstr(text, "runtime error:") ||
                    strstr(text, "bug at ");
    verdict v = !WIFEXITED(status) || reported || WEXITSTATUS(status) > 2 ? CRASH
                : WEXITSTATUS(status) == 0                                ? OK
                : size                                                    ? REFUSED
                                                                          : WRONG;
    if (v == CRASH && in_library(text)) v = LIBRARY;
    free(text);
    return v;
}

static verdict try(const job *j, uint64_t number) {
    char log[4200], copy[8600];
    memcpy(j->bytes, j->seed, j->size);
    size_t size = mutate(j->bytes, j->size, j->room, number);
    if (j->from) {
        snprintf(copy, sizeof copy, "rm -rf '%s' && cp -r '%s' '%s'", j->to, j->from, j->to);
        if (system(copy) != 0) exit(2);
    }
    put_file(j->target, j->bytes, size);
    snprintf(log, sizeof log, "%s.log", j->keep);
    int status;
    pid_t child = fork();
    if (child == 0) play(j, log);
    if (child < 0 || waitpid(child, &status, 0) != child) exit(2);
    verdict v = judge(status, log);
    if (v != OK && v != REFUSED && v != LIBRARY) {
        snprintf(copy, sizeof copy, "%s-%llu.log", j->keep, (unsigned long long)number);
        rename(log, copy);
        snprintf(copy, sizeof copy, "%s-%llu.input", j->keep, (unsigned long long)number);
        put_file(copy, j->bytes, size);
    }
    return v;
}

int main(int argc, char **argv) {
    if (argc < 9)
        return fputs(
                   "usage: mutant SEED TARGET FIRST COUNT SECONDS KEEP [--fresh FROM TO] -- ...\n",
                   stderr),
               2;
    job j = {.target = argv[2], .keep = argv[6], .seconds = (unsigned)atoi(argv[5])};
    int at = 7;
    if (!strcmp(argv[at], "--fresh") && argc > at + 4)
        j.from = argv[at + 1], j.to = argv[at + 2], at += 3;
    j.argc = argc - at - 1, j.argv = argv + at + 1;
    char *text;
    if (bex_file_read(&text, &j.size, argv[1], 1 << 28) < 0)
        return fprintf(stderr, "%s\n", bex_error()), 2;
    j.seed = (unsigned char *)text;
    j.room = j.size + 4096;
    j.bytes = malloc(j.room);
    if (!j.bytes || !j.size) return 2;
    long counts[VERDICTS] = {0}, first = atol(argv[3]), count = atol(argv[4]);
    if (try(&j, 0) != OK) return fprintf(stderr, "the original is refused: %s.log\n", j.keep), 2;
    for (long i = first; i < first + count; i++) counts[try(&j, (uint64_t)i)]++;
    printf("%ld %ld %ld %ld %ld %ld %ld\n", count, counts[OK], counts[REFUSED], counts[CRASH],
           counts[HANG], counts[WRONG], counts[LIBRARY]);
    free(j.seed), free(j.bytes);
    return 0;
}
