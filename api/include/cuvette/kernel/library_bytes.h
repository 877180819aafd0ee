// SPDX-License-Identifier: Apache-2.0
// The library's functions of two halves or four bytes of a word, each on its own.
#ifndef CUVETTE_KERNEL_LIBRARY_BYTES_H
#define CUVETTE_KERNEL_LIBRARY_BYTES_H

// The parts of a word, wide enough to compute with. `bits` is 8 or 16.
template <int bits, bool is_signed>
inline __device__ int __cuvette_part(int word, int index) {
  const int part = static_cast<int>(static_cast<unsigned>(word) >> (bits * index));
  return is_signed ? static_cast<int>(static_cast<unsigned>(part) << (32 - bits)) >> (32 - bits)
                   : part & ((1 << bits) - 1);
}

// Returns a word. Each of its parts is function(part of a, part of b).
template <int bits, bool is_signed, typename F>
inline __device__ __attribute__((always_inline)) int __cuvette_parts(int a, int b, F function) {
  unsigned result = 0;
#pragma unroll
  for (int i = 0; i < 32 / bits; ++i) {
    const int part =
        function(__cuvette_part<bits, is_signed>(a, i), __cuvette_part<bits, is_signed>(b, i));
    result |= (static_cast<unsigned>(part) & ((1u << bits) - 1)) << (bits * i);
  }
  return static_cast<int>(result);
}

// The number in the range of a part that is nearest.
template <int bits, bool is_signed>
inline __device__ int __cuvette_within(int value) {
  constexpr int most = (1 << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0;
  return value < least ? least : value > most ? most : value;
}

// Each function for two halves and for four bytes; `expression` is about the parts x and y.
#define CUVETTE_PARTS_2(name, is_signed, expression)                                        \
  CUVETTE_LIBRARY int __nv_##name##2(int a, int b) {                                        \
    constexpr int bits = 16;                                                                \
    return __cuvette_parts<bits, is_signed>(a, b, [](int x, int y) { return expression; }); \
  }                                                                                         \
  CUVETTE_LIBRARY int __nv_##name##4(int a, int b) {                                        \
    constexpr int bits = 8;                                                                 \
    return __cuvette_parts<bits, is_signed>(a, b, [](int x, int y) { return expression; }); \
  }
#define CUVETTE_PARTS_1(name, expression)                                            \
  CUVETTE_LIBRARY int __nv_##name##2(int a) {                                        \
    constexpr int bits = 16;                                                         \
    return __cuvette_parts<bits, true>(a, a, [](int x, int) { return expression; }); \
  }                                                                                  \
  CUVETTE_LIBRARY int __nv_##name##4(int a) {                                        \
    constexpr int bits = 8;                                                          \
    return __cuvette_parts<bits, true>(a, a, [](int x, int) { return expression; }); \
  }
#define CUVETTE_COMPARE(name, is_signed, comparison)              \
  CUVETTE_PARTS_2(vcmp##name, is_signed, x comparison y ? -1 : 0) \
  CUVETTE_PARTS_2(vset##name, is_signed, x comparison y ? 1 : 0)

CUVETTE_PARTS_1(vabs, x < 0 ? -x : x)
CUVETTE_PARTS_1(vabsss, (__cuvette_within<bits, true>(x < 0 ? -x : x)))
CUVETTE_PARTS_1(vneg, -x)
CUVETTE_PARTS_1(vnegss, (__cuvette_within<bits, true>(-x)))
CUVETTE_PARTS_2(vabsdiffs, true, x > y ? x - y : y - x)
CUVETTE_PARTS_2(vabsdiffu, false, x > y ? x - y : y - x)
CUVETTE_PARTS_2(vadd, false, x + y)
CUVETTE_PARTS_2(vaddss, true, (__cuvette_within<bits, true>(x + y)))
CUVETTE_PARTS_2(vaddus, false, (__cuvette_within<bits, false>(x + y)))
CUVETTE_PARTS_2(vsub, false, x - y)
CUVETTE_PARTS_2(vsubss, true, (__cuvette_within<bits, true>(x - y)))
CUVETTE_PARTS_2(vsubus, false, (__cuvette_within<bits, false>(x - y)))
// Means: of signed and unsigned rounded up, or of unsigned rounded down.
CUVETTE_PARTS_2(vavgs, true, (x + y + (x + y >= 0)) >> 1)
CUVETTE_PARTS_2(vavgu, false, (x + y + 1) >> 1)
CUVETTE_PARTS_2(vhaddu, false, (x + y) >> 1)
CUVETTE_PARTS_2(vmaxs, true, x > y ? x : y)
CUVETTE_PARTS_2(vmaxu, false, x > y ? x : y)
CUVETTE_PARTS_2(vmins, true, x < y ? x : y)
CUVETTE_PARTS_2(vminu, false, x < y ? x : y)
CUVETTE_COMPARE(eq, false, ==)
CUVETTE_COMPARE(ne, false, !=)
CUVETTE_COMPARE(ges, true, >=)
CUVETTE_COMPARE(geu, false, >=)
CUVETTE_COMPARE(gts, true, >)
CUVETTE_COMPARE(gtu, false, >)
CUVETTE_COMPARE(les, true, <=)
CUVETTE_COMPARE(leu, false, <=)
CUVETTE_COMPARE(lts, true, <)
CUVETTE_COMPARE(ltu, false, <)
#undef CUVETTE_COMPARE
#undef CUVETTE_PARTS_1
#undef CUVETTE_PARTS_2

// The sum of the parts' distances.
#define CUVETTE_SUM(name, bits, is_signed)                                               \
  CUVETTE_LIBRARY int __nv_##name(int a, int b) {                                        \
    int sum = 0;                                                                         \
    for (int i = 0; i < 32 / bits; ++i) {                                                \
      const int distance =                                                               \
          __cuvette_part<bits, is_signed>(a, i) - __cuvette_part<bits, is_signed>(b, i); \
      sum += distance < 0 ? -distance : distance;                                        \
    }                                                                                    \
    return sum;                                                                          \
  }
CUVETTE_SUM(vsads2, 16, true)
CUVETTE_SUM(vsads4, 8, true)
CUVETTE_SUM(vsadu2, 16, false)
CUVETTE_SUM(vsadu4, 8, false)
#undef CUVETTE_SUM

#endif
