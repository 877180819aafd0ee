// SPDX-License-Identifier: Apache-2.0
// Intrinsics that clang's headers do not have: reductions of a warp, and products of small numbers.
#ifndef CUVETTE_KERNEL_INTRINSICS_H
#define CUVETTE_KERNEL_INTRINSICS_H

#undef __noinline__
#define __noinline__ __attribute__((noinline))

// One value for the threads of the mask. clang's own stand aside (prelude.h): clang 19's take the
// mask for the value.
#define CUVETTE_REDUCE(name, instruction)                                     \
  template <typename T>                                                       \
  static __inline__ __device__ T name(unsigned mask, T value) {               \
    static_assert(sizeof(T) == 4, "a warp reduces whole numbers of 32 bits"); \
    T result;                                                                 \
    if constexpr (static_cast<T>(-1) < T{0})                                  \
      __asm__ volatile("redux.sync." instruction ".s32 %0, %1, %2;"           \
                       : "=r"(result)                                         \
                       : "r"(value), "r"(mask));                              \
    else                                                                      \
      __asm__ volatile("redux.sync." instruction ".u32 %0, %1, %2;"           \
                       : "=r"(result)                                         \
                       : "r"(value), "r"(mask));                              \
    return result;                                                            \
  }
#define CUVETTE_REDUCE_BITS(name, instruction)                                \
  template <typename T>                                                       \
  static __inline__ __device__ T name(unsigned mask, T value) {               \
    static_assert(sizeof(T) == 4, "a warp reduces whole numbers of 32 bits"); \
    T result;                                                                 \
    __asm__ volatile("redux.sync." instruction ".b32 %0, %1, %2;"             \
                     : "=r"(result)                                           \
                     : "r"(value), "r"(mask));                                \
    return result;                                                            \
  }
CUVETTE_REDUCE(__reduce_add_sync, "add")
CUVETTE_REDUCE(__reduce_min_sync, "min")
CUVETTE_REDUCE(__reduce_max_sync, "max")
CUVETTE_REDUCE_BITS(__reduce_and_sync, "and")
CUVETTE_REDUCE_BITS(__reduce_or_sync, "or")
CUVETTE_REDUCE_BITS(__reduce_xor_sync, "xor")
#undef CUVETTE_REDUCE_BITS
#undef CUVETTE_REDUCE

// Products of four bytes, or of two halves and two of four bytes, and their sum.
#define CUVETTE_DOT(name, instruction, type, a_type, b_type)                                   \
  static __inline__ __device__ type name(a_type a, b_type b, type c) {                         \
    int a_bits, b_bits;                                                                        \
    __builtin_memcpy(&a_bits, &a, sizeof a_bits);                                              \
    __builtin_memcpy(&b_bits, &b, sizeof b_bits);                                              \
    type result;                                                                               \
    __asm__(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(a_bits), "r"(b_bits), "r"(c)); \
    return result;                                                                             \
  }
CUVETTE_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
CUVETTE_DOT(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
CUVETTE_DOT(__dp4a, "dp4a.s32.s32", int, char4, char4)
CUVETTE_DOT(__dp4a, "dp4a.u32.u32", unsigned, uchar4, uchar4)
CUVETTE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
CUVETTE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned)
CUVETTE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
CUVETTE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, ushort2, uchar4)
CUVETTE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
CUVETTE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned)
CUVETTE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
CUVETTE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, ushort2, uchar4)
#undef CUVETTE_DOT

#endif
