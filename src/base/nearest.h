/* base/nearest.h - "did you mean": the known name closest to a mistyped word. */
#ifndef BEX_BASE_NEAREST_H
#define BEX_BASE_NEAREST_H

/* Edit distance (insert, delete, replace, swap of neighbours: 1 each). Words past 63 bytes are cut. */
int bex_edit_distance(const char *a, const char *b);

/* The i < count minimising the distance of word to names[i * stride / sizeof(char *)], where stride
 * is the size of a table row whose first member is the name; NULL if none is plausibly meant
 * (distance over a third of the word's length + 1). */
const char *bex_nearest(const char *word, const void *table, int count, unsigned long stride);

#endif
