/* coverage/label.h - the coverage of many training windows: log cov(h u tau_k), threaded.
 *
 *     G histories of N rows each, `windows` for each history    rows (G,N)  first, count (G,windows)
 *     Lambda = sum over the history's rows + prefix difference of the window     coverage/prefix.h
 *
 * A history's sum is made once for its windows. Work is cut into fixed pieces, one matrix to an
 * element of a vector: same bits for any number of threads. Nothing is allocated. */
#ifndef BEX_COVERAGE_LABEL_H
#define BEX_COVERAGE_LABEL_H

#include "coverage/condition.h"
#include "coverage/prefix.h"

typedef struct bex_label_query {
    int G, N, windows;
    const int *rows;  // (G, N) history states, repeats allowed
    const int *first; // (G, windows) s_k
    const int *count; // (G, windows) states of tau_k, s_k included: F + 1 in the paper's s_k..s_k+F
} bex_label_query;

/* log_cov (G, windows). moments (G, windows), or NULL: those of c's bank given its history; M more
 * factorisations a history (a window, if features are relative). lambda and the bank are c's; c
 * need not be fitted. threads 0: all. Negative with a message if a coverage is not a number. */
int bex_label(double *log_cov, bex_moments *moments, const bex_prefix *p, const bex_condition *c,
              const bex_label_query *q, int threads);

/* bank (M, bex_gram_size(shape)): the windows' sums, relative features seen from their own first
 * state. What bex_condition_new wants. */
void bex_label_bank(double *bank, const bex_prefix *p, const int *first, const int *count, int M);

#endif
