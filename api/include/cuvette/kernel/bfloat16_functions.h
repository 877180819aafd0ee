// SPDX-License-Identifier: Apache-2.0
// bfloat16's conversions from and to whole numbers, products that are added, sums in memory, and
// values of other threads.
#ifndef CUVETTE_KERNEL_BFLOAT16_FUNCTIONS_H
#define CUVETTE_KERNEL_BFLOAT16_FUNCTIONS_H

#define CUVETTE_SMALL __nv_bfloat16
#define CUVETTE_SMALL_PAIR __nv_bfloat162
#define CUVETTE_SMALL_BITS "bf16"
#define CUVETTE_OF_BITS __ushort_as_bfloat16
#define CUVETTE_OF_FLOAT __float2bfloat16_rn
#define CUVETTE_TO_FLOAT __bfloat162float
#include "small_floats.h"
#undef CUVETTE_SMALL
#undef CUVETTE_SMALL_PAIR
#undef CUVETTE_SMALL_BITS
#undef CUVETTE_OF_BITS
#undef CUVETTE_OF_FLOAT
#undef CUVETTE_TO_FLOAT

// A float has every bfloat16, so its whole number is the bfloat16's.
#define CUVETTE_WHOLE(name, type, suffix, rounding)                              \
  static __inline__ __device__ type __bfloat162##name##suffix(__nv_bfloat16 a) { \
    return CUVETTE_FIT(type, suffix)(__bfloat162float(a)));                      \
  }                                                                              \
  CUVETTE_BFLOAT16 __nv_bfloat16 __##name##2bfloat16##suffix(type a) {           \
    return __cuvette_bfloat16_of(a, __cuvette_rounding::rounding);               \
  }
#define CUVETTE_WHOLES(name, type)        \
  CUVETTE_WHOLE(name, type, _rn, nearest) \
  CUVETTE_WHOLE(name, type, _rz, zero)    \
  CUVETTE_WHOLE(name, type, _rd, down)    \
  CUVETTE_WHOLE(name, type, _ru, up)
#define CUVETTE_FIT(type, suffix) __cuvette_fit<type>(__float2int##suffix
CUVETTE_WHOLES(short, short)
CUVETTE_WHOLES(ushort, unsigned short)
CUVETTE_WHOLES(int, int)
static __inline__ __device__ signed char __bfloat162char_rz(__nv_bfloat16 a) {
  return __cuvette_fit<signed char>(__float2int_rz(__bfloat162float(a)));
}
static __inline__ __device__ unsigned char __bfloat162uchar_rz(__nv_bfloat16 a) {
  return __cuvette_fit<unsigned char>(__float2int_rz(__bfloat162float(a)));
}
#undef CUVETTE_FIT
#define CUVETTE_FIT(type, suffix) (__float2uint##suffix
CUVETTE_WHOLES(uint, unsigned)
#undef CUVETTE_FIT
#define CUVETTE_FIT(type, suffix) (__float2ll##suffix
CUVETTE_WHOLES(ll, long long)
#undef CUVETTE_FIT
#define CUVETTE_FIT(type, suffix) (__float2ull##suffix
CUVETTE_WHOLES(ull, unsigned long long)
#undef CUVETTE_FIT
#undef CUVETTE_WHOLES
#undef CUVETTE_WHOLE

#endif
