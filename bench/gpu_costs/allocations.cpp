// SPDX-License-Identifier: Apache-2.0
// Memory of the device, of pools, of the host, and arrays.
#include <stdlib.h>

#include <algorithm>
#include <cstring>

#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

// `keeps`: other allocations of the size live beside the one that is made and freed.
void device_memory(Costs& costs) {
  for (const size_t size : {4 * kib, 64 * kib, 512 * kib, mib, 2 * mib, 4 * mib, 16 * mib, 64 * mib,
                            256 * mib, 1024 * mib}) {
    const auto at = static_cast<double>(size);
    costs.repeat(30, .15, [&] {
      CUdeviceptr memory = 0;
      if (costs.timed({"cuMemAlloc", "", "byte"}, at, [&] { return cuMemAlloc(&memory, size); }))
        costs.timed({"cuMemFree", "", "byte"}, at, [&] { return cuMemFree(memory); });
    });
  }
  // Small ones beside others: the driver cuts them from a block of 2 MiB that it has already.
  for (const size_t size : {4 * kib, 64 * kib, 256 * kib, 512 * kib, mib}) {
    const auto at = static_cast<double>(size);
    costs.repeat(8, .1, [&] {
      std::vector<CUdeviceptr> several(std::min(size_t{6}, 2 * mib / size));
      for (size_t i = 0; i < several.size(); ++i) {
        const double begin = now_ns();
        NEED(cuMemAlloc(&several[i], size));
        costs.add({"cuMemAlloc", i ? "from-block" : "first-of-block", "byte"}, at,
                  now_ns() - begin - costs.clock());
      }
      for (size_t i = 0; i < several.size(); ++i) {
        const double begin = now_ns();
        NEED(cuMemFree(several[i]));
        costs.add({"cuMemFree", i + 1 < several.size() ? "from-block" : "last-of-block", "byte"},
                  at, now_ns() - begin - costs.clock());
      }
    });
  }
  // Which sizes are cut from blocks: the second of two.
  for (const size_t size : {512 * kib, 768 * kib, mib - 512, mib, mib + 512, 1536 * kib, 2 * mib}) {
    costs.repeat(6, .1, [&] {
      CUdeviceptr one = 0, two = 0;
      NEED(cuMemAlloc(&one, size));
      const double begin = now_ns();
      NEED(cuMemAlloc(&two, size));
      costs.add({"cuMemAlloc", "second", "byte"}, static_cast<double>(size),
                now_ns() - begin - costs.clock());
      cuMemFree(two);
      cuMemFree(one);
    });
  }
  // Freeing waits for the device.
  const Kernels kernels;
  costs.repeat(20, .2, [&] {
    CUdeviceptr memory = 0;
    NEED(cuMemAlloc(&memory, mib));
    NEED(spin(kernels, 100000, nullptr));
    const double begin = now_ns();
    NEED(cuMemFree(memory));
    costs.add({"cuMemFree", "pending", "call", "wait"}, 100000, now_ns() - begin - 100000);
    cuCtxSynchronize();
  });
  costs.repeat(20, .2, [&] {
    CUdeviceptr memory = 0;
    size_t pitch = 0;
    costs.timed({"cuMemAllocPitch", "", "byte"}, 4 * mib,
                [&] { return cuMemAllocPitch(&memory, &pitch, 4096, 1024, 4); });
    cuMemFree(memory);
  });
  for (const size_t size : {64 * kib, 4 * mib, 64 * mib}) {
    const auto at = static_cast<double>(size);
    costs.repeat(10, .1, [&] {
      CUdeviceptr memory = 0;
      if (costs.timed({"cuMemAllocManaged", "", "byte"}, at,
                      [&] { return cuMemAllocManaged(&memory, size, CU_MEM_ATTACH_GLOBAL); }))
        costs.timed({"cuMemFree", "managed", "byte"}, at, [&] { return cuMemFree(memory); });
    });
  }
}

void pools(Costs& costs) {
  CUstream stream = nullptr;
  CUmemoryPool standard = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  NEED(cuDeviceGetDefaultMemPool(&standard, 0));
  for (const size_t size : {4 * kib, mib, 16 * mib, 64 * mib, 256 * mib}) {
    const auto at = static_cast<double>(size);
    // The default pool gives its memory back at each synchronisation, so that the next allocation
    // fetches it anew.
    costs.repeat(20, .1, [&] {
      NEED(cuStreamSynchronize(stream));
      CUdeviceptr memory = 0;
      if (!costs.timed({"cuMemAllocAsync", "first", "byte"}, at,
                       [&] { return cuMemAllocAsync(&memory, size, stream); }))
        return;
      costs.timed({"cuMemFreeAsync", "", "byte"}, at,
                  [&] { return cuMemFreeAsync(memory, stream); });
      for (int i = 0; i < 8; ++i) {
        costs.timed({"cuMemAllocAsync", "", "byte"}, at,
                    [&] { return cuMemAllocAsync(&memory, size, stream); });
        costs.timed({"cuMemFreeAsync", "", "byte"}, at,
                    [&] { return cuMemFreeAsync(memory, stream); });
      }
      const double begin = now_ns();
      cuStreamSynchronize(stream);
      costs.add({"cuStreamSynchronize", "freed", "byte", "wait"}, at, now_ns() - begin);
    });
  }
  costs.repeat(20, .3, [&] {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemoryPool pool = nullptr;
    CUdeviceptr memory = 0;
    uint64_t threshold = ~0ull;
    costs.timed({"cuMemPoolCreate", ""}, 1, [&] { return cuMemPoolCreate(&pool, &properties); });
    costs.timed({"cuMemPoolSetAttribute", ""}, 1, [&] {
      return cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
    });
    costs.timed({"cuMemPoolGetAttribute", ""}, 1, [&] {
      return cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
    });
    costs.timed({"cuMemAllocFromPoolAsync", "first", "byte"}, mib,
                [&] { return cuMemAllocFromPoolAsync(&memory, mib, pool, stream); });
    cuMemFreeAsync(memory, stream);
    cuStreamSynchronize(stream);
    for (int i = 0; i < 8; ++i) {
      costs.timed({"cuMemAllocFromPoolAsync", "", "byte"}, mib,
                  [&] { return cuMemAllocFromPoolAsync(&memory, mib, pool, stream); });
      cuMemFreeAsync(memory, stream);
    }
    cuStreamSynchronize(stream);
    costs.timed({"cuMemPoolTrimTo", "", "byte"}, 32 * mib,
                [&] { return cuMemPoolTrimTo(pool, 0); });
    costs.timed({"cuMemPoolDestroy", ""}, 1, [&] { return cuMemPoolDestroy(pool); });
  });
  cuStreamDestroy(stream);
}

// Small ones beside others: up to 1 MiB they are cut from blocks of 2 MiB, too.
void small_host_memory(Costs& costs) {
  for (const size_t size : {4 * kib, 64 * kib, 256 * kib, 512 * kib, mib}) {
    const auto at = static_cast<double>(size);
    costs.repeat(6, .1, [&] {
      void *one = nullptr, *two = nullptr;
      costs.timed({"cuMemAllocHost", "", "byte"}, at, [&] { return cuMemAllocHost(&one, size); });
      costs.timed({"cuMemAllocHost", "from-block", "byte"}, at,
                  [&] { return cuMemAllocHost(&two, size); });
      costs.timed({"cuMemFreeHost", "from-block", "byte"}, at, [&] { return cuMemFreeHost(two); });
      costs.timed({"cuMemFreeHost", "", "byte"}, at, [&] { return cuMemFreeHost(one); });
    });
  }
}

void host_memory(Costs& costs) {
  for (const size_t size : {4 * kib, 64 * kib, mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib}) {
    const auto at = static_cast<double>(size);
    costs.repeat(20, .25, [&] {
      void* memory = nullptr;
      costs.timed({"cuMemAllocHost", "", "byte"}, at,
                  [&] { return cuMemAllocHost(&memory, size); });
      costs.timed({"cuMemFreeHost", "", "byte"}, at, [&] { return cuMemFreeHost(memory); });
    });
    if (size == mib)
      costs.repeat(20, .1, [&] {
        void* memory = nullptr;
        costs.timed({"cuMemHostAlloc", "write-combined", "byte"}, at,
                    [&] { return cuMemHostAlloc(&memory, size, CU_MEMHOSTALLOC_WRITECOMBINED); });
        costs.timed({"cuMemFreeHost", "write-combined", "byte"}, at,
                    [&] { return cuMemFreeHost(memory); });
      });
    void* const plain = aligned_alloc(4096, size);
    std::memset(plain, 1, size);
    costs.repeat(20, .25, [&] {
      costs.timed({"cuMemHostRegister", "", "byte"}, at,
                  [&] { return cuMemHostRegister(plain, size, 0); });
      costs.timed({"cuMemHostUnregister", "", "byte"}, at,
                  [&] { return cuMemHostUnregister(plain); });
    });
    free(plain);
  }
}

void arrays(Costs& costs) {
  for (const size_t width : {64, 512, 2048}) {
    const auto at = static_cast<double>(width * width * 4);
    costs.repeat(20, .1, [&] {
      const CUDA_ARRAY_DESCRIPTOR shape{width, width, CU_AD_FORMAT_UNSIGNED_INT8, 4};
      CUarray array = nullptr;
      if (!costs.timed({"cuArrayCreate", "", "byte"}, at,
                       [&] { return cuArrayCreate(&array, &shape); }))
        return;
      CUDA_RESOURCE_DESC resource{};
      resource.resType = CU_RESOURCE_TYPE_ARRAY;
      resource.res.array.hArray = array;
      CUDA_TEXTURE_DESC texture{};
      CUtexObject object = 0;
      CUsurfObject surface = 0;
      costs.timed({"cuTexObjectCreate", ""}, 1,
                  [&] { return cuTexObjectCreate(&object, &resource, &texture, nullptr); });
      costs.timed({"cuTexObjectDestroy", ""}, 1, [&] { return cuTexObjectDestroy(object); });
      costs.timed({"cuSurfObjectCreate", ""}, 1,
                  [&] { return cuSurfObjectCreate(&surface, &resource); });
      costs.timed({"cuSurfObjectDestroy", ""}, 1, [&] { return cuSurfObjectDestroy(surface); });
      costs.timed({"cuArrayDestroy", "", "byte"}, at, [&] { return cuArrayDestroy(array); });
    });
  }
}

}  // namespace

void measure_allocations(Costs& costs) {
  device_memory(costs);
  pools(costs);
  small_host_memory(costs);
  host_memory(costs);
  arrays(costs);
}

}  // namespace cuvette::bench
