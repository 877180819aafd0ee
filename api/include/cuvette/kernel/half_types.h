// SPDX-License-Identifier: Apache-2.0
// half and half2: their bits, and conversions from and to float, for the host as well.
#ifndef CUVETTE_KERNEL_HALF_TYPES_H
#define CUVETTE_KERNEL_HALF_TYPES_H

#include "narrow_conversions.h"

#define CUVETTE_HALF static __inline__ __host__ __device__

struct __half_raw {
  unsigned short x;
};

struct __align__(4) __half2_raw {
  unsigned short x, y;
};

struct __half;
CUVETTE_HALF __half __float2half_rn(float a);
CUVETTE_HALF float __half2float(__half a);

struct __half {
  __half() = default;
  __host__ __device__ __half(const __half_raw& raw) : __x(raw.x) {}
  __host__ __device__ __half(float a) { *this = __float2half_rn(a); }
  __host__ __device__ __half(double a);
  template <typename T, typename = typename std::enable_if<std::is_integral<T>::value>::type>
  __host__ __device__ __half(T a) {
    *this = __float2half_rn(static_cast<float>(a));
  }
  __host__ __device__ operator float() const { return __half2float(*this); }
  __host__ __device__ operator __half_raw() const { return {__x}; }
  template <typename T, typename = __cuvette_if_integer<T>>
  __host__ __device__ explicit operator T() const {
    return __cuvette_fit<T>(__half2float(*this));
  }

  unsigned short __x;
};
typedef __half half;

struct __align__(4) __half2 {
  __half2() = default;
  __host__ __device__ __half2(const __half& a, const __half& b) : x(a), y(b) {}
  __host__ __device__ __half2(const __half2_raw& raw)
      : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  __host__ __device__ operator __half2_raw() const { return {x.__x, y.__x}; }
  __half x, y;
};
typedef __half2 half2;

CUVETTE_HALF unsigned short __half_as_ushort(__half a) { return a.__x; }
CUVETTE_HALF short __half_as_short(__half a) { return static_cast<short>(a.__x); }
CUVETTE_HALF __half __ushort_as_half(unsigned short a) { return __half_raw{a}; }
CUVETTE_HALF __half __short_as_half(short a) { return __half_raw{static_cast<unsigned short>(a)}; }

// The nearest half, to even where two are. The host does it with whole numbers.
CUVETTE_HALF __half __float2half_rn(float a) {
#if defined(__CUDA_ARCH__)
  return __ushort_as_half(__nv_float2half_rn(a));
#else
  unsigned bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  const unsigned sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  unsigned result;
  if (size > 0x7f800000) {
    return __ushort_as_half(0x7fff);
  } else if (size >= 0x47800000) {
    result = 0x7c00;
  } else if (size >= 0x38800000) {
    const unsigned rebased = size - 0x38000000;  // the exponents' distance, 112
    result = (rebased + 0xfff + (rebased >> 13 & 1)) >> 13;
  } else if (size < 0x33000000) {
    result = 0;
  } else {
    const unsigned shift = 126 - (size >> 23), digits = (size & 0x7fffff) | 0x800000;
    const unsigned whole = digits >> shift, rest = digits & ((1u << shift) - 1);
    const unsigned half_way = 1u << (shift - 1);
    result = whole + (rest > half_way || (rest == half_way && (whole & 1)));
  }
  return __ushort_as_half(static_cast<unsigned short>(sign | result));
#endif
}

CUVETTE_HALF float __half2float(__half a) {
#if defined(__CUDA_ARCH__)
  return __nv_half2float(a.__x);
#else
  const unsigned exponent = a.__x >> 10 & 31, digits = a.__x & 0x3ff;
  float size;
  if (exponent == 31) {
    size = digits ? __builtin_nanf("") : __builtin_inff();
  } else if (exponent == 0) {
    size = static_cast<float>(digits) * 0x1p-24f;
  } else {
    const unsigned bits = (exponent + 112) << 23 | digits << 13;
    __builtin_memcpy(&size, &bits, sizeof size);
  }
  return a.__x & 0x8000 ? -size : size;
#endif
}

CUVETTE_HALF __half __float2half(float a) { return __float2half_rn(a); }
CUVETTE_HALF __half __double2half(double a) { return __float2half_rn(__cuvette_odd_float(a)); }
__host__ __device__ inline __half::__half(double a) { *this = __double2half(a); }

CUVETTE_HALF __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
CUVETTE_HALF __half2 __half2half2(__half a) { return __half2(a, a); }
CUVETTE_HALF __half2 __float2half2_rn(float a) { return __half2half2(__float2half_rn(a)); }
CUVETTE_HALF __half2 __floats2half2_rn(float a, float b) {
  return __half2(__float2half_rn(a), __float2half_rn(b));
}
CUVETTE_HALF __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
CUVETTE_HALF __half2 make_half2(__half a, __half b) { return __half2(a, b); }
CUVETTE_HALF float2 __half22float2(__half2 a) {
  return make_float2(__half2float(a.x), __half2float(a.y));
}
CUVETTE_HALF __half __low2half(__half2 a) { return a.x; }
CUVETTE_HALF __half __high2half(__half2 a) { return a.y; }
CUVETTE_HALF float __low2float(__half2 a) { return __half2float(a.x); }
CUVETTE_HALF float __high2float(__half2 a) { return __half2float(a.y); }
CUVETTE_HALF __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
CUVETTE_HALF __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
CUVETTE_HALF __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
CUVETTE_HALF __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
CUVETTE_HALF __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7c00))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7fff))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7bff))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3c00))

#endif
