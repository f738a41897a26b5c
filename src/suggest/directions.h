/* suggest/directions.h - rows of demonstrations side by side, and the directions in which futures differ.
 *
 *   sample        at most 6000 rows, standardised, each with the row after it and the number of its future
 *   directions    v with the largest  v' B v / v' (W + 0.05 I) v,  B the covariance of futures' means, W
 *                 that within
 *                 futures: what differs between futures and not within one
 *   explained     share of a direction's variance that a set of columns predicts, linearly */
#ifndef BEX_SUGGEST_DIRECTIONS_H
#define BEX_SUGGEST_DIRECTIONS_H

#include "data/dataset.h"

enum { BEX_DIRECTIONS = 4 };

typedef struct bex_sample {
    int n, O;
    double *x;      // (n,O) standardised; constant columns 0
    double *change; // (n,O) to the next row, standardised
    int *row;       // (n) of the episode, from 0
    int *episode;   // (n)
} bex_sample;

/* Every `step`th episode. Negative with a message. Needs fini either way. */
int bex_sample_take(bex_sample *s, const bex_dataset *data, int step);
void bex_sample_fini(bex_sample *s);

double bex_sample_correlation(const bex_sample *s, int i, int j);
double bex_sample_rate(const bex_sample *s, int i, int j); // of the change of i with j

/* Share of column j's variance that columns dims (n) tell. */
double bex_sample_explained(const bex_sample *s, int j, const int *dims, int n);

typedef struct bex_directions {
    int count;
    double *v;                     // (count,O)
    double weight[BEX_DIRECTIONS]; // how much more they differ between futures, in 0..1
} bex_directions;

/* Among the columns that `use` (O) names; futures of F rows. Negative with a message. */
int bex_directions_find(bex_directions *d, const bex_sample *s, const unsigned char *use, int F);
void bex_directions_fini(bex_directions *d);

/* Weighted mean over the directions. */
double bex_directions_explained(const bex_directions *d, const bex_sample *s, const int *dims,
                                int n);

#endif
