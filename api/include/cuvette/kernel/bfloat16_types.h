// SPDX-License-Identifier: Apache-2.0
// bfloat16, the first half of a float's bits, and pairs of it: conversions from and to float and
// double, for the host as well.
#ifndef CUVETTE_KERNEL_BFLOAT16_TYPES_H
#define CUVETTE_KERNEL_BFLOAT16_TYPES_H

#include "narrow_conversions.h"

#define CUVETTE_BFLOAT16 static __inline__ __host__ __device__

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __align__(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __nv_bfloat16;
CUVETTE_BFLOAT16 __nv_bfloat16 __float2bfloat16_rn(float a);
CUVETTE_BFLOAT16 float __bfloat162float(__nv_bfloat16 a);
CUVETTE_BFLOAT16 __nv_bfloat16 __double2bfloat16(double a);
template <typename T>
CUVETTE_BFLOAT16 __nv_bfloat16 __cuvette_bfloat16_of(T a);

struct __nv_bfloat16 {
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __host__ __device__ __nv_bfloat16(float a) { *this = __float2bfloat16_rn(a); }
  __host__ __device__ __nv_bfloat16(double a) { *this = __double2bfloat16(a); }
  template <typename T, typename = typename std::enable_if<std::is_integral<T>::value>::type>
  __host__ __device__ __nv_bfloat16(T a) {
    *this = __cuvette_bfloat16_of(a);
  }
  __host__ __device__ operator float() const { return __bfloat162float(*this); }
  __host__ __device__ operator __nv_bfloat16_raw() const { return {__x}; }
  template <typename T, typename = __cuvette_if_integer<T>>
  __host__ __device__ explicit operator T() const {
    return __cuvette_fit<T>(__bfloat162float(*this));
  }

  unsigned short __x;
};
typedef __nv_bfloat16 nv_bfloat16;

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
  __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw& raw)
      : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  __host__ __device__ operator __nv_bfloat162_raw() const { return {x.__x, y.__x}; }
  __nv_bfloat16 x, y;
};
typedef __nv_bfloat162 nv_bfloat162;

CUVETTE_BFLOAT16 unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
CUVETTE_BFLOAT16 short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(a.__x); }
CUVETTE_BFLOAT16 __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __nv_bfloat16_raw{a};
}
CUVETTE_BFLOAT16 __nv_bfloat16 __short_as_bfloat16(short a) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(a)};
}

// The rounding of bits that do not fit.
enum class __cuvette_rounding { nearest, zero, down, up };

// Whether a number that lost `lost` of `one` is rounded away from zero; a tie goes to even.
CUVETTE_BFLOAT16 bool __cuvette_rounds_away(__cuvette_rounding rounding, bool negative, bool odd,
                                            unsigned long long lost, unsigned long long one) {
  switch (rounding) {
    case __cuvette_rounding::nearest:
      return lost > one / 2 || (lost == one / 2 && odd);
    case __cuvette_rounding::down:
      return negative && lost != 0;
    case __cuvette_rounding::up:
      return !negative && lost != 0;
    default:
      return false;
  }
}

CUVETTE_BFLOAT16 __nv_bfloat16 __cuvette_bfloat16_of(float a, __cuvette_rounding rounding) {
  if (a != a) return __ushort_as_bfloat16(0x7fff);
  unsigned bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  const unsigned kept = bits >> 16;
  // The next number's bits are greater by one, even where the exponent changes.
  return __ushort_as_bfloat16(static_cast<unsigned short>(
      kept + __cuvette_rounds_away(rounding, bits >> 31, kept & 1, bits & 0xffff, 0x10000)));
}
// Whole numbers have more digits than a float.
template <typename T>
CUVETTE_BFLOAT16 __nv_bfloat16 __cuvette_bfloat16_of(T a, __cuvette_rounding rounding) {
  const bool negative = a < 0;
  const auto wide = static_cast<unsigned long long>(a);
  unsigned long long size = negative ? 0 - wide : wide;
  int shift = 0;
  for (; size >> shift > 0xff; ++shift) {
  }
  const unsigned long long one = 1ull << shift, lost = size & (one - 1);
  size = (size >> shift) +
         (shift && __cuvette_rounds_away(rounding, negative, size >> shift & 1, lost, one));
  const float result = static_cast<float>(size) * static_cast<float>(one);
  return __cuvette_bfloat16_of(negative ? -result : result, __cuvette_rounding::zero);
}
template <typename T>
CUVETTE_BFLOAT16 __nv_bfloat16 __cuvette_bfloat16_of(T a) {
  return __cuvette_bfloat16_of(a, __cuvette_rounding::nearest);
}

#define CUVETTE_ROUNDED(suffix, rounding)                            \
  CUVETTE_BFLOAT16 __nv_bfloat16 __float2bfloat16##suffix(float a) { \
    return __cuvette_bfloat16_of(a, __cuvette_rounding::rounding);   \
  }
CUVETTE_ROUNDED(, nearest)
CUVETTE_ROUNDED(_rn, nearest)
CUVETTE_ROUNDED(_rz, zero)
CUVETTE_ROUNDED(_rd, down)
CUVETTE_ROUNDED(_ru, up)
#undef CUVETTE_ROUNDED

CUVETTE_BFLOAT16 float __bfloat162float(__nv_bfloat16 a) {
  const unsigned bits = static_cast<unsigned>(a.__x) << 16;
  float result;
  __builtin_memcpy(&result, &bits, sizeof result);
  return result;
}

CUVETTE_BFLOAT16 __nv_bfloat16 __double2bfloat16(double a) {
  return __float2bfloat16_rn(__cuvette_odd_float(a));
}

CUVETTE_BFLOAT16 __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
CUVETTE_BFLOAT16 __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
CUVETTE_BFLOAT16 __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
  return __nv_bfloat162(a, a);
}
CUVETTE_BFLOAT16 __nv_bfloat162 __float2bfloat162_rn(float a) {
  return __bfloat162bfloat162(__float2bfloat16_rn(a));
}
CUVETTE_BFLOAT16 __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__float2bfloat16_rn(a), __float2bfloat16_rn(b));
}
CUVETTE_BFLOAT16 __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return __floats2bfloat162_rn(a.x, a.y);
}
CUVETTE_BFLOAT16 float2 __bfloat1622float2(__nv_bfloat162 a) {
  return make_float2(__bfloat162float(a.x), __bfloat162float(a.y));
}
CUVETTE_BFLOAT16 __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
CUVETTE_BFLOAT16 __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
CUVETTE_BFLOAT16 float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
CUVETTE_BFLOAT16 float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
CUVETTE_BFLOAT16 __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
CUVETTE_BFLOAT16 __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
CUVETTE_BFLOAT16 __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }
CUVETTE_BFLOAT16 __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
CUVETTE_BFLOAT16 __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}

#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f80))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7fff))
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0001))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f7f))
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x8000))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3f80))

#endif
