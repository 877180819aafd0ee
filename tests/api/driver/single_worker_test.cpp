// SPDX-License-Identifier: Apache-2.0
// With a single worker, the order of streams that become ready at the same time is visible: the
// more urgent go first.
#include <cuda.h>

#include <cstdlib>

#include "tests/api/driver/gate.hpp"

namespace {

// Set before anything reads the environment.
[[maybe_unused]] const int one_worker = setenv("CUVETTE_WORKERS", "1", 1);

CUstream urgent_stream(int priority) {
  CUstream stream = nullptr;
  EXPECT_EQ(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, priority), CUDA_SUCCESS);
  return stream;
}

TEST(StreamPriority, LetsTheMoreUrgentGoFirst) {
  const Scene scene;
  for (const auto& priorities : {std::vector<int>{0, -1, -3, -5}, std::vector<int>{-5, -3, -1, 0},
                                 std::vector<int>{-1, -5, 0, -3}}) {
    const CUstream gated = urgent_stream(0);
    const CUevent event = new_event();
    Log log;
    Gate gate(gated);
    OK(cuEventRecord(event, gated));
    for (const int priority : priorities) {
      const CUstream stream = urgent_stream(priority);
      OK(cuStreamWaitEvent(stream, event, 0));
      log.note(stream, priority);
    }
    gate.open();
    // Does not synchronise: a waiting thread would help and pick work for itself.
    EXPECT_TRUE(eventually([&] { return log.entries().size() == priorities.size(); }));
    EXPECT_EQ(log.entries(), (std::vector<int>{-5, -3, -1, 0}));
  }
}

// One worker suffices for everything, including streams that wait for each other.
TEST(SingleWorker, IsEnough) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(8 << 20), copy = new_memory(8 << 20);
  const CUstream a = new_stream(), b = new_stream();
  const CUevent event = new_event();
  std::atomic<int> called{0};
  for (unsigned i = 0; i < 50; ++i) {
    OK(cuMemsetD32Async(memory, i, 2 << 20, a));
    OK(cuEventRecord(event, a));
    OK(cuStreamWaitEvent(b, event, 0));
    OK(cuMemcpyDtoDAsync(copy, memory, 8 << 20, b));
    OK(cuLaunchHostFunc(
        b, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &called));
    OK(cuEventRecord(event, b));
    OK(cuStreamWaitEvent(a, event, 0));
  }
  OK(cuCtxSynchronize());
  unsigned last = 0;
  OK(cuMemcpyDtoH(&last, copy + (8 << 20) - 4, 4));
  EXPECT_EQ(last, 49u);
  EXPECT_EQ(called, 50);
}

}  // namespace
