/* base/columns.h - what the columns of a state are called: from the keys of a file to a policy, its contract,
 * settings and messages.
 *
 * A key of one column gives its name to it, a wider one numbers them: "gripper", "eef_pos[0]" ..
 * "eef_pos[2]".
 * Columns may have no names: then they are told by their numbers.
 *
 * A choice of columns, as coverage.dims has it, is a list by commas, in order, none twice:
 *
 *     0,1   3:6                 numbers; 3, 4 and 5
 *     eef_pos                   all columns of a key
 *     object[2]   object[0:3]   one of them, some of them
 *
 * A name may be cut from the left at '_', '/' or '.', where that leaves one key: eef_pos for
 * robot0_eef_pos. */
#ifndef BEX_BASE_COLUMNS_H
#define BEX_BASE_COLUMNS_H

#include <stdbool.h>

enum { BEX_COLUMN_LABEL = 96 };

typedef struct bex_column_names {
    int count;   // names there are: as many as columns, or 0
    char **name; // (count), owned
} bex_column_names;

/* Width more columns of a key behind those there are. What a list could not hold (commas, brackets, control
 * characters, spaces) becomes '_'. Negative with a message: no memory; then there are none. */
int bex_columns_add_key(bex_column_names *c, const char *key, int width);
int bex_columns_add(bex_column_names *c, const char *name); // a whole name, brackets and all

/* "a,b[0],b[1]" of exactly `count` names. Negative with a message. Text back: malloced, NULL without
 * memory. */
int bex_columns_parse(bex_column_names *c, const char *text, int count);
char *bex_columns_text(const bex_column_names *c);

int bex_columns_copy(bex_column_names *to, const bex_column_names *from); // `to` is empty
void bex_columns_fini(bex_column_names *c);                               // leaves none

/* "3 (eef_pos[0])", or "3" where there are no names (c NULL among them); in `out`, which is returned. */
const char *bex_column_label(char out[BEX_COLUMN_LABEL], const bex_column_names *c, int column);

/* How much of a column's name is its key: up to its bracket. */
int bex_column_key(const char *name);

/* A choice among O columns: dims (at most `most`). How many; 0 for "" (all); negative with a message that
 * says what there is. */
int bex_columns_select(int *dims, int most, const char *text, const bex_column_names *c, int O);

/* The keys there are: "object[0:10], eef_pos[0:3]"; cut with "..." where `out` is full, "" without names. */
void bex_columns_list(char *out, int size, const bex_column_names *c);

/* The same choice as short text, keys where they are whole: "eef_pos,object[2]"; numbers without names. It is
 * cut with "..." where `out` is full. */
void bex_columns_describe(char *out, int size, const int *dims, int n, const bex_column_names *c);

#endif
