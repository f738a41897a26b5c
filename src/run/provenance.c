/* run/provenance.c - gather what a result must name. */
#include "run/provenance.h"

#include "base/error.h"
#include "base/text.h"
#include "run/commit.h"
#include "run/machine.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void put_quoted(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *bex_command_line(int argc, char *const *argv) {
    bex_text text;
    BEX_CHECK(bex_text_begin(&text) == 0, "a command line: %s", bex_error());
    fputs("bex", text.out);
    for (int i = 0; i < argc; i++) {
        fputc(' ', text.out);
        put_quoted(text.out, argv[i]);
    }
    char *line = bex_text_end(&text);
    BEX_CHECK(line, "a command line: %s", bex_error());
    return line;
}

const char *bex_build_commit(void) {
    return BEX_COMMIT;
}

const char *bex_time_now(char out[BEX_TIME_SIZE]) {
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(out, BEX_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return out;
}

json_t *bex_provenance(const char *command, long long seed, const char *started) {
    char now[BEX_TIME_SIZE];
    json_t *p = json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:o}", "command", command, "seed",
                          (json_int_t)seed, "version", BEX_VERSION, "commit", bex_build_commit(),
                          "compiler", bex_build_compiler(), "started",
                          started ? started : bex_time_now(now), "machine", bex_machine_json());
    BEX_CHECK(p, "provenance of '%s'", command);
    return p;
}
