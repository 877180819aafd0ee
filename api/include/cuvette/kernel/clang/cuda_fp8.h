// SPDX-License-Identifier: Apache-2.0
// Numbers of eight bits for `cuvette c++`: e4m3 and e5m2, alone and in twos and fours, and what
// converts them. For the host as well.
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#if !defined(__clang__) || !defined(__CUDA__)
#error "Cuvette's cuda_fp8.h is for cuvette c++; nvcc has its own"
#endif

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
// The result for a number that is too large: the largest one, or infinity, which e4m3 has not:
// NaN.
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
// The digits of exponent and mantissa.
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

#define CUVETTE_EITHER static __inline__ __host__ __device__

// Rounds to the nearest, to even where two are. Double has every half, bfloat16 and float. NaN
// keeps its sign, and in e5m2 the first digits, of which the first is always set then.
CUVETTE_EITHER __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t format) {
  const bool e4m3 = format == __NV_E4M3;
  const int digits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, most = e4m3 ? 0x7e : 0x7b;
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  const unsigned sign = static_cast<unsigned>(bits >> 63) << 7;
  if (x != x)
    return static_cast<__nv_fp8_storage_t>(sign | (e4m3 ? 0x7f : 0x7e | (bits >> 50 & 3)));
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const unsigned long long mantissa = (bits & 0xfffffffffffffull) | 1ull << 52;
  // Below the least normal number the last digit stands for as much as there.
  int dropped = 52 - digits;
  if (exponent < 1 - bias) dropped += 1 - bias - exponent, exponent = 1 - bias;
  unsigned long long size = 0;
  if (dropped <= 53) {
    const unsigned long long one = 1ull << dropped, rest = mantissa & (one - 1);
    size = mantissa >> dropped;
    if (rest > one / 2 || (rest == one / 2 && (size & 1))) ++size;
    // The first digit of a normal number is the exponent's.
    size += static_cast<unsigned long long>(exponent + bias - 1) << digits;
  }
  if (exponent > 1000 || size > static_cast<unsigned long long>(most))
    size = saturation == __NV_SATFINITE ? static_cast<unsigned long long>(most) : most + 1;
  return static_cast<__nv_fp8_storage_t>(sign | size);
}
CUVETTE_EITHER __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t format) {
  // A float's NaN has one form, regardless of its sign.
  return x != x ? 0x7f : __nv_cvt_double_to_fp8(x, saturation, format);
}
CUVETTE_EITHER __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x,
                                                          __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturation, format);
}
CUVETTE_EITHER __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                              __nv_saturation_t saturation,
                                                              __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturation, format);
}
CUVETTE_EITHER __nv_fp8x2_storage_t __cuvette_two_fp8(__nv_fp8_storage_t x, __nv_fp8_storage_t y) {
  return static_cast<__nv_fp8x2_storage_t>(x | y << 8);
}
CUVETTE_EITHER __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x,
                                                              __nv_saturation_t saturation,
                                                              __nv_fp8_interpretation_t format) {
  return __cuvette_two_fp8(__nv_cvt_double_to_fp8(x.x, saturation, format),
                           __nv_cvt_double_to_fp8(x.y, saturation, format));
}
CUVETTE_EITHER __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                             __nv_fp8_interpretation_t format) {
  return __cuvette_two_fp8(__nv_cvt_float_to_fp8(x.x, saturation, format),
                           __nv_cvt_float_to_fp8(x.y, saturation, format));
}
CUVETTE_EITHER __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x,
                                                               __nv_saturation_t saturation,
                                                               __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturation, format);
}
CUVETTE_EITHER __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(
    __nv_bfloat162_raw x, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturation, format);
}

// A half has every number of both formats. e5m2 is a half's first byte.
CUVETTE_EITHER __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                  __nv_fp8_interpretation_t format) {
  const unsigned size = x & 0x7fu, sign = (x & 0x80u) << 8;
  if (format == __NV_E5M2)
    return {static_cast<unsigned short>(size > 0x7c ? 0x7fff : static_cast<unsigned>(x) << 8)};
  if (size == 0x7f) return {0x7fff};
  if (size >= 8) return {static_cast<unsigned short>(sign | ((size << 7) + (8u << 10)))};
  return {static_cast<unsigned short>(
      sign | __half_as_ushort(__float2half_rn(static_cast<float>(size) * 0x1p-9f)))};
}
CUVETTE_EITHER __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                      __nv_fp8_interpretation_t format) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x & 0xff), format).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), format).x};
}
CUVETTE_EITHER float __cuvette_fp8_to_float(unsigned x, __nv_fp8_interpretation_t format) {
  return __half2float(
      __half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x & 0xff), format)));
}

// One number, two and four, in each format. Whole numbers become what float makes of them.
#define CUVETTE_EIGHT_BITS(ending, format)                                                        \
  struct __nv_fp8_##ending {                                                                      \
    __nv_fp8_storage_t __x;                                                                       \
                                                                                                  \
    __nv_fp8_##ending() = default;                                                                \
    __host__ __device__ explicit __nv_fp8_##ending(__half x)                                      \
        : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, format)) {}                              \
    __host__ __device__ explicit __nv_fp8_##ending(__nv_bfloat16 x)                               \
        : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, format)) {}                          \
    __host__ __device__ explicit __nv_fp8_##ending(double x)                                      \
        : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, format)) {}                               \
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type> \
    __host__ __device__ explicit __nv_fp8_##ending(T x)                                           \
        : __x(__nv_cvt_float_to_fp8(static_cast<float>(x), __NV_SATFINITE, format)) {}            \
    __host__ __device__ explicit operator float() const {                                         \
      return __cuvette_fp8_to_float(__x, format);                                                 \
    }                                                                                             \
    __host__ __device__ explicit operator double() const { return static_cast<float>(*this); }    \
    __host__ __device__ explicit operator bool() const { return (__x & 0x7f) != 0; }              \
    __host__ __device__ explicit operator __half() const {                                        \
      return __nv_cvt_fp8_to_halfraw(__x, format);                                                \
    }                                                                                             \
    __host__ __device__ explicit operator __nv_bfloat16() const {                                 \
      return __float2bfloat16_rn(static_cast<float>(*this));                                      \
    }                                                                                             \
    template <typename T, typename = __cuvette_if_integer<T>>                                     \
    __host__ __device__ explicit operator T() const {                                             \
      return __cuvette_fit<T>(static_cast<float>(*this));                                         \
    }                                                                                             \
  };                                                                                              \
  struct __align__(2) __nv_fp8x2_##ending {                                                       \
    __nv_fp8x2_storage_t __x;                                                                     \
                                                                                                  \
    __nv_fp8x2_##ending() = default;                                                              \
    __host__ __device__ explicit __nv_fp8x2_##ending(__half2 x)                                   \
        : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, format)) {}                           \
    __host__ __device__ explicit __nv_fp8x2_##ending(__nv_bfloat162 x)                            \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(x, __NV_SATFINITE, format)) {}                       \
    __host__ __device__ explicit __nv_fp8x2_##ending(float2 x)                                    \
        : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, format)) {}                             \
    __host__ __device__ explicit __nv_fp8x2_##ending(double2 x)                                   \
        : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, format)) {}                            \
    __host__ __device__ explicit operator __half2() const {                                       \
      return __nv_cvt_fp8x2_to_halfraw2(__x, format);                                             \
    }                                                                                             \
    __host__ __device__ explicit operator float2() const {                                        \
      return __half22float2(static_cast<__half2>(*this));                                         \
    }                                                                                             \
  };                                                                                              \
  struct __align__(4) __nv_fp8x4_##ending {                                                       \
    __nv_fp8x4_storage_t __x;                                                                     \
                                                                                                  \
    __nv_fp8x4_##ending() = default;                                                              \
    __host__ __device__ __nv_fp8x4_##ending(__nv_fp8x2_##ending low, __nv_fp8x2_##ending high)    \
        : __x(low.__x | static_cast<unsigned>(high.__x) << 16) {}                                 \
    __host__ __device__ explicit __nv_fp8x4_##ending(__half2 low, __half2 high)                   \
        : __nv_fp8x4_##ending(__nv_fp8x2_##ending(low), __nv_fp8x2_##ending(high)) {}             \
    __host__ __device__ explicit __nv_fp8x4_##ending(__nv_bfloat162 low, __nv_bfloat162 high)     \
        : __nv_fp8x4_##ending(__nv_fp8x2_##ending(low), __nv_fp8x2_##ending(high)) {}             \
    __host__ __device__ explicit __nv_fp8x4_##ending(float4 x)                                    \
        : __nv_fp8x4_##ending(__nv_fp8x2_##ending(make_float2(x.x, x.y)),                         \
                              __nv_fp8x2_##ending(make_float2(x.z, x.w))) {}                      \
    __host__ __device__ explicit __nv_fp8x4_##ending(double4 x)                                   \
        : __nv_fp8x4_##ending(__nv_fp8x2_##ending(make_double2(x.x, x.y)),                        \
                              __nv_fp8x2_##ending(make_double2(x.z, x.w))) {}                     \
    __host__ __device__ explicit operator float4() const {                                        \
      return make_float4(                                                                         \
          __cuvette_fp8_to_float(__x, format), __cuvette_fp8_to_float(__x >> 8, format),          \
          __cuvette_fp8_to_float(__x >> 16, format), __cuvette_fp8_to_float(__x >> 24, format));  \
    }                                                                                             \
  };

CUVETTE_EIGHT_BITS(e4m3, __NV_E4M3)
CUVETTE_EIGHT_BITS(e5m2, __NV_E5M2)
#undef CUVETTE_EIGHT_BITS
#undef CUVETTE_EITHER

#endif
