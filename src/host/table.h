/* host/table.h - a CSV file of numbers read back: metrics.csv of a run, for figures. */
#ifndef BEX_HOST_TABLE_H
#define BEX_HOST_TABLE_H

typedef struct bex_table {
    int columns, rows;
    char **name;   // (columns)
    double *value; // (columns, rows): a column is contiguous
    char *text;    // what the names point into
} bex_table;

/* Cells are decimal numbers, nan or inf; a torn last line is left out. 0, or negative with a message
 * naming path and line; the table is then empty. */
int bex_table_load(bex_table *table, const char *path);
void bex_table_fini(bex_table *table);

/* The column of this name, (rows); NULL if there is none. */
const double *bex_table_column(const bex_table *table, const char *name);

#endif
