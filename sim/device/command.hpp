// SPDX-License-Identifier: Apache-2.0
// Command: one piece of work of a stream, as data: what it is, what it reads and writes, what it
// waits for besides the commands before it in its stream, and what it does.
//
// Threads: written by the submitter, then read by the stream's runner and by observers.
// Invariant: at most 192 bytes, since programs queue them by the million.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/device/stream_order.hpp"
#include "sim/error.hpp"
#include "sim/exec/timeline.hpp"
#include "sim/memory/address.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::device {

enum class CommandKind : uint8_t {
  copy,            // reads -> writes
  fill,            // value -> writes
  host_function,   // cuLaunchHostFunc: not called once the context has an error
  callback,        // cuStreamAddCallback: called with the context's error, if any
  event_record,    // stamps an event's record, if the event keeps time
  event_wait,      // nothing but its edges
  graph,           // the steps of a launched graph
  graphics_unmap,  // nothing but its edges: cuGraphicsUnmapResources waits for it
  allocate,        // fills a part of a memory pool with what fresh memory holds
  free,            // what it writes in ends: cuMemFreeAsync
  value_write,     // word -> writes, at once
  value_wait,      // until what it reads compares with word
  value_batch,     // several of these two: a step of a graph
  discard,         // what it writes need not keep its content
  kernel,          // a grid of blocks; nobody knows what it reads and writes
  // A signal of an external semaphore, and a wait for one.
  semaphore_signal,
  semaphore_wait,
};
const char* name(CommandKind kind);

// What one cuEventRecord asked for: "when this stream has completed its commands up to here".
class EventRecord final : public Counted {
 public:
  EventRecord(Ref<exec::Timeline> timeline, const void* call_site)
      : timeline(std::move(timeline)), call_site(call_site) {}

  Ref<exec::Timeline> timeline;
  uint64_t value = 0;               // of the timeline; set before anybody but the event sees it
  std::atomic<int64_t> time_ns{0};  // when it was reached
  const void* call_site;
  Ref<const Known> known;  // in its stream when it was recorded; see StreamOrder
  bool in_graph = false;   // the timeline is not a stream's: a step of a graph stamps it
  bool exported = false;   // other processes can wait for it

  bool completed() const { return timeline->reached(value); }
};

using HostFunction = void (*)(void* data);
// `status` is CUDA's error number, 0 if there is none.
using StreamCallback = void (*)(uintptr_t stream, int status, void* data);

struct Command {
  Command(CommandKind kind, const void* call_site) : kind(kind), call_site(call_site) {}

  CommandKind kind;
  uint8_t element = 1;          // fill, value_*: bytes of an element, of the word
  bool may_lose_pages = false;  // touches memory whose file somebody else can shrink
  uint32_t value = 0;           // fill; value_wait: a Comparison; value_write: is it ordered
  const void* call_site;        // in the program
  memory::Region writes, reads;
  memory::Use writes_in, reads_in;  // the allocations, where the regions lie in such
  exec::Edge after;
  std::unique_ptr<std::vector<exec::Edge>> also_after;
  std::unique_ptr<std::byte[]> staged;  // copy: the pageable source, taken at the call
  Ref<EventRecord> record;
  // graph: its GraphRun; kernel: its KernelRun; allocate and free: the pool; value_wait: its
  // ValueWait; semaphore_*: its SemaphoreAction
  Ref<Counted> run;
  union {
    HostFunction function = nullptr;  // host_function
    StreamCallback callback;          // callback
    uint64_t word;                    // value_write, value_wait
  };
  void* data = nullptr;

  // Adds a condition.
  void wait_for(exec::Edge edge);
};
static_assert(sizeof(Command) <= 192);

}  // namespace cuvette::device
