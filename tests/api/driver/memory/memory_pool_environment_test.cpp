// SPDX-License-Identifier: Apache-2.0
// Pools of host memory and of managed memory in processes that choose their own devices.
#include <cuda.h>
#include <unistd.h>

#include <string>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/kernels.hpp"
#include "tests/api/driver/memory_pool_scene.hpp"

namespace {

constexpr auto pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
constexpr auto read_write = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

TEST(cuMemPoolCreate, AsksWhatTheDevicesSupport) {
  run_in_child({{"CUVETTE_DEVICE", "orin"}}, [] {
    const Scene scene;
    for (const PoolKind& kind : host_pools)
      EXPECT_EQ(create_pool(kind.type, {kind.place, 0}), CUDA_ERROR_NOT_SUPPORTED) << kind.name;
    OK(create_pool(pinned, {CU_MEM_LOCATION_TYPE_DEVICE, 0}));
  });
}

TEST(cuMemPoolSetAccess, IsWhatKernelsNeedForTheHostsMemory) {
  const std::string said = run_in_child({}, [] {
    const Kernels kernels;
    const Pool pool(pool_properties(host_pools[0]));
    CUdeviceptr memory = pool.allocate(bytes, nullptr);
    uint32_t value = 5;
    OK(launch(kernels["number"], 1, 32, {&memory, &value}));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    _exit(testing::Test::HasFailure());
  });
  EXPECT_NE(said.find("memory of a pool of 4096 bytes"), std::string::npos) << said;
}

TEST(cuMemPoolSetAccess, LetsOneDeviceOfTwoUseTheHostsMemory) {
  run_in_child({{"CUVETTE_DEVICES", "2"}, {"CUVETTE_MEMORY", "1G"}}, [] {
    CUcontext contexts[2];
    OK(cuInit(0));
    for (int i = 0; i < 2; ++i) OK(cuDevicePrimaryCtxRetain(&contexts[i], i));
    OK(cuCtxSetCurrent(contexts[0]));
    const Pool pool(pool_properties(host_pools[0]));
    const CUdeviceptr memory = pool.allocate(bytes, nullptr);
    OK(cuCtxSynchronize());
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 1}, read_write};
    OK(cuMemPoolSetAccess(pool.handle, &access, 1));
    EXPECT_EQ(cuMemsetD8(memory, 1, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSetCurrent(contexts[1]));
    OK(cuMemsetD8(memory, 1, 4));
    OK(cuCtxSynchronize());
    EXPECT_EQ(words_at(memory)[0], 0x01010101u);
    OK(cuMemFree(memory));
    const Pool everybodys(pool_properties(host_pools[2]));
    const CUdeviceptr shared = everybodys.allocate(bytes, nullptr);
    OK(cuMemsetD8Async(shared, 2, 4, nullptr));
    OK(cuCtxSynchronize());
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuMemsetD8Async(shared + 4, 3, 4, nullptr));
    OK(cuCtxSynchronize());
    EXPECT_EQ(words_at(shared)[0], 0x02020202u);
    EXPECT_EQ(words_at(shared)[1], 0x03030303u);
    OK(cuMemFree(shared));
  });
}

TEST(MemoryPools, OfHostMemoryEndWithTheProcessInSilence) {
  const std::string said = run_in_child({}, [] {
    OK(cuInit(0));
    CUcontext context;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    for (const PoolKind& kind : host_pools) {
      CUmemoryPool pool = nullptr;
      const CUmemPoolProps properties = pool_properties(kind);
      OK(cuMemPoolCreate(&pool, &properties));
      CUdeviceptr memory = 0;
      for (int i = 0; i < 10; ++i) OK(cuMemAllocFromPoolAsync(&memory, bytes, pool, nullptr));
      OK(cuMemFreeAsync(memory, nullptr));
    }
  });
  EXPECT_EQ(said, "");
}

}  // namespace
