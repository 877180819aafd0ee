// SPDX-License-Identifier: Apache-2.0
// Events: snapshots of a stream, and the time between them.
#include <cuda.h>

#include "tests/api/driver/gate.hpp"

// The version from before 12.8, which programs built then still call.
extern "C" CUresult first_elapsed_time(float*, CUevent, CUevent) __asm__("cuEventElapsedTime");

namespace {

TEST(cuEventCreate, ChecksItsArguments) {
  const Scene scene;
  CUevent event = fake_event(0x1230);
  EXPECT_EQ(cuEventCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventCreate(&event, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventCreate(&event, ~0u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventCreate(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE)
      << "it keeps no time";
  EXPECT_EQ(event, fake_event(0x1230));
  for (const unsigned flags :
       {0u, unsigned{CU_EVENT_BLOCKING_SYNC}, unsigned{CU_EVENT_DISABLE_TIMING},
        unsigned{CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING},
        unsigned{CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING}}) {
    OK(cuEventCreate(&event, flags));
    OK(cuEventDestroy(event));
  }
}

TEST(cuEventQuery, OfNothingRecordedIsSuccess) {
  const Scene scene;
  const CUevent event = new_event();
  OK(cuEventQuery(event));
  OK(cuEventSynchronize(event));
  Gate gate(nullptr);
  OK(cuStreamWaitEvent(new_stream(), event, 0));
  OK(cuEventQuery(event));
}

TEST(cuEventQuery, FollowsTheStream) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUevent before = new_event(), after = new_event();
  OK(cuEventRecord(before, stream));
  OK(cuEventSynchronize(before));
  Gate gate(stream);
  OK(cuEventRecord(after, stream));
  OK(cuEventQuery(before));
  EXPECT_EQ(cuEventQuery(after), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_TRUE(eventually([&] { return cuEventQuery(after) == CUDA_SUCCESS; }));
}

TEST(cuEventRecord, IsASnapshot) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUevent event = new_event();
  OK(cuEventRecord(event, stream));
  Gate gate(stream);  // comes later, so the event does not cover it
  OK(cuEventSynchronize(event));
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
}

TEST(cuEventRecord, AgainForgetsTheRecordBefore) {
  const Scene scene;
  const CUstream gated = new_stream(), free = new_stream();
  const CUevent event = new_event();
  Gate gate(gated);
  OK(cuEventRecord(event, gated));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  OK(cuEventRecord(event, free));
  OK(cuEventSynchronize(event));  // the gate is still closed
  OK(cuEventRecord(event, gated));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
}

TEST(cuEventRecord, ManyTimesInOneStream) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUevent event = new_event(CU_EVENT_DEFAULT);
  Gate gate(stream);
  for (int i = 0; i < 1000; ++i) OK(cuEventRecord(event, stream));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  gate.open();
  OK(cuEventSynchronize(event));
  OK(cuStreamQuery(stream));
}

TEST(cuEventRecord, NeedsTheStreamsContext) {
  const Scene scene;
  const CUevent event = new_event();
  const CUstream stream = new_stream();
  CUcontext other;
  OK(cuCtxCreate(&other, nullptr, 0, 0));
  EXPECT_EQ(cuEventRecord(event, new_stream()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
  OK(cuEventRecord(event, stream));  // any context may be current
  OK(cuCtxDestroy(other));
}

TEST(cuEventRecord, WorksInEachStream) {
  const Scene scene;
  for (const CUstream stream : {CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD,
                                new_stream(), new_stream(CU_STREAM_DEFAULT)}) {
    const CUevent event = new_event();
    Gate gate(stream);
    OK(cuEventRecord(event, stream));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    gate.open();
    OK(cuEventSynchronize(event));
    OK(cuEventDestroy(event));
  }
}

TEST(cuEventRecordWithFlags, TakesOnlyWhatCaptureKnows) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUevent event = new_event();
  OK(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT));
  OK(cuEventSynchronize(event));
  EXPECT_EQ(cuEventRecordWithFlags(event, stream, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL),
            CUDA_ERROR_ILLEGAL_STATE);
}

TEST(cuEventSynchronize, WaitsForItsPartOfTheStream) {
  const Scene scene;
  for (const unsigned flags :
       {unsigned{CU_EVENT_DISABLE_TIMING}, unsigned{CU_EVENT_BLOCKING_SYNC}}) {
    const CUstream stream = new_stream();
    const CUevent event = new_event(flags);
    Log log;
    Gate gate(stream);
    log.note(stream, 1);
    OK(cuEventRecord(event, stream));
    std::thread opener([&] {
      let_things_happen();
      gate.open();
    });
    OK(cuEventSynchronize(event));
    EXPECT_EQ(log.entries(), std::vector<int>{1});
    opener.join();
  }
}

TEST(cuStreamWaitEvent, HoldsTheStreamBack) {
  const Scene scene;
  const CUstream first = new_stream(), second = new_stream();
  const CUevent event = new_event(), done = new_event();
  Gate gate(first);
  OK(cuEventRecord(event, first));
  OK(cuStreamWaitEvent(second, event, 0));
  OK(cuEventRecord(done, second));
  let_things_happen();
  EXPECT_EQ(cuEventQuery(done), CUDA_ERROR_NOT_READY);
  gate.open();
  OK(cuEventSynchronize(done));
}

TEST(cuStreamWaitEvent, TakesTheRecordAtTheTimeOfTheCall) {
  const Scene scene;
  const CUstream gated = new_stream(), early = new_stream(), late = new_stream();
  const CUevent event = new_event();
  OK(cuStreamWaitEvent(early, event, 0));  // nothing is recorded, so there is nothing to wait for
  OK(cuEventRecord(event, early));
  OK(cuStreamWaitEvent(late, event, 0));
  Gate gate(gated);
  OK(cuEventRecord(event, gated));  // changes neither wait
  OK(cuStreamSynchronize(early));
  OK(cuStreamSynchronize(late));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
}

TEST(cuStreamWaitEvent, KeepsTheOldRecordThoughTheEventIsRecordedAgain) {
  const Scene scene;
  const CUstream gated = new_stream(), waiting = new_stream(), free = new_stream();
  const CUevent event = new_event();
  Gate gate(gated);
  OK(cuEventRecord(event, gated));
  OK(cuStreamWaitEvent(waiting, event, 0));
  OK(cuEventRecord(event, free));
  OK(cuEventSynchronize(event));
  OK(cuEventDestroy(event));
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(waiting), CUDA_ERROR_NOT_READY);
  gate.open();
  OK(cuStreamSynchronize(waiting));
}

TEST(cuStreamWaitEvent, OnItsOwnStreamChangesNothing) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUevent event = new_event();
  Gate gate(stream);
  OK(cuEventRecord(event, stream));
  OK(cuStreamWaitEvent(stream, event, 0));
  gate.open();
  OK(cuStreamSynchronize(stream));
}

TEST(cuStreamWaitEvent, WorksAcrossContexts) {
  const Scene scene;
  const CUstream first = new_stream();
  const CUevent event = new_event();
  CUcontext other;
  OK(cuCtxCreate(&other, nullptr, 0, 0));
  const CUstream second = new_stream();
  Gate gate(first);
  OK(cuEventRecord(event, first));
  OK(cuStreamWaitEvent(second, event, 0));
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY) << "asked from another context";
  gate.open();
  OK(cuStreamSynchronize(second));
  OK(cuEventSynchronize(event));
  OK(cuCtxDestroy(other));
}

TEST(cuStreamWaitEvent, ChecksItsArguments) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUevent event = new_event();
  EXPECT_EQ(cuStreamWaitEvent(stream, nullptr, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamWaitEvent(stream, event, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitEvent(reinterpret_cast<CUstream>(event), event, 0),
            CUDA_ERROR_INVALID_HANDLE);
}

// A chain through a thousand streams, each waiting for the one before.
TEST(cuStreamWaitEvent, MakesLongChains) {
  const Scene scene;
  constexpr unsigned length = 1000;
  const CUdeviceptr memory = new_memory(4 * (length + 1));
  const CUevent event = new_event();
  std::vector<CUstream> streams;
  for (unsigned i = 0; i < length; ++i) streams.push_back(new_stream());
  OK(cuMemsetD8(memory, 0, 4 * (length + 1)));
  OK(cuCtxSynchronize());
  Gate gate(streams[0]);
  OK(cuMemsetD32Async(memory, 42, 1, streams[0]));
  for (unsigned i = 0; i < length; ++i) {
    if (i) {
      OK(cuStreamWaitEvent(streams[i], event, 0));
    }
    OK(cuMemcpyDtoDAsync(memory + 4 * (i + 1), memory + 4 * i, 4, streams[i]));
    OK(cuEventRecord(event, streams[i]));
  }
  gate.open();
  OK(cuEventSynchronize(event));
  unsigned value = 0;
  OK(cuMemcpyDtoH(&value, memory + 4 * length, 4));
  EXPECT_EQ(value, 42u);
}

TEST(cuEventDestroy, EndsTheHandle) {
  const Scene scene;
  const CUevent event = new_event(), other = new_event();
  const CUstream stream = new_stream();
  OK(cuEventDestroy(event));
  float time;
  EXPECT_EQ(cuEventDestroy(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventSynchronize(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventElapsedTime(&time, event, other), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventElapsedTime(&time, other, event), CUDA_ERROR_INVALID_HANDLE);
  for (const uintptr_t number :
       {uintptr_t{0}, uintptr_t{1}, uintptr_t{0x123456789b0}, ~uintptr_t{0},
        reinterpret_cast<uintptr_t>(stream), reinterpret_cast<uintptr_t>(&time)})
    EXPECT_EQ(cuEventDestroy(fake_event(number)), CUDA_ERROR_INVALID_HANDLE) << number;
}

TEST(cuEventDestroy, WithItsRecordPendingIsFine) {
  const Scene scene;
  const CUstream stream = new_stream();
  Gate gate(stream);
  for (int i = 0; i < 100; ++i) {
    const CUevent event = new_event(CU_EVENT_DEFAULT);
    OK(cuEventRecord(event, stream));
    OK(cuEventDestroy(event));
  }
  gate.open();
  OK(cuStreamSynchronize(stream));
}

TEST(cuEventElapsedTime, NeedsTwoRecordsWithTime) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUevent a = new_event(CU_EVENT_DEFAULT), b = new_event(CU_EVENT_DEFAULT),
                timeless = new_event(CU_EVENT_DISABLE_TIMING);
  float time = 0;
  for (const auto elapsed : {cuEventElapsedTime, first_elapsed_time}) {
    EXPECT_EQ(elapsed(&time, a, new_event(CU_EVENT_DEFAULT)), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventRecord(a, stream));
    {
      Gate gate(stream);
      OK(cuEventRecord(b, stream));
      EXPECT_EQ(elapsed(&time, a, b), CUDA_ERROR_NOT_READY);
      EXPECT_EQ(elapsed(&time, b, a), CUDA_ERROR_NOT_READY);
    }
    OK(cuEventRecord(timeless, stream));
    OK(cuStreamSynchronize(stream));
    OK(elapsed(&time, a, b));
    EXPECT_EQ(elapsed(&time, a, timeless), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(elapsed(&time, timeless, a), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(elapsed(nullptr, a, b), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(elapsed(&time, nullptr, b), CUDA_ERROR_INVALID_HANDLE);
  }
}

// Programs query right after the records; an idle GPU has the time by then. The context is new, so
// no worker is still leaving one of its streams.
TEST(cuEventElapsedTime, IsKnownAtOnceWhereNothingIsUnderWay) {
  const Scene scene;
  CUcontext context;
  OK(cuCtxCreate(&context, nullptr, 0, 0));
  const CUevent start = new_event(CU_EVENT_DEFAULT), end = new_event(CU_EVENT_DEFAULT);
  const auto ask = [&](const char* where) {
    float time = -1;
    EXPECT_EQ(cuEventElapsedTime(&time, start, end), CUDA_SUCCESS) << where;
    EXPECT_GE(time, 0.0f) << where;
  };
  for (const CUstream stream : {CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD,
                                new_stream(), new_stream(CU_STREAM_DEFAULT)}) {
    for (int i = 0; i < 100; ++i) {
      OK(cuEventRecord(start, stream));
      OK(cuEventRecord(end, stream));
      ask("in a stream");
    }
    OK(cuStreamQuery(stream));
  }
  OK(cuCtxRecordEvent(context, start));
  OK(cuCtxRecordEvent(context, end));
  ask("of a context");
  OK(cuCtxDestroy(context));
}

// A record in the legacy stream waits for blocking streams; one in another stream waits behind an
// event.
TEST(cuEventElapsedTime, IsNotKnownWhereARecordHasToWait) {
  const Scene scene;
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT), free = new_stream();
  const CUevent start = new_event(CU_EVENT_DEFAULT), end = new_event(CU_EVENT_DEFAULT);
  float time = 0;
  for (const CUstream waiting : {CUstream{nullptr}, free}) {
    OK(cuEventRecord(start, free));
    Gate gate(blocking);
    if (waiting == free) {
      OK(cuEventRecord(end, blocking));
      OK(cuStreamWaitEvent(waiting, end, 0));
    }
    OK(cuEventRecord(end, waiting));
    EXPECT_EQ(cuEventElapsedTime(&time, start, end), CUDA_ERROR_NOT_READY);
    gate.open();
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&time, start, end));
  }
}

// At least a wait of known length lies between the two records.
TEST(cuEventElapsedTime, IsTheTimeOfTheWork) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUevent start = new_event(CU_EVENT_DEFAULT), end = new_event(CU_EVENT_DEFAULT);
  OK(cuEventRecord(start, stream));
  OK(cuLaunchHostFunc(
      stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr));
  OK(cuEventRecord(end, stream));
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  OK(cuEventSynchronize(end));
  float forwards = 0, backwards = 0, none = -1;
  OK(cuEventElapsedTime(&forwards, start, end));
  OK(cuEventElapsedTime(&backwards, end, start));
  OK(cuEventElapsedTime(&none, start, start));
  EXPECT_GE(forwards, 20.0f);
  EXPECT_EQ(backwards, -forwards);
  EXPECT_EQ(none, 0.0f);
}

}  // namespace
