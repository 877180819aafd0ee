// SPDX-License-Identifier: Apache-2.0
// half's conversions from and to whole numbers, and what it has in common with bfloat16.
#ifndef CUVETTE_KERNEL_HALF_FUNCTIONS_H
#define CUVETTE_KERNEL_HALF_FUNCTIONS_H

#define CUVETTE_SMALL __half
#define CUVETTE_SMALL_PAIR __half2
#define CUVETTE_SMALL_BITS "f16"
#define CUVETTE_OF_BITS __ushort_as_half
#define CUVETTE_OF_FLOAT __float2half_rn
#define CUVETTE_TO_FLOAT __half2float
#include "small_floats.h"
#undef CUVETTE_SMALL
#undef CUVETTE_SMALL_PAIR
#undef CUVETTE_SMALL_BITS
#undef CUVETTE_OF_BITS
#undef CUVETTE_OF_FLOAT
#undef CUVETTE_TO_FLOAT

// Conversions in the four directions. `out` has the type that the register has.
#define CUVETTE_HALF_CVT(name, to, from, instruction, output, input, in, out) \
  static __inline__ __device__ to name(from a) {                              \
    decltype(out) result;                                                     \
    __asm__(instruction " %0, %1;" : output(result) : input(in));             \
    return __cuvette_half_of<to>(result);                                     \
  }
template <typename T, typename V>
static __inline__ __device__ T __cuvette_half_of(V value) {
  if constexpr (std::is_same<T, __half>::value)
    return __ushort_as_half(value);
  else
    return static_cast<T>(value);
}
#define CUVETTE_HALF_INTEGER(name, type, ptx, output, input, wide)                              \
  CUVETTE_HALF_CVT(__half2##name##_rd, type, __half, "cvt.rmi." ptx ".f16", output, "h", a.__x, \
                   wide())                                                                      \
  CUVETTE_HALF_CVT(__half2##name##_rn, type, __half, "cvt.rni." ptx ".f16", output, "h", a.__x, \
                   wide())                                                                      \
  CUVETTE_HALF_CVT(__half2##name##_ru, type, __half, "cvt.rpi." ptx ".f16", output, "h", a.__x, \
                   wide())                                                                      \
  CUVETTE_HALF_CVT(__half2##name##_rz, type, __half, "cvt.rzi." ptx ".f16", output, "h", a.__x, \
                   wide())                                                                      \
  CUVETTE_HALF_CVT(__##name##2half_rd, __half, type, "cvt.rm.f16." ptx, "=h", input, a,         \
                   static_cast<unsigned short>(0))                                              \
  CUVETTE_HALF_CVT(__##name##2half_rn, __half, type, "cvt.rn.f16." ptx, "=h", input, a,         \
                   static_cast<unsigned short>(0))                                              \
  CUVETTE_HALF_CVT(__##name##2half_ru, __half, type, "cvt.rp.f16." ptx, "=h", input, a,         \
                   static_cast<unsigned short>(0))                                              \
  CUVETTE_HALF_CVT(__##name##2half_rz, __half, type, "cvt.rz.f16." ptx, "=h", input, a,         \
                   static_cast<unsigned short>(0))
typedef unsigned long long __cuvette_ull;
typedef long long __cuvette_ll;
typedef unsigned short __cuvette_ushort;
CUVETTE_HALF_INTEGER(short, short, "s16", "=h", "h", short)
CUVETTE_HALF_INTEGER(ushort, unsigned short, "u16", "=h", "h", __cuvette_ushort)
CUVETTE_HALF_INTEGER(int, int, "s32", "=r", "r", int)
CUVETTE_HALF_INTEGER(uint, unsigned, "u32", "=r", "r", unsigned)
CUVETTE_HALF_INTEGER(ll, long long, "s64", "=l", "l", __cuvette_ll)
CUVETTE_HALF_INTEGER(ull, unsigned long long, "u64", "=l", "l", __cuvette_ull)
#undef CUVETTE_HALF_INTEGER
static __inline__ __device__ __half __float2half_rd(float a) {
  unsigned short result;
  __asm__("cvt.rm.f16.f32 %0, %1;" : "=h"(result) : "f"(a));
  return __ushort_as_half(result);
}
static __inline__ __device__ __half __float2half_ru(float a) {
  unsigned short result;
  __asm__("cvt.rp.f16.f32 %0, %1;" : "=h"(result) : "f"(a));
  return __ushort_as_half(result);
}
static __inline__ __device__ __half __float2half_rz(float a) {
  unsigned short result;
  __asm__("cvt.rz.f16.f32 %0, %1;" : "=h"(result) : "f"(a));
  return __ushort_as_half(result);
}
#undef CUVETTE_HALF_CVT
static __inline__ __device__ signed char __half2char_rz(__half a) {
  return __cuvette_fit<signed char>(__half2int_rz(a));
}
static __inline__ __device__ unsigned char __half2uchar_rz(__half a) {
  return __cuvette_fit<unsigned char>(__half2int_rz(a));
}

#endif
