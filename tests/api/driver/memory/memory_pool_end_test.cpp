// SPDX-License-Identifier: Apache-2.0
// Pools of host memory and of managed memory: what freed memory is, and when its pages are
// released.
#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/api/driver/memory_pool_scene.hpp"

namespace {

// Whether the process has a page mapped there.
bool is_mapped(CUdeviceptr address) {
  const auto page = static_cast<CUdeviceptr>(sysconf(_SC_PAGESIZE));
  return msync(reinterpret_cast<void*>(address / page * page), page, MS_ASYNC) == 0;
}

TEST(cuMemFreeAsync, LetsWorkBeforeItUseTheHostsMemory) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUdeviceptr copy = new_memory(bytes);
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const SharedPool pool(kind);
    const CUdeviceptr memory = pool.allocate(bytes, stream);
    OK(cuStreamSynchronize(stream));
    CUdeviceptr again;
    {
      Gate gate(stream);
      OK(cuMemsetD32Async(memory, 42, bytes / 4, stream));
      OK(cuMemcpyDtoDAsync(copy, memory, bytes, stream));
      OK(cuMemFreeAsync(memory, stream));
      // The address is no longer valid, but the memory is still there.
      EXPECT_EQ(cuMemsetD8Async(memory, 1, 1, stream), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuMemcpyDtoHAsync(&again, memory, 8, stream), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuMemcpyAsync(copy, memory, 8, stream), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_ERROR_INVALID_VALUE);
      again = pool.allocate(bytes, stream);
      EXPECT_EQ(again, memory) << "in the same stream it is used again at once";
      OK(cuMemsetD32Async(again, 43, bytes / 4, stream));
      OK(cuMemPoolTrimTo(pool.handle, 0));
    }
    OK(cuStreamSynchronize(stream));
    uint32_t word = 0;
    OK(cuMemcpyDtoH(&word, copy + bytes - 4, 4));
    EXPECT_EQ(word, 42u);
    EXPECT_EQ(words_at(again)[1023], 43u);
    OK(cuMemFreeAsync(again, stream));
  }
}

TEST(cuMemFreeAsync, ShowsThatFreedHostMemoryIsUsed) {
  const Scene scene;
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const SharedPool pool(kind);
    pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
    const CUdeviceptr memory = pool.allocate(bytes, nullptr);
    OK(cuCtxSynchronize());
    words_at(memory)[0] = 1234;
    OK(cuMemFreeAsync(memory, nullptr));
    OK(cuCtxSynchronize());
    ASSERT_TRUE(is_mapped(memory)) << "the pool holds it";
    EXPECT_NE(words_at(memory)[0], 1234u);
    uint32_t word = 0;
    EXPECT_EQ(cuMemcpyDtoH(&word, memory, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpy(memory, memory, 4), CUDA_ERROR_INVALID_VALUE);
  }
}

TEST(cuMemPoolTrimTo, GivesPagesOfTheHostBack) {
  const Scene scene;
  const CUstream stream = new_stream();
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    const SharedPool pool(kind);
    pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
    const CUdeviceptr kept = pool.allocate(20 * MiB, stream),
                      gone = pool.allocate(20 * MiB, stream);
    OK(cuMemsetD8Async(gone, 1, 20 * MiB, stream));
    OK(cuMemFreeAsync(gone, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * MiB);
    EXPECT_TRUE(is_mapped(gone));
    OK(cuMemPoolTrimTo(pool.handle, 64 * MiB));
    EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * MiB);
    OK(cuMemPoolTrimTo(pool.handle, 0));
    EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 32 * MiB);
    EXPECT_FALSE(is_mapped(gone));
    EXPECT_TRUE(is_mapped(kept));
    char byte;
    EXPECT_EQ(cuMemcpyDtoH(&byte, gone, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpy(kept, gone, 1), CUDA_ERROR_INVALID_VALUE) << "and no crash";
    OK(cuMemFreeAsync(kept, stream));
    // By default, unused memory is released once the host has waited.
    pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 0);
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
    EXPECT_FALSE(is_mapped(kept));
    EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 64 * MiB);
  }
}

TEST(cuMemPoolDestroy, GivesPagesOfTheHostBackBehindTheLastAllocation) {
  const Scene scene;
  const CUstream stream = new_stream();
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    CUmemoryPool pool = nullptr;
    const CUmemPoolProps properties = pool_properties(kind);
    OK(cuMemPoolCreate(&pool, &properties));
    CUdeviceptr memory = 0;
    OK(cuMemAllocFromPoolAsync(&memory, bytes, pool, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemPoolDestroy(pool));
    words_at(memory)[3] = 8;
    EXPECT_EQ(words_at(memory)[3], 8u);
    OK(cuMemFreeAsync(memory, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_TRUE(eventually([&] { return !is_mapped(memory); }));
  }
}

// The memory belongs to no context: it outlives them until it is freed, which needs none.
TEST(cuCtxDestroy, LeavesMemoryOfPoolsAlone) {
  const Scene scene;
  for (const PoolKind& kind : host_pools) {
    SCOPED_TRACE(kind.name);
    CUcontext context;
    OK(cuCtxCreate(&context, nullptr, 0, 0));
    CUdeviceptr memory = 0;
    {
      const SharedPool pool(kind);
      const CUstream stream = new_stream();
      memory = pool.allocate(bytes, stream);
      OK(cuMemsetD8Async(memory, 5, bytes, stream));
      OK(cuCtxDestroy(context));
      EXPECT_EQ(words_at(memory)[0], 0x05050505u);
      OK(cuMemFree(memory));
    }
    EXPECT_TRUE(eventually([&] { return !is_mapped(memory); }));
    OK(cuCtxSetCurrent(scene.context));
  }
}

}  // namespace
