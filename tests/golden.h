/* tests/golden.h - numbers beside those PyTorch gave (tests/golden/README.md). */
#ifndef BEX_TESTS_GOLDEN_H
#define BEX_TESTS_GOLDEN_H

#include "base/real.h"

#include "test.h"

#include <math.h>

// the largest difference is at most `bound` of the largest golden number
static inline void near_golden(const char *what, const bex_real *ours, const bex_real *golden,
                               size_t n, double bound) {
    double worst = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs((double)ours[i] - (double)golden[i]));
        largest = fmax(largest, fabs((double)golden[i]));
    }
    if (!(worst <= bound * largest)) fail_msg("%s: off by %.3g of %.3g", what, worst, largest);
}

#endif
