// SPDX-License-Identifier: Apache-2.0
// External semaphores between two processes, and under schedules. Each test runs in a child, which
// forks the other process first.
#include <cuda.h>
#include <sys/mman.h>

#include <string>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/peer.hpp"
#include "tests/api/driver/semaphores.hpp"

namespace {

constexpr unsigned rounds = 40;

// Made before the fork, so that both processes have the descriptors.
struct Shared {
  explicit Shared(cuvetteSemaphoreKind kind) : there(kind), back(kind) {
    memory = memfd_create("shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    EXPECT_EQ(ftruncate(memory, 4096), 0);
  }
  ~Shared() { close(memory); }
  HostSemaphore there, back;
  int memory;
};

CUdeviceptr mapped(int fd) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = dup(fd);
  description.size = 4096;
  CUexternalMemory memory = nullptr;
  EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_SUCCESS);
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
  buffer.size = 4096;
  CUdeviceptr address = 0;
  EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&address, memory, &buffer), CUDA_SUCCESS);
  EXPECT_EQ(cuDestroyExternalMemory(memory), CUDA_SUCCESS);
  return address;
}

// The other process: a CUDA program that waits, writes and signals.
Peer<int>::Answer device_of(const Shared& shared) {
  CUcontext context;
  static CUstream stream;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING))
    return {};
  static CUdeviceptr memory;
  static CUexternalSemaphore there, back;
  memory = mapped(shared.memory);
  there = shared.there.import();
  back = shared.back.import();
  return [](char letter) -> int {
    if (letter == 'x') return cuStreamSynchronize(stream);
    if (letter == 'q') return cuStreamQuery(stream);
    for (unsigned i = 1; i <= rounds; ++i)
      if (wait(there, i, stream) || cuMemsetD32Async(memory, i, 1024, stream) ||
          signal(back, i, stream))
        return -1;
    return 0;
  };
}

void hand_over(cuvetteSemaphoreKind kind) {
  const Shared shared(kind);
  Peer<int> peer([&](int&) { return device_of(shared); });
  const Scene scene;
  const CUdeviceptr memory = mapped(shared.memory);
  const CUexternalSemaphore there = shared.there.import(), back = shared.back.import();
  const CUstream stream = new_stream();
  unsigned char* const seen = pinned_bytes(rounds);
  // The other process waits before this one signals.
  ASSERT_EQ(peer.tell('r'), 0);
  let_things_happen();
  EXPECT_EQ(peer.tell('q'), CUDA_ERROR_NOT_READY);
  for (unsigned i = 1; i <= rounds; ++i) {
    OK(signal(there, i, stream));
    OK(wait(back, i, stream));
    OK(cuMemcpyDtoHAsync(&seen[i - 1], memory + 4092, 1, stream));
  }
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(peer.tell('x'), 0);
  for (unsigned i = 1; i <= rounds; ++i) EXPECT_EQ(seen[i - 1], i);
}

void hand_over_timeline() { hand_over(CUVETTE_SEMAPHORE_TIMELINE); }
void hand_over_binary() { hand_over(CUVETTE_SEMAPHORE_BINARY); }

// The other process does not use CUDA: it sleeps on the semaphore's futex.
void hand_over_to_a_host() {
  Shared shared(CUVETTE_SEMAPHORE_TIMELINE);
  auto* const words = static_cast<unsigned*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, shared.memory, 0));
  Peer<int> peer([&](int&) -> Peer<int>::Answer {
    return [&](char) -> int {
      for (unsigned i = 1; i <= rounds; ++i) {
        if (!shared.there.wait(i)) return -1;
        if (words[1023] != i) return static_cast<int>(i);
        words[0] = 1000 + i;
        shared.back.signal(i);
      }
      return 0;
    };
  });
  const Scene scene;
  const CUdeviceptr memory = mapped(shared.memory);
  const CUexternalSemaphore there = shared.there.import(), back = shared.back.import();
  const CUstream stream = new_stream();
  void* pinned = nullptr;
  OK(cuMemAllocHost(&pinned, 4 * rounds));
  auto* const seen = static_cast<unsigned*>(pinned);
  peer.begin('r');
  for (unsigned i = 1; i <= rounds; ++i) {
    OK(cuMemsetD32Async(memory, i, 1024, stream));
    OK(signal(there, i, stream));
    OK(wait(back, i, stream));
    OK(cuMemcpyDtoHAsync(&seen[i - 1], memory, 4, stream));
  }
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(peer.answer(), 0);
  for (unsigned i = 1; i <= rounds; ++i) EXPECT_EQ(seen[i - 1], 1000 + i);
}

// The signaller is gone; the wait goes on, as on the driver, until someone signals.
void signaller_killed() {
  Shared shared(CUVETTE_SEMAPHORE_BINARY);
  Peer<int> peer([&](int&) { return device_of(shared); });
  const Scene scene;
  const CUexternalSemaphore back = shared.back.import();
  const CUstream stream = new_stream();
  OK(wait(back, 0, stream));
  peer.end();
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  shared.back.signal();
  OK(cuStreamSynchronize(stream));
}

void ends_while_waiting() {
  static const Shared shared(CUVETTE_SEMAPHORE_TIMELINE);
  static const Scene* scene = new Scene;
  const CUexternalSemaphore there = shared.there.import();
  const CUstream stream = new_stream();
  OK(wait(there, 1, stream));
  OK(signal(there, 2, stream));
  let_things_happen();
  ASSERT_FALSE(testing::Test::HasFailure());
  ASSERT_NE(scene, nullptr);
  exit(0);
}

// Two streams and a graph wait for each other's signals, submitted in different orders.
void under_a_schedule() {
  const Scene scene;
  Timeline timeline;
  Binary binary;
  const CUexternalSemaphore t = timeline.import(), b = binary.import();
  const CUstream one = new_stream(), other = new_stream(), third = new_stream();
  const CUdeviceptr memory = new_memory(4);
  CUgraph graph = nullptr;
  OK(cuStreamBeginCapture(third, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(wait(b, 0, third));
  OK(cuMemsetD32Async(memory, 4, 1, third));
  OK(signal(t, 2, third));
  OK(cuStreamEndCapture(third, &graph));
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(wait(t, 2, one));
  OK(cuMemsetD32Async(memory, 5, 1, one));
  OK(cuGraphLaunch(exec, third));
  OK(wait(t, 1, other));
  OK(cuMemsetD32Async(memory, 3, 1, other));
  OK(signal(b, 0, other));
  timeline.signal(1);
  OK(cuStreamSynchronize(one));
  unsigned value = 0;
  OK(cuMemcpyDtoH(&value, memory, 4));
  EXPECT_EQ(value, 5u);
  // The host sleeps until the stream signals.
  OK(signal(t, 7, other));
  EXPECT_TRUE(timeline.wait(7));
  OK(cuCtxSynchronize());
}

constexpr const char* schedules[] = {"concurrent", "eager",    "lazy",     "starve:0",
                                     "starve:1",   "random:1", "random:2", "pct:2:3"};

TEST(cuWaitExternalSemaphoresAsync, WaitsForATimelineOfAnotherProcess) {
  for (const char* schedule : {"concurrent", "eager", "lazy", "random:5"})
    run_in_child({{"CUVETTE_SCHEDULE", schedule}}, hand_over_timeline);
}
TEST(cuWaitExternalSemaphoresAsync, WaitsForABinarySemaphoreOfAnotherProcess) {
  for (const char* schedule : {"concurrent", "lazy"})
    run_in_child({{"CUVETTE_SCHEDULE", schedule}}, hand_over_binary);
}
TEST(cuWaitExternalSemaphoresAsync, WaitsForAProcessWithoutCuda) {
  for (const char* schedule : {"concurrent", "lazy"})
    run_in_child({{"CUVETTE_SCHEDULE", schedule}}, hand_over_to_a_host);
}
TEST(cuWaitExternalSemaphoresAsync, GoesOnWaitingWhenTheOtherProcessIsKilled) {
  run_in_child({}, signaller_killed);
}
TEST(cuWaitExternalSemaphoresAsync, DoesNotKeepAProcessFromEnding) {
  for (const char* schedule : {"concurrent", "eager", "lazy"})
    run_in_child({{"CUVETTE_SCHEDULE", schedule}}, ends_while_waiting);
}
TEST(cuWaitExternalSemaphoresAsync, KeepsTheOrderUnderEverySchedule) {
  for (const char* schedule : schedules)
    run_in_child({{"CUVETTE_SCHEDULE", schedule}}, under_a_schedule);
}
TEST(cuSignalExternalSemaphoresAsync, TakesATimelineBackUnderTheDriversContract) {
  run_in_child({{"CUVETTE_CONTRACT", "driver"}}, [] {
    const Scene scene;
    const Timeline timeline(20);
    const CUexternalSemaphore semaphore = timeline.import();
    const CUstream stream = new_stream();
    OK(signal(semaphore, 15, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(timeline.value(), 15u);
  });
}

}  // namespace
