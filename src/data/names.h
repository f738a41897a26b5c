/* data/names.h - a small table of distinct strings: task and scene names, keys, notes. */
#ifndef BEX_DATA_NAMES_H
#define BEX_DATA_NAMES_H

typedef struct bex_names {
    char **text; // (count), NUL-terminated, owned
    int count;
} bex_names;

/* Index of `text`, added (copied) if new; negative with a message when out of memory. Linear search:
 * for tens of names. */
int bex_names_add(bex_names *labels, const char *text);

/* Add without looking for an equal one: lists, where order and repeats count. */
int bex_names_push(bex_names *labels, const char *text);

int bex_names_find(const bex_names *labels, const char *text); // index or -1

/* Sort so that runs of digits compare as numbers: demo_2 before demo_10. */
void bex_names_sort_natural(bex_names *labels);

/* Split "a,b,c" (spaces round names dropped; empty names refused) into a list. */
int bex_names_parse(bex_names *labels, const char *commas);

void bex_names_fini(bex_names *labels); // leaves an empty table

#endif
