// SPDX-License-Identifier: Apache-2.0
// Streams: the result of each function. For their order see stream_order_test.cpp.
#include <cuda.h>

#include <set>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

TEST(cuStreamCreate, ChecksItsArguments) {
  const Scene scene;
  CUstream stream = fake_stream(0x1230);
  EXPECT_EQ(cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamCreate(&stream, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamCreate(&stream, ~0u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(stream, fake_stream(0x1230)) << "a failed call leaves the place alone";
}

TEST(cuStreamCreate, NeedsAContext) {
  OK(cuInit(0));
  OK(cuCtxSetCurrent(nullptr));
  CUstream stream;
  EXPECT_EQ(cuStreamCreate(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuStreamCreate, GivesEachItsOwnHandle) {
  const Scene scene;
  std::set<CUstream> streams;
  for (int i = 0; i < 100; ++i) streams.insert(new_stream());
  EXPECT_EQ(streams.size(), 100u);
  for (const CUstream special : {CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD})
    EXPECT_FALSE(streams.contains(special));
  for (const CUstream stream : streams) OK(cuStreamDestroy(stream));
}

TEST(cuStreamCreateWithPriority, KeepsToTheRange) {
  const Scene scene;
  int least = -1, greatest = 1;
  OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, 0);
  for (const int wanted : {-1000, greatest - 1, greatest, greatest + 1, -1, 0, 1, 1000}) {
    CUstream stream;
    OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, wanted));
    int priority = 99;
    OK(cuStreamGetPriority(stream, &priority));
    EXPECT_EQ(priority, std::max(greatest, std::min(least, wanted)));
    OK(cuStreamDestroy(stream));
  }
  CUstream stream;
  EXPECT_EQ(cuStreamCreateWithPriority(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamCreateWithPriority(&stream, 2, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamGetPriority, KnowsTheSpecialStreams) {
  const Scene scene;
  for (const CUstream special : {CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    int priority = 99;
    OK(cuStreamGetPriority(special, &priority));
    EXPECT_EQ(priority, 0);
  }
  EXPECT_EQ(cuStreamGetPriority(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamGetFlags, SaysWhatWasAskedFor) {
  const Scene scene;
  unsigned flags = 99;
  for (const unsigned wanted : {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING}) {
    const CUstream stream = new_stream(wanted);
    OK(cuStreamGetFlags(stream, &flags));
    EXPECT_EQ(flags, wanted);
    OK(cuStreamDestroy(stream));
  }
  for (const CUstream special : {CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    OK(cuStreamGetFlags(special, &flags));
    EXPECT_EQ(flags, unsigned{CU_STREAM_DEFAULT});
  }
  EXPECT_EQ(cuStreamGetFlags(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamGetId, IsUniqueInTheProcess) {
  const Scene scene;
  std::set<unsigned long long> ids;
  const auto id_of = [](CUstream stream) {
    unsigned long long id = 0;
    EXPECT_EQ(cuStreamGetId(stream, &id), CUDA_SUCCESS);
    return id;
  };
  for (int i = 0; i < 20; ++i) {
    const CUstream stream = new_stream();
    ids.insert(id_of(stream));
    EXPECT_EQ(id_of(stream), id_of(stream));
    OK(cuStreamDestroy(stream));
  }
  ids.insert(id_of(nullptr));
  EXPECT_EQ(id_of(nullptr), id_of(CU_STREAM_LEGACY));
  ids.insert(id_of(CU_STREAM_PER_THREAD));
  std::thread([&] {
    OK(cuCtxSetCurrent(scene.context));
    ids.insert(id_of(CU_STREAM_PER_THREAD));
    ids.insert(id_of(CU_STREAM_LEGACY));
  }).join();
  EXPECT_EQ(ids.size(), 20u + 1 + 2) << "one legacy stream, a per-thread stream for each thread";
  EXPECT_EQ(cuStreamGetId(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// One more than reports and schedules say, which count streams from 0.
TEST(cuStreamGetId, CountsStreams) {
  run_in_child({}, [] {
    OK(cuInit(0));
    CUcontext first, second;
    OK(cuCtxCreate(&first, nullptr, 0, 0));
    const CUstream one = new_stream(), two = new_stream();
    OK(cuCtxCreate(&second, nullptr, 0, 0));
    unsigned long long ids[4] = {};
    OK(cuCtxSetCurrent(first));
    OK(cuStreamGetId(nullptr, &ids[0]));
    OK(cuStreamGetId(one, &ids[1]));
    OK(cuStreamGetId(two, &ids[2]));
    OK(cuCtxSetCurrent(second));
    OK(cuStreamGetId(nullptr, &ids[3]));
    for (unsigned long long i = 0; i < 4; ++i) EXPECT_EQ(ids[i], i + 1);
  });
}

TEST(cuStreamGetCtx, IsTheStreamsOwn) {
  const Scene scene;
  const CUstream stream = new_stream();
  CUcontext other, answer = nullptr;
  OK(cuCtxCreate(&other, nullptr, 0, 0));
  OK(cuStreamGetCtx(stream, &answer));
  EXPECT_EQ(answer, scene.context);
  for (const CUstream special : {CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    OK(cuStreamGetCtx(special, &answer));
    EXPECT_EQ(answer, other) << "of the current context";
  }
  EXPECT_EQ(cuStreamGetCtx(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
  OK(cuCtxDestroy(other));
}

TEST(cuStreamGetDevice, IsTheContexts) {
  const Scene scene;
  CUdevice device = -1;
  OK(cuStreamGetDevice(new_stream(), &device));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuStreamGetDevice(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamQuery, TellsWhetherThereIsWork) {
  const Scene scene;
  for (const CUstream stream : {new_stream(), new_stream(CU_STREAM_DEFAULT), CUstream{nullptr},
                                CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    OK(cuStreamQuery(stream));
    Gate gate(stream);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    gate.open();
    EXPECT_TRUE(eventually([&] { return cuStreamQuery(stream) == CUDA_SUCCESS; }))
        << "nobody has to synchronise";
  }
}

TEST(cuStreamSynchronize, WaitsForAllWork) {
  const Scene scene;
  for (const CUstream stream : {new_stream(), new_stream(CU_STREAM_DEFAULT), CUstream{nullptr},
                                CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    OK(cuStreamSynchronize(stream));
    Gate gate(stream);
    Log log;
    for (int i = 0; i < 100; ++i) log.note(stream, i);
    std::thread opener([&] {
      let_things_happen();
      gate.open();
    });
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(log.entries().size(), 100u);
    OK(cuStreamQuery(stream));
    opener.join();
  }
}

// Waits return in every scheduling mode of a context.
TEST(cuStreamSynchronize, WorksForEachWayOfWaiting) {
  const Scene scene;
  for (const unsigned flags :
       {CU_CTX_SCHED_AUTO, CU_CTX_SCHED_SPIN, CU_CTX_SCHED_YIELD, CU_CTX_SCHED_BLOCKING_SYNC}) {
    CUcontext context;
    OK(cuCtxCreate(&context, nullptr, flags, 0));
    const CUstream stream = new_stream();
    Gate gate(stream);
    std::thread opener([&] {
      let_things_happen();
      gate.open();
    });
    OK(cuStreamSynchronize(stream));
    opener.join();
    OK(cuCtxDestroy(context));
  }
}

TEST(cuStreamDestroy, EndsTheHandle) {
  const Scene scene;
  const CUstream stream = new_stream();
  OK(cuStreamDestroy(stream));
  unsigned number;
  int priority;
  unsigned long long id;
  CUcontext context;
  CUlaunchAttributeValue value{};
  const CUevent event = new_event();
  const CUdeviceptr memory = new_memory(64);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamGetFlags(stream, &number), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamGetPriority(stream, &priority), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamGetId(stream, &id), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamGetCtx(stream, &context), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemsetD8Async(memory, 0, 64, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchHostFunc(
                stream, [](void*) {}, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamDestroy, RefusesWhatIsNoStreamOfOurs) {
  const Scene scene;
  CUevent event = new_event();
  for (const CUstream stream :
       {CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, fake_stream(3),
        fake_stream(0x123456789a0), fake_stream(~uintptr_t{0}), reinterpret_cast<CUstream>(&event),
        reinterpret_cast<CUstream>(event)})
    EXPECT_EQ(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE) << stream;
  OK(cuEventDestroy(event));
}

TEST(cuStreamDestroy, LeavesTheWork) {
  const Scene scene;
  Log log;
  {
    const CUstream stream = new_stream();
    Gate gate(stream);
    log.note(stream, 1);
    log.note(stream, 2);
    OK(cuStreamDestroy(stream));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_TRUE(log.entries().empty());
    gate.open();
    OK(cuCtxSynchronize());  // covers streams whose handles are gone
    EXPECT_EQ(log.entries(), (std::vector<int>{1, 2}));
  }
}

TEST(cuStreamDestroy, LeavesTheWorkThatWaitsForAnotherStream) {
  const Scene scene;
  const CUstream first = new_stream(), second = new_stream();
  const CUevent event = new_event();
  const CUdeviceptr memory = new_memory(4);
  OK(cuMemsetD32(memory, 1, 1));
  Gate gate(first);
  OK(cuEventRecord(event, first));
  OK(cuStreamWaitEvent(second, event, 0));
  OK(cuMemsetD32Async(memory, 2, 1, second));
  OK(cuStreamDestroy(second));
  OK(cuEventDestroy(event));
  OK(cuStreamDestroy(first));
  gate.open();
  OK(cuCtxSynchronize());
  unsigned value = 0;
  OK(cuMemcpyDtoH(&value, memory, 4));
  EXPECT_EQ(value, 2u);
}

}  // namespace
