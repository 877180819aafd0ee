// SPDX-License-Identifier: Apache-2.0
// Many streams and many commands: their cost in memory and threads.
#include <cuda.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/api/driver/gate.hpp"

namespace {

size_t resident() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

long threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

#if defined(CUVETTE_ADDRESS_SANITIZER) || defined(CUVETTE_THREAD_SANITIZER)
constexpr bool sanitized = true;  // sanitizers use memory, too
#else
constexpr bool sanitized = false;
#endif

TEST(ManyStreams, NeedNoThreads) {
  const Scene scene;
  constexpr unsigned count = 10'000;
  const CUdeviceptr memory = new_memory(4 * count);
  OK(cuMemsetD8(memory, 0, 4 * count));
  OK(cuLaunchHostFunc(
      nullptr, [](void*) {}, nullptr));
  // Gives every worker something to do, so that all of them start.
  for (int i = 0; i < 200; ++i) OK(cuMemsetD8Async(memory, 0, 4 * count, new_stream()));
  OK(cuCtxSynchronize());
  const long before = threads();
  std::vector<CUstream> streams(count);
  const CUstream gated = new_stream();
  const CUevent event = new_event();
  Gate gate(gated);
  OK(cuEventRecord(event, gated));
  for (unsigned i = 0; i < count; ++i) {
    streams[i] = new_stream(i % 2);
    OK(cuStreamWaitEvent(streams[i], event, 0));
    OK(cuMemsetD32Async(memory + 4 * i, i, 1, streams[i]));
  }
  gate.open();
  OK(cuCtxSynchronize());
  // Some workers may have started only now, but no stream has a thread of its own.
  EXPECT_LE(threads(), before + static_cast<long>(std::thread::hardware_concurrency()));
  std::vector<unsigned> values(count);
  OK(cuMemcpyDtoH(values.data(), memory, 4 * count));
  for (unsigned i = 0; i < count; ++i) ASSERT_EQ(values[i], i);
  for (const CUstream stream : streams) OK(cuStreamDestroy(stream));
}

TEST(ManyCommands, TakeLittleMemoryEach) {
  const Scene scene;
  constexpr unsigned count = sanitized ? 100'000 : 1'000'000;
  const CUdeviceptr memory = new_memory(4096);
  const CUstream stream = new_stream();
  const CUevent event = new_event();
  OK(cuMemsetD8Async(memory, 0, 4096, stream));
  OK(cuStreamSynchronize(stream));
  Gate gate(stream);
  const size_t before = resident();
  for (unsigned i = 0; i < count; ++i) {
    if (i % 8 == 7) {
      OK(cuEventRecord(event, stream));
    } else {
      OK(cuMemsetD32Async(memory, i, 1, stream));
    }
  }
  const size_t used = resident() - std::min(before, resident());
  if (!sanitized) {
    EXPECT_LE(used / count, 256u) << "bytes for each command";
  }
  gate.open();
  OK(cuStreamSynchronize(stream));
  unsigned value = 0;
  OK(cuMemcpyDtoH(&value, memory, 4));
  EXPECT_EQ(value, (count - 2) / 8 * 8 + 6);
}

// The first thousands of commands take as much memory as the last: nothing accumulates.
TEST(ManyCommands, LeaveNothingBehind) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(4096);
  const CUstream stream = new_stream(), other = new_stream();
  const CUevent event = new_event();
  const auto run = [&] {
    for (int i = 0; i < 20'000; ++i) {
      OK(cuMemsetD32Async(memory, 1, 1, stream));
      OK(cuEventRecord(event, stream));
      OK(cuStreamWaitEvent(other, event, 0));
      if (i % 100 == 0) {
        OK(cuStreamSynchronize(other));
      }
    }
    OK(cuCtxSynchronize());
  };
  run();
  const size_t before = resident();
  run();
  if (!sanitized) {
    EXPECT_LE(resident(), before + (4 << 20));
  }
}

}  // namespace
