/* cli/data_options.c - flags into load options. */
#include "cli/data_options.h"

#include "base/error.h"
#include "policy/policy_config.h"

#include <stdio.h>
#include <string.h>

int bex_parse_pair(int pair[2], const char *text, const char *option, int columns) {
    char rest;
    if (sscanf(text, "%9d,%9d%c", &pair[0], &pair[1], &rest) != 2 || pair[0] < 0 || pair[1] < 0)
        return bex_fail("--%s takes two column numbers such as 0,1, not '%s'", option, text);
    for (int i = 0; i < 2 && columns; i++)
        if (pair[i] >= columns)
            return bex_fail("--%s %s: there are %d columns, 0 to %d", option, text, columns,
                            columns - 1);
    return 0;
}

static int resolve_flip(bex_flip *flip, const char *text) {
    for (int i = 0; bex_flip_names[i]; i++)
        if (!strcmp(bex_flip_names[i], text)) return *flip = (bex_flip)i, 0;
    return bex_fail("--flip is none, vertical or rot180, not '%s'", text);
}

int bex_parse_columns(int pair[2], const char *text, const char *option, const bex_dataset *d) {
    int n = bex_columns_select(pair, 2, text, &d->columns, d->O);
    if (n == 2) return 0;
    return n < 0 ? bex_fail_in("--%s", option)
                 : bex_fail("--%s %s: two columns are wanted", option, text);
}

int bex_data_flags_resolve(bex_load_options *o, const bex_data_flags *f) {
    *o = BEX_LOAD_INIT;
    o->format = f->format, o->keys = f->keys, o->filter = f->filter;
    o->limit = (int)f->limit;
    o->images = f->images && !strcmp(f->images, "none") ? NULL : f->images ? f->images : "all";
    o->pictures.size = (int)f->image_size;
    if (f->flip && resolve_flip(&o->pictures.flip, f->flip) < 0) return -1;
    o->split.length = (int)f->length;
    o->split.jump = f->jump;
    if (f->split_at && bex_split_parse(&o->split.rules, f->split_at) < 0) return -1;
    if (f->position && bex_parse_pair(o->split.position, f->position, "position", 0) < 0) return -1;
    if ((o->split.rules & BEX_SPLIT_LENGTH) && !f->length)
        return bex_fail("--split-at length needs --episode-length N");
    return 0;
}
