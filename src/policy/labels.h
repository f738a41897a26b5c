/* policy/labels.h - what the task and scene inputs of a policy mean: the labels of its demonstrations, by
 * index. Kept with the policy so that whoever acts names a task instead of counting it. */
#ifndef BEX_POLICY_LABELS_H
#define BEX_POLICY_LABELS_H

typedef struct bex_labels {
    int count;
    char **name; // (count), owned
} bex_labels;

int bex_labels_add(bex_labels *labels,
                   const char *name); // copied; negative with a message: no memory
int bex_labels_find(const bex_labels *labels, const char *name); // index, or -1

/* Lines, as a policy file has them: exactly `count`. Negative with a message; then there are none. Text
 * back: malloced, NULL with a message. */
int bex_labels_parse(bex_labels *labels, const char *text, int count);
char *bex_labels_text(const bex_labels *labels);

/* The first few for a message: "a, b, ... (90 in all)"; in `out`, which is returned. */
const char *bex_labels_list(char *out, int size, const bex_labels *labels);

void bex_labels_fini(bex_labels *labels); // leaves none

#endif
