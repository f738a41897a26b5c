/* kernel/vmath.h - exp, log, tanh, sin, cos and kin as branch-free inline code, so that a plain loop
 * over an array vectorises. tests/kernel/test_vmath.c holds each to its bound:
 *
 *   function     bound (float)                       where
 *   bex_exp      2 ulp                               everywhere; overflow to inf, underflow to 0
 *   bex_exp_low  2 ulp                               x <= 88; results below the smallest normal are 0
 *   bex_log      2 ulp                               x > 0; log 0 = -inf, log(x < 0) = nan
 *   bex_tanh     4 ulp                               everywhere
 *   bex_sigmoid  4 ulp                               results above the smallest normal
 *   bex_softplus 4 ulp                               everywhere
 *   bex_sin/cos  1.5e-7 absolute                     |x| <= 8192; beyond: use bex_sincos (vsincos.c)
 *
 * NaN in, NaN out, always. In the f64 build they are libm's: accuracy is all that matters there.
 * Polynomials: our own weighted minimax fits. Pitfall: the (x + M) - M rounding trick needs the
 * compiler to keep the order of additions: never -ffast-math or -fassociative-math. */
#ifndef BEX_KERNEL_VMATH_H
#define BEX_KERNEL_VMATH_H

#include "base/real.h"

#include <stdint.h>
#include <string.h>

#ifdef BEX_F64

static inline double bex_exp(double x) {
    return exp(x);
}
static inline double bex_exp_low(double x) {
    return exp(x);
}
static inline double bex_log(double x) {
    return log(x);
}
static inline double bex_log1p(double x) {
    return log1p(x);
}
static inline double bex_tanh(double x) {
    return tanh(x);
}
static inline double bex_sin(double x) {
    return sin(x);
}
static inline double bex_cos(double x) {
    return cos(x);
}

#else

static inline float bex_from_bits(int32_t i) {
    float f;
    memcpy(&f, &i, sizeof f);
    return f;
}

static inline int32_t bex_to_bits(float f) {
    int32_t i;
    memcpy(&i, &f, sizeof i);
    return i;
}

// 1.5 * 2^23: adding it rounds to the nearest integer, which then sits in the low bits
#define BEX_ROUND 12582912.0f

// the integer in the low bits of t = x + BEX_ROUND; unsigned: a huge x leaves arbitrary bits
static inline int32_t bex_rounded(float t) {
    return (int32_t)((uint32_t)bex_to_bits(t) - (uint32_t)bex_to_bits(BEX_ROUND));
}

// 2^n for -126 <= n <= 127
static inline float bex_power2(int32_t n) {
    return bex_from_bits((int32_t)(((uint32_t)n + 127) << 23));
}

// e^x = p 2^n, p in [sqrt(1/2), sqrt(2)]
static inline float bex_exp_parts(float x, int32_t *n) {
    float t = x * 1.44269504f + BEX_ROUND;
    float k = t - BEX_ROUND;
    float r = (x - k * 0.693359375f) + k * 2.12194440e-4f; // ln 2 in two parts
    // in pairs: the chain of dependent operations is what costs
    float z = r * r, low = 0.166665190f * r + 0.500000009f,
          high = 8.36887547e-3f * r + 4.16662063e-2f;
    *n = bex_rounded(t);
    return ((1.39504632e-3f * z + high) * z + low) * z + r + 1.0f;
}

static inline float bex_exp(float x) {
    int32_t n;
    float p = bex_exp_parts(x, &n);
    // 2^n in two factors: n = 128 and denormal results are in range
    int32_t half = n >> 1;
    float y = p * bex_power2(half) * bex_power2(n - half);
    // out of range; a NaN fails both tests and is in y already
    y = x > 89.0f ? HUGE_VALF : y;
    return x < -104.0f ? 0.0f : y;
}

// where the argument cannot be large, as in a softmax: a third less work
static inline float bex_exp_low(float x) {
    int32_t n;
    float y = bex_exp_parts(x, &n) * bex_power2(n);
    return x < -87.33654f ? 0.0f : y; // ln 2^-126
}

static inline float bex_log(float x) {
    float denormal = x < 1.17549435e-38f ? 8388608.0f : 1.0f;
    float y = x * denormal;
    uint32_t i = (uint32_t)bex_to_bits(y);
    // m in [sqrt(1/2), sqrt(2)), x = m 2^e
    int32_t e = (int32_t)(i - 0x3f3504f3u) >> 23;
    float f = bex_from_bits((int32_t)(i - ((uint32_t)e << 23))) - 1.0f;
    float p = 8.91882136e-2f;
    p = p * f - 0.143496523f;
    p = p * f + 0.148763687f;
    p = p * f - 0.165656942f;
    p = p * f + 0.199654661f;
    p = p * f - 0.250017454f;
    p = p * f + 0.333338560f;
    float n = (float)e - (x < 1.17549435e-38f ? 23.0f : 0.0f);
    float z = f * f;
    float low = f * z * p - n * 2.12194440e-4f - 0.5f * z;
    float result = (low + f) + n * 0.693359375f;
    result = x > 3.40282347e38f ? x : result; // inf
    result = x == 0.0f ? -HUGE_VALF : result;
    return x >= 0.0f ? result : (x - x) / (x - x); // negative or nan -> nan
}

static inline float bex_log1p(float x) { // for x >= 0: what softplus and densities need
    float u = 1.0f + x;
    return bex_log(u) + (x - (u - 1.0f)) / u;
}

static inline float bex_tanh(float x) {
    float a = x < 0.0f ? -x : x, z = x * x;
    float p = -5.72163755e-3f;
    p = p * z + 2.06552259e-2f;
    p = p * z - 5.37451471e-2f;
    p = p * z + 0.133315152f;
    p = p * z - 0.333332851f;
    float near = x + x * z * p;
    float far = 1.0f - 2.0f / (bex_exp(2.0f * a) + 1.0f);
    return a < 0.625f ? near : (x < 0.0f ? -far : far);
}

// quadrant of x and the remainder in [-pi/4, pi/4]: pi/2 in three parts, exact products for |x| <= 8192
static inline float bex_quadrant(float x, int32_t *quadrant) {
    float t = x * 0.636619772f + BEX_ROUND;
    float n = t - BEX_ROUND;
    *quadrant = bex_rounded(t);
    return ((x - n * 1.5703125f) - n * 4.83751297e-4f) - n * 7.54978997e-8f;
}

static inline float bex_sin_near(float r) {
    float z = r * r, p = -1.95175927e-4f;
    p = p * z + 8.33218086e-3f;
    p = p * z - 0.166666550f;
    return r + r * z * p;
}

static inline float bex_cos_near(float r) {
    float z = r * r, p = 2.44394829e-5f;
    p = p * z - 1.38873779e-3f;
    p = p * z + 4.16666471e-2f;
    return 1.0f - 0.5f * z + z * z * p;
}

static inline float bex_sin(float x) {
    int32_t q;
    float r = bex_quadrant(x, &q), s = bex_sin_near(r), c = bex_cos_near(r);
    float y = q & 1 ? c : s;
    return q & 2 ? -y : y;
}

static inline float bex_cos(float x) {
    int32_t q;
    float r = bex_quadrant(x, &q), s = bex_sin_near(r), c = bex_cos_near(r);
    float y = q & 1 ? s : c;
    return (q + 1) & 2 ? -y : y;
}

#endif

static inline bex_real bex_sigmoid(bex_real x) {
    return R(1) / (R(1) + bex_exp(-x));
}

static inline bex_real bex_softplus(bex_real x) {
    bex_real a = x < R(0) ? x : -x; // -|x|
    return (x > R(0) ? x : R(0)) + bex_log1p(bex_exp(a));
}

#endif
