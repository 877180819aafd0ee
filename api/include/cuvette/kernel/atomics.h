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

#endif
