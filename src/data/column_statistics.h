/* data/column_statistics.h - what a data set looks like, column by column: for `bex data show`. */
#ifndef BEX_DATA_COLUMN_STATISTICS_H
#define BEX_DATA_COLUMN_STATISTICS_H

#include "data/dataset.h"

typedef struct bex_column_statistics {
    double least, most, mean, deviation; // of the finite values; deviation divides by n
    int bad;                             // NaN or infinite values
    int constant;                        // all finite values equal (or none is finite)
    int at_bounds;                       // values of -1 or 1 exactly, or beyond
} bex_column_statistics;

/* out (columns) over values (rows, columns). */
void bex_statistics_columns(bex_column_statistics *out, const bex_real *values, int rows,
                            int columns);

typedef struct bex_dataset_statistics {
    int shortest, longest;
    double mean_length, median_length;
    int repeated_rows;      // observation and action equal those of the row before, same episode
    int duplicate_rows;     // equal to an earlier row anywhere
    int duplicate_episodes; // equal to an earlier episode
    double reward_sum, best_return, worst_return; // 0 without rewards
} bex_dataset_statistics;

int bex_statistics_dataset(bex_dataset_statistics *out, const bex_dataset *dataset);

#endif
