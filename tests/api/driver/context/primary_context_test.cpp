// SPDX-License-Identifier: Apache-2.0
// Primary contexts: how they are kept, end and come back.
#include <cuda.h>

#include <random>
#include <thread>
#include <vector>

#include "tests/api/driver/gate.hpp"

namespace {

struct State {
  unsigned flags = 77;
  int active = 77;
};
State state() {
  State state;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &state.flags, &state.active), CUDA_SUCCESS);
  return state;
}

CUcontext retain() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  return context;
}

TEST(cuDevicePrimaryCtxRetain, GivesOneContext) {
  OK(cuInit(0));
  EXPECT_EQ(state().active, 0);
  const CUcontext one = retain(), two = retain();
  EXPECT_NE(one, nullptr);
  EXPECT_EQ(one, two);
  EXPECT_EQ(state().active, 1);
  CUcontext current = one;
  OK(cuCtxGetCurrent(&current));
  EXPECT_EQ(current, nullptr) << "retaining makes nothing current";
  OK(cuDevicePrimaryCtxRelease(0));
  EXPECT_EQ(state().active, 1);
  OK(cuDevicePrimaryCtxRelease(0));
  EXPECT_EQ(state().active, 0);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  CUcontext context;
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 1000), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(nullptr, -1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(state().active, 0);
}

TEST(cuDevicePrimaryCtxRelease, EndsWhatIsInTheContext) {
  OK(cuInit(0));
  const CUcontext context = retain();
  OK(cuCtxSetCurrent(context));
  const CUdeviceptr memory = new_memory(100);
  const CUstream stream = new_stream();
  const CUevent event = new_event();
  unsigned long long before = 0, after = 0;
  OK(cuCtxGetId(context, &before));
  OK(cuDevicePrimaryCtxRelease(0));
  CUdeviceptr more;
  EXPECT_EQ(cuMemAlloc(&more, 100), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxSynchronize_v2(context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxGetId(context, &after), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CUdevice device = 77;
  OK(cuCtxGetDevice(&device)) << "it still knows its device";
  EXPECT_EQ(device, 0);

  EXPECT_EQ(retain(), context) << "it comes back as the same";
  OK(cuCtxGetId(context, &after));
  EXPECT_NE(after, before) << "and is another";
  OK(cuMemAlloc(&more, 100));
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuDevicePrimaryCtxRelease(0));
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuDevicePrimaryCtxRelease(1000), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDevicePrimaryCtxRelease, WaitsForWork) {
  OK(cuInit(0));
  OK(cuCtxSetCurrent(retain()));
  const CUstream stream = new_stream();
  static unsigned char target[64];
  const CUdeviceptr memory = new_memory(64);
  OK(cuMemHostRegister(target, sizeof target, 0));
  std::atomic<bool> released{false};
  std::thread other;
  {
    Gate gate(stream);
    OK(cuMemsetD8Async(memory, 5, 64, stream));
    OK(cuMemcpyDtoHAsync(target, memory, 64, stream));
    other = std::thread([&] {
      OK(cuDevicePrimaryCtxRelease(0));
      released = true;
    });
    let_things_happen();
    EXPECT_FALSE(released);
    EXPECT_EQ(target[0], 0);
  }
  other.join();
  EXPECT_EQ(target[63], 5);
  OK(cuCtxSetCurrent(nullptr));
}

TEST(cuDevicePrimaryCtxReset, LeavesReferencesToBeReleased) {
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxReset(0)) << "there is nothing to reset";
  OK(cuCtxSetCurrent(retain()));
  retain();
  const CUdeviceptr memory = new_memory(100);
  OK(cuDevicePrimaryCtxReset(0));
  EXPECT_EQ(state().active, 0);
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  OK(cuDevicePrimaryCtxReset(0));
  OK(cuDevicePrimaryCtxRelease(0));
  retain();
  EXPECT_EQ(state().active, 1);
  OK(cuDevicePrimaryCtxRelease(0));
  EXPECT_EQ(state().active, 1) << "one reference is of before the reset";
  OK(cuDevicePrimaryCtxRelease(0));
  EXPECT_EQ(state().active, 0);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxReset(1000), CUDA_ERROR_INVALID_DEVICE);
  OK(cuCtxSetCurrent(nullptr));
}

TEST(cuDevicePrimaryCtxSetFlags, LastsUntilTheContextEnds) {
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
  EXPECT_EQ(state().flags, unsigned{CU_CTX_SCHED_BLOCKING_SYNC});
  OK(cuCtxSetCurrent(retain()));
  unsigned flags = 0;
  OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST});
  OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD)) << "also while it lives";
  OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST});
  for (const unsigned wrong : {3u, 5u, 7u, 0x400u, ~0u})
    EXPECT_EQ(cuDevicePrimaryCtxSetFlags(0, wrong), CUDA_ERROR_INVALID_VALUE) << wrong;
  EXPECT_EQ(state().flags, unsigned{CU_CTX_SCHED_YIELD});
  OK(cuDevicePrimaryCtxRelease(0));
  EXPECT_EQ(state().flags, 0u);
  EXPECT_EQ(cuDevicePrimaryCtxSetFlags(1000, 0), CUDA_ERROR_INVALID_DEVICE);
  OK(cuCtxSetCurrent(nullptr));
}

TEST(cuDevicePrimaryCtxGetState, ChecksItsArguments) {
  OK(cuInit(0));
  unsigned flags;
  int active;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, nullptr, &active), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(1000, &flags, &active), CUDA_ERROR_INVALID_DEVICE);
}

// Retains, releases and resets in random order, compared with a count.
TEST(cuDevicePrimaryCtxGetState, FollowsEveryOrder) {
  OK(cuInit(0));
  std::mt19937 random(7);
  int references = 0;
  bool active = false;
  for (int i = 0; i < 2000; ++i) {
    switch (random() % 5) {
      case 0:
      case 1:
        retain();
        ++references;
        active = true;
        break;
      case 2:
      case 3:
        EXPECT_EQ(cuDevicePrimaryCtxRelease(0),
                  references ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT);
        if (references && --references == 0) active = false;
        break;
      default:
        OK(cuDevicePrimaryCtxReset(0));
        active = false;
    }
    ASSERT_EQ(state().active, active) << i;
  }
  while (references-- > 0) OK(cuDevicePrimaryCtxRelease(0));
  EXPECT_EQ(state().active, 0);
}

TEST(cuDevicePrimaryCtxRetain, ServesManyThreads) {
  OK(cuInit(0));
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) {
        OK(cuCtxSetCurrent(retain()));
        CUdeviceptr memory;
        OK(cuMemAlloc(&memory, 1000));
        OK(cuMemsetD8(memory, 1, 1000));
        OK(cuMemFree(memory));
        OK(cuDevicePrimaryCtxRelease(0));
        OK(cuCtxSetCurrent(nullptr));
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(state().active, 0);
}

}  // namespace
