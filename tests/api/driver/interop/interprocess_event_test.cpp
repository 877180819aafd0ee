// SPDX-License-Identifier: Apache-2.0
// Another process's events. The test program itself never calls cuInit: each test runs in a child,
// which first forks the process that has the events.
#include <cuda.h>

#include <cstring>

#include "tests/api/driver/event_exporter.hpp"

namespace {

void waits_for_exporter() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  const CUstream stream = new_stream();
  OK(cuEventQuery(imported.there));
  OK(cuEventSynchronize(imported.there));
  for (const char letter : {'g', 'm', 'r'}) ASSERT_EQ(peer.tell(letter), 0);
  if (held()) {
    EXPECT_EQ(cuEventQuery(imported.there), CUDA_ERROR_NOT_READY);
  }
  unsigned char* const byte = pinned_bytes(1);
  OK(cuStreamWaitEvent(stream, imported.there, 0));
  OK(cuMemcpyDtoHAsync(byte, imported.memory + size - 1, 1, stream));
  std::atomic<bool> known{false};
  std::thread thread([&] {
    EXPECT_EQ(cuCtxSetCurrent(scene.context), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(imported.there), CUDA_SUCCESS);
    known = true;
  });
  let_things_happen();
  if (held()) {
    EXPECT_FALSE(known);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  }
  peer.begin('o');
  thread.join();
  EXPECT_EQ(peer.answer(), 0);
  OK(cuEventQuery(imported.there));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(*byte, 7);
}

void waits_for_importer() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  const CUstream stream = new_stream();
  auto gate = hold(stream);
  OK(cuMemsetD8Async(imported.memory, 5, size, stream));
  OK(cuEventRecord(imported.back, stream));
  if (held()) {
    EXPECT_EQ(cuEventQuery(imported.back), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(peer.tell('q'), CUDA_ERROR_NOT_READY);
  }
  EXPECT_EQ(peer.tell('w'), 0);
  EXPECT_EQ(peer.tell('b'), 0);
  if (held()) {
    EXPECT_EQ(cuEventQuery(imported.back), CUDA_ERROR_NOT_READY);
  }
  peer.begin('s');
  if (held()) {
    EXPECT_FALSE(peer.answered(20));
  }
  gate = nullptr;
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(peer.answer(), 0);
  EXPECT_EQ(peer.tell('x'), 0);
  EXPECT_EQ(peer.tell('y'), 5);
  OK(cuEventSynchronize(imported.back));
  OK(cuEventQuery(imported.back));
}

// Streams of two processes wait only for each other, a hundred times back and forth.
void to_and_fro() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  const CUstream stream = new_stream();
  // One round after the other, since a wait takes the most recent record at the time of its call.
  unsigned char* const seen = pinned_bytes(rounds);
  auto gate = hold(stream);
  OK(cuEventRecord(imported.back, stream));
  EXPECT_EQ(peer.tell('w'), 0);
  EXPECT_EQ(peer.tell('m'), 0);
  EXPECT_EQ(peer.tell('r'), 0);
  for (int i = 0; i < rounds; ++i) {
    OK(cuStreamWaitEvent(stream, imported.there, 0));
    OK(cuMemcpyDtoHAsync(&seen[i], imported.memory, 1, stream));
    OK(cuMemsetD8Async(imported.memory, static_cast<unsigned char>(i), size, stream));
    OK(cuEventRecord(imported.back, stream));
    EXPECT_EQ(peer.tell('w'), 0);
    if (i % 2 == 0) {
      EXPECT_EQ(peer.tell('m'), 0);
    }
    EXPECT_EQ(peer.tell('r'), 0);
  }
  gate = nullptr;
  OK(cuStreamWaitEvent(stream, imported.there, 0));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(peer.tell('x'), 0);
  for (int i = 0; i < rounds; ++i) EXPECT_EQ(seen[i], i == 0 || i % 2 == 1 ? 7 : i - 1) << i;
}

TEST(cuIpcOpenEventHandle, WaitsForWorkOfTheExporter) { run_each(waits_for_exporter); }
TEST(cuIpcOpenEventHandle, IsWaitedForByTheExporter) { run_each(waits_for_importer); }
TEST(cuIpcOpenEventHandle, OrdersStreamsToAndFro) { run_each(to_and_fro); }

// "... uses the most recent record at the time of the call, and is not affected by later ones."
void later_records() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  const CUstream stream = new_stream();
  ASSERT_EQ(peer.tell('g'), 0);
  ASSERT_EQ(peer.tell('r'), 0);
  OK(cuStreamWaitEvent(stream, imported.there, 0));
  ASSERT_EQ(peer.tell('R'), 0);
  EXPECT_TRUE(eventually([&] { return cuEventQuery(imported.there) == CUDA_SUCCESS; }));
  OK(cuEventSynchronize(imported.there));
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(peer.tell('o'), 0);
  OK(cuStreamSynchronize(stream));
  // Many pending records, each in a place of its own.
  ASSERT_EQ(peer.tell('g'), 0);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(peer.tell('r'), 0);
  EXPECT_EQ(cuEventQuery(imported.there), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(peer.tell('R'), 0);
  OK(cuEventSynchronize(imported.there));
  ASSERT_EQ(peer.tell('r'), 0);
  ASSERT_EQ(peer.tell('o'), 0);
  OK(cuEventSynchronize(imported.there));
}
TEST(cuIpcOpenEventHandle, IsNotAffectedByLaterRecords) { run_in_child({}, later_records); }

void two_handles() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  const CUstream stream = new_stream(), other = new_stream();
  CUevent second = nullptr;
  OK(cuIpcOpenEventHandle(&second, peer.offer.there));
  EXPECT_NE(second, imported.there);
  {
    Gate gate(stream);
    OK(cuEventRecord(imported.there, stream));
    EXPECT_EQ(cuEventQuery(second), CUDA_ERROR_NOT_READY);
    OK(cuStreamWaitEvent(other, second, 0));
    let_things_happen();
    EXPECT_EQ(cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  }
  OK(cuStreamSynchronize(other));
  OK(cuEventSynchronize(second));
  OK(cuEventDestroy(imported.there));
  OK(cuEventRecord(second, stream));
  OK(cuEventSynchronize(second));
  // "A handle may be opened" as long as the event exists.
  CUevent again = nullptr;
  OK(cuIpcOpenEventHandle(&again, peer.offer.there));
  OK(cuEventQuery(again));
  EXPECT_EQ(cuIpcOpenEventHandle(nullptr, peer.offer.there), CUDA_ERROR_INVALID_VALUE);
  CUipcEventHandle handle;
  float time = 0;
  EXPECT_EQ(cuIpcGetEventHandle(&handle, again), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventElapsedTime(&time, again, second), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecordWithFlags(again, stream, CU_EVENT_RECORD_EXTERNAL),
            CUDA_ERROR_ILLEGAL_STATE);
}
TEST(cuIpcOpenEventHandle, OpensTwice) { run_in_child({}, two_handles); }

void own_event() {
  const Scene scene;
  CUevent event = new_event(shareable), plain = new_event(), opened = nullptr;
  CUipcEventHandle one, two;
  OK(cuIpcGetEventHandle(&one, event));
  OK(cuIpcGetEventHandle(&two, event));
  EXPECT_EQ(memcmp(&one, &two, sizeof one), 0);
  EXPECT_EQ(cuIpcGetEventHandle(nullptr, event), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcGetEventHandle(&two, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcGetEventHandle(&two, plain), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuIpcGetEventHandle(&two, reinterpret_cast<CUevent>(0x1230)),
            CUDA_ERROR_INVALID_HANDLE);
  // Measured: a process cannot open its own events, not even destroyed ones.
  EXPECT_EQ(cuIpcOpenEventHandle(&opened, one), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuEventDestroy(event));
  EXPECT_EQ(cuIpcOpenEventHandle(&opened, one), CUDA_ERROR_INVALID_CONTEXT);
  // A shareable event that is not shared works like any other.
  const CUevent alone = new_event(shareable);
  const CUstream stream = new_stream(), other = new_stream();
  OK(cuEventQuery(alone));
  Gate gate(stream);
  OK(cuEventRecord(alone, stream));
  OK(cuStreamWaitEvent(other, alone, 0));
  EXPECT_EQ(cuEventQuery(alone), CUDA_ERROR_NOT_READY);
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  gate.open();
  OK(cuEventSynchronize(alone));
  OK(cuStreamSynchronize(other));
}
TEST(cuIpcGetEventHandle, NamesEventsThatMayBeShared) { run_in_child({}, own_event); }

void no_timing() {
  const Scene scene;
  CUevent event = nullptr;
  EXPECT_EQ(cuEventCreate(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
  OK(cuEventCreate(&event, shareable | CU_EVENT_BLOCKING_SYNC));
}
TEST(cuIpcGetEventHandle, NeedsAnEventWithoutTiming) { run_in_child({}, no_timing); }

}  // namespace
