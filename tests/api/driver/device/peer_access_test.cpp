// SPDX-License-Identifier: Apache-2.0
// Several devices: access to each other's memory, and the order between them. Each test is a
// process of its own, with as many devices as it names.
#include <cuda.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

// Runs `body` on `count` devices of that model, with all primary contexts retained.
void with_devices(const char* count, const std::function<void(std::vector<CUcontext>)>& body,
                  const char* model = "h200") {
  run_in_child({{"CUVETTE_DEVICES", count}, {"CUVETTE_DEVICE", model}, {"CUVETTE_MEMORY", "1G"}},
               [&] {
                 ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
                 int devices = 0;
                 OK(cuDeviceGetCount(&devices));
                 std::vector<CUcontext> contexts(static_cast<size_t>(devices));
                 for (int i = 0; i < devices; ++i)
                   OK(cuDevicePrimaryCtxRetain(&contexts[static_cast<size_t>(i)], i));
                 OK(cuCtxSetCurrent(contexts[0]));
                 body(contexts);
               });
}

// Allocates `size` bytes of `value` on a context's device and leaves that context current.
CUdeviceptr memory_in(CUcontext context, unsigned char value, size_t size) {
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc(&memory, size), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8(memory, value, size), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  return memory;
}

unsigned char first_byte(CUdeviceptr memory) {
  unsigned char byte = 0;
  EXPECT_EQ(cuMemcpyDtoH(&byte, memory, 1), CUDA_SUCCESS);
  return byte;
}

TEST(cuDeviceCanAccessPeer, SaysYesOfTwoOfOneModelThatHasALink) {
  with_devices("8", [](auto) {
    int able = 9;
    for (int one = 0; one < 8; ++one)
      for (int other = 0; other < 8; ++other) {
        OK(cuDeviceCanAccessPeer(&able, one, other));
        EXPECT_EQ(able, one != other);
      }
    EXPECT_EQ(cuDeviceCanAccessPeer(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceCanAccessPeer(nullptr, 1000, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceCanAccessPeer(&able, 0, 1000), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceCanAccessPeer(&able, -1, 0), CUDA_ERROR_INVALID_DEVICE);
  });
}

TEST(cuDeviceGetP2PAttribute, TellsOfTheLink) {
  with_devices("2", [](auto) {
    int value = 9;
    OK(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    EXPECT_EQ(value, 1);
    OK(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 0, 1));
    EXPECT_EQ(value, 1);
    OK(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 1, 0));
    EXPECT_EQ(value, 0);
    EXPECT_EQ(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 1, 1),
              CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceGetP2PAttribute(&value, static_cast<CUdevice_P2PAttribute>(6), 1, 0),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(cuDeviceGetP2PAtomicCapabilities, AreNone) {
  with_devices("2", [](auto) {
    const CUatomicOperation operations[] = {static_cast<CUatomicOperation>(0),
                                            static_cast<CUatomicOperation>(12)};
    unsigned capabilities[] = {7, 7};
    OK(cuDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 1));
    EXPECT_EQ(capabilities[0] | capabilities[1], 0u);
    const auto unknown = static_cast<CUatomicOperation>(13);
    EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(capabilities, &unknown, 1, 0, 1),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 0),
              CUDA_ERROR_INVALID_DEVICE);
  });
}

TEST(cuCtxEnablePeerAccess, IsOneWayFromContextToContext) {
  with_devices("2", [](const auto& contexts) {
    CUcontext second;
    OK(cuCtxEnablePeerAccess(contexts[1], 0));
    EXPECT_EQ(cuCtxEnablePeerAccess(contexts[1], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    const CUdeviceptr one = memory_in(contexts[0], 1, 64), other = memory_in(contexts[1], 2, 64);
    EXPECT_EQ(cuMemsetD8(one, 9, 64), CUDA_ERROR_INVALID_VALUE) << "not the other way";
    OK(cuCtxCreate(&second, nullptr, 0, 0));
    EXPECT_EQ(cuMemsetD8(other, 9, 64), CUDA_ERROR_INVALID_VALUE) << "not another context";
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuMemsetD8(other, 3, 64));
    OK(cuCtxSynchronize());
    EXPECT_EQ(first_byte(other), 3);
    OK(cuCtxDisablePeerAccess(contexts[1]));
    EXPECT_EQ(cuMemsetD8(other, 9, 64), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyDtoD(one, other, 64));
    EXPECT_EQ(first_byte(one), 3) << "a copy needs no access";
  });
}

TEST(cuCtxEnablePeerAccess, EndsWithTheContext) {
  with_devices("2", [](const auto& contexts) {
    OK(cuCtxEnablePeerAccess(contexts[1], 0));
    OK(cuDevicePrimaryCtxReset(1));
    EXPECT_EQ(cuCtxEnablePeerAccess(contexts[1], 0), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(cuCtxDisablePeerAccess(contexts[1]), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CUcontext again;
    OK(cuDevicePrimaryCtxRetain(&again, 1));
    EXPECT_EQ(cuCtxDisablePeerAccess(again), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    OK(cuCtxEnablePeerAccess(again, 0));
  });
}

TEST(cuCtxEnablePeerAccess, TakesAsManyAsNVLinkJoins) {
  with_devices("16", [](const auto& contexts) {
    for (size_t i = 1; i < contexts.size(); ++i) OK(cuCtxEnablePeerAccess(contexts[i], 0));
  });
}

TEST(cuCtxDisablePeerAccess, NeedsOneThatIsEnabled) {
  with_devices("2", [](const auto& contexts) {
    EXPECT_EQ(cuCtxDisablePeerAccess(contexts[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    EXPECT_EQ(cuCtxDisablePeerAccess(contexts[0]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    EXPECT_EQ(cuCtxDisablePeerAccess(nullptr), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxDisablePeerAccess(reinterpret_cast<CUcontext>(0x1234)),
              CUDA_ERROR_INVALID_CONTEXT);
  });
}

// Each thread has its own device, enables access to its neighbour's memory, and passes a token on.
TEST(cuCtxEnablePeerAccess, MayComeFromAThreadForEachDevice) {
  with_devices("8", [](const auto& contexts) {
    std::vector<CUdeviceptr> memory;
    for (const CUcontext context : contexts) memory.push_back(memory_in(context, 0, 4096));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < contexts.size(); ++i)
      threads.emplace_back([&, i] {
        const size_t next = (i + 1) % contexts.size();
        OK(cuCtxSetCurrent(contexts[i]));
        for (int round = 0; round < 100; ++round) {
          OK(cuCtxEnablePeerAccess(contexts[next], 0));
          OK(cuMemsetD8(memory[next], static_cast<unsigned char>(i + 1), 2048));
          OK(cuMemcpyPeer(memory[i] + 2048, contexts[i], memory[next], contexts[next], 2048));
          OK(cuCtxSynchronize());
          OK(cuCtxDisablePeerAccess(contexts[next]));
        }
      });
    for (auto& thread : threads) thread.join();
    for (size_t i = 0; i < contexts.size(); ++i) {
      EXPECT_EQ(first_byte(memory[(i + 1) % contexts.size()]), i + 1);
      EXPECT_EQ(first_byte(memory[i] + 2048), i + 1);
    }
  });
}

// No copy may start before the work under way in either context, and later work in either waits for
// the copy. The call itself does not wait.
TEST(cuMemcpyPeer, ComesBetweenWhatBothDevicesDo) {
  with_devices("2", [](const auto& contexts) {
    const CUdeviceptr target = memory_in(contexts[0], 0, 64);
    const CUdeviceptr source = memory_in(contexts[1], 1, 64);
    const CUstream stream = new_stream(CU_STREAM_DEFAULT);
    for (int round = 0; round < 20; ++round) {
      const auto value = static_cast<unsigned char>(round + 2);
      OK(cuCtxSetCurrent(contexts[1]));
      Gate gate(stream);
      OK(cuMemsetD8Async(source, value, 64, stream));
      OK(cuCtxSetCurrent(contexts[0]));
      if (round % 2 == 0) {
        OK(cuMemcpyPeer(target, contexts[0], source, contexts[1], 64));
      } else {
        OK(cuMemcpyDtoD(target, source, 64));
      }
      EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
      OK(cuCtxSetCurrent(contexts[1]));
      OK(cuMemsetD8Async(source, 99, 64, stream));
      gate.open();
      OK(cuCtxSetCurrent(contexts[0]));
      EXPECT_EQ(first_byte(target), value);
      OK(cuStreamSynchronize(stream));
    }
  });
}

TEST(cuCtxSynchronize, LeavesOtherDevicesAlone) {
  with_devices("2", [](const auto& contexts) {
    const CUdeviceptr memory = memory_in(contexts[1], 1, 64);
    const CUstream stream = new_stream(CU_STREAM_DEFAULT);
    Gate gate(stream);
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuCtxSynchronize());
    OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    gate.open();
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree(memory));
  });
}

TEST(cuStreamWaitEvent, TakesAnotherDevicesEvent) {
  with_devices("2", [](const auto& contexts) {
    const CUdeviceptr source = memory_in(contexts[1], 0, 64);
    const CUstream producer = new_stream();
    const CUevent ready = new_event(CU_EVENT_DEFAULT);
    const CUdeviceptr target = memory_in(contexts[0], 0, 64);
    const CUstream consumer = new_stream();
    const CUevent own = new_event(CU_EVENT_DEFAULT);
    Gate gate(producer);
    OK(cuMemcpyPeerAsync(source, contexts[1], target, contexts[0], 64, producer));
    OK(cuMemsetD8Async(source, 7, 64, producer));
    OK(cuEventRecord(ready, producer));
    OK(cuStreamWaitEvent(consumer, ready, 0));
    OK(cuMemcpyPeerAsync(target, contexts[0], source, contexts[1], 64, consumer));
    OK(cuEventRecord(own, consumer));
    EXPECT_EQ(cuEventRecord(ready, consumer), CUDA_ERROR_INVALID_HANDLE);
    float time = 0;
    EXPECT_EQ(cuEventElapsedTime(&time, ready, own), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuStreamQuery(consumer), CUDA_ERROR_NOT_READY);
    gate.open();
    OK(cuEventSynchronize(own));
    EXPECT_EQ(first_byte(target), 7);
    EXPECT_EQ(cuEventElapsedTime(&time, ready, own), CUDA_ERROR_INVALID_HANDLE);
  });
}

TEST(cuPointerGetAttribute, KnowsWhoCanReachAnotherDevicesMemory) {
  with_devices("2", [](const auto& contexts) {
    const CUdeviceptr memory = memory_in(contexts[1], 0, 64);
    CUdeviceptr answer = 1;
    size_t size = 0;
    OK(cuPointerGetAttribute(&answer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory));
    EXPECT_EQ(answer, memory);
    OK(cuCtxSetCurrent(contexts[0]));
    EXPECT_EQ(cuPointerGetAttribute(&answer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemGetAddressRange(&answer, &size, memory), CUDA_ERROR_NOT_FOUND);
    OK(cuCtxEnablePeerAccess(contexts[1], 0));
    OK(cuPointerGetAttribute(&answer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory));
    EXPECT_EQ(answer, memory);
    OK(cuMemGetAddressRange(&answer, &size, memory));
    EXPECT_EQ(size, 64u);
  });
}

TEST(cuMemGetInfo, CountsEachDeviceByItself) {
  with_devices("8", [](const auto& contexts) {
    std::vector<size_t> before;
    size_t free, total;
    for (const CUcontext context : contexts) {
      OK(cuCtxSetCurrent(context));
      OK(cuMemGetInfo(&free, &total));
      before.push_back(free);
    }
    OK(cuCtxSetCurrent(contexts[5]));
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, 64 << 20));
    for (size_t i = 0; i < contexts.size(); ++i) {
      OK(cuCtxSetCurrent(contexts[i]));
      OK(cuMemGetInfo(&free, &total));
      EXPECT_EQ(before[i] - free, i == 5 ? 64u << 20 : 0u) << i;
    }
  });
}

TEST(cuDeviceGetByPCIBusId, FindsEachOfEight) {
  with_devices("8", [](auto) {
    std::set<std::string> addresses, uuids;
    for (int device = 0; device < 8; ++device) {
      char address[16];
      CUdevice found = -1;
      CUuuid uuid;
      OK(cuDeviceGetPCIBusId(address, sizeof address, device));
      OK(cuDeviceGetByPCIBusId(&found, address));
      EXPECT_EQ(found, device);
      OK(cuDeviceGetUuid(&uuid, device));
      addresses.insert(address);
      uuids.insert(std::string(uuid.bytes, 16));
    }
    EXPECT_EQ(addresses.size(), 8u);
    EXPECT_EQ(uuids.size(), 8u);
  });
}

TEST(cuDeviceGetExecAffinitySupport, SaysNo) {
  with_devices("1", [](auto) {
    int value = 9;
    OK(cuDeviceGetExecAffinitySupport(&value, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    EXPECT_EQ(value, 0);
    EXPECT_EQ(cuDeviceGetExecAffinitySupport(nullptr, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 9),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceGetExecAffinitySupport(&value, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 9),
              CUDA_ERROR_INVALID_DEVICE);
  });
}

TEST(cuDeviceGetNvSciSyncAttributes, IsNotSupportedAfterItsChecks) {
  with_devices("1", [](auto) {
    char list[64];
    EXPECT_EQ(cuDeviceGetNvSciSyncAttributes(list, 0, 3), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuDeviceGetNvSciSyncAttributes(nullptr, 0, 3), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuDeviceGetNvSciSyncAttributes(list, 9, 3), CUDA_ERROR_INVALID_DEVICE);
  });
}

TEST(cuFlushGPUDirectRDMAWrites, ChecksTargetAndScope) {
  with_devices("1", [](auto) {
    const auto target = CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX;
    OK(cuFlushGPUDirectRDMAWrites(target, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
    OK(cuFlushGPUDirectRDMAWrites(target, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES));
    EXPECT_EQ(cuFlushGPUDirectRDMAWrites(target, static_cast<CUflushGPUDirectRDMAWritesScope>(7)),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(cuMemSetAccess, GivesAPeerWhatItAsksFor) {
  with_devices("2", [](std::vector<CUcontext> contexts) {
    constexpr size_t granule = 2 << 20;
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr range = 0;
    OK(cuMemCreate(&handle, granule, &properties, 0));
    OK(cuMemAddressReserve(&range, granule, 0, 0, 0));
    OK(cuMemMap(range, granule, 0, handle, 0));
    const auto set = [&](int device, CUmemAccess_flags flags) {
      const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, device}, flags};
      return cuMemSetAccess(range, granule, &access, 1);
    };
    const auto told = [&](int device) {
      unsigned long long flags = 9;
      const CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, device};
      EXPECT_EQ(cuMemGetAccess(&flags, &location, range), CUDA_SUCCESS);
      return flags;
    };
    OK(set(1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    EXPECT_EQ(told(0), 0u);
    EXPECT_EQ(told(1), 3u);
    OK(cuCtxSetCurrent(contexts[1]));
    OK(cuMemsetD8(range, 5, granule));
    OK(cuCtxSynchronize());
    EXPECT_EQ(first_byte(range), 5);
    // One device loses its access; the other keeps it.
    OK(set(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    OK(set(1, CU_MEM_ACCESS_FLAGS_PROT_NONE));
    EXPECT_EQ(told(0), 3u);
    EXPECT_EQ(told(1), 0u);
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuMemsetD8(range, 6, granule));
    OK(cuCtxSynchronize());
    EXPECT_EQ(first_byte(range), 6);
    EXPECT_EQ(set(2, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(range, granule));
    OK(cuMemRelease(handle));
    OK(cuMemAddressFree(range, granule));
  });
}

TEST(cuMemPoolSetAccess, LetsAPeerIn) {
  with_devices("2", [](std::vector<CUcontext> contexts) {
    CUmemoryPool pool = nullptr;
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    OK(cuMemPoolCreate(&pool, &properties));
    CUstream stream = nullptr;
    OK(cuStreamCreate(&stream, 0));
    CUdeviceptr memory = 0;
    OK(cuMemAllocFromPoolAsync(&memory, 4096, pool, stream));
    OK(cuStreamSynchronize(stream));
    const auto may = [&] {
      CUmemAccess_flags flags{};
      CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, 1};
      EXPECT_EQ(cuMemPoolGetAccess(&flags, pool, &location), CUDA_SUCCESS);
      return flags;
    };
    CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuCtxSetCurrent(contexts[1]));
    EXPECT_EQ(may(), CU_MEM_ACCESS_FLAGS_PROT_NONE);
    EXPECT_EQ(cuMemsetD8(memory, 5, 4096), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemPoolSetAccess(pool, &access, 1));
    EXPECT_EQ(may(), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuMemsetD8(memory, 5, 4096));
    OK(cuCtxSynchronize());
    EXPECT_EQ(first_byte(memory), 5);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    OK(cuMemPoolSetAccess(pool, &access, 1));
    EXPECT_EQ(cuMemsetD8(memory, 5, 4096), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFreeAsync(memory, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemPoolDestroy(pool));
  });
}

}  // namespace
