/* base/real.h - the one number type of kernels, networks and policies.
 *
 * float; double in the f64 build (-DBEX_F64), which compiles the same sources and exists to check
 * gradients: a central difference in float cannot see a 0.02 % error, in double it can.
 * R(0.5) writes a constant of that type: a bare 0.5 would promote float expressions to double. */
#ifndef BEX_BASE_REAL_H
#define BEX_BASE_REAL_H

#include <math.h>
#include <stddef.h>

#ifdef BEX_F64
typedef double bex_real;
#define BEX_REAL_NAME "f64"
#define bex_sqrt      sqrt
#define bex_fabs      fabs
#define bex_fmax      fmax
#else
typedef float bex_real;
#define BEX_REAL_NAME "f32"
#define bex_sqrt      sqrtf
#define bex_fabs      fabsf
#define bex_fmax      fmaxf
#endif

#define R(x) ((bex_real)(x))

#endif
