// SPDX-License-Identifier: Apache-2.0
// A name under which clang's headers expect a part of the toolkit: what compute capability 7.0
// brought, and clang has no function for.
#ifndef CUVETTE_KERNEL_SM_70_RT_HPP
#define CUVETTE_KERNEL_SM_70_RT_HPP

// Lets the thread sleep for about that long.
static __inline__ __device__ void __nanosleep(unsigned nanoseconds) {
  __asm__ volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

// Which threads of the mask have the same value; all of them, or none. In assembly, because clang
// 14 takes the mask of threads for as wide as the value.
template <typename T>
static __inline__ __device__ unsigned __match_any_sync(unsigned mask, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes can be compared");
  unsigned threads;
  if constexpr (sizeof(T) == 4) {
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    __asm__ volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(threads) : "r"(bits), "r"(mask));
  } else {
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    __asm__ volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(threads) : "l"(bits), "r"(mask));
  }
  return threads;
}
template <typename T>
static __inline__ __device__ unsigned __match_all_sync(unsigned mask, T value, int* same) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes can be compared");
  unsigned threads;
  int all;
  if constexpr (sizeof(T) == 4) {
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    __asm__ volatile("{.reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p;}"
                     : "=r"(threads), "=r"(all)
                     : "r"(bits), "r"(mask));
  } else {
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    __asm__ volatile("{.reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p;}"
                     : "=r"(threads), "=r"(all)
                     : "l"(bits), "r"(mask));
  }
  *same = all;
  return threads;
}

#endif
