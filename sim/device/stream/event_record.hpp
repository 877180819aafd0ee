// SPDX-License-Identifier: Apache-2.0
// EventRecord: the point that one cuEventRecord marks: the stream has completed its commands up to
// here. EventMark: the operation that stamps it.
//
// Threads: any may read a record; the operation's runner writes its time.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "sim/base/ref.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/device/stream/stream_order.hpp"
#include "sim/exec/timeline.hpp"
#include "sim/os/clock.hpp"

namespace cuvette::device {

class EventRecord final : public Counted {
 public:
  EventRecord(Ref<exec::Timeline> timeline, const void* call_site)
      : timeline(std::move(timeline)), call_site(call_site) {}

  Ref<exec::Timeline> timeline;
  uint64_t value = 0;               // of the timeline; set before another thread sees it
  std::atomic<int64_t> time_ns{0};  // when the point was reached
  const void* call_site;
  Ref<const Known> known;  // its stream's at the time of recording; see StreamOrder
  bool in_graph = false;   // the timeline is not a stream's: a step of a graph stamps it
  bool exported = false;   // other processes can wait for it

  bool completed() const { return timeline->reached(value); }
  void stamp() { time_ns.store(os::now_ns(), std::memory_order_relaxed); }
};

class EventMark final : public OperationOf<EventMark> {
 public:
  // `record`: null if the event keeps no time and no other process can wait for it.
  EventMark(Ref<EventRecord> record, const void* call_site)
      : OperationOf(OperationKind::event_record, call_site), record_(std::move(record)) {}

  Progress step(OperationRunner&) override {
    if (record_) record_->stamp();
    return Progress::done();
  }
  bool tells_other_processes() const override { return record_ && record_->exported; }

 private:
  Ref<EventRecord> record_;
};

}  // namespace cuvette::device
