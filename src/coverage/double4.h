/* coverage/double4.h - four doubles as one value (AVX2 registers where there are any). Element-wise
 * arithmetic only, so an element never sees its neighbours: the result for one matrix does not depend
 * on which others it was computed with. Loads and stores need no alignment. */
#ifndef BEX_COVERAGE_DOUBLE4_H
#define BEX_COVERAGE_DOUBLE4_H

enum { DOUBLE4_SIZE = 4 }; // doubles of a double4

typedef double double4 __attribute__((vector_size(32), aligned(8), may_alias));

static inline double4 double4_set(double x) {
    return (double4){x, x, x, x};
}

#endif
