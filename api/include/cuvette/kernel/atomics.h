// SPDX-License-Identifier: Apache-2.0
// atomicAdd() and its like, for every type that CUDA has them for: for the device, with _block
// for the threads of a block, and with _system for the host and other devices as well.
#ifndef CUVETTE_KERNEL_ATOMICS_H
#define CUVETTE_KERNEL_ATOMICS_H

#define CUVETTE_ATOMIC_IN(scope, name, type, function)                     \
  static __inline__ __device__ type name##scope(type* place, type value) { \
    return function##scope(place, value);                                  \
  }
#define CUVETTE_ATOMIC(name, type, function)      \
  CUVETTE_ATOMIC_IN(, name, type, function)       \
  CUVETTE_ATOMIC_IN(_block, name, type, function) \
  CUVETTE_ATOMIC_IN(_system, name, type, function)

CUVETTE_ATOMIC(atomicAdd, int, __iAtomicAdd)
CUVETTE_ATOMIC(atomicAdd, unsigned, __uAtomicAdd)
CUVETTE_ATOMIC(atomicAdd, unsigned long long, __ullAtomicAdd)
CUVETTE_ATOMIC(atomicAdd, float, __fAtomicAdd)
CUVETTE_ATOMIC(atomicAdd, double, __dAtomicAdd)
CUVETTE_ATOMIC(atomicExch, int, __iAtomicExch)
CUVETTE_ATOMIC(atomicExch, unsigned, __uAtomicExch)
CUVETTE_ATOMIC(atomicExch, unsigned long long, __ullAtomicExch)
CUVETTE_ATOMIC(atomicExch, float, __fAtomicExch)
CUVETTE_ATOMIC(atomicMin, int, __iAtomicMin)
CUVETTE_ATOMIC(atomicMin, unsigned, __uAtomicMin)
CUVETTE_ATOMIC(atomicMin, long long, __illAtomicMin)
CUVETTE_ATOMIC(atomicMin, unsigned long long, __ullAtomicMin)
CUVETTE_ATOMIC(atomicMax, int, __iAtomicMax)
CUVETTE_ATOMIC(atomicMax, unsigned, __uAtomicMax)
CUVETTE_ATOMIC(atomicMax, long long, __illAtomicMax)
CUVETTE_ATOMIC(atomicMax, unsigned long long, __ullAtomicMax)
CUVETTE_ATOMIC(atomicInc, unsigned, __uAtomicInc)
CUVETTE_ATOMIC(atomicDec, unsigned, __uAtomicDec)
CUVETTE_ATOMIC(atomicAnd, int, __iAtomicAnd)
CUVETTE_ATOMIC(atomicAnd, unsigned, __uAtomicAnd)
CUVETTE_ATOMIC(atomicAnd, unsigned long long, __ullAtomicAnd)
CUVETTE_ATOMIC(atomicOr, int, __iAtomicOr)
CUVETTE_ATOMIC(atomicOr, unsigned, __uAtomicOr)
CUVETTE_ATOMIC(atomicOr, unsigned long long, __ullAtomicOr)
CUVETTE_ATOMIC(atomicXor, int, __iAtomicXor)
CUVETTE_ATOMIC(atomicXor, unsigned, __uAtomicXor)
CUVETTE_ATOMIC(atomicXor, unsigned long long, __ullAtomicXor)
#undef CUVETTE_ATOMIC
#undef CUVETTE_ATOMIC_IN

// A difference is a sum.
#define CUVETTE_ATOMIC_SUB(scope)                                                           \
  static __inline__ __device__ int atomicSub##scope(int* place, int value) {                \
    return __iAtomicAdd##scope(place, static_cast<int>(0u - value));                        \
  }                                                                                         \
  static __inline__ __device__ unsigned atomicSub##scope(unsigned* place, unsigned value) { \
    return __uAtomicAdd##scope(place, 0u - value);                                          \
  }
CUVETTE_ATOMIC_SUB()
CUVETTE_ATOMIC_SUB(_block)
CUVETTE_ATOMIC_SUB(_system)
#undef CUVETTE_ATOMIC_SUB

// Compare, and store if equal.
#define CUVETTE_ATOMIC_CAS(scope, type, function)                                             \
  static __inline__ __device__ type atomicCAS##scope(type* place, type compare, type value) { \
    return function##scope(place, compare, value);                                            \
  }
#define CUVETTE_ATOMIC_CAS_16(scope, instruction)                            \
  static __inline__ __device__ unsigned short atomicCAS##scope(              \
      unsigned short* place, unsigned short compare, unsigned short value) { \
    unsigned short before;                                                   \
    __asm__ volatile(instruction " %0, [%1], %2, %3;"                        \
                     : "=h"(before)                                          \
                     : "l"(place), "h"(compare), "h"(value)                  \
                     : "memory");                                            \
    return before;                                                           \
  }
#define CUVETTE_ATOMIC_CAS_ALL(scope)               \
  CUVETTE_ATOMIC_CAS(scope, int, __iAtomicCAS)      \
  CUVETTE_ATOMIC_CAS(scope, unsigned, __uAtomicCAS) \
  CUVETTE_ATOMIC_CAS(scope, unsigned long long, __ullAtomicCAS)
CUVETTE_ATOMIC_CAS_ALL()
CUVETTE_ATOMIC_CAS_ALL(_block)
CUVETTE_ATOMIC_CAS_ALL(_system)
CUVETTE_ATOMIC_CAS_16(, "atom.cas.b16")
CUVETTE_ATOMIC_CAS_16(_block, "atom.cta.cas.b16")
CUVETTE_ATOMIC_CAS_16(_system, "atom.sys.cas.b16")
#undef CUVETTE_ATOMIC_CAS_ALL
#undef CUVETTE_ATOMIC_CAS_16
#undef CUVETTE_ATOMIC_CAS

// 16 bytes at once, for any type of that size.
#define CUVETTE_ATOMIC_16(scope, instruction)                                               \
  template <typename T>                                                                     \
  static __inline__ __device__ __cuvette_16_bytes<T> atomicCAS##scope(T* place, T compare,  \
                                                                      T value) {            \
    unsigned long long old[2], if_equal[2], then[2];                                        \
    __builtin_memcpy(if_equal, &compare, 16);                                               \
    __builtin_memcpy(then, &value, 16);                                                     \
    __asm__ volatile(                                                                       \
        "{.reg .b128 a, b, c; mov.b128 a, {%3, %4}; mov.b128 b, {%5, %6};"                  \
        "atom" instruction ".cas.b128 c, [%2], a, b; mov.b128 {%0, %1}, c;}"                \
        : "=l"(old[0]), "=l"(old[1])                                                        \
        : "l"(place), "l"(if_equal[0]), "l"(if_equal[1]), "l"(then[0]), "l"(then[1])        \
        : "memory");                                                                        \
    T result;                                                                               \
    __builtin_memcpy(&result, old, 16);                                                     \
    return result;                                                                          \
  }                                                                                         \
  template <typename T>                                                                     \
  static __inline__ __device__ __cuvette_16_bytes<T> atomicExch##scope(T* place, T value) { \
    unsigned long long old[2], then[2];                                                     \
    __builtin_memcpy(then, &value, 16);                                                     \
    __asm__ volatile(                                                                       \
        "{.reg .b128 b, c; mov.b128 b, {%3, %4};"                                           \
        "atom" instruction ".exch.b128 c, [%2], b; mov.b128 {%0, %1}, c;}"                  \
        : "=l"(old[0]), "=l"(old[1])                                                        \
        : "l"(place), "l"(then[0]), "l"(then[1])                                            \
        : "memory");                                                                        \
    T result;                                                                               \
    __builtin_memcpy(&result, old, 16);                                                     \
    return result;                                                                          \
  }
template <typename T, bool = sizeof(T) == 16 && alignof(T) == 16>
struct __cuvette_type_of_16_bytes {};
template <typename T>
struct __cuvette_type_of_16_bytes<T, true> {
  typedef T type;
};
template <typename T>
using __cuvette_16_bytes = typename __cuvette_type_of_16_bytes<T>::type;
CUVETTE_ATOMIC_16(, "")
CUVETTE_ATOMIC_16(_block, ".cta")
CUVETTE_ATOMIC_16(_system, ".sys")
#undef CUVETTE_ATOMIC_16

// Vectors of float: each element is added at once, the vector is not. A template, because newer
// clangs have functions of these types.
template <typename T>
static __inline__ __device__
    typename std::enable_if<std::is_same<T, float2>::value || std::is_same<T, float4>::value,
                            T>::type
    atomicAdd(T* place, T value) {
  T before = value;
  before.x = atomicAdd(&place->x, value.x);
  before.y = atomicAdd(&place->y, value.y);
  if constexpr (std::is_same<T, float4>::value) {
    before.z = atomicAdd(&place->z, value.z);
    before.w = atomicAdd(&place->w, value.w);
  }
  return before;
}

#endif
