// SPDX-License-Identifier: Apache-2.0
// The kind of memory of an address, and addresses within one kind. Newer clangs' headers use
// them.
#ifndef CUVETTE_KERNEL_SPACES_H
#define CUVETTE_KERNEL_SPACES_H

static __inline__ __device__ unsigned __isGlobal(const void* address) {
  return __nvvm_isspacep_global(address);
}
static __inline__ __device__ unsigned __isShared(const void* address) {
  return __nvvm_isspacep_shared(address);
}
static __inline__ __device__ unsigned __isConstant(const void* address) {
  return __nvvm_isspacep_const(address);
}
static __inline__ __device__ unsigned __isLocal(const void* address) {
  return __nvvm_isspacep_local(address);
}

// Addresses within one kind of memory, and back.
#define CUVETTE_SPACE(space, instruction)                                              \
  static __inline__ __device__ size_t __cvta_generic_to_##space(const void* address) { \
    size_t result;                                                                     \
    __asm__("cvta.to." instruction ".u64 %0, %1;" : "=l"(result) : "l"(address));      \
    return result;                                                                     \
  }                                                                                    \
  static __inline__ __device__ void* __cvta_##space##_to_generic(size_t address) {     \
    void* result;                                                                      \
    __asm__("cvta." instruction ".u64 %0, %1;" : "=l"(result) : "l"(address));         \
    return result;                                                                     \
  }
CUVETTE_SPACE(global, "global")
CUVETTE_SPACE(shared, "shared")
CUVETTE_SPACE(constant, "const")
CUVETTE_SPACE(local, "local")
#undef CUVETTE_SPACE

#endif
