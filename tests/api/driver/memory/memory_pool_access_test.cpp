// SPDX-License-Identifier: Apache-2.0
// Pools of host memory and of managed memory: access to their memory, queries and refusals.
#include <cuda.h>

#include "tests/api/driver/kernels.hpp"
#include "tests/api/driver/memory_pool_scene.hpp"

namespace {

constexpr auto read_write = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
               no_access = CU_MEM_ACCESS_FLAGS_PROT_NONE;

TEST(cuMemPoolSetAccess, LetsTheDeviceUseTheHostsMemory) {
  const Kernels kernels;
  const CUstream stream = new_stream();
  for (const PoolKind& kind : host_pools) {
    if (!kind.host()) continue;
    SCOPED_TRACE(kind.name);
    const Pool pool(pool_properties(kind));
    const CUdeviceptr before = pool.allocate(bytes, stream);
    OK(cuStreamSynchronize(stream));
    const auto check = [&](CUdeviceptr memory, bool may) {
      const CUresult expected = may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
      CUdeviceptr at = 1;
      uint32_t word = 0;
      words_at(memory)[1] = 77;  // the host always may
      EXPECT_EQ(cuMemsetD8Async(memory, 1, 4, stream), expected);
      EXPECT_EQ(cuMemcpyDtoHAsync(&word, memory, 4, stream), expected);
      EXPECT_EQ(cuMemcpyHtoDAsync(memory, &word, 4, stream), expected);
      EXPECT_EQ(cuMemcpyDtoDAsync(kernels.memory, memory, 4, stream), expected);
      EXPECT_EQ(cuStreamWriteValue32(stream, memory, 9, 0), expected);
      EXPECT_EQ(cuStreamWaitValue32(stream, memory, 9, CU_STREAM_WAIT_VALUE_EQ), expected);
      EXPECT_EQ(cuPointerGetAttribute(&at, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory), expected);
      EXPECT_EQ(at, may ? memory : 0);
      EXPECT_EQ(cuMemGetAddressRange(&at, nullptr, memory),
                may ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
      unsigned flags = 9;
      OK(cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, memory));
      EXPECT_EQ(flags, unsigned{may ? read_write : no_access});
      OK(cuStreamSynchronize(stream));
      EXPECT_EQ(words_at(memory)[1], 77u);
    };
    check(before, false);
    pool.let_device();
    check(before, true);
    CUdeviceptr later = pool.allocate(bytes, stream);
    OK(cuStreamSynchronize(stream));
    check(later, true);
    uint32_t value = 5;
    OK(launch(kernels["number"], 1, 32, {&later, &value}, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(words_at(later)[31], 36u);
    pool.let_device(no_access);
    check(before, false);
    check(later, false);
    OK(cuMemFreeAsync(before, stream));
    OK(cuMemFreeAsync(later, stream));
    OK(cuStreamSynchronize(stream));
  }
}

TEST(cuMemPoolSetAccess, ChecksItsArguments) {
  const Scene scene;
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const Pool pool(pool_properties(kind));
    const auto set = [&](CUmemLocation place, CUmemAccess_flags flags) {
      const CUmemAccessDesc access{place, flags};
      return cuMemPoolSetAccess(pool.handle, &access, 1);
    };
    const CUmemLocation host{CU_MEM_LOCATION_TYPE_HOST, 0}, device{CU_MEM_LOCATION_TYPE_DEVICE, 0},
        no_device{CU_MEM_LOCATION_TYPE_DEVICE, 99};
    EXPECT_EQ(set(device, static_cast<CUmemAccess_flags>(8)), CUDA_ERROR_INVALID_VALUE);
    if (!kind.host()) {
      for (const CUmemLocation& place : {host, device})
        EXPECT_EQ(set(place, read_write), CUDA_ERROR_NOT_SUPPORTED);
      continue;
    }
    OK(set(host, read_write));
    EXPECT_EQ(set(host, no_access), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(set(no_device, read_write), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(set(device, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_ERROR_NOT_SUPPORTED);
    OK(set(device, read_write));
    OK(set(device, no_access));
  }
}

TEST(cuMemPoolGetAccess, SaysWhoWasLetUseTheHostsMemory) {
  const Scene scene;
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const Pool pool(pool_properties(kind));
    const auto access = [&](CUmemLocationType type) {
      CUmemLocation place{type, 0};
      auto flags = static_cast<CUmemAccess_flags>(9);
      EXPECT_EQ(cuMemPoolGetAccess(&flags, pool.handle, &place), CUDA_SUCCESS);
      return flags;
    };
    EXPECT_EQ(access(CU_MEM_LOCATION_TYPE_HOST), kind.host() ? read_write : no_access);
    EXPECT_EQ(access(CU_MEM_LOCATION_TYPE_DEVICE), no_access);
    if (!kind.host()) continue;
    pool.let_device();
    EXPECT_EQ(access(CU_MEM_LOCATION_TYPE_DEVICE), read_write);
    pool.let_device(no_access);
    EXPECT_EQ(access(CU_MEM_LOCATION_TYPE_DEVICE), no_access);
  }
}

TEST(cuMemAdvise, TakesManagedMemoryOfPoolsWhichIsWantedAtTheirPlace) {
  const Scene scene;
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const Pool pool(pool_properties(kind));
    const CUdeviceptr memory = pool.allocate(bytes, nullptr);
    OK(cuCtxSynchronize());
    const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0};
    const auto type = [&] {
      int type = -1;
      EXPECT_EQ(cuMemRangeGetAttribute(&type, 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
                                       memory, bytes),
                CUDA_SUCCESS);
      return static_cast<CUmemLocationType>(type);
    };
    if (kind.host()) {
      EXPECT_EQ(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, device),
                CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuMemPrefetchAsync(memory, bytes, device, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    } else {
      EXPECT_EQ(type(), kind.place);
      OK(cuMemPrefetchAsync(memory, bytes, device, 0, nullptr));
      EXPECT_EQ(type(), kind.place);
      OK(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
      EXPECT_EQ(type(), CU_MEM_LOCATION_TYPE_DEVICE);
      EXPECT_EQ(cuStreamWaitValue32(nullptr, memory, 0, 0), CUDA_ERROR_INVALID_VALUE);
    }
    OK(cuMemFreeAsync(memory, nullptr));
  }
}

// Calls `test` with a pool of each kind and an allocation from it.
template <typename Test>
void with_memory_of_each_pool(const Test& test) {
  const Scene scene;
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const SharedPool pool(kind);
    const CUdeviceptr memory = pool.allocate(bytes, nullptr);
    OK(cuCtxSynchronize());
    test(pool, memory);
  }
}

TEST(cuMemPoolExportPointer, RefusesTheHostsMemory) {
  with_memory_of_each_pool([](const SharedPool& pool, CUdeviceptr memory) {
    CUmemPoolPtrExportData data;
    CUipcMemHandle handle;
    int fd = -1;
    EXPECT_EQ(cuMemPoolExportPointer(&data, memory), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolExportToShareableHandle(&fd, pool.handle,
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(fd, -1);
    EXPECT_EQ(cuIpcGetMemHandle(&handle, memory), CUDA_ERROR_INVALID_VALUE);
    unsigned long long types = 9;
    OK(cuPointerGetAttribute(&types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, memory));
    EXPECT_EQ(types, 0u);
    OK(cuMemFreeAsync(memory, nullptr));
  });
}

TEST(cuMemHostRegister, RefusesMemoryOfPools) {
  with_memory_of_each_pool([](const SharedPool&, CUdeviceptr memory) {
    const auto place = reinterpret_cast<void*>(memory);
    EXPECT_EQ(cuMemHostRegister(place, bytes, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostUnregister(place), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFreeHost(place), CUDA_ERROR_INVALID_VALUE);
    words_at(memory)[0] = 1;
    OK(cuMemFree(memory));
    EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE) << "twice";
    EXPECT_EQ(cuMemHostRegister(place, bytes, 0), CUDA_ERROR_INVALID_VALUE) << "it is the pool's";
  });
}

}  // namespace
