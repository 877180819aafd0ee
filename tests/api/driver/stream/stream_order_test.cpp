// SPDX-License-Identifier: Apache-2.0
// The order between streams: work that must wait does, and other work does not.
#include <cuda.h>

#include <string>
#include <tuple>

#include "tests/api/driver/gate.hpp"

namespace {

enum class Kind { null, legacy, per_thread, blocking, other_blocking, non_blocking };
constexpr const char* names[] = {"Null",     "Legacy",        "PerThread",
                                 "Blocking", "OtherBlocking", "NonBlocking"};

class OrderOfTwoStreams : public testing::TestWithParam<std::tuple<Kind, Kind>> {
 protected:
  CUstream stream(Kind kind) {
    switch (kind) {
      case Kind::null:
        return nullptr;
      case Kind::legacy:
        return CU_STREAM_LEGACY;
      case Kind::per_thread:
        return CU_STREAM_PER_THREAD;
      case Kind::blocking:
        return blocking_;
      case Kind::other_blocking:
        return other_;
      case Kind::non_blocking:
        return non_blocking_;
    }
    return nullptr;
  }
  static bool legacy(Kind kind) { return kind == Kind::null || kind == Kind::legacy; }

  const Scene scene_;
  const CUstream blocking_ = new_stream(CU_STREAM_DEFAULT), other_ = new_stream(CU_STREAM_DEFAULT),
                 non_blocking_ = new_stream(CU_STREAM_NON_BLOCKING);
};

// "The legacy default stream is an implicit stream which synchronizes with all other streams in the
// same CUcontext except for non-blocking streams".
TEST_P(OrderOfTwoStreams, IsWhatIsDocumented) {
  const auto [first, second] = GetParam();
  const bool same = first == second || (legacy(first) && legacy(second));
  const bool ordered = same || (legacy(first) && second != Kind::non_blocking) ||
                       (legacy(second) && first != Kind::non_blocking);
  const CUevent event = new_event();
  const CUdeviceptr memory = new_memory(4096);
  Gate gate(stream(first));
  OK(cuMemsetD8Async(memory, 1, 4096, stream(second)));
  OK(cuEventRecord(event, stream(second)));
  if (ordered) {
    let_things_happen();
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamQuery(stream(second)), CUDA_ERROR_NOT_READY);
    gate.open();
    OK(cuEventSynchronize(event));
  } else {
    OK(cuEventSynchronize(event));  // while the gate is closed
    OK(cuStreamSynchronize(stream(second)));
    EXPECT_EQ(cuStreamQuery(stream(first)), CUDA_ERROR_NOT_READY);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, OrderOfTwoStreams,
    testing::Combine(testing::Values(Kind::null, Kind::legacy, Kind::per_thread, Kind::blocking,
                                     Kind::non_blocking),
                     testing::Values(Kind::null, Kind::legacy, Kind::per_thread, Kind::blocking,
                                     Kind::other_blocking, Kind::non_blocking)),
    [](const auto& info) {
      return std::string(names[static_cast<int>(std::get<0>(info.param))]) + "Then" +
             names[static_cast<int>(std::get<1>(info.param))];
    });

// A blocking stream waits for another one because of the legacy stream, whatever that did.
TEST(LegacyStream, OrdersTheStreamsAroundIt) {
  const Scene scene;
  const CUstream before = new_stream(CU_STREAM_DEFAULT), after = new_stream(CU_STREAM_DEFAULT);
  const CUevent event = new_event(), last = new_event();
  Gate gate(before);
  OK(cuEventRecord(event, nullptr));  // "event ops issued in it" count, too
  OK(cuEventRecord(last, after));
  let_things_happen();
  EXPECT_EQ(cuEventQuery(last), CUDA_ERROR_NOT_READY);
  gate.open();
  OK(cuEventSynchronize(last));
  OK(cuEventQuery(event));
}

TEST(LegacyStream, IsOneForEachContext) {
  const Scene scene;
  CUcontext other;
  OK(cuCtxCreate(&other, nullptr, 0, 0));
  const CUstream there = new_stream(CU_STREAM_DEFAULT);
  OK(cuCtxSetCurrent(scene.context));
  Gate gate(nullptr);
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  OK(cuCtxSetCurrent(other));
  OK(cuStreamQuery(nullptr));
  const CUdeviceptr memory = new_memory(4);
  OK(cuMemsetD8Async(memory, 1, 4, there));
  OK(cuCtxSynchronize());
  OK(cuCtxDestroy(other));
}

// The legacy stream waits for the work of a thousand streams, and they wait for the legacy stream.
TEST(LegacyStream, WaitsForManyStreams) {
  const Scene scene;
  std::vector<CUstream> streams;
  for (int i = 0; i < 1000; ++i) streams.push_back(new_stream(CU_STREAM_DEFAULT));
  const CUdeviceptr memory = new_memory(4000), sum = new_memory(4000);
  OK(cuMemsetD8(memory, 0, 4000));
  const CUevent started = new_event();
  const CUstream gated = new_stream();
  Gate gate(gated);
  OK(cuEventRecord(started, gated));
  for (unsigned i = 0; i < 1000; ++i) {
    OK(cuStreamWaitEvent(streams[i], started, 0));
    OK(cuMemsetD32Async(memory + i * 4, i, 1, streams[i]));
  }
  OK(cuMemcpyDtoDAsync(sum, memory, 4000, nullptr));
  for (unsigned i = 0; i < 1000; ++i) OK(cuMemsetD32Async(memory + i * 4, 7, 1, streams[999 - i]));
  gate.open();
  std::vector<unsigned> values(1000);
  OK(cuMemcpyDtoH(values.data(), sum, 4000));
  for (unsigned i = 0; i < 1000; ++i) ASSERT_EQ(values[i], i);
}

TEST(PerThreadStream, IsOneForEachThread) {
  const Scene scene;
  Gate gate(CU_STREAM_PER_THREAD);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      OK(cuCtxSetCurrent(scene.context));
      const CUdeviceptr memory = new_memory(4);
      OK(cuMemsetD8Async(memory, 1, 4, CU_STREAM_PER_THREAD));
      OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));  // the other thread's gate does not hold it up
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  // The legacy stream waits for all threads' streams, and they wait for it.
  OK(cuMemsetD8Async(new_memory(4), 1, 4, nullptr));
  std::thread([&] {
    OK(cuCtxSetCurrent(scene.context));
    OK(cuMemsetD8Async(new_memory(4), 1, 4, CU_STREAM_PER_THREAD));
    let_things_happen();
    EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  }).join();
}

TEST(PerThreadStream, OutlivesItsThreadWhileItHasWork) {
  const Scene scene;
  const CUstream gated = new_stream();
  const CUevent event = new_event();
  const CUdeviceptr memory = new_memory(4);
  OK(cuMemsetD32(memory, 1, 1));
  Gate gate(gated);
  OK(cuEventRecord(event, gated));
  std::thread([&] {
    OK(cuCtxSetCurrent(scene.context));
    OK(cuStreamWaitEvent(CU_STREAM_PER_THREAD, event, 0));
    OK(cuMemsetD32Async(memory, 2, 1, CU_STREAM_PER_THREAD));
  }).join();
  gate.open();
  OK(cuCtxSynchronize());
  unsigned value = 0;
  OK(cuMemcpyDtoH(&value, memory, 4));
  EXPECT_EQ(value, 2u);
}

TEST(PerThreadStream, IsOneForEachContextOfAThread) {
  const Scene scene;
  Gate gate(CU_STREAM_PER_THREAD);
  CUcontext other;
  OK(cuCtxCreate(&other, nullptr, 0, 0));
  OK(cuStreamQuery(CU_STREAM_PER_THREAD));
  OK(cuCtxDestroy(other));
  EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
}

// It waits for the work of all streams, including those whose handles are gone.
TEST(ContextSynchronize, WaitsForEverything) {
  const Scene scene;
  const CUstream gated = new_stream();
  const CUevent event = new_event();
  const CUdeviceptr memory = new_memory(4 * 50);
  OK(cuMemsetD8(memory, 0, 4 * 50));
  Gate gate(gated);
  OK(cuEventRecord(event, gated));
  for (unsigned i = 0; i < 50; ++i) {
    const CUstream stream = new_stream(i % 2 ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);
    OK(cuStreamWaitEvent(stream, event, 0));
    OK(cuMemsetD32Async(memory + 4 * i, i + 1, 1, stream));
    if (i % 3 == 0) {
      OK(cuStreamDestroy(stream));
    }
  }
  std::thread opener([&] {
    let_things_happen();
    gate.open();
  });
  OK(cuCtxSynchronize());
  opener.join();
  std::vector<unsigned> values(50);
  OK(cuMemcpyDtoH(values.data(), memory, 4 * 50));
  for (unsigned i = 0; i < 50; ++i) EXPECT_EQ(values[i], i + 1);
}

TEST(ContextDestroy, WaitsForTheWork) {
  const Scene scene;
  CUcontext other;
  OK(cuCtxCreate(&other, nullptr, 0, 0));
  const CUstream stream = new_stream();
  Log log;
  Gate gate(stream);
  log.note(stream, 1);
  std::thread opener([&] {
    let_things_happen();
    gate.open();
  });
  OK(cuCtxDestroy(other));
  EXPECT_EQ(log.entries(), std::vector<int>{1});
  opener.join();
  EXPECT_NE(cuStreamQuery(stream), CUDA_SUCCESS);
}

}  // namespace
