// SPDX-License-Identifier: Apache-2.0
// What tests of memory pools share: a pool of their own, and short names for its questions.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <cstring>

#include "tests/api/driver/gate.hpp"

inline CUmemPoolProps pool_properties(CUmemAllocationHandleType types = CU_MEM_HANDLE_TYPE_NONE) {
  CUmemPoolProps properties;
  std::memset(&properties, 0, sizeof properties);
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleTypes = types;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return properties;
}

class Pool {
 public:
  explicit Pool(CUmemAllocationHandleType types = CU_MEM_HANDLE_TYPE_NONE)
      : Pool(pool_properties(types)) {}
  explicit Pool(const CUmemPoolProps& properties) {
    EXPECT_EQ(cuMemPoolCreate(&handle, &properties), CUDA_SUCCESS);
  }
  ~Pool() { EXPECT_EQ(cuMemPoolDestroy(handle), CUDA_SUCCESS); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  CUdeviceptr allocate(size_t size, CUstream stream) const {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAllocFromPoolAsync(&address, size, handle, stream), CUDA_SUCCESS);
    return address;
  }
  uint64_t get(CUmemPool_attribute attribute) const {
    cuuint64_t value = 0;
    EXPECT_EQ(cuMemPoolGetAttribute(handle, attribute, &value), CUDA_SUCCESS);
    return value;
  }
  void set(CUmemPool_attribute attribute, uint64_t value) const {
    EXPECT_EQ(cuMemPoolSetAttribute(handle, attribute, &value), CUDA_SUCCESS);
  }
  void allow(bool follow, bool opportunistic, bool internal) const {
    set(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, follow);
    set(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, opportunistic);
    set(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, internal);
  }

  CUmemoryPool handle = nullptr;
};

constexpr size_t MiB = 1 << 20;
