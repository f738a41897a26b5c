/* libFuzzer target: any text is either a config that survives writing and reading, or one clear
 * line. The first line, up to a newline, is also tried as an override. */
#include "base/config.h"

#include "base/config_sample.h"
#include "base/error.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static void check_ranges(const sample *c) {
    demand(c->train.lr >= 0 && c->train.lr <= 1 && isfinite(c->train.decay));
    demand(c->train.steps >= 1 && c->train.steps <= 1000000000);
    demand((int)c->data.history >= 0 && c->data.history <= RULE_FIRST);
    demand(c->data.mode >= 0 && c->data.mode <= 1);
    demand(strlen(c->data.path) < sizeof c->data.path);
}

static void check_round_trip(const sample *c) {
    sample again;
    check_ranges(c);
    memset(&again, 0, sizeof again); // padding too: whole structs are compared
    bex_config_defaults(&sample_schema, &again);
    char *text = bex_config_text(&sample_schema, c);
    demand(bex_config_parse(&sample_schema, &again, text, strlen(text), "again") == 0);
    demand(!memcmp(c, &again, sizeof again));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    sample c;
    memset(&c, 0, sizeof c);
    bex_config_defaults(&sample_schema, &c);
    bex_error_clear();
    if (bex_config_parse(&sample_schema, &c, (const char *)bytes, size, "fuzz") < 0)
        demand(is_one_line(bex_error()) && !strncmp(bex_error(), "fuzz:", 5));
    check_round_trip(&c); // what was set before the failing line is still valid

    size_t length = 0;
    while (length < size && bytes[length] != '\n') length++;
    char *line = malloc(length + 1);
    demand(line != NULL);
    memcpy(line, bytes, length);
    line[length] = 0;
    bex_error_clear();
    if (bex_config_set(&sample_schema, &c, line) < 0) demand(is_one_line(bex_error()));
    check_round_trip(&c);
    char *argv[] = {"train", line, NULL};
    const char *taken[2];
    int argc = 2;
    demand(bex_config_take_overrides(&argc, argv, taken) + argc == 2);
    free(line);
    return 0;
}
