// SPDX-License-Identifier: Apache-2.0
// The common part of half, bfloat16 and the numbers of eight bits: how they become whole numbers,
// and how a double becomes one of them. For the host as well.
#ifndef CUVETTE_KERNEL_NARROW_CONVERSIONS_H
#define CUVETTE_KERNEL_NARROW_CONVERSIONS_H

// Integers that have their own instruction; __int128 comes from a float.
template <typename T>
using __cuvette_if_integer =
    typename std::enable_if<std::is_integral<T>::value && sizeof(T) <= 8>::type;

// A number without its fractional part. One that does not fit is the nearest that does. NaN
// is 0, and of 64 bits the highest alone, whether that is a sign or not.
template <typename T, typename V>
static __inline__ __host__ __device__ T __cuvette_fit(V value) {
  if constexpr (std::is_same<T, bool>::value) {
    return value != 0;
  } else {
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    constexpr T most = T(-1) < T(0) ? static_cast<T>((1ull << (bits - 1)) - 1) : static_cast<T>(-1);
    constexpr T least = T(-1) < T(0) ? static_cast<T>(-most - 1) : T(0);
    if (value != value) return bits < 64 ? T(0) : static_cast<T>(1ull << 63);
    return value >= static_cast<V>(most)    ? most
           : value <= static_cast<V>(least) ? least
                                            : static_cast<T>(value);
  }
}

// A float next to a double that is exact or odd: rounding it again, to fewer digits, cannot go
// wrong.
static __inline__ __host__ __device__ float __cuvette_odd_float(double a) {
  float near = static_cast<float>(a);
  if (static_cast<double>(near) != a && a == a) {
    unsigned bits;
    __builtin_memcpy(&bits, &near, sizeof bits);
    const bool above = __builtin_fabs(static_cast<double>(near)) > __builtin_fabs(a);
    if (!(bits & 1)) bits = above ? bits - 1 : bits | 1;
    __builtin_memcpy(&near, &bits, sizeof near);
  }
  return near;
}

#endif
