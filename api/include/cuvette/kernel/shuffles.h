// SPDX-License-Identifier: Apache-2.0
// __shfl_sync() and its like. clang's own stand aside (prelude.h): clang 14's for unsigned long
// long call themselves.
#ifndef CUVETTE_KERNEL_SHUFFLES_H
#define CUVETTE_KERNEL_SHUFFLES_H

// `last` is the instruction's operand that says where a group of `width` threads ends.
#define CUVETTE_SHUFFLE_4(name, intrinsic, last, type, source)                                     \
  static __inline__ __device__ type name(unsigned mask, type value, source from, int width = 32) { \
    int bits;                                                                                      \
    __builtin_memcpy(&bits, &value, 4);                                                            \
    bits = intrinsic(mask, bits, from, (32 - width) << 8 | last);                                  \
    __builtin_memcpy(&value, &bits, 4);                                                            \
    return value;                                                                                  \
  }
#define CUVETTE_SHUFFLE_8(name, intrinsic, last, type, source)                                     \
  static __inline__ __device__ type name(unsigned mask, type value, source from, int width = 32) { \
    int bits[2];                                                                                   \
    __builtin_memcpy(bits, &value, 8);                                                             \
    bits[0] = intrinsic(mask, bits[0], from, (32 - width) << 8 | last);                            \
    bits[1] = intrinsic(mask, bits[1], from, (32 - width) << 8 | last);                            \
    __builtin_memcpy(&value, bits, 8);                                                             \
    return value;                                                                                  \
  }
#define CUVETTE_SHUFFLE(name, intrinsic, last, source)                 \
  CUVETTE_SHUFFLE_4(name, intrinsic, last, int, source)                \
  CUVETTE_SHUFFLE_4(name, intrinsic, last, unsigned, source)           \
  CUVETTE_SHUFFLE_4(name, intrinsic, last, float, source)              \
  CUVETTE_SHUFFLE_8(name, intrinsic, last, long, source)               \
  CUVETTE_SHUFFLE_8(name, intrinsic, last, unsigned long, source)      \
  CUVETTE_SHUFFLE_8(name, intrinsic, last, long long, source)          \
  CUVETTE_SHUFFLE_8(name, intrinsic, last, unsigned long long, source) \
  CUVETTE_SHUFFLE_8(name, intrinsic, last, double, source)
CUVETTE_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, 31, int)
CUVETTE_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, 0, unsigned)
CUVETTE_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, 31, unsigned)
CUVETTE_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, 31, int)
#undef CUVETTE_SHUFFLE
#undef CUVETTE_SHUFFLE_8
#undef CUVETTE_SHUFFLE_4

#endif
