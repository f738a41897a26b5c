/* cli/env_options.c - flags into keys of a world. */
#include "cli/env_options.h"

#include "base/error.h"

#include <stdio.h>

enum { KEYS = 4096, PAIRS = 4 };

int bex_env_flags_keys(char *keys, size_t size, const bex_env_flags *f, const char *before) {
    char splits[32], limit[32];
    snprintf(splits, sizeof splits, "%lld", f->splits);
    snprintf(limit, sizeof limit, "%lld", f->time_limit);
    const char *const pairs[PAIRS][2] = {{"maze", f->maze},
                                         {"start", f->start},
                                         {"splits", f->splits ? splits : NULL},
                                         {"time_limit", f->time_limit ? limit : NULL}};
    size_t n = (size_t)snprintf(keys, size, "%s", before ? before : "");
    for (int i = 0; i < PAIRS && n < size; i++)
        if (pairs[i][1])
            n += (size_t)snprintf(keys + n, size - n, "%s=%s\n", pairs[i][0], pairs[i][1]);
    if (n < size) n += (size_t)snprintf(keys + n, size - n, "%s", f->own.lines);
    return n < size ? 0 : bex_fail("the options of the world are too long");
}

int bex_env_flags_open(bex_world **out, const char *name, const bex_world_options *options,
                       const bex_env_flags *flags) {
    bex_world_options o = options ? *options : (bex_world_options){0};
    char keys[KEYS];
    *out = NULL;
    if (bex_env_flags_keys(keys, sizeof keys, flags, NULL) < 0) return -1;
    o.keys = keys;
    return bex_world_open(out, name, &o);
}
