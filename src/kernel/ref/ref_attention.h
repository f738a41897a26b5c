/* kernel/ref/ref_attention.h - the plain twin of kernel/attention.h: loops and doubles. */
#ifndef BEX_KERNEL_REF_REF_ATTENTION_H
#define BEX_KERNEL_REF_REF_ATTENTION_H

#include "kernel/attention.h"

void bex_ref_attention_fwd(bex_real *o, const bex_real *q, const bex_real *k, const bex_real *v,
                           bex_attention_dims d);

/* dq, dk, dv must be zero on entry. */
void bex_ref_attention_bwd(bex_real *dq, bex_real *dk, bex_real *dv, const bex_real *do_,
                           const bex_real *q, const bex_real *k, const bex_real *v,
                           bex_attention_dims d);

#endif
