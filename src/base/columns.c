/* base/columns.c - names of columns, and choices among them. */
#include "base/columns.h"

#include "base/error.h"
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 64 }; // bytes of a key

/* ---- the list ---- */

static int push(bex_column_names *c, const char *text, size_t length) {
    char **grown = realloc(c->name, ((size_t)c->count + 1) * sizeof *grown);
    char *copy = malloc(length + 1);
    if (grown) c->name = grown;
    if (!grown || !copy) {
        free(copy);
        bex_columns_fini(c);
        return bex_fail("out of memory: names of columns");
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    c->name[c->count++] = copy;
    return 0;
}

int bex_columns_add(bex_column_names *c, const char *name) {
    return push(c, name, strlen(name));
}

int bex_columns_add_key(bex_column_names *c, const char *key, int width) {
    char clean[NAME_MOST], name[BEX_COLUMN_LABEL];
    snprintf(clean, sizeof clean, "%s", *key ? key : "state");
    for (char *p = clean; *p; p++)
        if (strchr(",[]: ", *p) || iscntrl((unsigned char)*p)) *p = '_';
    for (int i = 0; i < width; i++) {
        snprintf(name, sizeof name, width > 1 ? "%s[%d]" : "%s", clean, i);
        if (bex_columns_add(c, name) < 0) return -1;
    }
    return 0;
}

int bex_columns_parse(bex_column_names *c, const char *text, int count) {
    for (const char *at = text; *text;) {
        size_t n = strcspn(at, ",");
        if (!n || n >= BEX_COLUMN_LABEL - 16) {
            bex_columns_fini(c);
            return bex_fail("names of columns: an empty or a long one");
        }
        if (push(c, at, n) < 0) return -1;
        if (!at[n]) break;
        at += n + 1;
    }
    if (c->count == count) return 0;
    int found = c->count;
    bex_columns_fini(c);
    return bex_fail("%d names for %d columns", found, count);
}

char *bex_columns_text(const bex_column_names *c) {
    size_t size = 1, used = 0;
    for (int i = 0; i < c->count; i++) size += strlen(c->name[i]) + 1;
    char *text = malloc(size);
    if (!text) return bex_fail("out of memory: names of columns"), NULL;
    text[0] = 0;
    for (int i = 0; i < c->count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", c->name[i]);
    return text;
}

int bex_columns_copy(bex_column_names *to, const bex_column_names *from) {
    for (int i = 0; i < from->count; i++)
        if (bex_columns_add(to, from->name[i]) < 0) return -1;
    return 0;
}

void bex_columns_fini(bex_column_names *c) {
    for (int i = 0; i < c->count; i++) free(c->name[i]);
    free(c->name);
    *c = (bex_column_names){0};
}

const char *bex_column_label(char out[BEX_COLUMN_LABEL], const bex_column_names *c, int column) {
    bool named = c && column >= 0 && column < c->count;
    snprintf(out, BEX_COLUMN_LABEL, named ? "%d (%.80s)" : "%d", column,
             named ? c->name[column] : "");
    return out;
}

int bex_column_key(const char *name) {
    return (int)strcspn(name, "[");
}

/* ---- choosing ---- */

// one entry of a list, taken apart: key[low:high], or low:high alone
typedef struct {
    char key[BEX_COLUMN_LABEL];
    long low, high; // high < 0: no brackets
} entry;

// "3", "3:6" -> low and one behind the last; 0 if it is neither
static int read_range(const char *text, const char *end, long *low, long *high) {
    char *next;
    if (!isdigit((unsigned char)*text)) return 0;
    *low = strtol(text, &next, 10);
    *high = *low + 1;
    if (next < end && *next == ':' && isdigit((unsigned char)next[1])) {
        *high = strtol(next + 1, &next, 10);
        if (*high <= *low) return 0;
    }
    return next == end;
}

static int read_entry(entry *e, const char *text, size_t length) {
    const char *end = text + length, *open = memchr(text, '[', length);
    *e = (entry){.high = -1};
    if (read_range(text, end, &e->low, &e->high)) return 1;
    e->high = -1;
    size_t key = open ? (size_t)(open - text) : length;
    if (!key || key >= sizeof e->key) return 0;
    memcpy(e->key, text, key);
    if (!open) return 1;
    return end[-1] == ']' && read_range(open + 1, end - 1, &e->low, &e->high);
}

// does the key of this column end in `word`, at a seam?
static bool ends_in(const char *name, const char *word) {
    size_t key = (size_t)bex_column_key(name), n = strlen(word);
    if (key < n || strncmp(name + key - n, word, n) != 0) return false;
    return key == n || strchr("_/.", name[key - n - 1]);
}

static bool same_key(const char *a, const char *b) {
    int n = bex_column_key(a);
    return n == bex_column_key(b) && !strncmp(a, b, (size_t)n);
}

// the first column of the key meant, -1: none, -2: several
static int find_key(const bex_column_names *c, const char *word) {
    int found = -1;
    for (int i = 0; i < c->count; i++)
        if ((size_t)bex_column_key(c->name[i]) == strlen(word) &&
            !strncmp(c->name[i], word, strlen(word)))
            return i;
    for (int i = 0; i < c->count; i++) {
        if (!ends_in(c->name[i], word)) continue;
        if (found >= 0 && !same_key(c->name[found], c->name[i])) return -2;
        if (found < 0) found = i;
    }
    return found;
}

// the keys there are, as far as a line takes them
void bex_columns_list(char *out, int room, const bex_column_names *c) {
    size_t used = 0, size = (size_t)room;
    out[0] = 0;
    for (int i = 0, n; i < c->count; i += n) {
        for (n = 1; i + n < c->count && same_key(c->name[i], c->name[i + n]); n++) {
        }
        char one[BEX_COLUMN_LABEL];
        snprintf(one, sizeof one, n > 1 ? "%s%.*s[0:%d]" : "%s%.*s", used ? ", " : "",
                 bex_column_key(c->name[i]), c->name[i], n);
        if (used + strlen(one) + 5 > size) {
            snprintf(out + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(out + used, size - used, "%s", one);
    }
}

static int fail_entry(const char *text, const char *at, size_t length, const bex_column_names *c,
                      int O) {
    char keys[260];
    if (!c || !c->count) return bex_fail("dims '%s': numbers from 0 to %d, by commas", text, O - 1);
    bex_columns_list(keys, sizeof keys, c);
    bex_fail("dims '%s': no column '%.*s'; there are %s, or numbers from 0 to %d", text,
             (int)length, at, keys, O - 1);
    char word[BEX_COLUMN_LABEL];
    snprintf(word, sizeof word, "%.*s",
             bex_column_key(at) < (int)length ? bex_column_key(at) : (int)length, at);
    const char *near = bex_nearest(word, c->name, c->count, sizeof *c->name);
    if (near) bex_fail_hint("did you mean %s?", near);
    return -1;
}

typedef struct {
    int *dims, n, most;
    const char *text;
} choice;

static int take(choice *to, int column) {
    for (int i = 0; i < to->n; i++)
        if (to->dims[i] == column)
            return bex_fail("dims '%s': dim %d is selected twice", to->text, column);
    if (to->n == to->most) return bex_fail("dims '%s': more than %d", to->text, to->most);
    to->dims[to->n++] = column;
    return 0;
}

static int take_entry(choice *to, const char *at, size_t length, const bex_column_names *c, int O) {
    entry e;
    if (!read_entry(&e, at, length)) return fail_entry(to->text, at, length, c, O);
    int first = 0, count = O;
    if (e.key[0]) {
        first = c ? find_key(c, e.key) : -1;
        if (first == -2) return bex_fail("dims '%s': several keys end in '%s'", to->text, e.key);
        if (first < 0) return fail_entry(to->text, at, length, c, O);
        for (count = 1;
             first + count < c->count && same_key(c->name[first], c->name[first + count]);
             count++) {
        }
    }
    long low = e.high < 0 ? 0 : e.low, high = e.high < 0 ? count : e.high;
    if (high > count) return fail_entry(to->text, at, length, c, O);
    for (long i = low; i < high; i++)
        if (take(to, first + (int)i) < 0) return -1;
    return 0;
}

int bex_columns_select(int *dims, int most, const char *text, const bex_column_names *c, int O) {
    choice to = {dims, 0, most, text};
    for (const char *at = text; *text;) {
        size_t n = strcspn(at, ",");
        if (take_entry(&to, at, n, c, O) < 0) return -1;
        if (!at[n]) break;
        at += n + 1;
    }
    return to.n;
}

void bex_columns_describe(char *out, int size, const int *dims, int n, const bex_column_names *c) {
    int used = 0;
    bool named = c && c->count;
    out[0] = 0;
    for (int i = 0, run; i < n; i += run) {
        char one[BEX_COLUMN_LABEL + 16];
        const char *name = named ? c->name[dims[i]] : "";
        for (run = 1; named && i + run < n && dims[i + run] == dims[i] + run &&
                      same_key(name, c->name[dims[i + run]]);
             run++) {
        }
        bool from_start = !dims[i] || !named || !same_key(name, c->name[dims[i] - 1]);
        int last = dims[i] + run - 1;
        bool to_end = named && (last + 1 == c->count || !same_key(name, c->name[last + 1]));
        if (!named)
            snprintf(one, sizeof one, "%d", dims[i]);
        else if (run > 1 && from_start && to_end)
            snprintf(one, sizeof one, "%.*s", bex_column_key(name), name);
        else if (run > 1)
            snprintf(one, sizeof one, "%.*s[%ld:%ld]", bex_column_key(name), name,
                     strtol(name + bex_column_key(name) + 1, NULL, 10),
                     strtol(name + bex_column_key(name) + 1, NULL, 10) + run);
        else
            snprintf(one, sizeof one, "%.80s", name);
        if (used + (int)strlen(one) + 5 > size) {
            snprintf(out + used, (size_t)(size - used), "...");
            return;
        }
        used += snprintf(out + used, (size_t)(size - used), "%s%s", i ? "," : "", one);
    }
}
