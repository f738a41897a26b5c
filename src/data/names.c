/* data/names.c - the string table. */
#include "data/names.h"

#include "base/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int push(bex_names *l, const char *text, size_t length) {
    // grown at powers of two
    if ((l->count & (l->count - 1)) == 0) {
        size_t room = l->count ? 2 * (size_t)l->count : 1;
        char **grown = realloc(l->text, room * sizeof *grown);
        if (!grown) return bex_fail("out of memory: %zu names", room);
        l->text = grown;
    }
    char *copy = malloc(length + 1);
    if (!copy) return bex_fail("out of memory: a name of %zu bytes", length);
    memcpy(copy, text, length);
    copy[length] = 0;
    l->text[l->count] = copy;
    return l->count++;
}

int bex_names_push(bex_names *l, const char *text) {
    return push(l, text, strlen(text));
}

int bex_names_find(const bex_names *l, const char *text) {
    for (int i = 0; i < l->count; i++)
        if (!strcmp(l->text[i], text)) return i;
    return -1;
}

int bex_names_add(bex_names *l, const char *text) {
    int i = bex_names_find(l, text);
    return i >= 0 ? i : bex_names_push(l, text);
}

static int is_digit(char c) {
    return isdigit((unsigned char)c);
}

static int natural_order(const void *left, const void *right) {
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    while (*a && *b) {
        if (!is_digit(*a) || !is_digit(*b)) {
            if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++, b++;
            continue;
        }
        // numbers: skip leading zeros, then the longer run is larger
        while (*a == '0' && is_digit(a[1])) a++;
        while (*b == '0' && is_digit(b[1])) b++;
        size_t m = 0, n = 0;
        while (is_digit(a[m])) m++;
        while (is_digit(b[n])) n++;
        if (m != n) return m < n ? -1 : 1;
        int order = memcmp(a, b, m);
        if (order) return order;
        a += m, b += n;
    }
    return *a ? 1 : *b ? -1 : strcmp(*(char *const *)left, *(char *const *)right);
}

void bex_names_sort_natural(bex_names *l) {
    if (l->count) qsort(l->text, (size_t)l->count, sizeof *l->text, natural_order);
}

int bex_names_parse(bex_names *l, const char *commas) {
    for (const char *at = commas;;) {
        size_t n = strcspn(at, ",");
        const char *first = at, *end = at + n;
        while (first < end && *first == ' ') first++;
        while (end > first && end[-1] == ' ') end--;
        if (first == end) return bex_fail("'%s' has an empty name", commas);
        if (push(l, first, (size_t)(end - first)) < 0) return -1;
        if (!at[n]) return 0;
        at += n + 1;
    }
}

void bex_names_fini(bex_names *l) {
    for (int i = 0; i < l->count; i++) free(l->text[i]);
    free(l->text);
    *l = (bex_names){0};
}
