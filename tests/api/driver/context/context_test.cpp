// SPDX-License-Identifier: Apache-2.0
// Contexts, and each thread's stack of them. Settings are tested in context_settings_test.cpp.
#include <cuda.h>

#include <random>
#include <thread>
#include <vector>

#include "tests/api/driver/gate.hpp"

extern "C" CUresult cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev);

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

CUcontext current() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
  return context;
}

CUcontext create(unsigned flags = 0) {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxCreate_v4(&context, nullptr, flags, 0), CUDA_SUCCESS);
  return context;
}

void empty_the_stack() {
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  while (cuCtxPopCurrent(nullptr) == CUDA_SUCCESS) {
  }
}

CUcontext handle(uintptr_t number) { return reinterpret_cast<CUcontext>(number); }

TEST(cuCtxCreate_v4, MakesANewContextCurrent) {
  empty_the_stack();
  const CUcontext one = create();
  EXPECT_EQ(current(), one);
  const CUcontext two = create();
  EXPECT_EQ(current(), two);
  EXPECT_NE(one, two);
  OK(cuCtxDestroy(two));
  EXPECT_EQ(current(), one);
  OK(cuCtxDestroy(one));
}

TEST(cuCtxCreate_v4, ChecksItsArguments) {
  empty_the_stack();
  CUcontext context = handle(5);
  EXPECT_EQ(cuCtxCreate_v4(nullptr, nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate_v4(nullptr, nullptr, 0x400, 1000), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuCtxCreate_v4(&context, nullptr, 0, -1), CUDA_ERROR_INVALID_DEVICE);
  for (const unsigned flags : {3u, 5u, 6u, 7u, 0x100u, 0x400u, ~0u})
    EXPECT_EQ(cuCtxCreate_v4(&context, nullptr, flags, 0), CUDA_ERROR_INVALID_VALUE) << flags;
  EXPECT_EQ(context, handle(5));
  EXPECT_EQ(current(), nullptr);
}

TEST(cuCtxCreate_v2, IsTheOldForm) {
  empty_the_stack();
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxCreate_v2(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate_v2(&context, 0, 1000), CUDA_ERROR_INVALID_DEVICE);
  OK(cuCtxCreate_v2(&context, CU_CTX_SCHED_SPIN, 0));
  EXPECT_EQ(current(), context);
  OK(cuCtxDestroy(context));
}

TEST(cuCtxDestroy, EndsWhatIsInTheContext) {
  empty_the_stack();
  const CUcontext context = create();
  const CUdeviceptr memory = new_memory(100);
  const CUstream stream = new_stream();
  const CUevent event = new_event();
  OK(cuCtxDestroy(context));
  EXPECT_EQ(current(), nullptr);
  const CUcontext other = create();
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8(memory, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxDestroy(other));
}

TEST(cuCtxDestroy, WaitsForWork) {
  empty_the_stack();
  const Scene scene;
  const CUdeviceptr target = new_memory(64);
  const CUcontext context = create();
  const CUstream stream = new_stream();
  std::atomic<bool> destroyed{false};
  std::thread other;
  {
    Gate gate(stream);
    OK(cuMemsetD8Async(target, 5, 64, stream));
    other = std::thread([&] {
      OK(cuCtxDestroy(context));
      destroyed = true;
    });
    let_things_happen();
    EXPECT_FALSE(destroyed);
  }
  other.join();
  OK(cuCtxSetCurrent(scene.context));
  unsigned char last = 0;
  OK(cuMemcpyDtoH(&last, target + 63, 1));
  EXPECT_EQ(last, 5);
}

// An event keeps the stream in which it was recorded, and a context's own stream does not keep the
// context. AddressSanitizer sees what is touched afterwards.
TEST(cuCtxDestroy, EndsBeforeAnEventOfItsLegacyStream) {
  empty_the_stack();
  const CUcontext other = create();
  const CUstream waiting = new_stream();
  const CUcontext context = create();
  const CUevent event = new_event();
  OK(cuEventRecord(event, nullptr));
  OK(cuStreamWaitEvent(waiting, event, 0));
  OK(cuCtxDestroy(context));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_CONTEXT);
  static_cast<void>(cuEventDestroy(event));
  OK(cuCtxSetCurrent(other));
  OK(cuStreamDestroy(waiting));
  OK(cuCtxDestroy(other));
}

TEST(cuCtxDestroy, RefusesWhatIsNoContext) {
  empty_the_stack();
  const Scene scene;
  static char own[256];
  EXPECT_EQ(cuCtxDestroy(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxDestroy(scene.context), CUDA_ERROR_INVALID_CONTEXT) << "a primary one is released";
  for (const CUcontext wild :
       {handle(1), handle(0x12345), reinterpret_cast<CUcontext>(own), handle(~0ul)})
    EXPECT_EQ(cuCtxDestroy(wild), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxDestroy, LeavesItOnOtherStacks) {
  empty_the_stack();
  const CUcontext one = create(), two = create();
  std::thread([&] { OK(cuCtxDestroy(one)); }).join();
  EXPECT_EQ(current(), two);
  OK(cuCtxPopCurrent(nullptr));
  EXPECT_EQ(current(), one) << "a destroyed context stays until it is popped";
  CUdeviceptr memory;
  CUdevice device = 77;
  unsigned value = 77;
  EXPECT_EQ(cuMemAlloc(&memory, 1), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuMemFree(0), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  OK(cuCtxGetDevice(&device));
  EXPECT_EQ(device, 0);
  OK(cuCtxGetFlags(&value));
  EXPECT_EQ(cuCtxGetApiVersion(one, &value), CUDA_ERROR_INVALID_CONTEXT);
  // From now on the handle stands for a destroyed context.
  EXPECT_EQ(cuCtxDestroy(one), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxSetCurrent(one), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxPushCurrent(one), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxSynchronize_v2(one), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CUcontext popped = nullptr;
  OK(cuCtxPopCurrent(&popped));
  EXPECT_EQ(popped, one);
  EXPECT_EQ(current(), nullptr);
  OK(cuCtxDestroy(two));
}

TEST(cuCtxPushCurrent, StacksTheSameContextAgain) {
  empty_the_stack();
  const CUcontext context = create();
  for (int i = 0; i < 3; ++i) OK(cuCtxPushCurrent(context));
  for (int i = 0; i < 4; ++i) {
    CUcontext popped = nullptr;
    OK(cuCtxPopCurrent(&popped));
    EXPECT_EQ(popped, context);
  }
  EXPECT_EQ(current(), nullptr);
  OK(cuCtxDestroy(context));
  EXPECT_EQ(cuCtxPushCurrent(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxPushCurrent(handle(0x12345)), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxPopCurrent, NeedsSomethingToPop) {
  empty_the_stack();
  CUcontext popped = handle(5);
  EXPECT_EQ(cuCtxPopCurrent(&popped), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPopCurrent(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(popped, handle(5));
  const CUcontext context = create();
  OK(cuCtxPopCurrent(nullptr));
  OK(cuCtxDestroy(context));
}

TEST(cuCtxSetCurrent, ReplacesTheTop) {
  empty_the_stack();
  const CUcontext one = create(), two = create();
  OK(cuCtxSetCurrent(one));
  EXPECT_EQ(current(), one);
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(current(), one) << "null pops";
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(current(), nullptr);
  OK(cuCtxSetCurrent(nullptr));
  OK(cuCtxSetCurrent(two));
  EXPECT_EQ(current(), two) << "and on an empty stack it pushes";
  EXPECT_EQ(cuCtxSetCurrent(handle(0x12345)), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(current(), two);
  OK(cuCtxDestroy(one));
  OK(cuCtxDestroy(two));
}

TEST(cuCtxGetCurrent, BelongsToTheThread) {
  empty_the_stack();
  const CUcontext context = create();
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    CUdeviceptr memory;
    EXPECT_EQ(cuMemAlloc(&memory, 1), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&memory, 1));
  }).join();
  EXPECT_EQ(current(), context);
  OK(cuCtxDestroy(context));
  EXPECT_EQ(cuCtxGetCurrent(nullptr), CUDA_ERROR_INVALID_VALUE);
}

// Eight threads use their stacks at random; each is compared with a model.
TEST(cuCtxGetCurrent, FollowsEveryOrder) {
  empty_the_stack();
  std::vector<CUcontext> contexts;
  for (int i = 0; i < 4; ++i) contexts.push_back(create());
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 8; ++number)
    threads.emplace_back([&, number] {
      std::mt19937 random(number);
      std::vector<CUcontext> stack;
      for (int i = 0; i < 2000; ++i) {
        const CUcontext one = contexts[random() % contexts.size()];
        CUcontext popped = nullptr;
        switch (random() % 4) {
          case 0:
            OK(cuCtxPushCurrent(one));
            stack.push_back(one);
            break;
          case 1:
            EXPECT_EQ(cuCtxPopCurrent(&popped),
                      stack.empty() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS);
            if (stack.empty()) break;
            EXPECT_EQ(popped, stack.back());
            stack.pop_back();
            break;
          case 2:
            OK(cuCtxSetCurrent(one));
            if (!stack.empty()) stack.pop_back();
            stack.push_back(one);
            break;
          default:
            OK(cuCtxSetCurrent(nullptr));
            if (!stack.empty()) stack.pop_back();
        }
        ASSERT_EQ(current(), stack.empty() ? nullptr : stack.back());
      }
    });
  for (auto& thread : threads) thread.join();
  for (const CUcontext context : contexts) OK(cuCtxDestroy(context));
}

TEST(cuCtxAttach, CountsUses) {
  empty_the_stack();
  const CUcontext context = create();
  CUcontext same = nullptr;
  EXPECT_EQ(cuCtxAttach(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxAttach(&same, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuCtxAttach(&same, 0));
  EXPECT_EQ(same, context);
  OK(cuCtxDetach(context));
  OK(cuCtxSynchronize()) << "one use is left";
  OK(cuCtxDetach(context));
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(cuCtxAttach(&same, 0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxDetach, TakesTheCurrentContextOnly) {
  empty_the_stack();
  const CUcontext one = create(), two = create();
  EXPECT_EQ(cuCtxDetach(one), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDetach(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxDetach(two));
  OK(cuCtxDetach(one));
  EXPECT_EQ(cuCtxDetach(one), CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace
