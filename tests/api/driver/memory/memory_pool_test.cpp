// SPDX-License-Identifier: Apache-2.0
// Memory pools: what their functions check and return. For the reuse of memory see
// memory_pool_reuse_test.cpp, for other processes memory_pool_process_test.cpp.
#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "tests/api/driver/memory_pool_scene.hpp"

namespace {

const auto stale_pool = reinterpret_cast<CUmemoryPool>(0x12345600);
constexpr auto posix_fd = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

CUmemLocation place(CUmemLocationType type, int id = 0) { return {type, id}; }

CUmemoryPool default_pool() {
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  return pool;
}

TEST(cuDeviceGetDefaultMemPool, IsTheSameEachTimeAndCannotBeDestroyed) {
  const Scene scene;
  const CUmemoryPool pool = default_pool();
  EXPECT_NE(pool, nullptr);
  EXPECT_EQ(default_pool(), pool);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
  CUmemoryPool none;
  EXPECT_EQ(cuDeviceGetDefaultMemPool(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetDefaultMemPool(&none, 99), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetMemPool, IsTheDefaultPoolFirst) {
  const Scene scene;
  CUmemoryPool pool = nullptr;
  OK(cuDeviceGetMemPool(&pool, 0));
  EXPECT_EQ(pool, default_pool());
  EXPECT_EQ(cuDeviceGetMemPool(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetMemPool(&pool, -1), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceSetMemPool, DecidesWhereMemoryComesFromUntilThePoolIsDestroyed) {
  const Scene scene;
  const CUstream stream = new_stream();
  CUmemoryPool current;
  CUdeviceptr address;
  {
    const Pool pool;
    OK(cuDeviceSetMemPool(0, pool.handle));
    OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(current, pool.handle);
    OK(cuMemAllocAsync(&address, 1000, stream));
    EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1000u);
    OK(cuMemFreeAsync(address, stream));
  }
  OK(cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, default_pool());
  EXPECT_EQ(cuDeviceSetMemPool(0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceSetMemPool(0, stale_pool), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceSetMemPool(9, current), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuMemGetDefaultMemPool, ChecksThePlace) {
  const Scene scene;
  CUmemoryPool pool = nullptr;
  CUmemLocation device = place(CU_MEM_LOCATION_TYPE_DEVICE);
  OK(cuMemGetDefaultMemPool(&pool, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT_EQ(pool, default_pool());
  CUmemLocation nowhere = place(CU_MEM_LOCATION_TYPE_INVALID);
  CUmemLocation none = place(CU_MEM_LOCATION_TYPE_DEVICE, 99);
  const auto ask = [&](CUmemLocation* at, CUmemAllocationType type) {
    return cuMemGetDefaultMemPool(&pool, at, type);
  };
  EXPECT_EQ(ask(&nowhere, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(ask(&none, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(ask(nullptr, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(ask(&device, CU_MEM_ALLOCATION_TYPE_INVALID), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemGetMemPool, AndItsSetterAreThoseOfTheDevice) {
  const Scene scene;
  const Pool pool;
  CUmemLocation device = place(CU_MEM_LOCATION_TYPE_DEVICE);
  CUmemoryPool current = nullptr;
  OK(cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, pool.handle));
  OK(cuMemGetMemPool(&current, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT_EQ(current, pool.handle);
  OK(cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, pool.handle);
  EXPECT_EQ(cuMemGetMemPool(nullptr, &device, CU_MEM_ALLOCATION_TYPE_PINNED),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemSetMemPool, RefusesWhatIsNoPool) {
  const Scene scene;
  CUmemLocation device = place(CU_MEM_LOCATION_TYPE_DEVICE);
  for (const CUmemoryPool pool : {CUmemoryPool{}, stale_pool})
    EXPECT_EQ(cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, pool),
              CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolCreate, ChecksItsProperties) {
  const Scene scene;
  CUmemoryPool pool;
  CUmemPoolProps properties = pool_properties();
  EXPECT_EQ(cuMemPoolCreate(nullptr, &properties), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolCreate(&pool, nullptr), CUDA_ERROR_INVALID_VALUE);
  properties.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
  properties = pool_properties();
  properties.location.type = CU_MEM_LOCATION_TYPE_INVALID;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
  properties = pool_properties();
  properties.location.id = 77;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_DEVICE);
  properties = pool_properties(CU_MEM_HANDLE_TYPE_WIN32);
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_NOT_SUPPORTED);
  properties = pool_properties();
  properties.reserved[53] = 1;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolCreate, HoldsNoMoreThanItsMaximum) {
  const Scene scene;
  const CUstream stream = new_stream();
  CUmemPoolProps properties = pool_properties();
  properties.maxSize = 40 * MiB;
  const Pool pool(properties);
  CUdeviceptr more;
  const CUdeviceptr address = pool.allocate(30 * MiB, stream);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&more, 20 * MiB, pool.handle, stream),
            CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemFreeAsync(address, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuMemFreeAsync(pool.allocate(40 * MiB, stream), stream)) << "what was unused made room";
}

TEST(cuMemPoolDestroy, LeavesAllocationsAliveAndEndsTheHandle) {
  const Scene scene;
  const CUstream stream = new_stream();
  size_t free_before, free_now, total;
  OK(cuMemGetInfo(&free_before, &total));
  CUdeviceptr address;
  CUmemoryPool handle;
  {
    const Pool pool;
    handle = pool.handle;
    address = pool.allocate(5000, stream);
    OK(cuStreamSynchronize(stream));
  }
  EXPECT_EQ(cuMemPoolDestroy(handle), CUDA_ERROR_INVALID_VALUE);
  cuuint64_t value;
  EXPECT_EQ(cuMemPoolGetAttribute(handle, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value),
            CUDA_ERROR_INVALID_VALUE);
  OK(cuMemsetD8(address, 3, 5000));
  OK(cuMemGetInfo(&free_now, &total));
  EXPECT_EQ(free_before - free_now, 32 * MiB);
  OK(cuMemFreeAsync(address, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT_TRUE(eventually(
      [&] { return cuMemGetInfo(&free_now, &total) == CUDA_SUCCESS && free_now == free_before; }));
}

TEST(cuMemPoolDestroy, OfAPoolWithPendingWorkWaitsForNobody) {
  const Scene scene;
  const CUstream stream = new_stream();
  Gate gate(stream);
  {
    const Pool pool;
    const CUdeviceptr address = pool.allocate(5000, stream);
    OK(cuMemsetD8Async(address, 1, 5000, stream));
    OK(cuMemFreeAsync(address, stream));
  }
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  gate.open();
  OK(cuStreamSynchronize(stream));
}

TEST(cuMemPoolGetAttribute, CountsWhatIsUsedAndHeld) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool;
  for (const auto reuse :
       {CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
        CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES}) {
    int value = 77;
    OK(cuMemPoolGetAttribute(pool.handle, reuse, &value));
    EXPECT_EQ(value, 1);
  }
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 0u);
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
  const CUdeviceptr one = pool.allocate(1000, stream), other = pool.allocate(1, stream);
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1001u);
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 32 * MiB) << "measured";
  OK(cuMemFreeAsync(one, stream));
  OK(cuMemFree(other));
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_USED_MEM_HIGH), 1001u);
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 32 * MiB);
  cuuint64_t value;
  EXPECT_EQ(cuMemPoolGetAttribute(pool.handle, static_cast<CUmemPool_attribute>(99), &value),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolGetAttribute(pool.handle, CU_MEMPOOL_ATTR_USED_MEM_HIGH, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolGetAttribute(stale_pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolSetAttribute, SetsPoliciesAndResetsHighMarks) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool;
  pool.allow(false, true, false);
  int value = 77;
  OK(cuMemPoolGetAttribute(pool.handle, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &value));
  EXPECT_EQ(value, 0);
  OK(cuMemPoolGetAttribute(pool.handle, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &value));
  EXPECT_EQ(value, 1);
  OK(cuMemFreeAsync(pool.allocate(4096, stream), stream));
  OK(cuStreamSynchronize(stream));
  for (const auto high : {CU_MEMPOOL_ATTR_USED_MEM_HIGH, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH}) {
    cuuint64_t number = 5;
    EXPECT_EQ(cuMemPoolSetAttribute(pool.handle, high, &number), CUDA_ERROR_INVALID_VALUE);
    EXPECT_NE(pool.get(high), 0u);
    pool.set(high, 0);
    EXPECT_EQ(pool.get(high), 0u);
  }
  for (const auto fixed :
       {CU_MEMPOOL_ATTR_USED_MEM_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT}) {
    cuuint64_t number = 0;
    EXPECT_EQ(cuMemPoolSetAttribute(pool.handle, fixed, &number), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(cuMemPoolSetAttribute(pool.handle, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

// "When more than the release threshold bytes of memory are held by the memory pool, the allocator
// will try to release memory back to the OS on the next call to stream, event or context
// synchronize."
TEST(cuMemPoolSetAttribute, ThresholdDecidesWhatIsHeldAtTheNextSynchronisation) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUevent event = new_event();
  const Pool pool;
  const auto held = [&] { return pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT); };
  const auto use = [&] {
    EXPECT_EQ(cuMemFreeAsync(pool.allocate(64 * MiB, stream), stream), CUDA_SUCCESS);
  };
  pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 64 * MiB);
  use();
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(held(), 64 * MiB);
  pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 64 * MiB - 1);
  EXPECT_EQ(held(), 64 * MiB) << "not before the next synchronisation";
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(held(), 0u);
  use();
  OK(cuCtxSynchronize());
  EXPECT_EQ(held(), 0u);
  use();
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  EXPECT_EQ(held(), 0u);
}

TEST(cuMemPoolTrimTo, GivesBackWhatIsNotUsedAndNoMore) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool;
  pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
  const CUdeviceptr one = pool.allocate(32 * MiB, stream), other = pool.allocate(32 * MiB, stream);
  OK(cuMemFreeAsync(one, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * MiB);
  OK(cuMemPoolTrimTo(pool.handle, 64 * MiB));
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * MiB);
  OK(cuMemPoolTrimTo(pool.handle, 0));
  EXPECT_EQ(pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 32 * MiB) << "the rest is in use";
  OK(cuMemFreeAsync(other, stream));
  EXPECT_EQ(cuMemPoolTrimTo(stale_pool, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolSetAccess, CannotTakeItsOwnDevicesAccess) {
  const Scene scene;
  const Pool pool;
  CUmemAccessDesc access{place(CU_MEM_LOCATION_TYPE_DEVICE), CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  OK(cuMemPoolSetAccess(pool.handle, &access, 1));
  for (const auto& [flags, error] :
       {std::pair{CU_MEM_ACCESS_FLAGS_PROT_NONE, CUDA_ERROR_INVALID_DEVICE},
        {CU_MEM_ACCESS_FLAGS_PROT_READ, CUDA_ERROR_NOT_SUPPORTED},
        {static_cast<CUmemAccess_flags>(2), CUDA_ERROR_INVALID_VALUE}}) {
    access.flags = flags;
    EXPECT_EQ(cuMemPoolSetAccess(pool.handle, &access, 1), error);
  }
  access = {place(CU_MEM_LOCATION_TYPE_DEVICE, 99), CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  EXPECT_EQ(cuMemPoolSetAccess(pool.handle, &access, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemPoolSetAccess(pool.handle, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolGetAccess, IsReadAndWriteForItsDevice) {
  const Scene scene;
  const Pool pool;
  CUmemAccess_flags flags{};
  CUmemLocation device = place(CU_MEM_LOCATION_TYPE_DEVICE);
  OK(cuMemPoolGetAccess(&flags, pool.handle, &device));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT_EQ(cuMemPoolGetAccess(nullptr, pool.handle, &device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolGetAccess(&flags, pool.handle, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemAllocAsync, GivesAnAddressThatCanBeUsedAtOnce) {
  const Scene scene;
  const CUstream stream = new_stream();
  Gate gate(stream);
  CUdeviceptr address = 0;
  OK(cuMemAllocAsync(&address, 1000, stream));
  EXPECT_EQ(address % 256, 0u);
  OK(cuMemsetD8Async(address, 7, 1000, stream));
  EXPECT_EQ(cuMemsetD8Async(address, 7, 1001, stream), CUDA_ERROR_INVALID_VALUE);
  CUmemoryPool pool = nullptr;
  OK(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address));
  EXPECT_EQ(pool, default_pool());
  gate.open();
  unsigned char bytes[1000] = {};
  OK(cuMemcpyDtoHAsync(bytes, address, 1000, stream));
  OK(cuStreamSynchronize(stream));
  for (const unsigned char byte : bytes) ASSERT_EQ(byte, 7);
  OK(cuMemFreeAsync(address, stream));
}

TEST(cuMemAllocAsync, ChecksItsArguments) {
  const Scene scene;
  const CUstream stream = new_stream();
  CUdeviceptr address = 5;
  EXPECT_EQ(cuMemAllocAsync(nullptr, 8, stream), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAllocAsync(&address, 0, stream));
  EXPECT_EQ(address, 0u);
  EXPECT_EQ(cuMemAllocAsync(&address, size_t{1} << 60, stream), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemAllocAsync(&address, 8, reinterpret_cast<CUstream>(0x77770)),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemAllocAsync, CountsInTheDevicesMemory) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool;
  size_t before, now, total;
  OK(cuMemGetInfo(&before, &total));
  const CUdeviceptr address = pool.allocate(100 * MiB, stream);
  OK(cuMemGetInfo(&now, &total));
  EXPECT_EQ(before - now, pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
  OK(cuMemFreeAsync(address, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuMemGetInfo(&now, &total));
  EXPECT_EQ(now, before);
}

TEST(cuMemAllocAsync, HoldsThePatternOfFreshMemoryAlsoWhereItWasUsedBefore) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool;
  const CUdeviceptr first = pool.allocate(4096, stream);
  OK(cuMemsetD8Async(first, 1, 4096, stream));
  OK(cuMemFreeAsync(first, stream));
  const CUdeviceptr second = pool.allocate(4096, stream);
  EXPECT_EQ(second, first);
  std::vector<uint32_t> words(1024);
  OK(cuMemcpyDtoHAsync(words.data(), second, 4096, stream));
  OK(cuStreamSynchronize(stream));
  for (const uint32_t word : words) ASSERT_EQ(word, 0x7FFDF00D);
  OK(cuMemFreeAsync(second, stream));
}

TEST(cuMemAllocAsync, InACaptureIsANode) {
  const Scene scene;
  const CUstream stream = new_stream();
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUdeviceptr address = 0;
  OK(cuMemAllocAsync(&address, 4096, stream));
  OK(cuMemsetD8Async(address, 9, 4096, stream));
  CUgraph graph;
  OK(cuStreamEndCapture(stream, &graph));
  const CUDA_MEM_ALLOC_NODE_PARAMS parameters = captured_allocation(graph);
  EXPECT_EQ(parameters.dptr, address);
  EXPECT_EQ(parameters.bytesize, 4096u);
  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, graph, 0));
  EXPECT_EQ(cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE) << "not allocated yet";
  OK(cuGraphLaunch(exec, stream));
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE) << "still allocated";
  OK(cuMemFreeAsync(address, stream));
  OK(cuGraphLaunch(exec, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuMemFree(address));
  EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

TEST(cuMemAllocFromPoolAsync, TakesFromThatPoolOnly) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool one, other;
  const CUdeviceptr address = one.allocate(10, stream);
  EXPECT_EQ(one.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 10u);
  EXPECT_EQ(other.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
  CUdeviceptr none;
  EXPECT_EQ(cuMemAllocFromPoolAsync(&none, 10, stale_pool, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&none, 10, nullptr, stream), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeAsync(address, stream));
}

TEST(cuMemFreeAsync, EndsTheAddressAtTheCallAndTheMemoryInOrder) {
  const Scene scene;
  const CUstream stream = new_stream();
  Gate gate(stream);
  const Pool pool;
  const CUdeviceptr address = pool.allocate(4096, stream);
  unsigned char byte = 0;
  void* pinned;
  OK(cuMemAllocHost(&pinned, 4096));
  OK(cuMemsetD8Async(address, 5, 4096, stream));
  OK(cuMemcpyDtoHAsync(pinned, address, 4096, stream));
  OK(cuMemFreeAsync(address, stream));
  EXPECT_EQ(cuMemsetD8Async(address, 6, 4096, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH(&byte, address, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  gate.open();
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(static_cast<unsigned char*>(pinned)[4095], 5) << "what came before it had the memory";
  OK(cuMemFreeHost(pinned));
}

TEST(cuMemFreeAsync, FreesOrdinaryMemoryInTheStreamsOrder) {
  const Scene scene;
  const CUstream stream = new_stream();
  size_t before, now, total;
  OK(cuMemGetInfo(&before, &total));
  const CUdeviceptr address = new_memory(8 * MiB);
  {
    Gate gate(stream);
    OK(cuMemsetD8Async(address, 5, 8 * MiB, stream));
    OK(cuMemFreeAsync(address, stream));
    EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemGetInfo(&now, &total));
    EXPECT_EQ(before - now, 8 * MiB) << "not yet";
  }
  OK(cuStreamSynchronize(stream));
  OK(cuMemGetInfo(&now, &total));
  EXPECT_EQ(now, before);
}

TEST(cuMemFreeAsync, ChecksItsArguments) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool;
  const CUdeviceptr address = pool.allocate(4096, stream);
  OK(cuMemFreeAsync(0, stream));
  EXPECT_EQ(cuMemFreeAsync(address + 1, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeAsync(0x1234, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeAsync(address, reinterpret_cast<CUstream>(0x77770)),
            CUDA_ERROR_INVALID_HANDLE);
  void* host;
  OK(cuMemAllocHost(&host, 64));
  EXPECT_EQ(cuMemFreeAsync(reinterpret_cast<CUdeviceptr>(host), stream), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeHost(host));
  OK(cuMemFreeAsync(address, stream));
}

TEST(cuMemFreeAsync, InACaptureIsANodeForTheGraphsOwnMemory) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool;
  const CUdeviceptr outside = pool.allocate(64, stream);
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUdeviceptr address = 0;
  OK(cuMemAllocAsync(&address, 4096, stream));
  EXPECT_EQ(cuMemFreeAsync(outside, stream), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeAsync(address, stream));
  EXPECT_EQ(cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
  CUgraph graph;
  OK(cuStreamEndCapture(stream, &graph));
  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) OK(cuGraphLaunch(exec, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  OK(cuMemFreeAsync(outside, stream));
}

// --- Sharing, as far as one process sees it ------------------------------------------------------

TEST(cuMemPoolExportToShareableHandle, IsForPoolsThatSaySo) {
  const Scene scene;
  const Pool secret, shared(posix_fd);
  int fd = -1;
  EXPECT_EQ(cuMemPoolExportToShareableHandle(&fd, secret.handle, posix_fd, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolExportToShareableHandle(&fd, shared.handle, CU_MEM_HANDLE_TYPE_WIN32, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolExportToShareableHandle(&fd, shared.handle, posix_fd, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolExportToShareableHandle(nullptr, shared.handle, posix_fd, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fd, -1);
  OK(cuMemPoolExportToShareableHandle(&fd, shared.handle, posix_fd, 0));
  EXPECT_GE(fd, 0);
  close(fd);
}

// A pool of this process, imported into it.
struct Imported {
  explicit Imported(const Pool& pool) {
    int fd = -1;
    EXPECT_EQ(cuMemPoolExportToShareableHandle(&fd, pool.handle, posix_fd, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemPoolImportFromShareableHandle(&handle, reinterpret_cast<void*>(intptr_t{fd}),
                                                 posix_fd, 0),
              CUDA_SUCCESS);
    EXPECT_EQ(close(fd), 0) << "the descriptor stayed the program's";
  }
  ~Imported() { EXPECT_EQ(cuMemPoolDestroy(handle), CUDA_SUCCESS); }
  CUmemoryPool handle = nullptr;
};

TEST(cuMemPoolImportFromShareableHandle, MakesAPoolThatGivesNoMemory) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool(posix_fd);
  const Imported imported(pool);
  EXPECT_NE(imported.handle, pool.handle);
  CUdeviceptr address;
  EXPECT_EQ(cuMemAllocFromPoolAsync(&address, 64, imported.handle, stream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceSetMemPool(0, imported.handle), CUDA_ERROR_INVALID_VALUE);
  int fd;
  EXPECT_EQ(cuMemPoolExportToShareableHandle(&fd, imported.handle, posix_fd, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolImportFromShareableHandle, RefusesWhatIsNoPool) {
  const Scene scene;
  const int memory = memfd_create("no pool", 0);
  ASSERT_EQ(ftruncate(memory, 16 << 20), 0);
  CUmemoryPool pool;
  for (const int fd : {memory, -1, 9999, 0}) {
    const auto handle = reinterpret_cast<void*>(intptr_t{fd});
    EXPECT_EQ(cuMemPoolImportFromShareableHandle(&pool, handle, posix_fd, 0), CUDA_ERROR_UNKNOWN)
        << fd;
  }
  EXPECT_EQ(cuMemPoolImportFromShareableHandle(nullptr, nullptr, posix_fd, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(close(memory), 0);
}

TEST(cuMemPoolExportPointer, NamesPartsOfSharedPoolsOnly) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool secret, shared(posix_fd);
  CUmemPoolPtrExportData data;
  const CUdeviceptr hidden = secret.allocate(64, stream), shown = shared.allocate(64, stream);
  EXPECT_EQ(cuMemPoolExportPointer(&data, hidden), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolExportPointer(&data, 0x1234), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolExportPointer(nullptr, shown), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemPoolExportPointer(&data, shown));
  OK(cuMemFreeAsync(hidden, stream));
  OK(cuMemFreeAsync(shown, stream));
  EXPECT_EQ(cuMemPoolExportPointer(&data, shown), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolImportPointer, IsAnotherAddressOfTheSameBytes) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool(posix_fd);
  const Imported imported(pool);
  pool.allocate(5000, stream);  // so that the next one does not begin on a page
  const CUdeviceptr address = pool.allocate(3000, stream);
  OK(cuStreamSynchronize(stream));  // other streams do not wait for the allocation otherwise
  CUmemPoolPtrExportData data;
  OK(cuMemPoolExportPointer(&data, address));
  CUdeviceptr alias = 0;
  OK(cuMemPoolImportPointer(&alias, imported.handle, &data));
  EXPECT_NE(alias, address);
  OK(cuMemsetD8(address, 4, 3000));
  unsigned char bytes[3000] = {};
  OK(cuMemcpyDtoH(bytes, alias, 3000));
  EXPECT_EQ(bytes[0], 4);
  EXPECT_EQ(bytes[2999], 4);
  size_t size = 0;
  CUdeviceptr begin = 0;
  OK(cuMemGetAddressRange(&begin, &size, alias + 7));
  EXPECT_EQ(begin, alias);
  EXPECT_EQ(size, 3000u);
  OK(cuMemFreeAsync(alias, stream));
  OK(cuMemPoolImportPointer(&alias, imported.handle, &data));
  OK(cuMemFree(alias));
  EXPECT_EQ(cuMemFree(alias), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemcpyDtoH(bytes, address, 3000));
  EXPECT_EQ(bytes[1], 4) << "the exporter's part is not freed with the importer's";
}

TEST(cuMemPoolImportPointer, RefusesDataThatNamesNothing) {
  const Scene scene;
  const CUstream stream = new_stream();
  const Pool pool(posix_fd), other(posix_fd);
  const Imported imported(pool);
  CUmemPoolPtrExportData data, good;
  CUdeviceptr address;
  std::memset(&data, 0, sizeof data);
  EXPECT_EQ(cuMemPoolImportPointer(&address, imported.handle, &data), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemPoolExportPointer(&data, other.allocate(64, stream)));
  EXPECT_EQ(cuMemPoolImportPointer(&address, imported.handle, &data), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemPoolExportPointer(&good, pool.allocate(64, stream)));
  EXPECT_EQ(cuMemPoolImportPointer(&address, pool.handle, &good), CUDA_ERROR_INVALID_VALUE);
  // Changing any byte of it causes no crash.
  for (size_t i = 0; i < sizeof data; ++i) {
    data = good;
    data.reserved[i] ^= 0xff;
    if (cuMemPoolImportPointer(&address, imported.handle, &data) != CUDA_SUCCESS) continue;
    EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
  }
}

}  // namespace
