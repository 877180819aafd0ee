// SPDX-License-Identifier: Apache-2.0
// Division of __int128, and conversions from and to floating point. Clang calls functions by these
// names that do not exist; from 18 on it divides by itself and calls none. cuvette c++ removes the
// uncalled ones from the PTX.
#ifndef CUVETTE_KERNEL_INTEGERS_128_H
#define CUVETTE_KERNEL_INTEGERS_128_H

// Divides bit by bit, from the first bit that the quotient can have.
static __inline__ __device__ unsigned __int128 __cuvette_divide(unsigned __int128 a,
                                                                unsigned __int128 b,
                                                                unsigned __int128* rest) {
  const auto high = [](unsigned __int128 x) { return static_cast<unsigned long long>(x >> 64); };
  const auto low = [](unsigned __int128 x) { return static_cast<unsigned long long>(x); };
  const auto zeros = [&](unsigned __int128 x) {
    return high(x) ? __clzll(static_cast<long long>(high(x)))
                   : 64 + __clzll(static_cast<long long>(low(x)));
  };
  if ((high(a) | high(b)) == 0) {
    *rest = low(b) ? low(a) % low(b) : 0;
    return low(b) ? low(a) / low(b) : ~0ull;
  }
  unsigned __int128 quotient = 0;
  if (b <= a && b != 0) {
    int shift = zeros(b) - zeros(a);
    for (unsigned __int128 part = b << shift; shift >= 0; --shift, part >>= 1) {
      quotient <<= 1;
      if (part > a) continue;
      a -= part;
      quotient |= 1;
    }
  }
  *rest = a;
  return quotient;
}
// The number as 64 bits, times a power of two. The last bit is set if any bit below it was, so that
// rounding the 64 bits rounds the number.
static __inline__ __device__ unsigned long long __cuvette_first_bits(unsigned __int128 a,
                                                                     double* power) {
  const auto high = static_cast<unsigned long long>(a >> 64);
  const int shift = high ? 64 - __clzll(static_cast<long long>(high)) : 0;
  *power = __longlong_as_double(static_cast<long long>(1023 + shift) << 52);
  const unsigned __int128 lost = a & ((static_cast<unsigned __int128>(1) << shift) - 1);
  return static_cast<unsigned long long>(a >> shift) | (lost != 0);
}
// A whole number, or what is before the point.
static __inline__ __device__ unsigned __int128 __cuvette_whole(double a) {
  const double high = __builtin_floor(a * 0x1p-64);
  return static_cast<unsigned __int128>(static_cast<unsigned long long>(high)) << 64 |
         static_cast<unsigned long long>(a - high * 0x1p64);
}
static __inline__ __device__ unsigned __int128 __cuvette_size(__int128 a) {
  return a < 0 ? 0 - static_cast<unsigned __int128>(a) : static_cast<unsigned __int128>(a);
}

extern "C" {
#define CUVETTE_CALLED_BY_CLANG __device__ __attribute__((used, noinline, weak))
CUVETTE_CALLED_BY_CLANG unsigned __int128 __udivti3(unsigned __int128 a, unsigned __int128 b) {
  unsigned __int128 rest;
  return __cuvette_divide(a, b, &rest);
}
CUVETTE_CALLED_BY_CLANG unsigned __int128 __umodti3(unsigned __int128 a, unsigned __int128 b) {
  unsigned __int128 rest;
  __cuvette_divide(a, b, &rest);
  return rest;
}
CUVETTE_CALLED_BY_CLANG __int128 __divti3(__int128 a, __int128 b) {
  unsigned __int128 rest;
  const unsigned __int128 size = __cuvette_divide(__cuvette_size(a), __cuvette_size(b), &rest);
  return static_cast<__int128>((a < 0) != (b < 0) ? 0 - size : size);
}
CUVETTE_CALLED_BY_CLANG __int128 __modti3(__int128 a, __int128 b) {
  unsigned __int128 rest;
  __cuvette_divide(__cuvette_size(a), __cuvette_size(b), &rest);
  return static_cast<__int128>(a < 0 ? 0 - rest : rest);
}
CUVETTE_CALLED_BY_CLANG double __floatuntidf(unsigned __int128 a) {
  double power;
  const unsigned long long bits = __cuvette_first_bits(a, &power);
  return static_cast<double>(bits) * power;
}
CUVETTE_CALLED_BY_CLANG float __floatuntisf(unsigned __int128 a) {
  double power;
  const unsigned long long bits = __cuvette_first_bits(a, &power);
  // 2^128 - 1 rounds to 2^128, which no float is.
  return static_cast<float>(static_cast<double>(static_cast<float>(bits)) * power);
}
CUVETTE_CALLED_BY_CLANG double __floattidf(__int128 a) {
  const double size = __floatuntidf(__cuvette_size(a));
  return a < 0 ? -size : size;
}
CUVETTE_CALLED_BY_CLANG float __floattisf(__int128 a) {
  const float size = __floatuntisf(__cuvette_size(a));
  return a < 0 ? -size : size;
}
CUVETTE_CALLED_BY_CLANG unsigned __int128 __fixunsdfti(double a) {
  return a >= 1 ? __cuvette_whole(a) : 0;
}
CUVETTE_CALLED_BY_CLANG unsigned __int128 __fixunssfti(float a) {
  return __fixunsdfti(static_cast<double>(a));
}
CUVETTE_CALLED_BY_CLANG __int128 __fixdfti(double a) {
  const unsigned __int128 size = __fixunsdfti(a < 0 ? -a : a);
  return static_cast<__int128>(a < 0 ? 0 - size : size);
}
CUVETTE_CALLED_BY_CLANG __int128 __fixsfti(float a) { return __fixdfti(static_cast<double>(a)); }
#undef CUVETTE_CALLED_BY_CLANG
}

#endif
