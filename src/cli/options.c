/* cli/options.c - parse, complain in one line, print help; all from the table. */
#include "cli/options.h"

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/ranks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bex_command_fail(const bex_usage *u, int code) {
    if (bex_ranks_rank() == 0) fprintf(stderr, "bex %s: %s\n", u->command, bex_error());
    return code;
}

static void print_default(const bex_option *o) {
    switch (o->type) {
    case BEX_OPTION_FLAG:
        break;
    case BEX_OPTION_INTEGER:
        printf(" [%lld]", *(long long *)o->value);
        break;
    case BEX_OPTION_NUMBER:
        printf(" [%g]", *(double *)o->value);
        break;
    case BEX_OPTION_TEXT:
        if (*(const char **)o->value) printf(" [%s]", *(const char **)o->value);
        break;
    case BEX_OPTION_KEYS:
        break;
    }
}

static void print_settings(const bex_config_section *s) {
    printf("\n%s, --%s.KEY=VALUE or --KEY VALUE, over the policy's own:\n", s->help, s->name);
    for (const bex_config_row *row = s->rows; row->name; row++)
        printf("  %-22s %s\n", row->name, row->help);
}

static void print_help(const bex_usage *u) {
    printf("usage: bex %s %s\n\n%s\n\noptions:\n", u->command, u->synopsis, u->about);
    for (int i = 0; i < u->count; i++) {
        const bex_option *o = &u->options[i];
        char left[64];
        const char *between = o->type == BEX_OPTION_KEYS ? "." : o->metavar ? " " : "";
        snprintf(left, sizeof left, "--%s%s%s", o->name, between, o->metavar ? o->metavar : "");
        printf("  %-22s %s", left, o->help);
        print_default(o);
        putchar('\n');
    }
    printf("  %-22s %s\n", "--help", "this text");
    if (u->settings) print_settings(u->settings);
    printf("\nexample:\n");
    // each line of the example indented
    for (const char *line = u->example; *line;) {
        size_t n = strcspn(line, "\n");
        printf("  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static int wrong(const bex_usage *u) {
    fprintf(stderr, "bex %s: %s (try bex %s --help)\n", u->command, bex_error(), u->command);
    return BEX_OPTIONS_WRONG;
}

static int set_number(const bex_option *o, const char *text) {
    bool whole = o->type == BEX_OPTION_INTEGER;
    long long n = 0;
    double x = 0;
    if (whole ? bex_integer_parse(&n, text) < 0 : bex_number_parse(&x, text) < 0)
        return bex_fail("--%s takes %s, not '%s'", o->name, whole ? "a whole number" : "a number",
                        text);
    if (whole) x = (double)n;
    if (x < o->least || x > o->most)
        return bex_fail("--%s must be in [%g, %g], not %s", o->name, o->least, o->most, text);
    if (whole)
        *(long long *)o->value = n;
    else
        *(double *)o->value = x;
    return 0;
}

static int set_value(const bex_option *o, const char *text) {
    if (o->type != BEX_OPTION_TEXT) return set_number(o, text);
    if (!*text) return bex_fail("--%s is empty", o->name);
    *(const char **)o->value = text;
    return 0;
}

// "section.key=value" onto the lines of its section
static int add_key(const bex_option *o, const char *text) {
    bex_option_keys *k = o->value;
    const char *key = text + strlen(o->name) + 1;
    size_t used = strlen(k->lines), n = strlen(key);
    if (!strchr(key, '=')) return bex_fail("--%.100s needs a value: --%.100s=VALUE", text, text);
    if (strchr(key, '\n')) return bex_fail("--%s.KEY=VALUE: a line break", o->name);
    if (used + n + 2 > sizeof k->lines) return bex_fail("too many --%s.KEY=VALUE", o->name);
    snprintf(k->lines + used, sizeof k->lines - used, "%s\n", key);
    return 0;
}

// the row of "section.key..."; NULL: this is no key
static const bex_option *find_section(const bex_usage *u, const char *arg) {
    for (int i = 0; i < u->count; i++) {
        const bex_option *o = &u->options[i];
        size_t n = strlen(o->name);
        if (o->type == BEX_OPTION_KEYS && !strncmp(o->name, arg, n) && arg[n] == '.') return o;
    }
    return NULL;
}

static void empty_keys(const bex_usage *u) {
    for (int i = 0; i < u->count; i++)
        if (u->options[i].type == BEX_OPTION_KEYS)
            ((bex_option_keys *)u->options[i].value)->lines[0] = 0;
}

static const bex_option *find(const bex_usage *u, const char *name, size_t length) {
    for (int i = 0; i < u->count; i++)
        if (strlen(u->options[i].name) == length && !strncmp(u->options[i].name, name, length) &&
            u->options[i].type != BEX_OPTION_KEYS)
            return &u->options[i];
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const char *near = bex_nearest(word, u->options, u->count, sizeof *u->options);
    if (!near && u->settings) {
        int rows = 0;
        while (u->settings->rows[rows].name) rows++;
        near = bex_nearest(word, u->settings->rows, rows, sizeof *u->settings->rows);
    }
    bex_fail("unknown option --%s", word);
    if (near) bex_fail_hint("did you mean --%s?", near);
    return NULL;
}

int bex_options_parse(const bex_usage *u, int argc, char **argv, const char **positional,
                      int most_positional) {
    int given = 0;
    bool options_over = false;
    empty_keys(u);
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (!options_over && !strcmp(arg, "-o")) arg = "--out";
        if (!options_over && (!strcmp(arg, "--help") || !strcmp(arg, "-h"))) {
            print_help(u);
            return BEX_OPTIONS_HELP;
        }
        const bex_option *section = !strncmp(arg, "--", 2) ? find_section(u, arg + 2) : NULL;
        if (!options_over && !strcmp(arg, "--")) {
            options_over = true;
        } else if (!options_over && section) {
            if (add_key(section, arg + 2) < 0) return wrong(u);
        } else if (!options_over && !strncmp(arg, "--", 2)) {
            size_t length = strcspn(arg + 2, "=");
            const char *value = arg[2 + length] ? arg + 3 + length : NULL;
            const bex_option *o = find(u, arg + 2, length);
            if (!o) return wrong(u);
            if (o->type == BEX_OPTION_FLAG) {
                if (value) return bex_fail("--%s takes no value", o->name), wrong(u);
                *(bool *)o->value = true;
                continue;
            }
            if (!value && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0) value = argv[++i];
            if (!value) return bex_fail("--%s needs a value (%s)", o->name, o->metavar), wrong(u);
            if (set_value(o, value) < 0) return wrong(u);
        } else {
            if (!options_over && arg[0] == '-' && isalpha((unsigned char)arg[1]))
                return bex_fail("unknown option %s", arg), wrong(u);
            if (given == most_positional)
                return bex_fail("unexpected argument '%s'", arg), wrong(u);
            positional[given++] = arg;
        }
    }
    return given;
}
