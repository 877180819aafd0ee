// SPDX-License-Identifier: Apache-2.0
// Shared by tests of memory pools: a pool of their own, and short names for queries.
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

// A kind of pool whose memory is not a device's own.
struct PoolKind {
  const char* name;
  CUmemAllocationType type;
  CUmemLocationType place;
  bool host() const { return type == CU_MEM_ALLOCATION_TYPE_PINNED; }
};
constexpr PoolKind host_pools[] = {
    {"host", CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST},
    {"node", CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA},
    {"managed", CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_DEVICE},
    {"managed at host", CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_HOST},
    {"managed at node", CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_HOST_NUMA},
    {"managed nowhere", CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_NONE},
};

inline CUmemPoolProps pool_properties(const PoolKind& kind) {
  CUmemPoolProps properties = pool_properties();
  properties.allocType = kind.type;
  properties.location.type = kind.place;
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
  void let_device(CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) const {
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
    EXPECT_EQ(cuMemPoolSetAccess(handle, &access, 1), CUDA_SUCCESS);
  }
  void allow(bool follow, bool opportunistic, bool internal) const {
    set(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, follow);
    set(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, opportunistic);
    set(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, internal);
  }

  CUmemoryPool handle = nullptr;
};

// A pool whose memory both the host and device 0 may use.
struct SharedPool : Pool {
  explicit SharedPool(const PoolKind& kind) : SharedPool(kind, pool_properties(kind)) {}
  SharedPool(const PoolKind& kind, const CUmemPoolProps& properties) : Pool(properties) {
    if (kind.host()) let_device();
  }
};

// Creates such a pool, destroys it again and returns what creating it answered.
inline CUresult create_pool(CUmemAllocationType type, CUmemLocation place,
                            CUmemAllocationHandleType handles = CU_MEM_HANDLE_TYPE_NONE) {
  CUmemPoolProps properties = pool_properties(handles);
  properties.allocType = type;
  properties.location = place;
  CUmemoryPool pool = nullptr;
  const CUresult result = cuMemPoolCreate(&pool, &properties);
  EXPECT_EQ(pool != nullptr, result == CUDA_SUCCESS);
  if (pool) {
    EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
  }
  return result;
}

// The allocation that a captured graph of two nodes begins with.
inline CUDA_MEM_ALLOC_NODE_PARAMS captured_allocation(CUgraph graph) {
  CUgraphNode nodes[4] = {};
  size_t count = 4;
  EXPECT_EQ(cuGraphGetNodes(graph, nodes, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
  EXPECT_EQ(cuGraphMemAllocNodeGetParams(nodes[0], &parameters), CUDA_SUCCESS);
  return parameters;
}

// The memory at an address, as the host sees it.
inline volatile uint32_t* words_at(CUdeviceptr address) {
  return reinterpret_cast<volatile uint32_t*>(address);
}

constexpr size_t MiB = 1 << 20;
// An allocation of which the size does not matter.
constexpr size_t bytes = 4096;
