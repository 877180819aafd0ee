// SPDX-License-Identifier: Apache-2.0
// A program built for per-thread default streams: its null stream is the thread's own stream.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include <cuda.h>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/semaphores.hpp"

namespace {

TEST(PerThreadDefaultStream, IsTheThreadsOwn) {
  const Scene scene;
  unsigned long long null = 0, own = 1, legacy = 0;
  OK(cuStreamGetId(nullptr, &null));
  OK(cuStreamGetId(CU_STREAM_PER_THREAD, &own));
  OK(cuStreamGetId(CU_STREAM_LEGACY, &legacy));
  EXPECT_EQ(null, own);
  EXPECT_NE(null, legacy);
  unsigned long long elsewhere = null;
  std::thread([&] {
    OK(cuCtxSetCurrent(scene.context));
    OK(cuStreamGetId(nullptr, &elsewhere));
  }).join();
  EXPECT_NE(elsewhere, null);
}

TEST(PerThreadDefaultStream, WaitsForSemaphoresAlone) {
  const Scene scene;
  Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  OK(wait(semaphore, 1, nullptr));
  OK(signal(semaphore, 2, CU_STREAM_PER_THREAD));
  const CUstream other = new_stream(CU_STREAM_DEFAULT);
  OK(cuMemsetD8Async(new_memory(64), 3, 64, other));
  OK(cuStreamSynchronize(other));
  EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  timeline.signal(1);
  OK(cuStreamSynchronize(nullptr));
  EXPECT_EQ(timeline.value(), 2u);
}

// Every call with stream 0, or without a stream, uses the thread's own stream.
TEST(PerThreadDefaultStream, OrdersEachKindOfCall) {
  const Scene scene;
  const CUevent before = new_event(), after = new_event();
  const CUdeviceptr memory = new_memory(64);
  const CUstream other = new_stream(CU_STREAM_DEFAULT);
  std::atomic<bool> called{false};
  Gate gate(nullptr);
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  OK(cuMemsetD8Async(memory, 3, 64, nullptr));
  OK(cuEventRecord(before, nullptr));
  OK(cuStreamWaitEvent(nullptr, before, 0));
  OK(cuStreamAddCallback(
      nullptr,
      [](CUstream, CUresult, void* data) { *static_cast<std::atomic<bool>*>(data) = true; },
      &called, 0));
  OK(cuEventRecord(after, nullptr));
  OK(cuStreamQuery(other));
  OK(cuMemsetD8Async(memory, 3, 64, other));
  OK(cuStreamSynchronize(other));  // the two blocking streams are not ordered with each other
  let_things_happen();
  EXPECT_EQ(cuEventQuery(before), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventQuery(after), CUDA_ERROR_NOT_READY);
  EXPECT_FALSE(called);
  gate.open();
  OK(cuStreamSynchronize(nullptr));
  OK(cuEventQuery(after));
  EXPECT_TRUE(called);
  unsigned char bytes[64] = {};
  OK(cuMemcpyDtoH(bytes, memory, 64));
  EXPECT_EQ(bytes[63], 3);
}

TEST(PerThreadDefaultStream, SynchronousCopiesUseIt) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(64);
  std::thread([&] {
    OK(cuCtxSetCurrent(scene.context));
    Gate gate(nullptr);
    std::thread([&] {
      OK(cuCtxSetCurrent(scene.context));
      unsigned char bytes[64] = {};
      OK(cuMemsetD8(memory, 5, 64));
      OK(cuMemcpyDtoH(bytes, memory, 64));  // the other thread's gate does not hold it up
      EXPECT_EQ(bytes[0], 5);
    }).join();
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  }).join();
}

}  // namespace
