// SPDX-License-Identifier: Apache-2.0
// The greatest and the least of sums and of three numbers, for words and pairs of halves: the steps
// of dynamic programs. With _relu a negative result is 0.
#ifndef CUVETTE_KERNEL_DYNAMIC_PROGRAMMING_H
#define CUVETTE_KERNEL_DYNAMIC_PROGRAMMING_H

#define CUVETTE_EITHER static __inline__ __host__ __device__

template <typename T>
CUVETTE_EITHER T __cuvette_least(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
CUVETTE_EITHER T __cuvette_greatest(T a, T b) {
  return a < b ? b : a;
}
template <typename Half, typename F>
CUVETTE_EITHER unsigned __cuvette_halves(unsigned a, unsigned b, unsigned c, const F& function) {
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const auto half = static_cast<unsigned short>(function(static_cast<Half>(a >> shift),
                                                           static_cast<Half>(b >> shift),
                                                           static_cast<Half>(c >> shift)));
    result |= static_cast<unsigned>(half) << shift;
  }
  return result;
}

// The expression is about x, y and z of type T. Sums leave out what does not fit.
#define CUVETTE_STEP(name, ending, type, half, expression)                                 \
  CUVETTE_EITHER type name##32##ending(type a, type b, type c) {                           \
    using T = type;                                                                        \
    const T x = a, y = b, z = c;                                                           \
    return expression;                                                                     \
  }                                                                                        \
  CUVETTE_EITHER unsigned name##16x2##ending(unsigned a, unsigned b, unsigned c) {         \
    using T = half;                                                                        \
    return __cuvette_halves<half>(a, b, c, [](T x, T y, T z) -> T { return expression; }); \
  }
#define CUVETTE_SUM static_cast<T>(static_cast<unsigned>(x) + static_cast<unsigned>(y))
#define CUVETTE_STEPS(letter, type, half)                                                        \
  CUVETTE_STEP(__vimax3_##letter, , type, half, __cuvette_greatest(__cuvette_greatest(x, y), z)) \
  CUVETTE_STEP(__vimin3_##letter, , type, half, __cuvette_least(__cuvette_least(x, y), z))       \
  CUVETTE_STEP(__viaddmax_##letter, , type, half, __cuvette_greatest(CUVETTE_SUM, z))            \
  CUVETTE_STEP(__viaddmin_##letter, , type, half, __cuvette_least(CUVETTE_SUM, z))
CUVETTE_STEPS(s, int, short)
CUVETTE_STEPS(u, unsigned, unsigned short)
#undef CUVETTE_STEPS
#define CUVETTE_RELU(name, value) \
  CUVETTE_STEP(name, _relu, int, short, __cuvette_greatest<T>(value, 0))
CUVETTE_RELU(__vimax3_s, __cuvette_greatest(__cuvette_greatest(x, y), z))
CUVETTE_RELU(__vimin3_s, __cuvette_least(__cuvette_least(x, y), z))
CUVETTE_RELU(__viaddmax_s, __cuvette_greatest(CUVETTE_SUM, z))
CUVETTE_RELU(__viaddmin_s, __cuvette_least(CUVETTE_SUM, z))
#undef CUVETTE_RELU
#undef CUVETTE_SUM
#undef CUVETTE_STEP

// Of two numbers.
#define CUVETTE_OF_TWO(name, value)                                                             \
  CUVETTE_EITHER int name##32_relu(int x, int y) { return __cuvette_greatest(value(x, y), 0); } \
  CUVETTE_EITHER unsigned name##16x2_relu(unsigned a, unsigned b) {                             \
    return __cuvette_halves<short>(a, b, 0, [](short x, short y, short zero) {                  \
      return __cuvette_greatest(value(x, y), zero);                                             \
    });                                                                                         \
  }
CUVETTE_OF_TWO(__vimax_s, __cuvette_greatest)
CUVETTE_OF_TWO(__vimin_s, __cuvette_least)
#undef CUVETTE_OF_TWO

// These also say whether the first number was taken; of halves, the upper one's answer comes first.
#define CUVETTE_TOLD(name, type, half, value, comparison)                                     \
  CUVETTE_EITHER type name##32(type a, type b, bool* first) {                                 \
    *first = a comparison b;                                                                  \
    return value(a, b);                                                                       \
  }                                                                                           \
  CUVETTE_EITHER unsigned name##16x2(unsigned a, unsigned b, bool* upper, bool* lower) {      \
    *upper = static_cast<half>(a >> 16) comparison static_cast<half>(b >> 16);                \
    *lower = static_cast<half>(a) comparison static_cast<half>(b);                            \
    return __cuvette_halves<half>(a, b, 0, [](half x, half y, half) { return value(x, y); }); \
  }
CUVETTE_TOLD(__vibmax_s, int, short, __cuvette_greatest, >=)
CUVETTE_TOLD(__vibmax_u, unsigned, unsigned short, __cuvette_greatest, >=)
CUVETTE_TOLD(__vibmin_s, int, short, __cuvette_least, <=)
CUVETTE_TOLD(__vibmin_u, unsigned, unsigned short, __cuvette_least, <=)
#undef CUVETTE_TOLD
#undef CUVETTE_EITHER

#endif
