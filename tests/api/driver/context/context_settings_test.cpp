// SPDX-License-Identifier: Apache-2.0
// Queries and settings of a context.
#include <cuda.h>

#include <map>
#include <set>
#include <vector>

#include "tests/api/driver/gate.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

// A newly created context, current while it lives.
class OwnContext {
 public:
  explicit OwnContext(unsigned flags = 0) {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxCreate_v4(&context, nullptr, flags, 0), CUDA_SUCCESS);
  }
  ~OwnContext() { EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS); }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;

  CUcontext context = nullptr;
};

size_t limit(CUlimit number) {
  size_t value = 77;
  EXPECT_EQ(cuCtxGetLimit(&value, number), CUDA_SUCCESS);
  return value;
}

TEST(cuCtxGetFlags, AreThoseOfItsCreation) {
  for (const unsigned flags : {0u, 1u, 2u, 4u, 8u, 16u, 24u, 128u}) {
    const OwnContext own(flags);
    unsigned told = 77;
    OK(cuCtxGetFlags(&told));
    EXPECT_EQ(told, flags);
  }
  EXPECT_EQ(cuCtxGetFlags(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxSetFlags, ChangesSomeOfThem) {
  const OwnContext own;
  unsigned told = 77;
  for (const auto& [flags, expected] : std::map<unsigned, unsigned>{
           {1, 1}, {2, 2}, {4, 4}, {0, 0}, {8, 0}, {16, 16}, {32, 0}, {128, 128}}) {
    OK(cuCtxSetFlags(flags));
    OK(cuCtxGetFlags(&told));
    EXPECT_EQ(told, expected) << flags;
  }
  OK(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
  for (const unsigned flags : {3u, 7u, 0x100u, ~0u})
    EXPECT_EQ(cuCtxSetFlags(flags), CUDA_ERROR_INVALID_VALUE) << flags;
  OK(cuCtxGetFlags(&told));
  EXPECT_EQ(told, 1u);
}

TEST(cuCtxGetId, IsEachContextsOwn) {
  std::set<unsigned long long> seen;
  for (int i = 0; i < 20; ++i) {
    const OwnContext own;
    unsigned long long id = 0, same = 1;
    OK(cuCtxGetId(own.context, &id));
    OK(cuCtxGetId(nullptr, &same));
    EXPECT_EQ(id, same);
    seen.insert(id);
    EXPECT_EQ(cuCtxGetId(own.context, nullptr), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(seen.size(), 20u);
  unsigned long long id;
  EXPECT_EQ(cuCtxGetId(reinterpret_cast<CUcontext>(&id), &id), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxGetApiVersion, IsTheInterfacesNotTheDrivers) {
  const OwnContext own;
  unsigned version = 0;
  OK(cuCtxGetApiVersion(own.context, &version));
  EXPECT_EQ(version, 3020u);
  OK(cuCtxGetApiVersion(nullptr, &version));
  EXPECT_EQ(cuCtxGetApiVersion(own.context, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxGetApiVersion(reinterpret_cast<CUcontext>(&version), &version),
            CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxGetDevice, IsTheContexts) {
  {
    const OwnContext own;
    CUdevice device = 77;
    OK(cuCtxGetDevice(&device));
    EXPECT_EQ(device, 0);
  }
  CUdevice device;
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxGetDevice(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxGetDevice_v2, TakesAContext) {
  const OwnContext own;
  CUdevice device = 77;
  OK(cuCtxGetDevice_v2(&device, own.context));
  EXPECT_EQ(device, 0);
  device = 77;
  OK(cuCtxGetDevice_v2(&device, nullptr));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuCtxGetDevice_v2(nullptr, own.context), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxGetDevice_v2(&device, reinterpret_cast<CUcontext>(&device)),
            CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxSynchronize, WaitsForAllStreams) {
  const OwnContext own;
  const CUdeviceptr memory = new_memory(64);
  std::vector<CUstream> streams;
  for (const unsigned flags : {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING})
    for (int i = 0; i < 4; ++i) streams.push_back(new_stream(flags));
  Log log;
  for (int round = 0; round < 20; ++round)
    for (const CUstream stream : streams) log.note(stream, round);
  OK(cuCtxSynchronize());
  EXPECT_EQ(log.entries().size(), 160u);
  for (const CUstream stream : streams) EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  OK(cuMemFree(memory));
}

TEST(cuCtxSynchronize_v2, WaitsForAnotherContext) {
  const OwnContext first;
  Log log;
  log.note(new_stream(), 1);
  const OwnContext second;
  log.note(nullptr, 2);
  OK(cuCtxSynchronize_v2(first.context));
  OK(cuCtxSynchronize_v2(nullptr));
  EXPECT_EQ(log.entries().size(), 2u);
  EXPECT_EQ(cuCtxSynchronize_v2(reinterpret_cast<CUcontext>(&log)), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxGetLimit, HasDefaults) {
  const OwnContext own;
  EXPECT_EQ(limit(CU_LIMIT_STACK_SIZE), 1024u);
  EXPECT_EQ(limit(CU_LIMIT_MALLOC_HEAP_SIZE), 8u << 20);
  size_t value = 77;
  EXPECT_EQ(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH), CUDA_ERROR_UNSUPPORTED_LIMIT);
  for (const int number : {-1, 99})
    EXPECT_NE(cuCtxGetLimit(&value, static_cast<CUlimit>(number)), CUDA_SUCCESS);
  EXPECT_EQ(value, 77u);
}

TEST(cuCtxSetLimit, SettlesAsMeasured) {
  const OwnContext own;
  struct Setting {
    CUlimit number;
    size_t wanted, settled;
  };
  for (const Setting& setting :
       {Setting{CU_LIMIT_STACK_SIZE, 3000, 3008}, Setting{CU_LIMIT_STACK_SIZE, 1, 16},
        Setting{CU_LIMIT_PRINTF_FIFO_SIZE, 1, 512 << 10},
        Setting{CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20, 1 << 20},
        Setting{CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20, 4 << 20},
        Setting{CU_LIMIT_MALLOC_HEAP_SIZE, 64 << 20, 64 << 20},
        Setting{CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 0, 32},
        Setting{CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 3000, 3000},
        Setting{CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 128, 128},
        Setting{CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1, 3932160}}) {
    OK(cuCtxSetLimit(setting.number, setting.wanted));
    EXPECT_EQ(limit(setting.number), setting.settled) << setting.number;
  }
  const size_t before = limit(CU_LIMIT_STACK_SIZE);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, size_t{1} << 20), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(limit(CU_LIMIT_STACK_SIZE), before);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, ~size_t{0}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_SHMEM_SIZE, 0), CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2), CUDA_ERROR_UNSUPPORTED_LIMIT);
  const OwnContext other;
  EXPECT_EQ(limit(CU_LIMIT_STACK_SIZE), 1024u) << "each context has its own";
}

TEST(cuCtxSetCacheConfig, IsKept) {
  const OwnContext own;
  CUfunc_cache config;
  for (const auto wanted : {CU_FUNC_CACHE_PREFER_SHARED, CU_FUNC_CACHE_PREFER_L1,
                            CU_FUNC_CACHE_PREFER_EQUAL, CU_FUNC_CACHE_PREFER_NONE}) {
    OK(cuCtxSetCacheConfig(wanted));
    OK(cuCtxGetCacheConfig(&config));
    EXPECT_EQ(config, wanted);
  }
  for (const int wrong : {-1, 4}) {
    EXPECT_EQ(cuCtxSetCacheConfig(static_cast<CUfunc_cache>(wrong)), CUDA_ERROR_INVALID_VALUE);
  }
}

TEST(cuCtxGetCacheConfig, BeginsWithNoPreference) {
  const OwnContext own;
  CUfunc_cache config = CU_FUNC_CACHE_PREFER_L1;
  OK(cuCtxGetCacheConfig(&config));
  EXPECT_EQ(config, CU_FUNC_CACHE_PREFER_NONE);
  EXPECT_EQ(cuCtxGetCacheConfig(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxSetSharedMemConfig, DoesNothingWhereBanksAreFixed) {
  const OwnContext own;
  for (int config = 0; config <= 2; ++config) {
    CUsharedconfig told = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
    OK(cuCtxSetSharedMemConfig(static_cast<CUsharedconfig>(config)));
    OK(cuCtxGetSharedMemConfig(&told));
    EXPECT_EQ(told, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  }
  for (const int config : {-1, 3})
    EXPECT_EQ(cuCtxSetSharedMemConfig(static_cast<CUsharedconfig>(config)),
              CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxGetSharedMemConfig, ChecksItsArgument) {
  const OwnContext own;
  EXPECT_EQ(cuCtxGetSharedMemConfig(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxGetStreamPriorityRange, MayBeAskedForEither) {
  const OwnContext own;
  int least = 77, greatest = 77;
  OK(cuCtxGetStreamPriorityRange(&least, nullptr));
  OK(cuCtxGetStreamPriorityRange(nullptr, &greatest));
  OK(cuCtxGetStreamPriorityRange(nullptr, nullptr));
  EXPECT_EQ(least, 0);
  EXPECT_EQ(greatest, -5);
}

TEST(cuCtxGetExecAffinity, IsTheWholeDevice) {
  const OwnContext own;
  CUexecAffinityParam affinity{};
  int multiprocessors = 0;
  OK(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
  OK(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  EXPECT_EQ(affinity.type, CU_EXEC_AFFINITY_TYPE_SM_COUNT);
  EXPECT_EQ(affinity.param.smCount.val, static_cast<unsigned>(multiprocessors));
  EXPECT_EQ(cuCtxGetExecAffinity(nullptr, CU_EXEC_AFFINITY_TYPE_SM_COUNT),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxGetExecAffinity(&affinity, static_cast<CUexecAffinityType>(5)),
            CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
}

TEST(cuCtxResetPersistingL2Cache, NeedsAContext) {
  {
    const OwnContext own;
    OK(cuCtxResetPersistingL2Cache());
  }
  EXPECT_EQ(cuCtxResetPersistingL2Cache(), CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace
