// SPDX-License-Identifier: Apache-2.0
// The common part of half and bfloat16: arithmetic, comparisons, and functions of one and of a
// pair. Each is included with the names of its own type:
//
//   CUVETTE_SMALL, CUVETTE_SMALL_PAIR        the types
//   CUVETTE_SMALL_BITS                       the type in PTX, a string
//   CUVETTE_OF_BITS, CUVETTE_OF_FLOAT, CUVETTE_TO_FLOAT   conversions
//
// A float has more than twice the digits, so a sum, product, quotient or root that is rounded to
// float and again to the small type is rounded as if once.
#define CUVETTE_BOTH static __inline__ __host__ __device__
#define CUVETTE_DEVICE static __inline__ __device__

#define CUVETTE_OF_TWO(name, expression)                              \
  CUVETTE_BOTH CUVETTE_SMALL name(CUVETTE_SMALL a, CUVETTE_SMALL b) { \
    const float x = CUVETTE_TO_FLOAT(a), y = CUVETTE_TO_FLOAT(b);     \
    return CUVETTE_OF_FLOAT(expression);                              \
  }
CUVETTE_OF_TWO(__hadd, x + y)
CUVETTE_OF_TWO(__hsub, x - y)
CUVETTE_OF_TWO(__hmul, x* y)
CUVETTE_OF_TWO(__hdiv, x / y)
CUVETTE_OF_TWO(__hadd_rn, x + y)
CUVETTE_OF_TWO(__hsub_rn, x - y)
CUVETTE_OF_TWO(__hmul_rn, x* y)
CUVETTE_OF_TWO(__hmin, __builtin_signbit(x) && x == y ? x : fminf(x, y))
CUVETTE_OF_TWO(__hmax, __builtin_signbit(x) && x == y ? y : fmaxf(x, y))
CUVETTE_OF_TWO(__hmin_nan, x != x || y != y ? x + y : CUVETTE_TO_FLOAT(__hmin(a, b)))
CUVETTE_OF_TWO(__hmax_nan, x != x || y != y ? x + y : CUVETTE_TO_FLOAT(__hmax(a, b)))
#undef CUVETTE_OF_TWO
CUVETTE_BOTH CUVETTE_SMALL __hneg(CUVETTE_SMALL a) {
  return CUVETTE_OF_BITS(static_cast<unsigned short>(a.__x ^ 0x8000));
}
CUVETTE_BOTH CUVETTE_SMALL __habs(CUVETTE_SMALL a) {
  return CUVETTE_OF_BITS(static_cast<unsigned short>(a.__x & 0x7fff));
}

// From 0 to 1; 0 for a NaN.
CUVETTE_BOTH CUVETTE_SMALL __cuvette_saturated(CUVETTE_SMALL a) {
  const float x = CUVETTE_TO_FLOAT(a);
  return x > 0 ? CUVETTE_OF_FLOAT(x < 1 ? x : 1.0f) : CUVETTE_OF_FLOAT(0.0f);
}
CUVETTE_BOTH CUVETTE_SMALL __hadd_sat(CUVETTE_SMALL a, CUVETTE_SMALL b) {
  return __cuvette_saturated(__hadd(a, b));
}
CUVETTE_BOTH CUVETTE_SMALL __hsub_sat(CUVETTE_SMALL a, CUVETTE_SMALL b) {
  return __cuvette_saturated(__hsub(a, b));
}
CUVETTE_BOTH CUVETTE_SMALL __hmul_sat(CUVETTE_SMALL a, CUVETTE_SMALL b) {
  return __cuvette_saturated(__hmul(a, b));
}

// A product and a sum, rounded once.
#define CUVETTE_OF_THREE(name, instruction)                                              \
  CUVETTE_DEVICE CUVETTE_SMALL name(CUVETTE_SMALL a, CUVETTE_SMALL b, CUVETTE_SMALL c) { \
    unsigned short result;                                                               \
    __asm__(instruction CUVETTE_SMALL_BITS " %0, %1, %2, %3;"                            \
            : "=h"(result)                                                               \
            : "h"(a.__x), "h"(b.__x), "h"(c.__x));                                       \
    return CUVETTE_OF_BITS(result);                                                      \
  }
CUVETTE_OF_THREE(__hfma, "fma.rn.")
CUVETTE_OF_THREE(__hfma_relu, "fma.rn.relu.")
#undef CUVETTE_OF_THREE
CUVETTE_DEVICE CUVETTE_SMALL __hfma_sat(CUVETTE_SMALL a, CUVETTE_SMALL b, CUVETTE_SMALL c) {
  return __cuvette_saturated(__hfma(a, b, c));
}

// The same for each of a pair.
#define CUVETTE_PAIR_OF_TWO(name, of_one)                                            \
  CUVETTE_BOTH CUVETTE_SMALL_PAIR name(CUVETTE_SMALL_PAIR a, CUVETTE_SMALL_PAIR b) { \
    return {of_one(a.x, b.x), of_one(a.y, b.y)};                                     \
  }
CUVETTE_PAIR_OF_TWO(__hadd2, __hadd)
CUVETTE_PAIR_OF_TWO(__hsub2, __hsub)
CUVETTE_PAIR_OF_TWO(__hmul2, __hmul)
CUVETTE_PAIR_OF_TWO(__h2div, __hdiv)
CUVETTE_PAIR_OF_TWO(__hadd2_rn, __hadd)
CUVETTE_PAIR_OF_TWO(__hsub2_rn, __hsub)
CUVETTE_PAIR_OF_TWO(__hmul2_rn, __hmul)
CUVETTE_PAIR_OF_TWO(__hadd2_sat, __hadd_sat)
CUVETTE_PAIR_OF_TWO(__hsub2_sat, __hsub_sat)
CUVETTE_PAIR_OF_TWO(__hmul2_sat, __hmul_sat)
CUVETTE_PAIR_OF_TWO(__hmin2, __hmin)
CUVETTE_PAIR_OF_TWO(__hmax2, __hmax)
CUVETTE_PAIR_OF_TWO(__hmin2_nan, __hmin_nan)
CUVETTE_PAIR_OF_TWO(__hmax2_nan, __hmax_nan)
#undef CUVETTE_PAIR_OF_TWO
CUVETTE_BOTH CUVETTE_SMALL_PAIR __hneg2(CUVETTE_SMALL_PAIR a) { return {__hneg(a.x), __hneg(a.y)}; }
CUVETTE_BOTH CUVETTE_SMALL_PAIR __habs2(CUVETTE_SMALL_PAIR a) { return {__habs(a.x), __habs(a.y)}; }
#define CUVETTE_PAIR_OF_THREE(name, of_one)                                          \
  CUVETTE_DEVICE CUVETTE_SMALL_PAIR name(CUVETTE_SMALL_PAIR a, CUVETTE_SMALL_PAIR b, \
                                         CUVETTE_SMALL_PAIR c) {                     \
    return {of_one(a.x, b.x, c.x), of_one(a.y, b.y, c.y)};                           \
  }
CUVETTE_PAIR_OF_THREE(__hfma2, __hfma)
CUVETTE_PAIR_OF_THREE(__hfma2_sat, __hfma_sat)
CUVETTE_PAIR_OF_THREE(__hfma2_relu, __hfma_relu)
#undef CUVETTE_PAIR_OF_THREE
// A product of complex numbers, added to one.
CUVETTE_DEVICE CUVETTE_SMALL_PAIR __hcmadd(CUVETTE_SMALL_PAIR a, CUVETTE_SMALL_PAIR b,
                                           CUVETTE_SMALL_PAIR c) {
  return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

// Comparisons with a NaN are false, or true if their name ends in u.
#define CUVETTE_COMPARED_AS(name, condition)                                                 \
  CUVETTE_BOTH bool __h##name(CUVETTE_SMALL a, CUVETTE_SMALL b) {                            \
    const float x = CUVETTE_TO_FLOAT(a), y = CUVETTE_TO_FLOAT(b);                            \
    return condition;                                                                        \
  }                                                                                          \
  CUVETTE_BOTH bool __hb##name##2(CUVETTE_SMALL_PAIR a, CUVETTE_SMALL_PAIR b) {              \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                       \
  }                                                                                          \
  CUVETTE_BOTH CUVETTE_SMALL_PAIR __h##name##2(CUVETTE_SMALL_PAIR a, CUVETTE_SMALL_PAIR b) { \
    return {CUVETTE_OF_FLOAT(__h##name(a.x, b.x)), CUVETTE_OF_FLOAT(__h##name(a.y, b.y))};   \
  }                                                                                          \
  CUVETTE_BOTH unsigned __h##name##2_mask(CUVETTE_SMALL_PAIR a, CUVETTE_SMALL_PAIR b) {      \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);  \
  }
#define CUVETTE_COMPARED(name, operation)  \
  CUVETTE_COMPARED_AS(name, x operation y) \
  CUVETTE_COMPARED_AS(name##u, x != x || y != y || x operation y)
CUVETTE_COMPARED(eq, ==)
CUVETTE_COMPARED(lt, <)
CUVETTE_COMPARED(le, <=)
CUVETTE_COMPARED(gt, >)
CUVETTE_COMPARED(ge, >=)
CUVETTE_COMPARED_AS(ne, x<y || x> y)
CUVETTE_COMPARED_AS(neu, x != y)
#undef CUVETTE_COMPARED
#undef CUVETTE_COMPARED_AS
CUVETTE_BOTH bool __hisnan(CUVETTE_SMALL a) { return CUVETTE_TO_FLOAT(a) != CUVETTE_TO_FLOAT(a); }
CUVETTE_BOTH CUVETTE_SMALL_PAIR __hisnan2(CUVETTE_SMALL_PAIR a) {
  return {CUVETTE_OF_FLOAT(__hisnan(a.x)), CUVETTE_OF_FLOAT(__hisnan(a.y))};
}
CUVETTE_BOTH int __hisinf(CUVETTE_SMALL a) {
  const float x = CUVETTE_TO_FLOAT(a);
  return (x > 3.40282347e38f) - (x < -3.40282347e38f);
}

#define CUVETTE_OPERATOR(symbol, of_one, of_pair)                                               \
  CUVETTE_BOTH CUVETTE_SMALL operator symbol(CUVETTE_SMALL a, CUVETTE_SMALL b) {                \
    return of_one(a, b);                                                                        \
  }                                                                                             \
  CUVETTE_BOTH CUVETTE_SMALL& operator symbol##=(CUVETTE_SMALL& a, CUVETTE_SMALL b) {           \
    return a = of_one(a, b);                                                                    \
  }                                                                                             \
  CUVETTE_BOTH CUVETTE_SMALL_PAIR operator symbol(CUVETTE_SMALL_PAIR a, CUVETTE_SMALL_PAIR b) { \
    return of_pair(a, b);                                                                       \
  }                                                                                             \
  CUVETTE_BOTH CUVETTE_SMALL_PAIR& operator symbol##=(CUVETTE_SMALL_PAIR& a,                    \
                                                      CUVETTE_SMALL_PAIR b) {                   \
    return a = of_pair(a, b);                                                                   \
  }
CUVETTE_OPERATOR(+, __hadd, __hadd2)
CUVETTE_OPERATOR(-, __hsub, __hsub2)
CUVETTE_OPERATOR(*, __hmul, __hmul2)
CUVETTE_OPERATOR(/, __hdiv, __h2div)
#undef CUVETTE_OPERATOR
CUVETTE_BOTH CUVETTE_SMALL operator+(CUVETTE_SMALL a) { return a; }
CUVETTE_BOTH CUVETTE_SMALL operator-(CUVETTE_SMALL a) { return __hneg(a); }
CUVETTE_BOTH CUVETTE_SMALL_PAIR operator+(CUVETTE_SMALL_PAIR a) { return a; }
CUVETTE_BOTH CUVETTE_SMALL_PAIR operator-(CUVETTE_SMALL_PAIR a) { return __hneg2(a); }
#define CUVETTE_STEP(symbol)                                                  \
  CUVETTE_BOTH CUVETTE_SMALL& operator symbol##symbol(CUVETTE_SMALL& a) {     \
    return a = a symbol CUVETTE_OF_FLOAT(1.0f);                               \
  }                                                                           \
  CUVETTE_BOTH CUVETTE_SMALL operator symbol##symbol(CUVETTE_SMALL& a, int) { \
    const CUVETTE_SMALL before = a;                                           \
    symbol##symbol a;                                                         \
    return before;                                                            \
  }
CUVETTE_STEP(+)
CUVETTE_STEP(-)
#undef CUVETTE_STEP
#define CUVETTE_OPERATOR(symbol, of_one, of_pair)                                              \
  CUVETTE_BOTH bool operator symbol(CUVETTE_SMALL a, CUVETTE_SMALL b) { return of_one(a, b); } \
  CUVETTE_BOTH bool operator symbol(CUVETTE_SMALL_PAIR a, CUVETTE_SMALL_PAIR b) {              \
    return of_pair(a, b);                                                                      \
  }
CUVETTE_OPERATOR(==, __heq, __hbeq2)
CUVETTE_OPERATOR(!=, __hneu, __hbneu2)
CUVETTE_OPERATOR(<, __hlt, __hblt2)
CUVETTE_OPERATOR(<=, __hle, __hble2)
CUVETTE_OPERATOR(>, __hgt, __hbgt2)
CUVETTE_OPERATOR(>=, __hge, __hbge2)
#undef CUVETTE_OPERATOR

// Functions of one, and of a pair.
#define CUVETTE_OF_ONE(name, expression)                             \
  CUVETTE_DEVICE CUVETTE_SMALL h##name(CUVETTE_SMALL a) {            \
    const float x = CUVETTE_TO_FLOAT(a);                             \
    return CUVETTE_OF_FLOAT(expression);                             \
  }                                                                  \
  CUVETTE_DEVICE CUVETTE_SMALL_PAIR h2##name(CUVETTE_SMALL_PAIR a) { \
    return {h##name(a.x), h##name(a.y)};                             \
  }
CUVETTE_OF_ONE(ceil, ceilf(x))
CUVETTE_OF_ONE(cos, cosf(x))
CUVETTE_OF_ONE(exp, expf(x))
CUVETTE_OF_ONE(exp10, exp10f(x))
CUVETTE_OF_ONE(exp2, exp2f(x))
CUVETTE_OF_ONE(floor, floorf(x))
CUVETTE_OF_ONE(log, logf(x))
CUVETTE_OF_ONE(log10, log10f(x))
CUVETTE_OF_ONE(log2, log2f(x))
CUVETTE_OF_ONE(rcp, 1 / x)
CUVETTE_OF_ONE(rint, rintf(x))
CUVETTE_OF_ONE(rsqrt, 1 / sqrtf(x))
CUVETTE_OF_ONE(sin, sinf(x))
CUVETTE_OF_ONE(sqrt, sqrtf(x))
CUVETTE_OF_ONE(tanh, tanhf(x))
CUVETTE_OF_ONE(tanh_approx, tanhf(x))
CUVETTE_OF_ONE(trunc, truncf(x))
#undef CUVETTE_OF_ONE

// Values of other threads.
#define CUVETTE_SHUFFLE(name, source)                                                              \
  CUVETTE_DEVICE CUVETTE_SMALL name(unsigned mask, CUVETTE_SMALL a, source from, int width = 32) { \
    return CUVETTE_OF_BITS(                                                                        \
        static_cast<unsigned short>(name(mask, static_cast<unsigned>(a.__x), from, width)));       \
  }                                                                                                \
  CUVETTE_DEVICE CUVETTE_SMALL_PAIR name(unsigned mask, CUVETTE_SMALL_PAIR a, source from,         \
                                         int width = 32) {                                         \
    unsigned bits;                                                                                 \
    __builtin_memcpy(&bits, &a, sizeof bits);                                                      \
    bits = name(mask, bits, from, width);                                                          \
    __builtin_memcpy(&a, &bits, sizeof bits);                                                      \
    return a;                                                                                      \
  }
CUVETTE_SHUFFLE(__shfl_sync, int)
CUVETTE_SHUFFLE(__shfl_up_sync, unsigned)
CUVETTE_SHUFFLE(__shfl_down_sync, unsigned)
CUVETTE_SHUFFLE(__shfl_xor_sync, int)
#undef CUVETTE_SHUFFLE

// Sums in memory: one number, or two that are each added at once.
CUVETTE_DEVICE CUVETTE_SMALL atomicAdd(CUVETTE_SMALL* place, CUVETTE_SMALL value) {
  unsigned short before;
  __asm__ volatile("atom.add.noftz." CUVETTE_SMALL_BITS " %0, [%1], %2;"
                   : "=h"(before)
                   : "l"(place), "h"(value.__x)
                   : "memory");
  return CUVETTE_OF_BITS(before);
}
CUVETTE_DEVICE CUVETTE_SMALL_PAIR atomicAdd(CUVETTE_SMALL_PAIR* place, CUVETTE_SMALL_PAIR value) {
  const CUVETTE_SMALL x = atomicAdd(&place->x, value.x);
  return {x, atomicAdd(&place->y, value.y)};
}

#undef CUVETTE_DEVICE
#undef CUVETTE_BOTH
