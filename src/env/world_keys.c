/* env/world_keys.c - one table out of two, and lines into it. */
#include "env/world_keys.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// what every world has; the class's own struct lies behind it, hence the alignment
typedef struct shared_keys {
    _Alignas(max_align_t) long long time_limit;
} shared_keys;

static const bex_config_row shared_rows[] = {
    BEX_CONFIG_INTEGER(shared_keys, time_limit, "0", 0, 1e6,
                       "steps per episode; 0: the world's own"),
};
enum { SHARED = sizeof shared_rows / sizeof *shared_rows, MOST = 32, LINE = 256 };

// rows of a class behind the shared ones; returns the table's section
static bex_config_section join(bex_config_row rows[MOST + 1], const bex_env_class *class) {
    int n = SHARED;
    memcpy(rows, shared_rows, sizeof shared_rows);
    for (const bex_config_row *own = class->rows; own && own->name; own++, n++) {
        BEX_CHECK(n < MOST, "%s has more than %d keys", class->name, MOST - SHARED);
        rows[n] = *own;
        rows[n].offset += sizeof(shared_keys);
    }
    rows[n] = (bex_config_row)BEX_CONFIG_END;
    return (bex_config_section){"env", rows, 0, class->name};
}

// a line as an override: "start=3,3" -> "env.start=3,3"
static int set_line(const bex_config_schema *schema, void *block, const char *line, int length) {
    char text[LINE];
    if (length > 2 && !strncmp(line, "--", 2)) line += 2, length -= 2;
    bool whole = length > 4 && !strncmp(line, "env.", 4);
    if (snprintf(text, sizeof text, "%s%.*s", whole ? "" : "env.", length, line) >= LINE)
        return bex_fail("'%.60s...' is too long", line);
    return bex_config_set(schema, block, text);
}

int bex_world_keys_read(bex_world_options *options, void **own, const bex_env_class *class,
                        const char *lines) {
    bex_config_row rows[MOST + 1];
    bex_config_section section = join(rows, class);
    const bex_config_schema schema = {.sections = &section, .count = 1};
    size_t size = sizeof(shared_keys) + class->options_size;
    *own = NULL;
    char *block = calloc(1, size);
    if (!block) return bex_fail("out of memory");
    bex_config_defaults(&schema, block);
    for (int length, code = 0; *lines; lines += length + (lines[length] == '\n')) {
        length = (int)strcspn(lines, "\n");
        if (length) code = set_line(&schema, block, lines, length);
        if (code < 0) return free(block), bex_fail_in("%s", class->name);
    }
    const shared_keys *shared = (const shared_keys *)(const void *)block;
    if (shared->time_limit) options->time_limit = (int)shared->time_limit;
    if (class->options_size) {
        memmove(block, block + sizeof(shared_keys), class->options_size);
        *own = block;
    } else {
        free(block);
    }
    return 0;
}

void bex_world_help(const bex_env_class *class, FILE *out) {
    bex_config_row rows[MOST + 1];
    bex_config_section section = join(rows, class);
    section.help = class->about;
    bex_config_help(&(bex_config_schema){.sections = &section, .count = 1}, out);
}
