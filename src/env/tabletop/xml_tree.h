/* env/tabletop/xml_tree.h - MJCF as a tree that can be edited: read by expat, printed again for MuJoCo.
 *
 *     bex_xml_tree *t;
 *     bex_xml_tree_read(&t, text, size, "cup.xml");
 *     bex_xml *body = bex_xml_find(t->root, "body", "name", "object");
 *     bex_xml_set(t, body, "pos", "0 0 1");
 *     char *text = bex_xml_text(t->root);          malloced
 *     bex_xml_tree_free(t);
 *
 * Elements and attributes only: comments, and text between tags, are dropped (one of LIBERO's files has a
 * stray letter there). Everything belongs to the tree it was made in; an element of another tree is taken
 * over by bex_xml_copy. The document type is not read, so that no entity expands; at most 64 levels and
 * 100,000 elements. One thread at a time. */
#ifndef BEX_ENV_TABLETOP_XML_TREE_H
#define BEX_ENV_TABLETOP_XML_TREE_H

#include <stddef.h>

typedef struct bex_xml_attribute {
    const char *name, *value;
    struct bex_xml_attribute *next;
} bex_xml_attribute;

typedef struct bex_xml {
    const char *tag;
    bex_xml_attribute *attributes; // in the order of the file
    struct bex_xml *parent, *first, *last, *next;
} bex_xml;

typedef struct bex_xml_tree {
    bex_xml *root;
    struct bex_arena *arena;
} bex_xml_tree;

enum { BEX_XML_LEVELS = 64, BEX_XML_ELEMENTS = 100000 };

/* `name` is what messages call the text. Negative with a message: not XML, too deep, too large. */
int bex_xml_tree_read(bex_xml_tree **out, const char *text, size_t size, const char *name);
int bex_xml_tree_new(bex_xml_tree **out, const char *root_tag);
void bex_xml_tree_free(bex_xml_tree *tree); // NULL is fine

/* The value of an attribute, NULL: none. set: a copy of value; NULL removes it. format: as printf. */
const char *bex_xml_get(const bex_xml *e, const char *attribute);
void bex_xml_set(bex_xml_tree *t, bex_xml *e, const char *attribute, const char *value);
void bex_xml_set_numbers(bex_xml_tree *t, bex_xml *e, const char *attribute, const double *v,
                         int n);

/* Up to n numbers of an attribute; how many there were. */
int bex_xml_numbers(const bex_xml *e, const char *attribute, double *v, int n);

/* Children: the first of a tag (NULL: of any), and a new one at the end. */
bex_xml *bex_xml_child(const bex_xml *e, const char *tag);
bex_xml *bex_xml_add(bex_xml_tree *t, bex_xml *parent, const char *tag);

/* A copy of e and all below at the end of parent; out of its parent. */
bex_xml *bex_xml_copy(bex_xml_tree *t, bex_xml *parent, const bex_xml *e);
void bex_xml_remove(bex_xml *e);

/* Depth first behind e, within `top`: the next element; start with e = top. NULL past the end. */
bex_xml *bex_xml_walk(const bex_xml *top, const bex_xml *e);

/* The first below `top`, or it itself, with this tag and attribute = value; NULL: none. */
bex_xml *bex_xml_find(bex_xml *top, const char *tag, const char *attribute, const char *value);

/* A copy of text in the tree's memory. */
const char *bex_xml_keep(bex_xml_tree *t, const char *text);

/* The element and all below as XML; malloced, NULL with a message. */
char *bex_xml_text(const bex_xml *e);

#endif
