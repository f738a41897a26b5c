/* cli/deploy_options.c - argv to overrides of [deploy]. */
#include "cli/deploy_options.h"

#include "base/error.h"
#include "policy/deploy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "deploy.";

// "key" or "key=value" after the dashes: the row it names, *value behind the = or NULL
static const bex_config_row *row_of(const char *argument, const char **value) {
    size_t n = strcspn(argument, "=");
    *value = argument[n] ? argument + n + 1 : NULL;
    for (const bex_config_row *row = bex_deploy_rows; row->name; row++) {
        const char *old = row->was ? strchr(row->was, '.') + 1 : row->name; // its key alone
        if ((strlen(row->name) == n && !strncmp(row->name, argument, n)) ||
            (strlen(old) == n && !strncmp(old, argument, n)))
            return row;
    }
    return NULL;
}

static int insert(bex_deploy_options *d, int at, const char *key, const char *value) {
    size_t size = sizeof prefix + strlen(key) + 1 + strlen(value);
    char **text = realloc(d->text, ((size_t)d->count + 1) * sizeof *text), *one = malloc(size);
    if (text) d->text = text;
    if (!text || !one) {
        free(one);
        return bex_fail("out of memory");
    }
    snprintf(one, size, "%s%s=%s", prefix, key, value);
    memmove(text + at + 1, text + at, (size_t)(d->count - at) * sizeof *text);
    text[at] = one;
    d->count++;
    bex_deploy_config ignored; // the table's word on it, before anything is opened
    bex_config_defaults(&bex_deploy_schema, &ignored);
    return bex_deploy_set(&ignored, key, value);
}

// argument i of argv; *used: how many of argv it was, 0 if it is none of ours
static int take_one(bex_deploy_options *d, int argc, char **argv, int i, int *used) {
    const char *argument = argv[i], *value;
    *used = 0;
    if (strncmp(argument, "--", 2) != 0) return 0;
    argument += 2;
    if (!strncmp(argument, prefix, sizeof prefix - 1)) {
        char key[BEX_CONFIG_NAME_SIZE];
        argument += sizeof prefix - 1;
        *used = 1;
        size_t n = strcspn(argument, "=");
        if (!argument[n])
            return bex_fail("'%s' has no value", argv[i]), bex_fail_hint("--deploy.key=value");
        if (n >= sizeof key) return bex_fail("unknown key 'deploy.%.60s'", argument);
        snprintf(key, sizeof key, "%.*s", (int)n, argument);
        return insert(d, d->count, key, argument + n + 1);
    }
    const bex_config_row *row = row_of(argument, &value);
    if (!row) return 0;
    *used = value ? 1 : 2;
    if (!value && i + 1 >= argc) return bex_fail("--%s needs a value", row->name);
    return insert(d, d->count, row->name, value ? value : argv[i + 1]);
}

int bex_deploy_options_take(bex_deploy_options *d, int *argc, char **argv) {
    int kept = 1, i = 1, used = 0;
    *d = (bex_deploy_options){0};
    while (i < *argc && strcmp(argv[i], "--") != 0) {
        if (take_one(d, *argc, argv, i, &used) < 0) return -1;
        if (!used) argv[kept++] = argv[i++];
        i += used;
    }
    while (i < *argc) argv[kept++] = argv[i++];
    if (kept < *argc) argv[kept] = NULL;
    *argc = kept;
    return 0;
}

int bex_deploy_options_default(bex_deploy_options *d, const char *key, const char *value) {
    return insert(d, 0, key, value);
}

void bex_deploy_options_fini(bex_deploy_options *d) {
    for (int i = 0; i < d->count; i++) free(d->text[i]);
    free(d->text);
    *d = (bex_deploy_options){0};
}
