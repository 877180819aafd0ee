// SPDX-License-Identifier: Apache-2.0
// Events of a whole context, and waits for the null stream; the profiler's switches; functions
// under their unversioned names.
#include <cuda.h>
#include <cudaProfiler.h>
#include <dlfcn.h>

#include <string>
#include <thread>

#include "tests/api/driver/gate.hpp"

extern "C" {
CUresult create_v1(CUcontext*, unsigned, CUdevice) __asm__("cuCtxCreate");
CUresult destroy_v1(CUcontext) __asm__("cuCtxDestroy");
CUresult push_v1(CUcontext) __asm__("cuCtxPushCurrent");
CUresult pop_v1(CUcontext*) __asm__("cuCtxPopCurrent");
CUresult destroy_stream_v1(CUstream) __asm__("cuStreamDestroy");
CUresult destroy_event_v1(CUevent) __asm__("cuEventDestroy");
}

namespace {

// Two streams, an event and memory.
class Streams {
 public:
  const Scene scene;
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT), other = new_stream();
  const CUevent event = new_event();
  const CUdeviceptr memory = new_memory(4096);

  CUresult fill(CUstream stream, unsigned char value = 1) const {
    return cuMemsetD8Async(memory, value, 16, stream);
  }
  unsigned char read() const {
    unsigned char value = 0;
    EXPECT_EQ(cuMemcpyDtoH(&value, memory, 1), CUDA_SUCCESS);
    return value;
  }
};

TEST(cuCtxRecordEvent, StandsForAllStreamsOfThen) {
  const Streams s;
  for (const CUstream stream : {s.blocking, s.other, CUstream{}, CU_STREAM_PER_THREAD}) {
    Gate gate(stream);
    OK(cuCtxRecordEvent(s.scene.context, s.event));
    EXPECT_EQ(cuEventQuery(s.event), CUDA_ERROR_NOT_READY);
    gate.open();
    OK(cuEventSynchronize(s.event));
  }
  // The event does not cover later work.
  OK(cuCtxRecordEvent(s.scene.context, s.event));
  Gate gate(s.other);
  OK(cuEventSynchronize(s.event));
}

TEST(cuCtxRecordEvent, ChecksItsArguments) {
  const Streams s;
  EXPECT_EQ(cuCtxRecordEvent(nullptr, s.event), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxRecordEvent(s.scene.context, nullptr), CUDA_ERROR_INVALID_HANDLE);
  CUcontext second = nullptr;
  OK(cuCtxCreate(&second, nullptr, 0, 0));
  const CUevent foreign = new_event();
  EXPECT_EQ(cuCtxRecordEvent(s.scene.context, foreign), CUDA_ERROR_INVALID_HANDLE);
  OK(cuCtxRecordEvent(second, foreign));
  OK(cuCtxDestroy(second));
  OK(cuCtxSetCurrent(s.scene.context));
  EXPECT_EQ(cuCtxRecordEvent(second, s.event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST(cuCtxWaitEvent, HoldsBackWhatComesLater) {
  const Streams s;
  OK(s.fill(s.other, 9));
  OK(cuCtxSynchronize());
  for (const unsigned flags : {unsigned{CU_STREAM_DEFAULT}, unsigned{CU_STREAM_NON_BLOCKING}}) {
    const CUstream before = new_stream(flags);
    Gate gate(s.other);
    OK(cuEventRecord(s.event, s.other));
    OK(cuCtxWaitEvent(s.scene.context, s.event));
    EXPECT_EQ(cuStreamQuery(before), CUDA_SUCCESS) << "it has nothing that could wait";
    const CUstream after = new_stream(flags);
    for (const CUstream stream : {before, after}) {
      OK(s.fill(stream, 3));
      let_things_happen();
      EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    }
    gate.open();
    OK(cuCtxSynchronize());
    EXPECT_EQ(s.read(), 3);
    OK(s.fill(before, 9));
    OK(cuStreamSynchronize(before)) << "the wait is over";
  }
}

// Threads submit work while others make the context wait: nothing overtakes an existing wait, and
// nothing hangs.
TEST(cuCtxWaitEvent, IsSeenByAllThreads) {
  const Streams s;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      EXPECT_EQ(cuCtxSetCurrent(s.scene.context), CUDA_SUCCESS);
      const CUstream own = new_stream(i % 2 ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);
      const CUevent event = new_event();
      const CUdeviceptr word = new_memory(4);
      for (unsigned turn = 0; turn < 200; ++turn) {
        EXPECT_EQ(cuMemsetD32Async(word, turn, 1, own), CUDA_SUCCESS);
        EXPECT_EQ(turn % 2 ? cuCtxRecordEvent(s.scene.context, event) : cuEventRecord(event, own),
                  CUDA_SUCCESS);
        EXPECT_EQ(cuCtxWaitEvent(s.scene.context, event), CUDA_SUCCESS);
        unsigned value = ~0u;
        EXPECT_EQ(cuMemcpyDtoHAsync(&value, word, 4, own), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamSynchronize(own), CUDA_SUCCESS);
        EXPECT_EQ(value, turn);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(cuCtxWaitEvent, ChecksItsArguments) {
  const Streams s;
  EXPECT_EQ(cuCtxWaitEvent(nullptr, s.event), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxWaitEvent(s.scene.context, nullptr), CUDA_ERROR_INVALID_HANDLE);
  OK(cuCtxWaitEvent(s.scene.context, s.event)) << "nothing is recorded";
  CUgraph graph = nullptr;
  OK(cuStreamBeginCapture(s.other, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(cuCtxWaitEvent(s.scene.context, s.event), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(s.other, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

// Measured on an H200.
TEST(cuStreamSynchronize, WaitsForBlockingStreamsWithTheNullStream) {
  const Streams s;
  for (const CUstream null : {CUstream{}, CU_STREAM_LEGACY}) {
    Gate gate(s.blocking);
    OK(s.fill(s.blocking, 7));
    std::atomic<bool> back{false};
    std::thread waits([&] {
      EXPECT_EQ(cuCtxSetCurrent(s.scene.context), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamSynchronize(null), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamQuery(s.blocking), CUDA_SUCCESS);
      back = true;
    });
    let_things_happen();
    EXPECT_FALSE(back);
    gate.open();
    waits.join();
  }
  Gate gate(s.other);
  OK(cuStreamSynchronize(nullptr)) << "a non-blocking stream is not waited for";
  OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
}

TEST(cuStreamQuery, AnswersForBlockingStreamsWithTheNullStream) {
  const Streams s;
  {
    Gate gate(s.blocking);
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
  }
  OK(cuStreamSynchronize(s.blocking));
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_SUCCESS);
  Gate gate(s.other);
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_SUCCESS);
}

// Their signatures never changed, and GStreamer 1.22 asks for them.
TEST(cuCtxCreate, WorksUnderItsNameOfOld) {
  OK(cuInit(0));
  CUcontext context = nullptr, popped = nullptr;
  OK(create_v1(&context, 0, 0));
  OK(pop_v1(&popped));
  EXPECT_EQ(popped, context);
  OK(push_v1(context));
  OK(destroy_stream_v1(new_stream()));
  OK(destroy_event_v1(new_event()));
  OK(destroy_v1(context));
}

TEST(dlsym, FindsFunctionsUnderTheirNamesOfOld) {
  for (const std::string name :
       {"cuStreamDestroy", "cuEventDestroy", "cuCtxCreate", "cuCtxDestroy", "cuCtxPushCurrent",
        "cuCtxPopCurrent", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset",
        "cuDevicePrimaryCtxSetFlags", "cuMemHostRegister", "cuIpcOpenMemHandle"}) {
    void* const old = dlsym(RTLD_DEFAULT, name.c_str());
    ASSERT_NE(old, nullptr) << name;
    EXPECT_EQ(old, dlsym(RTLD_DEFAULT, (name + "_v2").c_str())) << name;
  }
}

TEST(cuProfilerStart, NeedsAContextAndNothingElse) {
  OK(cuInit(0));
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuProfilerStart(), CUDA_ERROR_INVALID_CONTEXT);
  const Scene scene;
  OK(cuProfilerStart());
  OK(cuProfilerStart());
}

TEST(cuProfilerStop, NeedsAContextAndNothingElse) {
  OK(cuInit(0));
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuProfilerStop(), CUDA_ERROR_INVALID_CONTEXT);
  const Scene scene;
  OK(cuProfilerStop());
}

}  // namespace
