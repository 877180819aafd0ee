// SPDX-License-Identifier: Apache-2.0
// Memory and processes when the same process uses CUDA. The bytes that an H200 reserves, and those
// that a context takes, were measured on one.
#include <cuda.h>
#include <unistd.h>

#include "nvml.hpp"
#include "tests/api/driver/peer.hpp"
#include "tests/api/driver/process_register.hpp"

namespace {

constexpr unsigned long long total = 150754820096, reserved = 644939776, context = 552402944;

nvmlMemory_v2_t memory_of(nvmlDevice_t device) {
  nvmlMemory_v2_t memory = {};
  memory.version = nvmlMemory_v2;
  EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device, &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.total, memory.used + memory.free + memory.reserved);
  return memory;
}

// A context on a device, destroyed in the end.
class Context {
 public:
  explicit Context(int ordinal) {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxCreate(&context_, nullptr, 0, ordinal), CUDA_SUCCESS);
  }
  ~Context() { EXPECT_EQ(cuCtxDestroy(context_), CUDA_SUCCESS); }
  Context(const Context&) = delete;

 private:
  CUcontext context_ = nullptr;
};

void in_child(const Environment& environment, const std::function<void()>& body) {
  const ProcessRegister own;  // no other test's processes count
  EXPECT_EQ(run_in_child(environment,
                         [&] {
                           const Library library;
                           body();
                         }),
            "");
}

TEST(nvmlDeviceGetMemoryInfo_v2, NeedsNoDriverAndStartsNone) {
  in_child({}, [] {
    const nvmlMemory_v2_t memory = memory_of(device_at(0));
    EXPECT_EQ(memory.total, total);
    EXPECT_EQ(memory.reserved, reserved);
    EXPECT_EQ(memory.used, 0u);
    int count = 0;
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  });
}

TEST(nvmlDeviceGetMemoryInfo_v2, CountsWhatCudaAllocates) {
  in_child({}, [] {
    const nvmlDevice_t device = device_at(0);
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(memory_of(device).used, 0u);
    {
      const Context one(0);
      EXPECT_EQ(memory_of(device).used, context);
      CUdeviceptr bytes = 0;
      ASSERT_EQ(cuMemAlloc(&bytes, size_t{1} << 30), CUDA_SUCCESS);
      EXPECT_EQ(memory_of(device).used, context + (1ull << 30));
      EXPECT_EQ(cuMemFree(bytes), CUDA_SUCCESS);
      EXPECT_EQ(memory_of(device).used, context);
    }
    EXPECT_EQ(memory_of(device).used, 0u);
  });
}

struct Nothing {};

// Another process with a context on the first device that it sees: 'a' allocates 1 GiB, 'd' ends
// the context.
Peer<Nothing>::Answer serve(Nothing&) {
  CUcontext context = nullptr;
  if (cuInit(0) != CUDA_SUCCESS || cuCtxCreate(&context, nullptr, 0, 0) != CUDA_SUCCESS) return {};
  return [context](char letter) -> int {
    CUdeviceptr memory = 0;
    return letter == 'a' ? cuMemAlloc(&memory, size_t{1} << 30) : cuCtxDestroy(context);
  };
}

TEST(nvmlDeviceGetMemoryInfo_v2, CountsAllProcesses) {
  const ProcessRegister own;
  EXPECT_EQ(run_in_child({},
                         [] {
                           Peer<Nothing> one(serve), other(serve);
                           const Library library;
                           const nvmlDevice_t device = device_at(0);
                           EXPECT_EQ(memory_of(device).used, 2 * context);
                           EXPECT_EQ(one.tell('a'), CUDA_SUCCESS);
                           EXPECT_EQ(memory_of(device).used, 2 * context + (1ull << 30));
                           const Context third(0);
                           EXPECT_EQ(memory_of(device).used, 3 * context + (1ull << 30));
                           one.end();
                           EXPECT_EQ(memory_of(device).used, 2 * context);
                         }),
            "");
}

// Each process has the whole device, so all of them may have more than it has.
TEST(nvmlDeviceGetMemoryInfo_v2, NeverHasMoreInUseThanThereIs) {
  const ProcessRegister own;
  EXPECT_EQ(run_in_child({{"CUVETTE_MEMORY", "1200M"}},
                         [] {
                           Peer<Nothing> one(serve), other(serve);
                           const Library library;
                           EXPECT_EQ(one.tell('a'), CUDA_SUCCESS);
                           EXPECT_EQ(other.tell('a'), CUDA_SUCCESS);
                           const nvmlMemory_v2_t memory = memory_of(device_at(0));
                           EXPECT_EQ(memory.used, memory.total);
                           EXPECT_EQ(memory.free, 0u);
                         }),
            "");
}

TEST(nvmlDeviceGetMemoryInfo_v2, WantsItsVersion) {
  in_child({}, [] {
    nvmlMemory_v2_t memory = {};
    for (const unsigned version : {0u, 2u, 0x1000028u, 0x2000020u}) {
      memory.version = version;
      EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device_at(0), &memory), NVML_ERROR_FUNCTION_NOT_FOUND);
      EXPECT_EQ(memory.total, 0u);
    }
    EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device_at(0), nullptr), NVML_ERROR_INVALID_ARGUMENT);
  });
}

// CUDA sees only the machine's second device, as its device 0.
TEST(nvmlDeviceGetMemoryInfo_v2, KnowsWhichDeviceCudaMeans) {
  in_child({{"CUVETTE_DEVICES", "2"}, {"CUDA_VISIBLE_DEVICES", "1"}}, [] {
    const Context one(0);
    EXPECT_EQ(memory_of(device_at(0)).used, 0u);
    EXPECT_EQ(memory_of(device_at(1)).used, context);
  });
}

TEST(nvmlDeviceGetMemoryInfo_v2, HasTheSizeThatTheKnobSets) {
  in_child({{"CUVETTE_MEMORY", "8G"}}, [] {
    EXPECT_EQ(memory_of(device_at(0)).total, 8ull << 30);
    EXPECT_EQ(memory_of(device_at(0)).reserved, 0u);
    const Context one(0);
    size_t free = 0, all = 0;
    EXPECT_EQ(cuMemGetInfo(&free, &all), CUDA_SUCCESS);
    EXPECT_EQ(memory_of(device_at(0)).total, all);
  });
}

TEST(nvmlDeviceGetMemoryInfo, CountsWhatIsReservedAsUsed) {
  in_child({}, [] {
    nvmlMemory_t memory = {};
    EXPECT_EQ(nvmlDeviceGetMemoryInfo(device_at(0), nullptr), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetMemoryInfo(device_at(0), &memory), NVML_SUCCESS);
    EXPECT_EQ(memory.used, reserved);
    const Context one(0);
    EXPECT_EQ(nvmlDeviceGetMemoryInfo(device_at(0), &memory), NVML_SUCCESS);
    EXPECT_EQ(memory.total, total);
    EXPECT_EQ(memory.used, 1197342720u);  // measured on an H200 with one context
    EXPECT_EQ(memory.free, 149557477376u);
  });
}

template <typename Info>
void expect_this_process(nvmlReturn_t (*function)(nvmlDevice_t, unsigned*, Info*)) {
  in_child({}, [&] {
    Info infos[2] = {};
    unsigned count = 2;
    EXPECT_EQ(function(device_at(0), &count, infos), NVML_SUCCESS);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(function(device_at(0), nullptr, infos), NVML_ERROR_INVALID_ARGUMENT);
    const Context one(0);
    EXPECT_EQ(function(device_at(0), &count, infos), NVML_ERROR_INSUFFICIENT_SIZE);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(function(device_at(0), &count, infos), NVML_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(infos[0].pid, static_cast<unsigned>(getpid()));
    EXPECT_EQ(infos[0].usedGpuMemory, context);
    EXPECT_EQ(infos[1].pid, 0u);
    if constexpr (requires { infos[0].gpuInstanceId; }) {
      EXPECT_EQ(infos[0].gpuInstanceId, 0xffffffffu);
      EXPECT_EQ(infos[0].computeInstanceId, 0xffffffffu);
    }
  });
}

// Its own process comes first, if it has a context; others are there while they have one.
template <typename Info>
void expect_all_processes(nvmlReturn_t (*function)(nvmlDevice_t, unsigned*, Info*)) {
  const ProcessRegister own;
  EXPECT_EQ(run_in_child({{"CUVETTE_DEVICES", "2"}},
                         [&] {
                           Peer<Nothing> one(serve);
                           Peer<Nothing> hidden([](Nothing& nothing) {
                             setenv("CUDA_VISIBLE_DEVICES", "1", 1);
                             return serve(nothing);
                           });
                           const Library library;
                           Info infos[4] = {};
                           unsigned count = 4;
                           EXPECT_EQ(function(device_at(0), &count, infos), NVML_SUCCESS);
                           EXPECT_EQ(count, 1u);
                           EXPECT_EQ(infos[0].pid, static_cast<unsigned>(one.id()));
                           EXPECT_EQ(infos[0].usedGpuMemory, context);
                           count = 0;
                           EXPECT_EQ(function(device_at(1), &count, nullptr),
                                     NVML_ERROR_INSUFFICIENT_SIZE);
                           EXPECT_EQ(count, 1u);
                           EXPECT_EQ(function(device_at(1), &count, infos), NVML_SUCCESS);
                           EXPECT_EQ(infos[0].pid, static_cast<unsigned>(hidden.id()));
                           {
                             const Context third(0);
                             EXPECT_EQ(one.tell('a'), CUDA_SUCCESS);
                             count = 4;
                             EXPECT_EQ(function(device_at(0), &count, infos), NVML_SUCCESS);
                             EXPECT_EQ(count, 2u);
                             EXPECT_EQ(infos[0].pid, static_cast<unsigned>(getpid()));
                             EXPECT_EQ(infos[1].pid, static_cast<unsigned>(one.id()));
                             EXPECT_EQ(infos[1].usedGpuMemory, context + (1ull << 30));
                           }
                           EXPECT_EQ(one.tell('d'), CUDA_SUCCESS);
                           count = 4;
                           EXPECT_EQ(function(device_at(0), &count, infos), NVML_SUCCESS);
                           EXPECT_EQ(count, 0u);
                           hidden.end();
                           count = 4;
                           EXPECT_EQ(function(device_at(1), &count, infos), NVML_SUCCESS);
                           EXPECT_EQ(count, 0u);
                         }),
            "");
}

template <typename Info>
void expect_no_process(nvmlReturn_t (*function)(nvmlDevice_t, unsigned*, Info*)) {
  in_child({}, [&] {
    const Context one(0);
    unsigned count = 3;
    EXPECT_EQ(function(device_at(0), &count, nullptr), NVML_SUCCESS);
    EXPECT_EQ(count, 0u);
  });
}

TEST(nvmlDeviceGetComputeRunningProcesses_v3, IsThisOneWithAContext) {
  expect_this_process(nvmlDeviceGetComputeRunningProcesses_v3);
}
TEST(nvmlDeviceGetComputeRunningProcesses_v3, AreAllWithAContext) {
  expect_all_processes(nvmlDeviceGetComputeRunningProcesses_v3);
}
TEST(nvmlDeviceGetComputeRunningProcesses_v2, IsThisOneWithAContext) {
  expect_this_process(nvmlDeviceGetComputeRunningProcesses_v2);
}
TEST(nvmlDeviceGetComputeRunningProcesses_v2, AreAllWithAContext) {
  expect_all_processes(nvmlDeviceGetComputeRunningProcesses_v2);
}
TEST(nvmlDeviceGetComputeRunningProcesses, IsThisOneWithAContext) {
  expect_this_process(nvmlDeviceGetComputeRunningProcesses);
}
TEST(nvmlDeviceGetComputeRunningProcesses, AreAllWithAContext) {
  expect_all_processes(nvmlDeviceGetComputeRunningProcesses);
}
TEST(nvmlDeviceGetGraphicsRunningProcesses_v3, IsNone) {
  expect_no_process(nvmlDeviceGetGraphicsRunningProcesses_v3);
}
TEST(nvmlDeviceGetGraphicsRunningProcesses_v2, IsNone) {
  expect_no_process(nvmlDeviceGetGraphicsRunningProcesses_v2);
}
TEST(nvmlDeviceGetGraphicsRunningProcesses, IsNone) {
  expect_no_process(nvmlDeviceGetGraphicsRunningProcesses);
}
TEST(nvmlDeviceGetMPSComputeRunningProcesses_v3, IsNone) {
  expect_no_process(nvmlDeviceGetMPSComputeRunningProcesses_v3);
}
TEST(nvmlDeviceGetMPSComputeRunningProcesses_v2, IsNone) {
  expect_no_process(nvmlDeviceGetMPSComputeRunningProcesses_v2);
}
TEST(nvmlDeviceGetMPSComputeRunningProcesses, IsNone) {
  expect_no_process(nvmlDeviceGetMPSComputeRunningProcesses);
}

}  // namespace
