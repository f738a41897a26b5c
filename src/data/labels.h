/* data/labels.h - a small table of distinct strings: task and scene names, keys, notes. */
#ifndef BEX_DATA_LABELS_H
#define BEX_DATA_LABELS_H

typedef struct bex_labels {
    char **text; // (count), NUL-terminated, owned
    int count;
} bex_labels;

/* Index of `text`, added (copied) if new; negative with a message when out of memory. Linear search:
 * for tens of names. */
int bex_labels_add(bex_labels *labels, const char *text);

/* Add without looking for an equal one: lists, where order and repeats count. */
int bex_labels_push(bex_labels *labels, const char *text);

int bex_labels_find(const bex_labels *labels, const char *text); // index or -1

/* Sort so that runs of digits compare as numbers: demo_2 before demo_10. */
void bex_labels_sort_natural(bex_labels *labels);

/* Split "a,b,c" (spaces round names dropped; empty names refused) into a list. */
int bex_labels_parse(bex_labels *labels, const char *commas);

void bex_labels_fini(bex_labels *labels); // leaves an empty table

#endif
