/* env/tabletop/xml_tree.c - a tree out of expat's events. */
#include "env/tabletop/xml_tree.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *bex_xml_keep(bex_xml_tree *t, const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(bex_arena_alloc(t->arena, n), text, n);
}

int bex_xml_tree_new(bex_xml_tree **out, const char *root_tag) {
    *out = NULL;
    bex_xml_tree *t = calloc(1, sizeof *t);
    if (!t || !(t->arena = bex_arena_new())) return free(t), bex_fail("out of memory");
    if (root_tag) {
        t->root = bex_arena_zalloc(t->arena, sizeof *t->root);
        t->root->tag = bex_xml_keep(t, root_tag);
    }
    *out = t;
    return 0;
}

void bex_xml_tree_free(bex_xml_tree *t) {
    if (!t) return;
    bex_arena_free(t->arena);
    free(t);
}

bex_xml *bex_xml_add(bex_xml_tree *t, bex_xml *parent, const char *tag) {
    bex_xml *e = bex_arena_zalloc(t->arena, sizeof *e);
    e->tag = bex_xml_keep(t, tag);
    e->parent = parent;
    if (parent->last)
        parent->last->next = e;
    else
        parent->first = e;
    parent->last = e;
    return e;
}

void bex_xml_remove(bex_xml *e) {
    bex_xml *p = e->parent, *before = NULL;
    if (!p) return;
    for (bex_xml *c = p->first; c != e; c = c->next) before = c;
    if (before)
        before->next = e->next;
    else
        p->first = e->next;
    if (p->last == e) p->last = before;
    e->parent = e->next = NULL;
}

const char *bex_xml_get(const bex_xml *e, const char *attribute) {
    for (const bex_xml_attribute *a = e->attributes; a; a = a->next)
        if (!strcmp(a->name, attribute)) return a->value;
    return NULL;
}

void bex_xml_set(bex_xml_tree *t, bex_xml *e, const char *attribute, const char *value) {
    bex_xml_attribute **at = &e->attributes;
    while (*at && strcmp((*at)->name, attribute)) at = &(*at)->next;
    if (!value) {
        if (*at) *at = (*at)->next;
        return;
    }
    if (!*at) {
        *at = bex_arena_zalloc(t->arena, sizeof **at);
        (*at)->name = bex_xml_keep(t, attribute);
    }
    (*at)->value = bex_xml_keep(t, value);
}

void bex_xml_set_numbers(bex_xml_tree *t, bex_xml *e, const char *attribute, const double *v,
                         int n) {
    char text[16 * BEX_NUMBER_SIZE] = "", one[BEX_NUMBER_SIZE];
    BEX_CHECK(n <= 16, "%d numbers", n);
    for (int i = 0; i < n; i++) {
        if (i) strcat(text, " ");
        strcat(text, bex_number_format(one, v[i]));
    }
    bex_xml_set(t, e, attribute, text);
}

int bex_xml_numbers(const bex_xml *e, const char *attribute, double *v, int n) {
    const char *text = bex_xml_get(e, attribute);
    int count = 0;
    while (text && count < n) {
        text += strspn(text, " \t\r\n");
        if (*text == '+') text++;
        if (!*text || bex_number_take(&v[count], &text) < 0) break;
        count++;
    }
    return count;
}

bex_xml *bex_xml_child(const bex_xml *e, const char *tag) {
    for (bex_xml *c = e->first; c; c = c->next)
        if (!tag || !strcmp(c->tag, tag)) return c;
    return NULL;
}

bex_xml *bex_xml_copy(bex_xml_tree *t, bex_xml *parent, const bex_xml *from) {
    bex_xml *e = bex_xml_add(t, parent, from->tag);
    for (const bex_xml_attribute *a = from->attributes; a; a = a->next)
        bex_xml_set(t, e, a->name, a->value);
    for (const bex_xml *c = from->first; c; c = c->next) bex_xml_copy(t, e, c);
    return e;
}

bex_xml *bex_xml_walk(const bex_xml *top, const bex_xml *e) {
    if (e->first) return e->first;
    while (e != top && !e->next) e = e->parent;
    return e == top ? NULL : e->next;
}

bex_xml *bex_xml_find(bex_xml *top, const char *tag, const char *attribute, const char *value) {
    for (bex_xml *e = top; e; e = bex_xml_walk(top, e)) {
        const char *has = strcmp(e->tag, tag) ? NULL : bex_xml_get(e, attribute);
        if (has && !strcmp(has, value)) return e;
    }
    return NULL;
}

// what the events build
typedef struct reading {
    bex_xml_tree *tree;
    XML_Parser parser;
    bex_xml *at; // the open element
    int level, elements;
    const char *fault;
} reading;

static void XMLCALL on_start(void *payload, const char *tag, const char **attributes) {
    reading *r = payload;
    if (r->fault) return;
    if (++r->level > BEX_XML_LEVELS)
        r->fault = "elements inside one another more than 64 levels deep";
    if (++r->elements > BEX_XML_ELEMENTS) r->fault = "more than 100000 elements";
    if (r->fault) {
        XML_StopParser(r->parser, XML_FALSE);
        return;
    }
    if (r->at) {
        r->at = bex_xml_add(r->tree, r->at, tag);
    } else {
        r->at = r->tree->root = bex_arena_zalloc(r->tree->arena, sizeof *r->at);
        r->at->tag = bex_xml_keep(r->tree, tag);
    }
    for (int i = 0; attributes[i]; i += 2)
        bex_xml_set(r->tree, r->at, attributes[i], attributes[i + 1]);
}

static void XMLCALL on_end(void *payload, const char *tag) {
    reading *r = payload;
    (void)tag;
    r->level--;
    if (r->at->parent) r->at = r->at->parent;
}

static void XMLCALL on_doctype(void *payload, const char *name, const char *system,
                               const char *public, int subset) {
    reading *r = payload;
    (void)name, (void)system, (void)public, (void)subset;
    r->fault = "a document type is not read";
    XML_StopParser(r->parser, XML_FALSE);
}

int bex_xml_tree_read(bex_xml_tree **out, const char *text, size_t size, const char *name) {
    reading r = {.parser = XML_ParserCreate(NULL)};
    *out = NULL;
    if (!r.parser) return bex_fail("out of memory");
    if (size > INT_MAX / 2) {
        XML_ParserFree(r.parser);
        return bex_fail("%s: %zu bytes are too many", name, size);
    }
    int code = bex_xml_tree_new(&r.tree, NULL);
    if (code == 0) {
        XML_SetUserData(r.parser, &r);
        XML_SetElementHandler(r.parser, on_start, on_end);
        XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
        if (XML_Parse(r.parser, text, (int)size, 1) != XML_STATUS_OK)
            code = bex_fail("%s:%lu: %s", name, (unsigned long)XML_GetCurrentLineNumber(r.parser),
                            r.fault ? r.fault : XML_ErrorString(XML_GetErrorCode(r.parser)));
    }
    XML_ParserFree(r.parser);
    if (code < 0) return bex_xml_tree_free(r.tree), -1;
    *out = r.tree;
    return 0;
}

static void print_value(FILE *f, const char *value) {
    for (; *value; value++) {
        if (*value == '&')
            fputs("&amp;", f);
        else if (*value == '<')
            fputs("&lt;", f);
        else if (*value == '"')
            fputs("&quot;", f);
        else
            fputc(*value, f);
    }
}

static void print(FILE *f, const bex_xml *e, int level) {
    fprintf(f, "%*s<%s", 2 * level, "", e->tag);
    for (const bex_xml_attribute *a = e->attributes; a; a = a->next) {
        fprintf(f, " %s=\"", a->name);
        print_value(f, a->value);
        fputc('"', f);
    }
    if (!e->first) {
        fputs("/>\n", f);
        return;
    }
    fputs(">\n", f);
    for (const bex_xml *c = e->first; c; c = c->next) print(f, c, level + 1);
    fprintf(f, "%*s</%s>\n", 2 * level, "", e->tag);
}

char *bex_xml_text(const bex_xml *e) {
    bex_text t;
    if (bex_text_begin(&t) < 0) return NULL;
    print(t.out, e, 0);
    return bex_text_end(&t);
}
