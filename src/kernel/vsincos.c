/* kernel/vsincos.c - the vector code where its range reduction holds, libm for the rare rest. */
#include "kernel/vsincos.h"

#include "kernel/vmath.h"

enum { BLOCK = 256 };

static void block(bex_real *s, bex_real *c, const bex_real *x, int n) {
    bex_real largest = 0;
    for (int i = 0; i < n; i++) {
        bex_real a = bex_fabs(x[i]);
        largest = a > largest ? a : largest;
    }
    if (s)
        for (int i = 0; i < n; i++) s[i] = bex_sin(x[i]);
    if (c)
        for (int i = 0; i < n; i++) c[i] = bex_cos(x[i]);
    if (largest <= R(8192)) return;
    for (int i = 0; i < n; i++) {
        if (!(bex_fabs(x[i]) > R(8192))) continue;
        if (s) s[i] = (bex_real)sin((double)x[i]);
        if (c) c[i] = (bex_real)cos((double)x[i]);
    }
}

void bex_sincos(bex_real *s, bex_real *c, const bex_real *x, size_t n) {
    bex_real copy[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        int m = n - i < BLOCK ? (int)(n - i) : BLOCK;
        memcpy(copy, x + i, (size_t)m * sizeof *x); // s or c may be x
        block(s ? s + i : NULL, c ? c + i : NULL, copy, m);
    }
}
