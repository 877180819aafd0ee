// SPDX-License-Identifier: Apache-2.0
// The services of the device for a kernel: printf, assert, malloc and free.
#ifndef CUVETTE_KERNEL_SYSTEM_CALLS_H
#define CUVETTE_KERNEL_SYSTEM_CALLS_H

extern "C" {

// clang makes this of printf; the arguments lie in memory as in a struct.
__device__ int vprintf(const char* format, const char* arguments);
__device__ int printf(const char* format, ...);

__device__ void* malloc(size_t size) __attribute__((malloc, nothrow));
__device__ void free(void* address) __attribute__((nothrow));

__device__ void __assertfail(const char* message, const char* file, unsigned line,
                             const char* function, size_t size_of_character);

// The macro assert() calls this.
static __inline__ __device__ void __assert_fail(const char* message, const char* file,
                                                unsigned line, const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

namespace std {
static __inline__ __device__ void* malloc(size_t size) { return ::malloc(size); }
static __inline__ __device__ void free(void* address) { ::free(address); }
}  // namespace std

// The variables that say who a thread is have special types; these are their values.
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }

#endif
