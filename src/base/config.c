/* base/config.c - values in and out of the typed structs; inih splits the lines.
 *
 *   file -> next_line (whole lines only, counted) -> inih -> take_pair -> assign -> struct
 *
 * Pitfalls of inih that next_line removes: a line past its buffer is cut in two (here an error), an
 * indented key is a continuation of the one before (here indentation means nothing), text after
 * `]` and sections without keys are never reported (here they are checked). */
#include "base/config.h"

#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"

#include <ini.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const size_t LARGEST_FILE = 1 << 20;
static const double EXACT_INTEGERS = 9007199254740992.0; // 2^53: least and most are doubles

static const struct {
    const char *word;
    bool value;
} bool_words[] = {{"true", true}, {"false", false}, {"yes", true}, {"no", false},
                  {"on", true},   {"off", false},   {"1", true},   {"0", false}};
enum { BOOL_WORDS = sizeof bool_words / sizeof *bool_words };

/* ---- one value ---- */

void bex_config_allowed(char *out, size_t size, const bex_config_row *row) {
    char least[BEX_NUMBER_SIZE], most[BEX_NUMBER_SIZE];
    int used = 0;
    switch (row->type) {
    case BEX_CONFIG_IS_INTEGER:
    case BEX_CONFIG_IS_NUMBER:
        snprintf(out, size, "a %s in [%s, %s]",
                 row->type == BEX_CONFIG_IS_INTEGER ? "whole number" : "number",
                 bex_number_format(least, row->least), bex_number_format(most, row->most));
        break;
    case BEX_CONFIG_IS_BOOL:
        snprintf(out, size, "true or false");
        break;
    case BEX_CONFIG_IS_TEXT:
        snprintf(out, size, "text of at most %zu bytes", row->size - 1);
        break;
    case BEX_CONFIG_IS_CHOICE:
        used = snprintf(out, size, "one of");
        for (int i = 0; row->choices[i] && used >= 0 && (size_t)used < size; i++)
            used +=
                snprintf(out + used, size - (size_t)used, "%s %s", i ? "," : "", row->choices[i]);
        break;
    case BEX_CONFIG_IS_KEYS:
    case BEX_CONFIG_IS_END:
        out[0] = 0;
    }
}

// why a text could not stand in a file and be read back the same; NULL if it can
static const char *unwritable(const char *text) {
    size_t n = strlen(text);
    if (n == 0) return NULL;
    if (!bex_utf8_is_name(text)) return "control characters or invalid UTF-8";
    if (text[0] == ' ' || text[n - 1] == ' ') return "a space at an end";
    if (text[0] == ';' || text[0] == '#' || strstr(text, " ;") || strstr(text, " #"))
        return "';' or '#' where a comment begins";
    return NULL;
}

static int assign_text(const bex_config_row *row, char *at, const char *text) {
    const char *why = unwritable(text);
    if (why) return bex_fail("%s", why), bex_fail_hint("a comment after a value begins with ' ;'");
    if (strlen(text) >= row->size)
        return bex_fail("it has %zu bytes, at most %zu fit", strlen(text), row->size - 1);
    memset(at, 0, row->size); // no stale bytes: equal configs compare equal
    memcpy(at, text, strlen(text));
    return 0;
}

// -1 without a message: the text is not what the row allows
static int assign_plain(const bex_config_row *row, char *at, const char *text) {
    double x;
    long long n;
    switch (row->type) {
    case BEX_CONFIG_IS_INTEGER:
        if (bex_integer_parse(&n, text) < 0) return -1;
        if ((double)n < row->least || (double)n > row->most) return -1;
        *(long long *)(void *)at = n;
        return 0;
    case BEX_CONFIG_IS_NUMBER:
        if (bex_number_parse(&x, text) < 0 || x < row->least || x > row->most) return -1;
        *(double *)(void *)at = x;
        return 0;
    case BEX_CONFIG_IS_BOOL:
        for (int i = 0; i < BOOL_WORDS; i++)
            if (!strcmp(bool_words[i].word, text))
                return *(bool *)(void *)at = bool_words[i].value, 0;
        return -1;
    case BEX_CONFIG_IS_CHOICE:
        for (int i = 0; row->choices[i]; i++)
            if (!strcmp(row->choices[i], text)) return *(int *)(void *)at = i, 0;
        return -1;
    default:
        return -1;
    }
}

// "key=value\n" among the lines, in place of an earlier one of this key
static int assign_key(const bex_config_row *row, char *lines, const char *key, const char *text) {
    const char *why = unwritable(text);
    size_t name = strlen(key), value = strlen(text), used = strlen(lines);
    if (why) return bex_fail("%s", why), bex_fail_hint("a comment after a value begins with ' ;'");
    if (name >= BEX_CONFIG_NAME_SIZE || value >= BEX_CONFIG_TEXT_SIZE)
        return bex_fail("it has %zu bytes, at most %d fit", value, BEX_CONFIG_TEXT_SIZE - 1);
    for (char *line = lines, *next; *line; line = next) {
        next = line + strcspn(line, "\n") + 1;
        if (strncmp(line, key, name) != 0 || line[name] != '=') continue;
        memmove(line, next, strlen(next) + 1);
        used = strlen(lines);
        break;
    }
    if (used + name + value + 3 > row->size) return bex_fail("too many keys of this section");
    memset(lines + used, 0, row->size - used); // no stale bytes: equal configs compare equal
    snprintf(lines + used, row->size - used, "%s=%s\n", key, text);
    return 0;
}

// how many rows of the schema are before this one
static size_t index_of(const bex_config_schema *schema, const bex_config_section *s,
                       const bex_config_row *row) {
    size_t index = 0;
    for (const bex_config_section *other = schema->sections; other != s; other++)
        for (const bex_config_row *p = other->rows; p->name; p++) index++;
    return index + (size_t)(row - s->rows);
}

// where this row's mark is; NULL: it cannot be auto
static unsigned char *mark_of(const bex_config_schema *schema, const bex_config_section *s,
                              const bex_config_row *row, const void *config) {
    if (!schema->marks_size || !row->automatic) return NULL;
    size_t index = index_of(schema, s, row);
    BEX_CHECK(index < schema->marks_size, "%s.%s: no room for its mark", s->name, row->name);
    return (unsigned char *)(uintptr_t)config + schema->marks + index;
}

static int assign(const bex_config_schema *schema, const bex_config_section *s,
                  const bex_config_row *row, void *config, const char *key, const char *text) {
    char *at = (char *)config + s->offset + row->offset;
    unsigned char *mark = mark_of(schema, s, row, config);
    if (mark && !strcmp(text, "auto")) return *mark = 1, 0;
    if (row->type == BEX_CONFIG_IS_KEYS) {
        if (assign_key(row, at, key, text) == 0) return 0;
        return bex_fail_in("%s.%.60s = '%.160s'", s->name, key, text);
    }
    if (mark) *mark = 0;
    if (row->type == BEX_CONFIG_IS_TEXT) {
        if (assign_text(row, at, text) == 0) return 0;
        return bex_fail_in("%s.%s = '%.160s'", s->name, row->name, text);
    }
    if (assign_plain(row, at, text) == 0) return 0;
    char what[512];
    bex_config_allowed(what, sizeof what, row);
    bex_fail("%s.%s = '%.160s': not %s", s->name, row->name, text, what);
    if (row->type == BEX_CONFIG_IS_CHOICE) {
        int count = 0;
        while (row->choices[count]) count++;
        const char *near = bex_nearest(text, row->choices, count, sizeof *row->choices);
        if (near) bex_fail_hint("did you mean %s?", near);
    } else if (strchr(text, '#')) {
        bex_fail_hint("a comment after a value begins with ' ;'");
    }
    return -1;
}

// as a file would give it; a text has at most BEX_CONFIG_TEXT_SIZE bytes
static void format_value(char *out, size_t size, const bex_config_row *row, const char *at) {
    char text[BEX_NUMBER_SIZE];
    const char *from = "";
    switch (row->type) {
    case BEX_CONFIG_IS_INTEGER:
        snprintf(out, size, "%lld", *(const long long *)(const void *)at);
        return;
    case BEX_CONFIG_IS_NUMBER:
        from = bex_number_format(text, *(const double *)(const void *)at);
        break;
    case BEX_CONFIG_IS_BOOL:
        from = *(const bool *)(const void *)at ? "true" : "false";
        break;
    case BEX_CONFIG_IS_TEXT:
        from = at;
        break;
    case BEX_CONFIG_IS_CHOICE:
        from = row->choices[*(const int *)(const void *)at];
        break;
    case BEX_CONFIG_IS_KEYS:
    case BEX_CONFIG_IS_END:
        break;
    }
    snprintf(out, size, "%s", from);
}

// the same, or auto
static void tell_value(char *out, size_t size, const bex_config_schema *schema,
                       const bex_config_section *s, const bex_config_row *row, const void *config) {
    const unsigned char *mark = mark_of(schema, s, row, config);
    if (mark && *mark)
        snprintf(out, size, "auto");
    else
        format_value(out, size, row, (const char *)config + s->offset + row->offset);
}

// "key = value" for each line "key=value"
static void print_keys(FILE *out, const char *lines) {
    for (; *lines; lines += strcspn(lines, "\n") + 1) {
        int key = (int)strcspn(lines, "="), value = (int)strcspn(lines + key + 1, "\n");
        fprintf(out, "%.*s = %.*s\n", key, lines, value, lines + key + 1);
    }
}

/* ---- names ---- */

static const bex_config_section *section_named(const bex_config_schema *schema, const char *name) {
    for (int i = 0; i < schema->count; i++)
        if (!strcmp(schema->sections[i].name, name)) return &schema->sections[i];
    return NULL;
}

// does "section.key" begin with this section?
static bool is_in(const char *spelling, const char *section) {
    size_t n = strlen(section);
    return spelling && !strncmp(spelling, section, n) && spelling[n] == '.';
}

// the section whose row was called section.key, or any key of that section if `key` is NULL; NULL: none
static const bex_config_section *find_alias(const bex_config_schema *schema, const char *section,
                                            const char *key, const bex_config_row **row) {
    for (int i = 0; i < schema->count; i++)
        for (const bex_config_row *r = schema->sections[i].rows; r->name; r++) {
            if (!is_in(r->was, section)) continue;
            if (key && strcmp(r->was + strlen(section) + 1, key) != 0) continue;
            *row = r;
            return &schema->sections[i];
        }
    return NULL;
}

static int fail_section(const bex_config_schema *schema, const char *name) {
    bex_fail("unknown section '%.60s'", name);
    const char *near = bex_nearest(name, schema->sections, schema->count, sizeof *schema->sections);
    if (near) bex_fail_hint("did you mean %s?", near);
    return -1;
}

static const bex_config_row *row_named(const bex_config_section *s, const char *name) {
    for (const bex_config_row *row = s->rows; row->name; row++)
        if (row->type != BEX_CONFIG_IS_KEYS && !strcmp(row->name, name)) return row;
    return NULL;
}

// the row that takes what no other does; NULL: none
static const bex_config_row *row_for_others(const bex_config_section *s) {
    for (const bex_config_row *row = s->rows; row->name; row++)
        if (row->type == BEX_CONFIG_IS_KEYS) return row;
    return NULL;
}

static int fail_row(const bex_config_schema *schema, const bex_config_section *s,
                    const char *name) {
    bex_fail("unknown key '%s.%.60s'", s->name, name);
    int count = 0;
    while (s->rows[count].name) count++;
    const char *near = bex_nearest(name, s->rows, count, sizeof *s->rows), *where = s->name;
    // nothing like it here: perhaps the right key under the wrong section
    for (int i = 0; !near && i < schema->count; i++) {
        const bex_config_row *row = row_named(&schema->sections[i], name);
        if (row) near = row->name, where = schema->sections[i].name;
    }
    if (near) bex_fail_hint("did you mean %s.%s?", where, near);
    return -1;
}

// the row of section.key, by its name of today or of before; NULL with a message
static const bex_config_row *find_row(const bex_config_schema *schema, const char *section,
                                      const char *key, const bex_config_section **of) {
    const bex_config_section *s = section_named(schema, section);
    const bex_config_row *row = s ? row_named(s, key) : NULL, *alias;
    *of = s;
    if (row && !row->retired) return row;
    const bex_config_section *moved = find_alias(schema, section, key, &alias);
    if (moved) return *of = moved, alias;
    if (s && !row) row = row_for_others(s);
    if (row && !row->retired) return row;
    if (!s)
        fail_section(schema, section);
    else if (!row)
        fail_row(schema, s, key);
    return row;
}

/* ---- defaults and overrides ---- */

static void check_name(const char *name) {
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    BEX_CHECK(n > 0 && !name[n] && n < BEX_CONFIG_NAME_SIZE, "config name '%s'", name);
}

static void check_row(const bex_config_section *s, const bex_config_row *row) {
    check_name(row->name);
    BEX_CHECK(!row->was || (strchr(row->was, '.') && strlen(row->was) < 2 * BEX_CONFIG_NAME_SIZE),
              "%s.%s was '%s'", s->name, row->name, row->was);
    BEX_CHECK(row->type != BEX_CONFIG_IS_TEXT || row->size <= BEX_CONFIG_TEXT_SIZE,
              "%s.%s: char[%zu], at most %d can be written", s->name, row->name, row->size,
              BEX_CONFIG_TEXT_SIZE);
    BEX_CHECK(row->type != BEX_CONFIG_IS_INTEGER ||
                  (row->least >= -EXACT_INTEGERS && row->most <= EXACT_INTEGERS),
              "%s.%s: range past 2^53", s->name, row->name);
    for (int i = 0; row->choices && row->choices[i]; i++)
        BEX_CHECK(strlen(row->choices[i]) < BEX_CONFIG_TEXT_SIZE && !unwritable(row->choices[i]),
                  "%s.%s: choice '%s'", s->name, row->name, row->choices[i]);
}

void bex_config_defaults(const bex_config_schema *schema, void *config) {
    for (int i = 0; i < schema->count; i++) {
        const bex_config_section *s = &schema->sections[i];
        check_name(s->name);
        for (const bex_config_row *row = s->rows; row->name; row++) {
            check_row(s, row);
            if (row->type == BEX_CONFIG_IS_KEYS)
                memset((char *)config + s->offset + row->offset, 0, row->size);
            else
                BEX_CHECK(assign(schema, s, row, config, row->name, row->initial) == 0,
                          "default: %s", bex_error());
        }
    }
}

int bex_config_set(const bex_config_schema *schema, void *config, const char *override) {
    const char *given = override;
    if (!strncmp(override, "--", 2)) override += 2;
    char name[2 * BEX_CONFIG_NAME_SIZE];
    size_t length = strcspn(override, "=");
    if (!override[length])
        return bex_fail("'%.160s' has no value", given), bex_fail_hint("write section.key=value");
    if (length >= sizeof name) return bex_fail("unknown key '%.60s...'", override);
    memcpy(name, override, length);
    name[length] = 0;
    char *dot = strchr(name, '.');
    if (!dot)
        return bex_fail("'%.160s' names no section", given),
               bex_fail_hint("write section.key=value");
    *dot = 0;
    const bex_config_section *s;
    const bex_config_row *row = find_row(schema, name, dot + 1, &s);
    return row ? assign(schema, s, row, config, dot + 1, override + length + 1) : -1;
}

int bex_config_get(const bex_config_schema *schema, const void *config, const char *section,
                   const char *key, char out[BEX_CONFIG_TEXT_SIZE]) {
    const bex_config_section *s;
    const bex_config_row *row = find_row(schema, section, key, &s);
    if (!row) return -1;
    tell_value(out, BEX_CONFIG_TEXT_SIZE, schema, s, row, config);
    return 0;
}

bool bex_config_is_auto(const bex_config_schema *schema, const void *config, const char *name) {
    char section[BEX_CONFIG_NAME_SIZE];
    size_t n = strcspn(name, ".");
    BEX_CHECK(name[n] && n < sizeof section, "'%s' is no section.key", name);
    snprintf(section, sizeof section, "%.*s", (int)n, name);
    const bex_config_section *s;
    const bex_config_row *row = find_row(schema, section, name + n + 1, &s);
    BEX_CHECK(row, "%s", bex_error());
    const unsigned char *mark = mark_of(schema, s, row, config);
    return mark && *mark;
}

void bex_config_all_auto(const bex_config_schema *schema, void *config) {
    for (int i = 0; i < schema->count; i++)
        for (const bex_config_row *row = schema->sections[i].rows; row->name; row++) {
            unsigned char *mark = mark_of(schema, &schema->sections[i], row, config);
            if (mark) *mark = 1;
        }
}

// --a.b..., or a.b=... where a and b could be names
static bool is_override(const char *arg) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    bool dashed = !strncmp(arg, "--", 2);
    if (dashed) arg += 2;
    size_t section = strspn(arg, letters);
    if (section == 0 || arg[section] != '.') return false;
    size_t key = strspn(arg + section + 1, letters);
    return dashed || (key > 0 && arg[section + 1 + key] == '=');
}

int bex_config_take_overrides(int *argc, char **argv, const char **out) {
    int kept = 1, taken = 0, i = 1;
    for (; i < *argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_override(argv[i]))
            out[taken++] = argv[i];
        else
            argv[kept++] = argv[i];
    }
    for (; i < *argc; i++) argv[kept++] = argv[i];
    if (kept < *argc) argv[kept] = NULL;
    *argc = kept;
    return taken;
}

/* ---- reading ---- */

typedef struct reading {
    const bex_config_schema *schema;
    void *config;
    const char *at, *end; // unread text
    int line;             // of the line inih has now, from 1
    int failed;           // line of our message, 0 for none
    int *seen;            // per row of the schema, the line that set it, 0 for none
} reading;

// "[section]" and nothing behind it but a comment; a known one. Malformed heads are left to inih.
static int check_head(const reading *r, const char *line, size_t length) {
    const char *close = memchr(line, ']', length);
    if (!close) return 0;
    char name[BEX_CONFIG_NAME_SIZE + 1];
    snprintf(name, sizeof name, "%.*s", (int)(close - line - 1), line + 1);
    const bex_config_row *row;
    if (!section_named(r->schema, name) && !find_alias(r->schema, name, NULL, &row))
        return fail_section(r->schema, name);
    const char *rest = close + 1;
    while (rest < line + length && (*rest == ' ' || *rest == '\t' || *rest == '\r')) rest++;
    if (rest < line + length && *rest != ';' && *rest != '#')
        return bex_fail("text after [%s]", name);
    return 0;
}

// inih's line source: one whole line, without indentation, ending in a newline; NULL at the end
static char *next_line(char *out, int size, void *payload) {
    reading *r = payload;
    if (r->failed || r->at >= r->end) return NULL;
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *line = r->at, *stop = newline ? newline : r->end;
    r->at = newline ? newline + 1 : r->end;
    r->line++;
    while (line < stop && (*line == ' ' || *line == '\t')) line++;
    size_t length = (size_t)(stop - line);
    int bad = 0;
    if (memchr(line, 0, length))
        bad = bex_fail("a NUL byte: not a text file");
    else if (length > 0 && (*line == ';' || *line == '#'))
        length = 0;
    else if (length + 2 > (size_t)size)
        bad = bex_fail("the line has %zu bytes, at most %d are read", length, size - 2);
    else if (length > 0 && *line == '[')
        bad = check_head(r, line, length);
    if (bad) return r->failed = r->line, NULL;
    memcpy(out, line, length);
    memcpy(out + length, "\n", 2);
    return out;
}

static int *seen_at(const reading *r, const bex_config_section *s, const bex_config_row *row) {
    return &r->seen[index_of(r->schema, s, row)];
}

static int set_pair(reading *r, const char *section, const char *name, const char *value) {
    if (!*section) return bex_fail("key '%.60s' stands before any [section]", name);
    const bex_config_section *s;
    const bex_config_row *row = find_row(r->schema, section, name, &s);
    if (!row) return -1;
    int *seen = seen_at(r, s, row);
    if (*seen && row->type != BEX_CONFIG_IS_KEYS) {
        bex_fail("%s.%s was set on line %d already", s->name, row->name, *seen);
        return row->was ? bex_fail_hint("%s is its old name", row->was) : -1;
    }
    *seen = r->line;
    return assign(r->schema, s, row, r->config, name, value);
}

static int take_pair(void *payload, const char *section, const char *name, const char *value) {
    reading *r = payload;
    if (r->failed) return 0;
    if (set_pair(r, section, name, value) < 0) r->failed = r->line;
    return !r->failed;
}

int bex_config_parse(const bex_config_schema *schema, void *config, const char *text, size_t size,
                     const char *name) {
    reading r = {.schema = schema, .config = config, .at = text, .end = text + size};
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) r.at += 3;
    size_t rows = 0;
    for (int i = 0; i < schema->count; i++)
        for (const bex_config_row *p = schema->sections[i].rows; p->name; p++) rows++;
    r.seen = calloc(rows + 1, sizeof *r.seen);
    if (!r.seen) return bex_fail("%s: out of memory", name);
    int wrong = ini_parse_stream(next_line, &r, take_pair, &r);
    free(r.seen);
    // inih numbers the first line it could not split; ours stands unless that came before
    if (wrong > 0 && (!r.failed || wrong < r.failed))
        return bex_fail("%s:%d: neither [section] nor key = value", name, wrong);
    if (r.failed) return bex_fail_in("%s:%d", name, r.failed);
    return wrong < 0 ? bex_fail("%s: out of memory", name) : 0;
}

int bex_config_load(const bex_config_schema *schema, void *config, const char *path) {
    char *text;
    size_t size;
    if (bex_file_read(&text, &size, path, LARGEST_FILE) < 0) return -1;
    int code = bex_config_parse(schema, config, text, size, path);
    free(text);
    return code;
}

/* ---- writing ---- */

static void print_config(const bex_config_schema *schema, const void *config, FILE *out) {
    for (int i = 0; i < schema->count; i++) {
        const bex_config_section *s = &schema->sections[i];
        fprintf(out, "%s; %s\n[%s]\n", i ? "\n" : "", s->help, s->name);
        for (const bex_config_row *row = s->rows; row->name; row++) {
            const char *at = (const char *)config + s->offset + row->offset;
            char what[512];
            if (row->retired) continue;
            if (row->type == BEX_CONFIG_IS_KEYS) {
                print_keys(out, at);
                continue;
            }
            bex_config_allowed(what, sizeof what, row);
            fprintf(out, "; %s: %s\n%s = ", row->help, what, row->name);
            char value[BEX_CONFIG_TEXT_SIZE];
            tell_value(value, sizeof value, schema, s, row, config);
            fprintf(out, "%s\n", value);
        }
    }
}

char *bex_config_text(const bex_config_schema *schema, const void *config) {
    bex_text text;
    if (bex_text_begin(&text) < 0) return NULL;
    print_config(schema, config, text.out);
    return bex_text_end(&text);
}

int bex_config_save(const bex_config_schema *schema, const void *config, const char *path,
                    int replace) {
    bex_file_out out;
    if (bex_file_create(&out, path, replace) < 0) return -1;
    print_config(schema, config, out.stream);
    return bex_file_commit(&out);
}

void bex_config_help(const bex_config_schema *schema, FILE *out) {
    for (int i = 0; i < schema->count; i++) {
        const bex_config_section *s = &schema->sections[i];
        fprintf(out, "%s[%s] %s\n", i ? "\n" : "", s->name, s->help);
        for (const bex_config_row *row = s->rows; row->name; row++) {
            char left[3 * BEX_CONFIG_NAME_SIZE + BEX_CONFIG_TEXT_SIZE], what[512];
            bool keys = row->type == BEX_CONFIG_IS_KEYS;
            if (row->retired) continue;
            bex_config_allowed(what, sizeof what, row);
            snprintf(left, sizeof left, "--%s.%s=%s", s->name, keys ? "KEY" : row->name,
                     keys ? "VALUE" : row->initial);
            bool marks = schema->marks_size && row->automatic;
            fprintf(out, "  %-36s %s%s%s%s\n", left, row->help, keys ? "" : ": ", what,
                    marks ? ", or auto" : "");
            if (row->advice) fprintf(out, "  %-36s typical: %s\n", "", row->advice);
        }
    }
}
