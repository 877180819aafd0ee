// SPDX-License-Identifier: Apache-2.0
// alloca() on the device, for clang before 19, which knows no memory of a size that is known late.
#ifndef CUVETTE_KERNEL_STACK_H
#define CUVETTE_KERNEL_STACK_H

#if defined(__CUDA_ARCH__) && __clang_major__ < 19
// It belongs to the function that it is inlined into. The host's functions are read here, too, and
// not compiled.
static __inline__ __host__ __device__ __attribute__((always_inline)) void* __cuvette_alloca(
    size_t size) {
  void* result;
  __asm__ volatile("{.reg .u64 place; alloca.u64 place, %1, 16; cvta.local.u64 %0, place;}"
                   : "=l"(result)
                   : "l"((size + 15) / 16 * 16)
                   : "memory");
  return result;
}
#undef alloca
#define alloca(size) __cuvette_alloca(size)
#endif

#endif
