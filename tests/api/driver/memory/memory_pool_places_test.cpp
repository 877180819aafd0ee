// SPDX-License-Identifier: Apache-2.0
// Pools of host memory and of managed memory: which exist, and that the host and devices can use
// their memory.
#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "tests/api/driver/kernels.hpp"
#include "tests/api/driver/memory_pool_scene.hpp"

namespace {

constexpr auto pinned = CU_MEM_ALLOCATION_TYPE_PINNED, managed = CU_MEM_ALLOCATION_TYPE_MANAGED;

TEST(cuMemPoolCreate, TakesThePlacesThatThereAre) {
  const Scene scene;
  for (const PoolKind& kind : host_pools) OK(create_pool(kind.type, {kind.place, 0})) << kind.name;
  OK(create_pool(pinned, {CU_MEM_LOCATION_TYPE_HOST, 12345})) << "the number is ignored";
  const CUmemLocation no_node{CU_MEM_LOCATION_TYPE_HOST_NUMA, 99},
      current{CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0},
      no_device{CU_MEM_LOCATION_TYPE_DEVICE, 99}, unknown{static_cast<CUmemLocationType>(77), 0};
  for (const auto type : {pinned, managed}) {
    EXPECT_EQ(create_pool(type, no_node), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(create_pool(type, current), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(create_pool(type, no_device), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(create_pool(type, unknown), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(create_pool(pinned, {CU_MEM_LOCATION_TYPE_NONE, 0}), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolCreate, SharesNoHostMemoryWithProcesses) {
  const Scene scene;
  constexpr auto fd = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  EXPECT_EQ(create_pool(pinned, {CU_MEM_LOCATION_TYPE_HOST, 0}, fd), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_pool(pinned, {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0}, fd), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(create_pool(managed, {CU_MEM_LOCATION_TYPE_DEVICE, 0}, fd), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(cuMemGetDefaultMemPool, HasOneForEachPlaceAndType) {
  const Scene scene;
  std::set<CUmemoryPool> pools;
  for (const PoolKind& kind : host_pools) {
    CUmemLocation place{kind.place, 0};
    CUmemoryPool pool = nullptr, again = nullptr;
    OK(cuMemGetDefaultMemPool(&pool, &place, kind.type));
    OK(cuMemGetDefaultMemPool(&again, &place, kind.type));
    EXPECT_EQ(pool, again);
    EXPECT_TRUE(pools.insert(pool).second) << kind.name;
    OK(cuMemGetMemPool(&again, &place, kind.type));
    EXPECT_EQ(pool, again);
    EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr memory = 0;
    OK(cuMemAllocFromPoolAsync(&memory, bytes, pool, nullptr));
    OK(cuStreamSynchronize(nullptr));
    words_at(memory)[7] = 3;
    EXPECT_EQ(words_at(memory)[7], 3u);
    OK(cuMemFreeAsync(memory, nullptr));
  }
  CUmemoryPool pool = nullptr;
  CUmemLocation current{CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0};
  for (const auto type : {pinned, managed})
    EXPECT_EQ(cuMemGetDefaultMemPool(&pool, &current, type), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(pool, nullptr);
}

TEST(cuMemSetMemPool, TakesPoolsOfThatPlaceAndTypeOnly) {
  const Scene scene;
  for (const PoolKind& kind : host_pools) {
    CUmemLocation place{kind.place, 0};
    CUmemoryPool own = nullptr, now = nullptr;
    OK(cuMemGetDefaultMemPool(&own, &place, kind.type));
    {
      const Pool pool(pool_properties(kind));
      OK(cuMemSetMemPool(&place, kind.type, pool.handle));
      OK(cuMemGetMemPool(&now, &place, kind.type));
      EXPECT_EQ(now, pool.handle) << kind.name;
      EXPECT_EQ(cuDeviceSetMemPool(0, pool.handle), CUDA_ERROR_INVALID_VALUE);
      for (const PoolKind& other : host_pools) {
        CUmemLocation elsewhere{other.place, 0};
        if (&other == &kind) continue;
        EXPECT_EQ(cuMemSetMemPool(&elsewhere, other.type, pool.handle), CUDA_ERROR_INVALID_VALUE)
            << kind.name << " for " << other.name;
      }
    }
    OK(cuMemGetMemPool(&now, &place, kind.type));
    EXPECT_EQ(now, own) << "the current one was destroyed";
  }
}

TEST(cuMemAllocFromPoolAsync, GivesMemoryThatTheHostAndTheDeviceUse) {
  const Kernels kernels;
  const CUstream stream = new_stream();
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const SharedPool pool(kind);
    CUdeviceptr memory = pool.allocate(bytes, stream);
    OK(cuStreamSynchronize(stream));
    volatile uint32_t* const words = words_at(memory);
    // The host writes; then come a fill, a copy from it, a kernel, and copies to it.
    for (uint32_t i = 0; i < bytes / 4; ++i) words[i] = i;
    OK(cuMemsetD32Async(memory + 400, 5, 100, stream));
    OK(cuMemcpyAsync(kernels.memory, memory, bytes, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(kernels.read(101)[99], 99u);
    EXPECT_EQ(kernels.read(101)[100], 5u);
    EXPECT_EQ(words[199], 5u);
    EXPECT_EQ(words[200], 200u);
    uint32_t value = 70;
    OK(launch(kernels["number"], 2, 64, {&memory, &value}, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(words[0], 70u);
    EXPECT_EQ(words[127], 133u);
    EXPECT_EQ(words[128], 5u);
    OK(cuMemcpyDtoDAsync(memory, kernels.memory, 64, stream));
    std::vector<uint32_t> given(16, 8), taken(16);
    OK(cuMemcpyHtoDAsync(memory + 64, given.data(), 64, stream));
    OK(cuMemcpyDtoH(taken.data(), memory + 32, 64));
    EXPECT_EQ(taken[0], 8u);
    EXPECT_EQ(words[9], 9u);
    EXPECT_EQ(words[31], 8u);
    OK(cuMemFreeAsync(memory, stream));
  }
}

TEST(cuMemAllocFromPoolAsync, CutsManyOutOfOneReserve) {
  const Scene scene;
  const CUstream stream = new_stream();
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const SharedPool pool(kind);
    std::vector<CUdeviceptr> parts;
    uint64_t used = 0;
    for (uint32_t i = 0; i < 100; ++i) {
      const size_t size = 4 + 1000 * i;
      parts.push_back(pool.allocate(size, stream));
      used += size;
    }
    EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 32 * MiB);
    EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), used);
    OK(cuStreamSynchronize(stream));
    // Either the host or the device writes each part from end to end.
    for (uint32_t i = 0; i < 100; ++i) {
      const size_t size = 4 + 1000 * i;
      EXPECT_EQ(parts[i] % 512, 0u);
      if (i % 2) {
        std::memset(reinterpret_cast<void*>(parts[i]), static_cast<int>(i), size);
      } else {
        OK(cuMemsetD8Async(parts[i], static_cast<unsigned char>(i), size, stream));
      }
    }
    OK(cuStreamSynchronize(stream));
    for (uint32_t i = 0; i < 100; ++i) {
      const auto* const part = reinterpret_cast<const unsigned char*>(parts[i]);
      const size_t size = 4 + 1000 * i;
      ASSERT_EQ(std::count(part, part + size, i), static_cast<long>(size)) << i;
      CUdeviceptr start = 0;
      size_t told = 0;
      OK(cuMemGetAddressRange(&start, &told, parts[i] + size - 1));
      EXPECT_EQ(start, parts[i]);
      EXPECT_EQ(told, size);
    }
    for (const CUdeviceptr part : parts) OK(cuMemFreeAsync(part, stream));
    EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
  }
}

TEST(cuMemAllocFromPoolAsync, KeepsToTheMaximumOfThePoolAndOfTheMachine) {
  const Scene scene;
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    CUmemPoolProps properties = pool_properties(kind);
    properties.maxSize = 4 * MiB;
    const SharedPool pool(kind, properties);
    CUdeviceptr memory = 0, none = 0;
    EXPECT_EQ(cuMemAllocFromPoolAsync(&none, 5 * MiB, pool.handle, nullptr),
              CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAllocFromPoolAsync(&memory, 3 * MiB, pool.handle, nullptr));
    EXPECT_EQ(cuMemAllocFromPoolAsync(&none, 2 * MiB, pool.handle, nullptr),
              CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemFreeAsync(memory, nullptr));
    const Pool boundless(pool_properties(kind));
    for (const size_t size : {size_t{1} << 45, size_t{1} << 50, SIZE_MAX - 100, SIZE_MAX})
      EXPECT_EQ(cuMemAllocFromPoolAsync(&none, size, boundless.handle, nullptr),
                CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(none, 0u);
    OK(cuCtxSynchronize());
  }
}

TEST(cuMemAllocFromPoolAsync, InACaptureIsANodeForManagedMemoryOfADevice) {
  const Scene scene;
  const CUstream stream = new_stream();
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const Pool pool(pool_properties(kind));
    CUdeviceptr memory = 0;
    CUgraph graph = nullptr;
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    if (kind.host() || kind.place != CU_MEM_LOCATION_TYPE_DEVICE) {
      EXPECT_EQ(cuMemAllocFromPoolAsync(&memory, bytes, pool.handle, stream),
                CUDA_ERROR_NOT_SUPPORTED);
      cuStreamEndCapture(stream, &graph);
      if (graph) {
        OK(cuGraphDestroy(graph));
      }
      continue;
    }
    OK(cuMemAllocFromPoolAsync(&memory, bytes, pool.handle, stream));
    OK(cuMemsetD32Async(memory, 6, bytes / 4, stream));
    OK(cuStreamEndCapture(stream, &graph));
    const CUDA_MEM_ALLOC_NODE_PARAMS parameters = captured_allocation(graph);
    EXPECT_EQ(parameters.poolProps.allocType, managed);
    CUgraphExec exec;
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(words_at(memory)[1023], 6u);
    words_at(memory)[0] = 1;
    OK(cuMemFreeAsync(memory, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
  }
}

}  // namespace
