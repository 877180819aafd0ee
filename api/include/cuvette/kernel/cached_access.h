// SPDX-License-Identifier: Apache-2.0
// Loads and stores that say how a cache should take them: __ldcg(), __stcs() and their like, for
// numbers and vectors of 1 to 16 bytes.
#ifndef CUVETTE_KERNEL_CACHED_ACCESS_H
#define CUVETTE_KERNEL_CACHED_ACCESS_H

// The value may be named after the place only.
template <typename T>
struct __cuvette_same {
  typedef T type;
};

#define CUVETTE_LOAD(name, instruction)                                                    \
  template <typename T>                                                                    \
  static __inline__ __device__ T name(const T* place) {                                    \
    T value;                                                                               \
    if constexpr (sizeof(T) == 1) {                                                        \
      unsigned bits;                                                                       \
      __asm__ volatile(instruction ".u8 %0, [%1];" : "=r"(bits) : "l"(place) : "memory");  \
      __builtin_memcpy(&value, &bits, 1);                                                  \
    } else if constexpr (sizeof(T) == 2) {                                                 \
      unsigned short bits;                                                                 \
      __asm__ volatile(instruction ".u16 %0, [%1];" : "=h"(bits) : "l"(place) : "memory"); \
      __builtin_memcpy(&value, &bits, 2);                                                  \
    } else if constexpr (sizeof(T) == 4) {                                                 \
      unsigned bits;                                                                       \
      __asm__ volatile(instruction ".u32 %0, [%1];" : "=r"(bits) : "l"(place) : "memory"); \
      __builtin_memcpy(&value, &bits, 4);                                                  \
    } else if constexpr (sizeof(T) == 8) {                                                 \
      unsigned long long bits;                                                             \
      __asm__ volatile(instruction ".u64 %0, [%1];" : "=l"(bits) : "l"(place) : "memory"); \
      __builtin_memcpy(&value, &bits, 8);                                                  \
    } else {                                                                               \
      static_assert(sizeof(T) == 16, "no load has this size");                             \
      unsigned long long bits[2];                                                          \
      __asm__ volatile(instruction ".v2.u64 {%0, %1}, [%2];"                               \
                       : "=l"(bits[0]), "=l"(bits[1])                                      \
                       : "l"(place)                                                        \
                       : "memory");                                                        \
      __builtin_memcpy(&value, bits, 16);                                                  \
    }                                                                                      \
    return value;                                                                          \
  }
CUVETTE_LOAD(__ldca, "ld.ca")
CUVETTE_LOAD(__ldcg, "ld.cg")
CUVETTE_LOAD(__ldcs, "ld.cs")
CUVETTE_LOAD(__ldcv, "ld.cv")
CUVETTE_LOAD(__ldlu, "ld.lu")
#undef CUVETTE_LOAD

#define CUVETTE_STORE(name, instruction)                                                     \
  template <typename T>                                                                      \
  static __inline__ __device__ void name(T* place, typename __cuvette_same<T>::type value) { \
    if constexpr (sizeof(T) == 1) {                                                          \
      unsigned bits = 0;                                                                     \
      __builtin_memcpy(&bits, &value, 1);                                                    \
      __asm__ volatile(instruction ".u8 [%0], %1;" ::"l"(place), "r"(bits) : "memory");      \
    } else if constexpr (sizeof(T) == 2) {                                                   \
      unsigned short bits;                                                                   \
      __builtin_memcpy(&bits, &value, 2);                                                    \
      __asm__ volatile(instruction ".u16 [%0], %1;" ::"l"(place), "h"(bits) : "memory");     \
    } else if constexpr (sizeof(T) == 4) {                                                   \
      unsigned bits;                                                                         \
      __builtin_memcpy(&bits, &value, 4);                                                    \
      __asm__ volatile(instruction ".u32 [%0], %1;" ::"l"(place), "r"(bits) : "memory");     \
    } else if constexpr (sizeof(T) == 8) {                                                   \
      unsigned long long bits;                                                               \
      __builtin_memcpy(&bits, &value, 8);                                                    \
      __asm__ volatile(instruction ".u64 [%0], %1;" ::"l"(place), "l"(bits) : "memory");     \
    } else {                                                                                 \
      static_assert(sizeof(T) == 16, "no store has this size");                              \
      unsigned long long bits[2];                                                            \
      __builtin_memcpy(bits, &value, 16);                                                    \
      __asm__ volatile(instruction ".v2.u64 [%0], {%1, %2};" ::"l"(place), "l"(bits[0]),     \
                       "l"(bits[1])                                                          \
                       : "memory");                                                          \
    }                                                                                        \
  }
CUVETTE_STORE(__stwb, "st.wb")
CUVETTE_STORE(__stcg, "st.cg")
CUVETTE_STORE(__stcs, "st.cs")
CUVETTE_STORE(__stwt, "st.wt")
#undef CUVETTE_STORE

#endif
