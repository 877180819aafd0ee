// SPDX-License-Identifier: Apache-2.0
// new and delete in kernels: memory of malloc(). clang's own <new> has those of the usual
// alignment.
#ifndef CUVETTE_KERNEL_ALLOCATION_H
#define CUVETTE_KERNEL_ALLOCATION_H

#include <new>

#if defined(__cpp_aligned_new)
// With more alignment than malloc() gives: what it returned lies in front of the object.
__device__ inline void* operator new(size_t size, std::align_val_t wanted) {
  const size_t alignment = static_cast<size_t>(wanted);
  char* const begin = static_cast<char*>(::malloc(size + alignment + sizeof(void*)));
  if (!begin) return nullptr;
  const size_t place =
      (reinterpret_cast<size_t>(begin) + sizeof(void*) + alignment - 1) / alignment * alignment;
  reinterpret_cast<void**>(place)[-1] = begin;
  return reinterpret_cast<void*>(place);
}
__device__ inline void* operator new[](size_t size, std::align_val_t wanted) {
  return ::operator new(size, wanted);
}
__device__ inline void operator delete(void* place, std::align_val_t) noexcept {
  if (place) ::free(static_cast<void**>(place)[-1]);
}
__device__ inline void operator delete[](void* place, std::align_val_t wanted) noexcept {
  ::operator delete(place, wanted);
}
__device__ inline void operator delete(void* place, size_t, std::align_val_t wanted) noexcept {
  ::operator delete(place, wanted);
}
__device__ inline void operator delete[](void* place, size_t, std::align_val_t wanted) noexcept {
  ::operator delete(place, wanted);
}
#endif

#endif
