// SPDX-License-Identifier: Apache-2.0
// Another process's events when that process ends or destroys them; invalid handles; graphs; and
// which races may be reported when another process orders the work.
#include <cuda.h>

#include <cstring>
#include <fstream>
#include <random>

#include "tests/api/driver/event_exporter.hpp"

namespace {

// --- Ends ----------------------------------------------------------------------------------------

constexpr const char* never = "it will never be done";

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
  // A thread that only waited for the event can go on and use it again.
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
  // The context had to wait for work that will never come, so the error stays.
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
  // An event that is still open here can be opened again; the other ended with its process.
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

// The other way round: the process that imported the event and recorded it is killed.
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
  EXPECT_EQ(open_descriptors(), before + 1 - Peer<Adopted>::descriptors);  // the socket for the
                                                                           // exchange
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
        OK(cuEventDestroy(event));  // possibly while pending
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
  // A graph that waits for the other process, does its work, and signals back.
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

// Orders that lead through the other process cannot be seen here: no race is reported.
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
  // The other process's host waits and answers ours through a pipe.
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
  OK(cuMemsetD8Async(own, 2, size, two));  // waits for nothing
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
