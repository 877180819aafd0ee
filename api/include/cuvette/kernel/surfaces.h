// SPDX-License-Identifier: Apache-2.0
// Functions that read and write surfaces: surf2Dread<float>(surface, x, y) and its like. The first
// coordinate counts bytes.
#ifndef CUVETTE_KERNEL_SURFACES_H
#define CUVETTE_KERNEL_SURFACES_H

#include "texels.h"

// A register for a number of that many bytes.
template <int bytes>
struct __cuvette_register {
  using type = unsigned short;
};
template <>
struct __cuvette_register<4> {
  using type = unsigned;
};
template <>
struct __cuvette_register<8> {
  using type = unsigned long long;
};

// The registers that a texel fills, between memory and an instruction.
template <typename T>
struct __cuvette_texel_registers {
  static constexpr int count = __cuvette_texel<T>::count, bytes = sizeof(T) / count;
  typename __cuvette_register<bytes>::type of[4] = {};

  __device__ void set(const T& value) {
#pragma unroll
    for (int i = 0; i < count; ++i)
      __builtin_memcpy(&of[i], reinterpret_cast<const char*>(&value) + i * bytes, bytes);
  }
  __device__ T get() const {
    T value;
#pragma unroll
    for (int i = 0; i < count; ++i)
      __builtin_memcpy(reinterpret_cast<char*>(&value) + i * bytes, &of[i], bytes);
    return value;
  }
};

#define CUVETTE_LIST(...) __VA_ARGS__

// One instruction for a number of registers; `what` is the number's size and what happens outside.
#define CUVETTE_READ_1(shape, what, c, place, ...)                             \
  __asm__ volatile("suld.b." shape ".b" what " %[a], [%[surface], " place "];" \
                   : [a] "=" c(word.of[0])                                     \
                   : [surface] "l"(surface), __VA_ARGS__                       \
                   : "memory")
#define CUVETTE_READ_2(shape, what, c, place, ...)                                        \
  __asm__ volatile("suld.b." shape ".v2.b" what " {%[a], %[b]}, [%[surface], " place "];" \
                   : [a] "=" c(word.of[0]), [b] "=" c(word.of[1])                         \
                   : [surface] "l"(surface), __VA_ARGS__                                  \
                   : "memory")
#define CUVETTE_READ_4(shape, what, c, place, ...)                                            \
  __asm__ volatile("suld.b." shape ".v4.b" what                                               \
                   " {%[a], %[b], %[third], %[d]}, [%[surface], " place "];"                  \
                   : [a] "=" c(word.of[0]), [b] "=" c(word.of[1]), [third] "=" c(word.of[2]), \
                     [d] "=" c(word.of[3])                                                    \
                   : [surface] "l"(surface), __VA_ARGS__                                      \
                   : "memory")
#define CUVETTE_WRITE_1(shape, what, c, place, ...)                 \
  __asm__ volatile("sust.b." shape ".b" what " [%[surface], " place \
                   "], %[a];" ::[a] c(word.of[0]),                  \
                   [surface] "l"(surface), __VA_ARGS__              \
                   : "memory")
#define CUVETTE_WRITE_2(shape, what, c, place, ...)                       \
  __asm__ volatile("sust.b." shape ".v2.b" what " [%[surface], " place    \
                   "], {%[a], %[b]};" ::[a] c(word.of[0]),                \
                   [b] c(word.of[1]), [surface] "l"(surface), __VA_ARGS__ \
                   : "memory")
#define CUVETTE_WRITE_4(shape, what, c, place, ...)                                        \
  __asm__ volatile(                                                                        \
      "sust.b." shape ".v4.b" what " [%[surface], " place                                  \
      "], {%[a], %[b], %[third], %[d]};" ::[a] c(word.of[0]),                              \
      [b] c(word.of[1]), [third] c(word.of[2]), [d] c(word.of[3]), [surface] "l"(surface), \
      __VA_ARGS__                                                                          \
      : "memory")

#define CUVETTE_BY_MODE(access, shape, bits, c, place, ...) \
  switch (mode) {                                           \
    case cudaBoundaryModeZero:                              \
      access(shape, bits ".zero", c, place, __VA_ARGS__);   \
      break;                                                \
    case cudaBoundaryModeClamp:                             \
      access(shape, bits ".clamp", c, place, __VA_ARGS__);  \
      break;                                                \
    default:                                                \
      access(shape, bits ".trap", c, place, __VA_ARGS__);   \
  }
#define CUVETTE_BY_COUNT(access, shape, bits, c, place, ...)        \
  if constexpr (word.count == 1)                                    \
    CUVETTE_BY_MODE(access##_1, shape, bits, c, place, __VA_ARGS__) \
  else if constexpr (word.count == 2)                               \
    CUVETTE_BY_MODE(access##_2, shape, bits, c, place, __VA_ARGS__) \
  else                                                              \
    CUVETTE_BY_MODE(access##_4, shape, bits, c, place, __VA_ARGS__)
#define CUVETTE_BY_SIZE(access, shape, place, ...)                      \
  if constexpr (word.bytes == 1) {                                      \
    CUVETTE_BY_COUNT(access, shape, "8", "h", place, __VA_ARGS__)       \
  } else if constexpr (word.bytes == 2) {                               \
    CUVETTE_BY_COUNT(access, shape, "16", "h", place, __VA_ARGS__)      \
  } else if constexpr (word.bytes == 4) {                               \
    CUVETTE_BY_COUNT(access, shape, "32", "r", place, __VA_ARGS__)      \
  } else {                                                              \
    if constexpr (word.count == 1)                                      \
      CUVETTE_BY_MODE(access##_1, shape, "64", "l", place, __VA_ARGS__) \
    else                                                                \
      CUVETTE_BY_MODE(access##_2, shape, "64", "l", place, __VA_ARGS__) \
  }

#define CUVETTE_SURFACE(name, shape, place, parameters, arguments, ...)                            \
  template <typename T>                                                                            \
  static __inline__ __device__ T name##read(cudaSurfaceObject_t surface, CUVETTE_LIST parameters,  \
                                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    __cuvette_texel_registers<T> word;                                                             \
    CUVETTE_BY_SIZE(CUVETTE_READ, shape, place, __VA_ARGS__)                                       \
    return word.get();                                                                             \
  }                                                                                                \
  template <typename T>                                                                            \
  static __inline__ __device__ void name##read(                                                    \
      T* result, cudaSurfaceObject_t surface, CUVETTE_LIST parameters,                             \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                       \
    *result = name##read<T>(surface, CUVETTE_LIST arguments, mode);                                \
  }                                                                                                \
  template <typename T>                                                                            \
  static __inline__ __device__ void name##write(                                                   \
      T value, cudaSurfaceObject_t surface, CUVETTE_LIST parameters,                               \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                       \
    __cuvette_texel_registers<T> word;                                                             \
    word.set(value);                                                                               \
    CUVETTE_BY_SIZE(CUVETTE_WRITE, shape, place, __VA_ARGS__)                                      \
  }
CUVETTE_SURFACE(surf1D, "1d", "{%[x]}", (int x), (x), [x] "r"(x))
CUVETTE_SURFACE(surf2D, "2d", "{%[x], %[y]}", (int x, int y), (x, y), [x] "r"(x), [y] "r"(y))
CUVETTE_SURFACE(surf3D, "3d", "{%[x], %[y], %[z], %[z]}", (int x, int y, int z),
                (x, y, z), [x] "r"(x), [y] "r"(y), [z] "r"(z))
CUVETTE_SURFACE(surf1DLayered, "a1d", "{%[l], %[x]}", (int x, int layer),
                (x, layer), [x] "r"(x), [l] "r"(layer))
CUVETTE_SURFACE(surf2DLayered, "a2d", "{%[l], %[x], %[y], %[y]}", (int x, int y, int layer),
                (x, y, layer), [x] "r"(x), [y] "r"(y), [l] "r"(layer))
// The faces of a cube are layers.
CUVETTE_SURFACE(surfCubemap, "a2d", "{%[l], %[x], %[y], %[y]}", (int x, int y, int face),
                (x, y, face), [x] "r"(x), [y] "r"(y), [l] "r"(face))
CUVETTE_SURFACE(surfCubemapLayered, "a2d", "{%[l], %[x], %[y], %[y]}",
                (int x, int y, int layer_face),
                (x, y, layer_face), [x] "r"(x), [y] "r"(y), [l] "r"(layer_face))

#undef CUVETTE_SURFACE
#undef CUVETTE_BY_SIZE
#undef CUVETTE_BY_COUNT
#undef CUVETTE_BY_MODE
#undef CUVETTE_WRITE_4
#undef CUVETTE_WRITE_2
#undef CUVETTE_WRITE_1
#undef CUVETTE_READ_4
#undef CUVETTE_READ_2
#undef CUVETTE_READ_1
#undef CUVETTE_LIST

#endif
