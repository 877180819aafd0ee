// SPDX-License-Identifier: Apache-2.0
// The driver's words for what the program said in the runtime's. Handles, flags and most structures
// of the two APIs have the same values and layouts; what does not is converted where it is used.
#pragma once

#include <cuda.h>

#include "api/runtime/cuda_runtime.hpp"

namespace cuvette::runtime {

inline CUdeviceptr device_pointer(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}
inline CUdeviceptr* device_pointer(void** pointer) {
  return reinterpret_cast<CUdeviceptr*>(pointer);
}

inline CUarray driver_array(cudaArray_const_t array) {
  return reinterpret_cast<CUarray>(const_cast<cudaArray*>(array));
}
inline CUmipmappedArray driver_array(cudaMipmappedArray_const_t array) {
  return reinterpret_cast<CUmipmappedArray>(const_cast<cudaMipmappedArray*>(array));
}
inline CUgraphicsResource driver_resource(cudaGraphicsResource_t resource) {
  return reinterpret_cast<CUgraphicsResource>(resource);
}
inline CUexternalMemory driver_memory(cudaExternalMemory_t memory) {
  return reinterpret_cast<CUexternalMemory>(memory);
}
inline CUexternalSemaphore driver_semaphore(cudaExternalSemaphore_t semaphore) {
  return reinterpret_cast<CUexternalSemaphore>(semaphore);
}

// Returns the same pointer as one to the other API's structure, enumeration or handle of the same
// layout.
template <typename To, typename From>
To* same_layout(From* from) {
  // The pointers meant are handles.  NOLINTNEXTLINE(bugprone-sizeof-expression)
  static_assert(sizeof(To) == sizeof(From) && alignof(To) == alignof(From));
  return reinterpret_cast<To*>(from);
}
template <typename To, typename From>
const To* same_layout(const From* from) {
  // The pointers meant are handles.  NOLINTNEXTLINE(bugprone-sizeof-expression)
  static_assert(sizeof(To) == sizeof(From) && alignof(To) == alignof(From));
  return reinterpret_cast<const To*>(from);
}

}  // namespace cuvette::runtime
