/* demo/demonstrator.c - the table, options out of text, the arrays. */
#include "demo/demonstrator.h"

#include "base/error.h"
#include "demo/ant_demonstrations.h"
#include "demo/kitchen_import.h"
#include "demo/maze_demonstrations.h"

#include <stdlib.h>
#include <string.h>

static const bex_demonstrator_class *const classes[] = {
    &bex_maze_demonstrator, &bex_ant_demonstrator, &bex_kitchen_demonstrator};
enum { CLASSES = sizeof classes / sizeof *classes, LINE = 256, WAVE = 200000 };

const bex_demonstrator_class *bex_demonstrator_for(const bex_world *world) {
    for (int i = 0; i < CLASSES; i++)
        if (bex_world_is(world, classes[i]->family)) return classes[i];
    bex_fail("no demonstrator knows %s", world->name);
    return NULL;
}

static bex_config_section section_of(const bex_demonstrator_class *c) {
    return (bex_config_section){"demo", c->rows, 0, c->algorithm};
}

static int read_options(void *options, const bex_demonstrator_class *c, const char *lines) {
    bex_config_section section = section_of(c);
    const bex_config_schema schema = {.sections = &section, .count = 1};
    bex_config_defaults(&schema, options);
    for (size_t n; lines && *lines; lines += n + (lines[n] == '\n')) {
        char text[LINE];
        n = strcspn(lines, "\n");
        if (snprintf(text, sizeof text, "demo.%.*s", (int)n, lines) >= LINE)
            return bex_fail("'%.60s...' is too long", lines);
        if (n && bex_config_set(&schema, options, text) < 0) return -1;
    }
    return 0;
}

static int allocate(bex_demonstrations *d, int room) {
    size_t n = (size_t)room, O = (size_t)d->world->spec.state, A = (size_t)d->world->A;
    d->room = room;
    d->obs = malloc(n * O * sizeof *d->obs);
    d->act = malloc(n * A * sizeof *d->act);
    d->reward = malloc(n * sizeof *d->reward);
    d->goal = malloc(n * 2 * sizeof *d->goal);
    d->terminal = malloc(n);
    d->timeout = malloc(n);
    if (d->class->after) d->after = malloc(n * O * sizeof *d->after);
    bool whole = d->obs && d->act && d->reward && d->goal && d->terminal && d->timeout &&
                 (d->after || !d->class->after);
    return whole ? 0 : bex_fail("out of memory for %d rows", room);
}

int bex_demonstrations_open(bex_demonstrations **out, const bex_world *world, const char *keys,
                            uint64_t seed, long long rows) {
    const bex_demonstrator_class *class = bex_demonstrator_for(world);
    *out = NULL;
    if (!class) return bex_misused();
    if (class->instead) {
        bex_fail("%s is not demonstrated by a program", world->name);
        bex_fail_hint("%s", class->instead);
        return bex_misused();
    }
    bex_demonstrations *d = calloc(1, class->size);
    void *options = calloc(1, class->options_size);
    if (!d || !options) return free(d), free(options), bex_fail("out of memory");
    *d = (bex_demonstrations){.class = class, .world = world, .options = options, .seed = seed};
    if (read_options(options, class, keys) < 0) {
        bex_fail_in("%s", world->name);
        bex_misused();
        goto failed;
    }
    if (class->init(d) < 0) goto failed;
    long long wave = (long long)d->piece * (WAVE / d->piece > 0 ? WAVE / d->piece : 1);
    if (allocate(d, (int)(wave < rows ? wave : rows)) < 0) goto failed;
    *out = d;
    return 0;
failed:
    bex_demonstrations_free(d);
    return -1;
}

void bex_demonstrations_free(bex_demonstrations *d) {
    if (!d) return;
    d->class->fini(d);
    free((void *)d->options);
    free(d->obs);
    free(d->act);
    free(d->reward);
    free(d->goal);
    free(d->after);
    free(d->terminal);
    free(d->timeout);
    free(d);
}

int bex_demonstrations_piece(const bex_demonstrations *d) {
    return d->piece;
}

int bex_demonstrations_make(bex_demonstrations *d, long long first, int count) {
    BEX_CHECK(count <= d->room, "%d rows, room for %d", count, d->room);
    return d->class->make(d, first, count);
}

// "episode_length" is --episode-length on the command line
static void put_option(FILE *f, const bex_config_row *row, const char *value, int length) {
    if (!length) return;
    fputs(" --", f);
    for (const char *c = row->name; *c; c++) fputc(*c == '_' ? '-' : *c, f);
    fprintf(f, " %.*s", length, value);
}

char *bex_demonstrations_command(const bex_demonstrations *d, const char *world) {
    bex_config_section section = section_of(d->class);
    char *text = NULL,
         *values =
             bex_config_text(&(bex_config_schema){.sections = &section, .count = 1}, d->options);
    size_t size;
    FILE *f = open_memstream(&text, &size);
    const char *at = values;
    for (const bex_config_row *row = d->class->rows; f && row->name; row++) {
        char key[BEX_CONFIG_NAME_SIZE + 8];
        snprintf(key, sizeof key, "\n%s = ", row->name);
        at = strstr(at, key);
        BEX_CHECK(at, "no %s in its own text", row->name);
        at += strlen(key);
        put_option(f, row, at, (int)strcspn(at, "\n"));
        if (row == d->class->rows) fputs(world, f);
    }
    free(values);
    if (f && fclose(f) != 0) free(text), text = NULL;
    return f ? text : NULL;
}

void bex_demonstrators_help(FILE *out) {
    for (int i = 0; i < CLASSES; i++) {
        if (classes[i]->instead) continue;
        bex_config_section section = section_of(classes[i]);
        fprintf(out, "\n%s: ", classes[i]->family);
        bex_config_help(&(bex_config_schema){.sections = &section, .count = 1}, out);
    }
}
