#include "policy/labels.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 3 };

void bex_labels_fini(bex_labels *l) {
    for (int i = 0; i < l->count; i++) free(l->name[i]);
    free(l->name);
    *l = (bex_labels){0};
}

static int push(bex_labels *l, const char *text, size_t length) {
    char **grown = realloc(l->name, ((size_t)l->count + 1) * sizeof *grown);
    char *copy = malloc(length + 1);
    if (grown) l->name = grown;
    if (!grown || !copy) return free(copy), bex_fail("out of memory: labels");
    memcpy(copy, text, length);
    copy[length] = 0;
    // a line of a file is one label
    for (char *c = copy; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    l->name[l->count++] = copy;
    return 0;
}

int bex_labels_add(bex_labels *l, const char *name) {
    return push(l, name, strlen(name));
}

int bex_labels_find(const bex_labels *l, const char *name) {
    for (int i = 0; i < l->count; i++)
        if (!strcmp(l->name[i], name)) return i;
    return -1;
}

int bex_labels_parse(bex_labels *l, const char *text, int count) {
    while (*text && l->count <= count) {
        size_t n = strcspn(text, "\n");
        if (push(l, text, n) < 0) return bex_labels_fini(l), -1;
        text += n + (text[n] == '\n');
    }
    if (l->count == count) return 0;
    bex_labels_fini(l);
    return bex_fail("not the names of %d labels", count);
}

char *bex_labels_text(const bex_labels *l) {
    size_t size = 1, used = 0;
    for (int i = 0; i < l->count; i++) size += strlen(l->name[i]) + 1;
    char *text = malloc(size);
    if (!text) return bex_fail("out of memory: labels"), NULL;
    text[0] = 0;
    for (int i = 0; i < l->count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s\n", l->name[i]);
    return text;
}

const char *bex_labels_list(char *out, int size, const bex_labels *l) {
    size_t used = 0, room = (size_t)size;
    out[0] = 0;
    for (int i = 0; i < l->count && i < LISTED && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", l->name[i]);
    if (l->count > LISTED && used < room)
        snprintf(out + used, room - used, ", ... (%d in all)", l->count);
    return out;
}
