// SPDX-License-Identifier: Apache-2.0
// CUVETTE_DEVICE: how programs see each model, and machines with several devices. Each test is a
// process of its own.
#include <cuda.h>
#include <sys/mman.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

const char* const models[] = {"h200", "a100-80gb", "a100-40gb", "l4", "rtx4090", "t4", "orin"};

int attribute(CUdevice_attribute number, CUdevice device) {
  int value = -7;
  EXPECT_EQ(cuDeviceGetAttribute(&value, number, device), CUDA_SUCCESS);
  return value;
}

std::string name_of(CUdevice device) {
  char name[64] = "";
  EXPECT_EQ(cuDeviceGetName(name, sizeof name, device), CUDA_SUCCESS);
  return name;
}

// Runs `body` on a machine with `devices` (CUVETTE_DEVICE); the primary context of the first is
// current.
void on(const char* devices, Environment more, const std::function<void()>& body) {
  more.emplace_back("CUVETTE_DEVICE", devices);
  run_in_child(more, [&] {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    CUcontext context;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    body();
  });
}
void on_each_model(const std::function<void()>& body) {
  for (const char* model : models) {
    SCOPED_TRACE(model);
    on(model, {}, body);
  }
}

TEST(DeviceModel, HasItsNameAndMemory) {
  const std::pair<const char*, const char*> names[] = {{"a100-40gb", "NVIDIA A100-SXM4-40GB"},
                                                       {"rtx4090", "NVIDIA GeForce RTX 4090"},
                                                       {"t4", "Tesla T4"},
                                                       {"orin", "Orin"}};
  for (const auto& [model, name] : names)
    on(model, {}, [name = name] { EXPECT_EQ(name_of(0), name); });
  on_each_model([] {
    size_t all = 0, free = 0, total = 0;
    OK(cuDeviceTotalMem(&all, 0));
    OK(cuMemGetInfo(&free, &total));
    EXPECT_EQ(total, all);
    EXPECT_LT(free, total);
    CUdeviceptr memory;
    EXPECT_EQ(cuMemAlloc(&memory, total), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAlloc(&memory, free / 2));
    OK(cuMemsetD8(memory + free / 2 - 1, 1, 1));
    OK(cuMemFree(memory));
  });
}

// A limit is supported if the attributes say that there is something to limit.
TEST(DeviceModel, HasTheLimitsOfItsArchitecture) {
  on_each_model([] {
    size_t value = 0;
    const bool hopper = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) >= 9;
    EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH),
              hopper ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 4),
              hopper ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS);
    EXPECT_NE(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 25), CUDA_SUCCESS);
    const int most = attribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0);
    EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, static_cast<size_t>(most)),
              most == 0 ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS);
    EXPECT_NE(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, static_cast<size_t>(most) + 1),
              CUDA_SUCCESS);
  });
}

// Shared memory limits no kernel that uses none, also on models that reserve none for each block.
TEST(DeviceModel, HoldsBlocksWithoutSharedMemory) {
  on_each_model([] {
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    OK(cuModuleLoadData(&module,
                        ".version 6.3\n.target sm_70\n.address_size 64\n"
                        ".visible .entry nothing() { ret; }\n"));
    OK(cuModuleGetFunction(&kernel, module, "nothing"));
    const int threads = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 0);
    const int most = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 0);
    for (const int carveout : {-1, 0, 1, 50, 100}) {
      OK(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, carveout));
      for (const int size : {32, 256, 1024}) {
        int blocks = 0;
        OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, 0));
        // A small carveout may have no room for what each block reserves.
        EXPECT_LE(blocks, std::min(threads / size, most)) << size << " threads, " << carveout;
        EXPECT_GE(blocks, carveout < 0 ? std::min(threads / size, most) : 1)
            << size << " threads, " << carveout;
      }
    }
    int grid = 0, block = 0;
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel, nullptr, 0, 0));
    EXPECT_GE(grid, attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    EXPECT_GE(block, 32);
  });
}

// Programs decide by an attribute whether to make a call; the call's result must agree with it.
TEST(DeviceModel, DoesWhatItsAttributesSay) {
  on_each_model([] {
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    const auto target = CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX;
    EXPECT_EQ(cuFlushGPUDirectRDMAWrites(target, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER),
              attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, 0)
                  ? CUDA_SUCCESS
                  : CUDA_ERROR_NOT_SUPPORTED);
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    const bool takes = attribute(CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 0) != 0;
    EXPECT_EQ(cuMemHostRegister(page, 4096, CU_MEMHOSTREGISTER_READ_ONLY),
              takes ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED);
    if (takes) {
      OK(cuMemHostUnregister(page));
    }
    munmap(page, 4096);
    CUexecAffinityParam affinity{};
    OK(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    EXPECT_EQ(static_cast<int>(affinity.param.smCount.val),
              attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    int least = -7, greatest = -7;
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    EXPECT_EQ(greatest < least, attribute(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 0) != 0);
    // "CAN_MAP_HOST_MEMORY", and the same addresses on both sides.
    void* pinned;
    CUdeviceptr mapped;
    OK(cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&mapped, pinned, 0));
    EXPECT_EQ(mapped, reinterpret_cast<CUdeviceptr>(pinned));
    OK(cuMemFreeHost(pinned));
  });
}

TEST(DeviceModel, ReachesItsLikeAsItsLinkAllows) {
  const struct {
    const char* model;
    int able, atomics;
  } wanted[] = {{"h200", 1, 1}, {"a100-80gb", 1, 1}, {"l4", 1, 0},
                {"t4", 1, 0},   {"rtx4090", 0, 0},   {"orin", 0, 0}};
  for (const auto& one : wanted)
    on(one.model, {{"CUVETTE_DEVICES", "2"}, {"CUVETTE_MEMORY", "1G"}}, [&] {
      int value = -7;
      OK(cuDeviceCanAccessPeer(&value, 0, 1));
      EXPECT_EQ(value, one.able) << one.model;
      OK(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
      EXPECT_EQ(value, one.able) << one.model;
      OK(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 0, 1));
      EXPECT_EQ(value, one.atomics) << one.model;
      CUcontext other;
      OK(cuDevicePrimaryCtxRetain(&other, 1));
      EXPECT_EQ(cuCtxEnablePeerAccess(other, 0),
                one.able ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    });
}

// "Each device can support a system-wide maximum of eight peer connections", without NVLink.
TEST(cuCtxEnablePeerAccess, EndsAtEightPeersOverPciExpress) {
  on("t4", {{"CUVETTE_DEVICES", "10"}, {"CUVETTE_MEMORY", "1G"}}, [] {
    std::vector<CUcontext> contexts(10);
    for (int i = 0; i < 10; ++i) OK(cuDevicePrimaryCtxRetain(&contexts[static_cast<size_t>(i)], i));
    for (size_t i = 1; i <= 8; ++i) OK(cuCtxEnablePeerAccess(contexts[i], 0));
    EXPECT_EQ(cuCtxEnablePeerAccess(contexts[9], 0), CUDA_ERROR_TOO_MANY_PEERS);
    OK(cuCtxSetCurrent(contexts[9]));
    EXPECT_EQ(cuCtxEnablePeerAccess(contexts[0], 0), CUDA_ERROR_TOO_MANY_PEERS) << "either way";
    OK(cuCtxSetCurrent(contexts[1]));
    OK(cuCtxEnablePeerAccess(contexts[0], 0)) << "the connection is there";
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuCtxDisablePeerAccess(contexts[2]));
    OK(cuCtxEnablePeerAccess(contexts[9], 0));
  });
}

TEST(DeviceModel, MayDifferFromDeviceToDevice) {
  on("t4,h200,rtx4090", {}, [] {
    int count = 0;
    OK(cuDeviceGetCount(&count));
    ASSERT_EQ(count, 3);
    // FASTEST_FIRST
    EXPECT_EQ(name_of(0), "NVIDIA GeForce RTX 4090");
    EXPECT_EQ(name_of(1), "NVIDIA H200");
    EXPECT_EQ(name_of(2), "Tesla T4");
    std::set<size_t> memories;
    std::set<std::string> uuids;
    for (int device = 0; device < count; ++device) {
      size_t total = 0;
      CUuuid uuid;
      OK(cuDeviceTotalMem(&total, device));
      OK(cuDeviceGetUuid(&uuid, device));
      memories.insert(total);
      uuids.insert(std::string(uuid.bytes, 16));
    }
    EXPECT_EQ(memories.size(), 3u);
    EXPECT_EQ(uuids.size(), 3u);
    int able = -7;
    OK(cuDeviceCanAccessPeer(&able, 0, 1));
    EXPECT_EQ(able, 0);
  });
}

TEST(DeviceModel, ComesAgainBehindTheListsEnd) {
  on("t4,h200", {{"CUVETTE_DEVICES", "5"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}, [] {
    int count = 0, able = -7;
    OK(cuDeviceGetCount(&count));
    ASSERT_EQ(count, 5);
    for (int device = 0; device < count; ++device)
      EXPECT_EQ(name_of(device), device % 2 == 0 ? "Tesla T4" : "NVIDIA H200");
    OK(cuDeviceCanAccessPeer(&able, 1, 3));
    EXPECT_EQ(able, 1);
    OK(cuDeviceCanAccessPeer(&able, 1, 2));
    EXPECT_EQ(able, 0);
  });
}

TEST(DeviceModel, IsWhatVisibleDevicesLeave) {
  on("t4,h200,orin", {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "2,0"}}, [] {
    int count = 0;
    OK(cuDeviceGetCount(&count));
    ASSERT_EQ(count, 2);
    EXPECT_EQ(name_of(0), "Orin");
    EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED, 0), 1);
    EXPECT_EQ(name_of(1), "Tesla T4");
    EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED, 1), 0);
  });
}

TEST(DeviceModel, OfEightIsFoundByItsOrdinal) {
  on("h200", {{"CUVETTE_DEVICES", "8"}, {"CUDA_VISIBLE_DEVICES", "7,3,0"}}, [] {
    const char* const addresses[] = {"0000:00:0d.0", "0000:00:09.0", "0000:00:06.0"};
    for (int device = 0; device < 3; ++device) {
      char address[16];
      OK(cuDeviceGetPCIBusId(address, sizeof address, device));
      EXPECT_STREQ(address, addresses[device]);
      CUdevice found = -7;
      OK(cuDeviceGetByPCIBusId(&found, address));
      EXPECT_EQ(found, device);
    }
    CUdevice found = -7;
    EXPECT_EQ(cuDeviceGetByPCIBusId(&found, "0000:00:07.0"), CUDA_ERROR_INVALID_DEVICE);
  });
}

}  // namespace
