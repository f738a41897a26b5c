/* kernel/vsincos.h - sine and cosine of arrays, right for any argument. */
#ifndef BEX_KERNEL_VSINCOS_H
#define BEX_KERNEL_VSINCOS_H

#include "base/real.h"

/* s[i] = sin x[i], c[i] = cos x[i]; s or c may be NULL. In-place is fine. */
void bex_sincos(bex_real *s, bex_real *c, const bex_real *x, size_t n);

#endif
