// SPDX-License-Identifier: Apache-2.0
// Events of another process. The program itself never calls cuInit: each test is a child, which
// forks the process that has the events before it begins.
#include <cuda.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/peer.hpp"

namespace {

constexpr unsigned shareable = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
constexpr unsigned lazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
constexpr size_t size = 1 << 16;
constexpr int rounds = 100;

struct Offer {
  CUipcEventHandle there, back;
  CUipcMemHandle memory;
};

// Under a schedule a host function that waits for the test would hold up every step for seconds.
bool held() { return !getenv("CUVETTE_SCHEDULE"); }
std::unique_ptr<Gate> hold(CUstream stream) {
  return held() ? std::make_unique<Gate>(stream) : nullptr;
}

// What the exporting process does at each letter; it answers a CUresult, or a byte of its memory.
Peer<Offer>::Answer export_events(Offer& offer) {
  CUcontext context;
  static CUstream stream, other;
  static CUevent there, back;
  static CUdeviceptr memory;
  static std::unique_ptr<Gate> gate;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) ||
      cuStreamCreate(&other, CU_STREAM_NON_BLOCKING) || cuEventCreate(&there, shareable) ||
      cuEventCreate(&back, shareable) || cuMemAlloc(&memory, size) || cuMemsetD8(memory, 0, size) ||
      cuCtxSynchronize() || cuIpcGetEventHandle(&offer.there, there) ||
      cuIpcGetEventHandle(&offer.back, back) || cuIpcGetMemHandle(&offer.memory, memory))
    return {};
  return [](char letter) -> int {
    unsigned char byte = 0;
    switch (letter) {
      case 'g':
        gate = hold(stream);
        return 0;
      case 'o':
        gate = nullptr;
        return 0;
      case 'm':
        return cuMemsetD8Async(memory, 7, size, stream);
      case 'r':
        return cuEventRecord(there, stream);
      case 'R':
        return cuEventRecord(there, other);
      case 'b':
        return cuEventRecord(back, stream);
      case 'w':
        return cuStreamWaitEvent(stream, back, 0);
      case 'q':
        return cuEventQuery(back);
      case 's':
        return cuEventSynchronize(back);
      case 'x':
        return cuStreamSynchronize(stream);
      case 'y':
        return cuMemcpyDtoHAsync(&byte, memory, 1, other) || cuStreamSynchronize(other) ? -1 : byte;
      case 'd':
        return cuEventDestroy(there);
    }
    return -1;
  };
}

struct Imported {
  explicit Imported(const Peer<Offer>& peer) {
    EXPECT_EQ(cuIpcOpenEventHandle(&there, peer.offer.there), CUDA_SUCCESS);
    EXPECT_EQ(cuIpcOpenEventHandle(&back, peer.offer.back), CUDA_SUCCESS);
    EXPECT_EQ(cuIpcOpenMemHandle(&memory, peer.offer.memory, lazy), CUDA_SUCCESS);
  }
  CUevent there = nullptr, back = nullptr;
  CUdeviceptr memory = 0;
};

// Every way in which work may be ordered.
const std::vector<Environment> schedules{{},
                                         {{"CUVETTE_SCHEDULE", "eager"}},
                                         {{"CUVETTE_SCHEDULE", "lazy"}},
                                         {{"CUVETTE_SCHEDULE", "random:3"}},
                                         {{"CUVETTE_CHECK", "races"}}};
void run_each(const std::function<void()>& body) {
  for (const Environment& environment : schedules) {
    const std::string text = run_in_child(environment, body);
    EXPECT_EQ(text.find("orders the two"), std::string::npos) << text;
  }
}

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

// Streams of two processes that only wait for each other, a hundred times to and fro.
void to_and_fro() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  const CUstream stream = new_stream();
  // One round after the other, since a wait takes what was recorded by then.
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
  // Many that are pending, each in a place of its own.
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
  // "A handle may be opened" as long as the event is there.
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
  // Measured: a process cannot open what is its own, also what it had.
  EXPECT_EQ(cuIpcOpenEventHandle(&opened, one), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuEventDestroy(event));
  EXPECT_EQ(cuIpcOpenEventHandle(&opened, one), CUDA_ERROR_INVALID_CONTEXT);
  // A shareable event that nobody shares is an event.
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

// --- Ends ----------------------------------------------------------------------------------------

constexpr const char* never = "it never will be";

void killed_at_work() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  ASSERT_EQ(peer.tell('g'), 0);
  ASSERT_EQ(peer.tell('r'), 0);
  CUresult heard = CUDA_SUCCESS;
  std::thread thread([&] {
    EXPECT_EQ(cuCtxSetCurrent(scene.context), CUDA_SUCCESS);
    heard = cuEventSynchronize(imported.there);
  });
  let_things_happen();
  peer.end();
  thread.join();
  EXPECT_EQ(heard, CUDA_ERROR_EXTERNAL_DEVICE);
  EXPECT_EQ(cuEventQuery(imported.there), CUDA_ERROR_EXTERNAL_DEVICE);
  EXPECT_EQ(cuEventSynchronize(imported.there), CUDA_ERROR_EXTERNAL_DEVICE);
  // Who only asked goes on, also with that event.
  const CUstream stream = new_stream();
  OK(cuEventRecord(imported.there, stream));
  OK(cuEventSynchronize(imported.there));
  OK(cuEventQuery(imported.back));
}
TEST(cuIpcOpenEventHandle, SaysThatItsExporterWasKilled) {
  const std::string text = run_in_child({}, killed_at_work);
  EXPECT_NE(text.find(never), std::string::npos) << text;
  EXPECT_NE(run_in_child({{"CUVETTE_SCHEDULE", "lazy"}}, killed_at_work).find(never),
            std::string::npos);
}

void killed_and_waited_for() {
  Peer<Offer> peer(export_events);
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  const Imported imported(peer);
  const CUstream stream = new_stream();
  for (const char letter : {'g', 'm', 'r'}) ASSERT_EQ(peer.tell(letter), 0);
  OK(cuStreamWaitEvent(stream, imported.there, 0));
  OK(cuMemsetD8Async(imported.memory, 3, size, stream));
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  peer.end();
  // "This leaves the process in an inconsistent state and any further CUDA work will return the
  // same error."
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_EXTERNAL_DEVICE);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_EXTERNAL_DEVICE);
  // A wait that comes too late for the living.
  EXPECT_EQ(cuEventQuery(imported.there), CUDA_ERROR_EXTERNAL_DEVICE);
}
TEST(cuIpcOpenEventHandle, LetsNoStreamWaitForTheDead) {
  const std::string text = run_in_child({}, killed_and_waited_for);
  EXPECT_NE(text.find(never), std::string::npos) << text;
}

void killed_idle() {
  const int before = open_descriptors();
  Peer<Offer> peer(export_events);
  const Scene scene;
  CUevent there = nullptr, again = nullptr, other = nullptr;
  OK(cuIpcOpenEventHandle(&there, peer.offer.there));
  for (const char letter : {'r', 'x'}) ASSERT_EQ(peer.tell(letter), 0);
  const int while_open = open_descriptors();
  peer.end();
  OK(cuEventQuery(there));
  OK(cuEventSynchronize(there));
  // What is open here opens again; what is not has ended with its process.
  OK(cuIpcOpenEventHandle(&again, peer.offer.there));
  EXPECT_EQ(cuIpcOpenEventHandle(&other, peer.offer.back), CUDA_ERROR_MAP_FAILED);
  const CUstream stream = new_stream();
  OK(cuEventRecord(again, stream));
  OK(cuEventSynchronize(there));
  OK(cuEventDestroy(there));
  OK(cuEventDestroy(again));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(open_descriptors(), while_open - 1 - Peer<Offer>::descriptors);
  EXPECT_GE(open_descriptors(), before);
  EXPECT_EQ(cuIpcOpenEventHandle(&again, peer.offer.there), CUDA_ERROR_MAP_FAILED);
}
TEST(cuIpcOpenEventHandle, OutlivesAnExporterThatIsKilled) { run_in_child({}, killed_idle); }

// The other way round: who imported the event and recorded it is killed.
struct Adopted {
  int ignored;
};
void importer_killed() {
  int handles[2];
  ASSERT_EQ(pipe(handles), 0);
  Peer<Adopted> peer([&](Adopted&) -> Peer<Adopted>::Answer {
    return [&handles](char letter) -> int {
      static CUevent event;
      static CUstream stream;
      static std::unique_ptr<Gate> gate;
      if (letter == 'i') {
        CUcontext context;
        CUipcEventHandle handle;
        if (read(handles[0], &handle, sizeof handle) != sizeof handle) return -1;
        return cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
               cuStreamCreate(&stream, 0) || cuIpcOpenEventHandle(&event, handle);
      }
      gate = std::make_unique<Gate>(stream);
      return cuEventRecord(event, stream);
    };
  });
  const Scene scene;
  const CUevent event = new_event(shareable);
  const int before = open_descriptors();
  CUipcEventHandle handle;
  OK(cuIpcGetEventHandle(&handle, event));
  ASSERT_EQ(write(handles[1], &handle, sizeof handle), static_cast<ssize_t>(sizeof handle));
  ASSERT_EQ(peer.tell('i'), 0);
  ASSERT_EQ(peer.tell('r'), 0);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  peer.end();
  EXPECT_TRUE(eventually([&] { return cuEventQuery(event) == CUDA_ERROR_EXTERNAL_DEVICE; }));
  EXPECT_EQ(cuEventSynchronize(event), CUDA_ERROR_EXTERNAL_DEVICE);
  const CUstream stream = new_stream();
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  EXPECT_EQ(open_descriptors(), before + 1 - Peer<Adopted>::descriptors);  // the exchange's socket
}
TEST(cuIpcGetEventHandle, SaysThatItsImporterWasKilled) { run_in_child({}, importer_killed); }

void destroyed() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  CUevent there = nullptr, again = nullptr;
  OK(cuIpcOpenEventHandle(&there, peer.offer.there));
  ASSERT_EQ(peer.tell('d'), 0);
  OK(cuEventQuery(there));
  OK(cuIpcOpenEventHandle(&again, peer.offer.there));
  OK(cuEventDestroy(there));
  OK(cuEventDestroy(again));
  EXPECT_EQ(cuIpcOpenEventHandle(&there, peer.offer.there), CUDA_ERROR_MAP_FAILED);
}
TEST(cuIpcOpenEventHandle, RefusesAnEventThatIsDestroyed) { run_in_child({}, destroyed); }

void garbage() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  CUevent event = nullptr;
  CUipcEventHandle handle;
  std::mt19937 random(1);
  for (size_t at = 0; at < sizeof handle; ++at) {
    handle = peer.offer.there;
    handle.reserved[at] = static_cast<char>(handle.reserved[at] ^ (1 << random() % 8));
    EXPECT_EQ(cuIpcOpenEventHandle(&event, handle), CUDA_ERROR_MAP_FAILED) << at;
  }
  for (int i = 0; i < 1000; ++i) {
    for (char& byte : handle.reserved) byte = static_cast<char>(random());
    EXPECT_EQ(cuIpcOpenEventHandle(&event, handle), CUDA_ERROR_MAP_FAILED);
  }
  memset(&handle, 0, sizeof handle);
  EXPECT_EQ(cuIpcOpenEventHandle(&event, handle), CUDA_ERROR_MAP_FAILED);
  memcpy(&handle, &peer.offer.memory, sizeof handle);
  EXPECT_EQ(cuIpcOpenEventHandle(&event, handle), CUDA_ERROR_MAP_FAILED);
  CUdeviceptr memory = 0;
  CUipcMemHandle of_event;
  memcpy(&of_event, &peer.offer.there, sizeof of_event);
  EXPECT_EQ(cuIpcOpenMemHandle(&memory, of_event, lazy), CUDA_ERROR_INVALID_VALUE);
  OK(cuIpcOpenEventHandle(&event, peer.offer.there));
}
TEST(cuIpcOpenEventHandle, TakesNoOtherBytes) { run_in_child({}, garbage); }

int mappings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("cuvette-event") != std::string::npos) ++count;
  return count;
}

void open_and_close() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const CUstream stream = new_stream();
  const int descriptors = open_descriptors();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      EXPECT_EQ(cuCtxSetCurrent(scene.context), CUDA_SUCCESS);
      for (int i = 0; i < 50; ++i) {
        CUevent event = nullptr;
        OK(cuIpcOpenEventHandle(&event, i % 2 ? peer.offer.there : peer.offer.back));
        OK(cuEventRecord(event, stream));
        EXPECT_NE(cuEventQuery(event), CUDA_ERROR_EXTERNAL_DEVICE);
        OK(cuStreamWaitEvent(stream, event, 0));
        OK(cuEventDestroy(event));  // pending, perhaps
      }
    });
  for (std::thread& thread : threads) thread.join();
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(peer.tell('s'), 0);
  EXPECT_TRUE(eventually([&] { return open_descriptors() == descriptors && mappings() == 0; }));
}
TEST(cuIpcOpenEventHandle, LeavesNothingBehind) { run_in_child({}, open_and_close); }

// --- Captures and graphs -------------------------------------------------------------------------

void graphs() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  const CUstream stream = new_stream();
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(cuEventRecord(imported.back, stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  OK(cuStreamEndCapture(stream, &graph));
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(cuStreamWaitEvent(stream, imported.back, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  // A graph that waits for the other process, works, and tells it.
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuStreamWaitEvent(stream, imported.there, CU_EVENT_WAIT_EXTERNAL));
  OK(cuMemsetD8Async(imported.memory, 8, size, stream));
  OK(cuEventRecordWithFlags(imported.back, stream, CU_EVENT_RECORD_EXTERNAL));
  OK(cuStreamEndCapture(stream, &graph));
  OK(cuGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) {
    for (const char letter : {'g', 'm', 'r'}) ASSERT_EQ(peer.tell(letter), 0);
    OK(cuGraphLaunch(exec, stream));
    if (held()) {
      EXPECT_EQ(peer.tell('q'), CUDA_ERROR_NOT_READY);
      EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    }
    ASSERT_EQ(peer.tell('o'), 0);
    peer.begin('s');
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(peer.answer(), 0);
    EXPECT_EQ(peer.tell('y'), 8);
  }
}
TEST(cuIpcOpenEventHandle, IsANodeOfGraphs) { run_each(graphs); }

// --- Races ---------------------------------------------------------------------------------------

// An order that leads through the other process is none that can be seen here: nobody is accused.
void through_the_other() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  const CUstream one = new_stream(), two = new_stream(), three = new_stream();
  const CUdeviceptr own = new_memory(size);
  for (const bool pending : {true, false}) {
    Gate gate(one);
    if (!pending) gate.open();
    OK(cuMemsetD8Async(own, 1, size, one));
    OK(cuEventRecord(imported.back, one));
    EXPECT_EQ(peer.tell('w'), 0);
    EXPECT_EQ(peer.tell('r'), 0);
    if (!pending) {
      EXPECT_EQ(peer.tell('x'), 0);
    }
    OK(cuStreamWaitEvent(two, imported.there, 0));
    OK(cuMemsetD8Async(own, 2, size, two));
    gate.open();
    OK(cuCtxSynchronize());
  }
  // The other's host waits, and tells ours by a pipe.
  OK(cuMemsetD8Async(own, 3, size, one));
  OK(cuEventRecord(imported.back, one));
  EXPECT_EQ(peer.tell('s'), 0);
  OK(cuMemsetD8Async(own, 4, size, three));
  OK(cuCtxSynchronize());
}
void not_through_the_other() {
  Peer<Offer> peer(export_events);
  const Scene scene;
  const Imported imported(peer);
  const CUstream one = new_stream(), two = new_stream();
  const CUdeviceptr own = new_memory(size);
  Gate gate(one);
  OK(cuMemsetD8Async(own, 1, size, one));
  OK(cuEventRecord(imported.back, one));
  OK(cuMemsetD8Async(own, 2, size, two));  // waits for nobody
  gate.open();
  OK(cuCtxSynchronize());
}
TEST(CUVETTE_CHECK, AccusesNobodyWhomAnotherProcessOrders) {
  const Environment races{{"CUVETTE_CHECK", "races"}};
  const std::string right = run_in_child(races, through_the_other);
  EXPECT_EQ(right.find("orders the two"), std::string::npos) << right;
  const std::string wrong = run_in_child(races, not_through_the_other);
  EXPECT_NE(wrong.find("orders the two"), std::string::npos) << wrong;
}

}  // namespace
