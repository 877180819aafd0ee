// SPDX-License-Identifier: Apache-2.0
#include "sim/check/log/command_recorder.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/check/kernel/footprint.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/external_semaphore.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::check::log {

namespace format = record_format;
using device::Context;
using device::Operation;
using device::OperationKind;
using device::Stream;
using device::StreamKind;

namespace {

// What the calling thread waits for between synchronising() and synchronised().
[[gnu::tls_model("initial-exec")]] thread_local constinit format::WaitAll* waits_for = nullptr;

// What is kept for a stream, by Stream::recorded. Its runner writes to it all the time, so it is
// not in the stream, which submitters read.
struct Kept {
  format::Stream* life = nullptr;
  // The runner's: when a command ended last, and when an event happened last.
  uint64_t last_end = 0, last_event = 0;
};

Kept* kept(const Stream& stream) {
  return static_cast<Kept*>(stream.recorded.load(std::memory_order_acquire));
}

// Whether it is over as soon as it begins.
bool takes_no_time(const Operation& operation) {
  return operation.kind == OperationKind::event_record ||
         operation.kind == OperationKind::event_wait;
}

void set_time(uint64_t& place, uint64_t time) {
  std::atomic_ref(place).store(time, std::memory_order_release);
}

uint32_t number_of(const Stream& stream) { return static_cast<uint32_t>(stream.id()); }

const char* way_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::legacy:
      return "legacy";
    case StreamKind::per_thread:
      return "per-thread";
    case StreamKind::blocking:
      return "blocking";
    case StreamKind::non_blocking:
      return "non-blocking";
  }
  return "";
}

// Why a command waits for another one, which is in `other`. A wait for an event has that edge
// first.
format::EdgeWhy why(const Operation& operation, const Stream& own, const Stream& other,
                    bool is_first) {
  if (operation.kind == OperationKind::event_wait && is_first) return format::EdgeWhy::event;
  if (own.kind() == StreamKind::legacy || other.kind() == StreamKind::legacy)
    return format::EdgeWhy::legacy_stream;
  if (operation.kind == OperationKind::graph) return format::EdgeWhy::graph;
  return format::EdgeWhy::other;
}

}  // namespace

CommandRecorder::CommandRecorder(record::Recorder& recorder) : recorder_(recorder) {
  for (const auto& device : device::Machine::get().devices())
    recorder_.add(format::Device{.ordinal = device->ordinal(),
                                 .name = recorder_.text(device->profile().name)});
}

void CommandRecorder::created(const Stream& stream) {
  format::Stream* const added =
      recorder_.add(format::Stream{.number = number_of(stream),
                                   .device = stream.context().device().ordinal(),
                                   .priority = stream.priority(),
                                   .way = recorder_.text(way_of(stream.kind())),
                                   .context = stream.context().generation(),
                                   .began = os::ticks()});
  stream.recorded.store(new Kept{added}, std::memory_order_release);
}

// The number of the text that names a kind.
uint32_t CommandRecorder::word_of(OperationKind kind) {
  std::atomic<uint32_t>& known = words_[static_cast<size_t>(kind)];
  uint32_t number = known.load(std::memory_order_relaxed);
  if (number == 0) [[unlikely]] {
    number = recorder_.text(device::name(kind));
    known.store(number, std::memory_order_relaxed);
  }
  return number;
}

void CommandRecorder::submitted(const Stream& stream, uint64_t number, const Operation& operation) {
  // Legacy streams are there before anybody can ask for them.
  if (!kept(stream)) [[unlikely]]
    created(stream);
  const format::Call* const call = recorder_.inner_call();
  format::Command command{.stream = number_of(stream),
                          .number = number,
                          // To ask for the time once more would be a fifth of the cost.
                          .submitted = call ? call->began : recorder_.now(),
                          .what = word_of(operation.kind),
                          .site = recorder_.place(operation.call_site),
                          .call = recorder_.outer_call()};
  if (operation.kind == OperationKind::kernel) {
    const auto& kernel = static_cast<const device::KernelLaunch&>(operation).call();
    command.name = recorder_.symbol(kernel.name());
    command.blocks = kernel.shape().blocks();
    command.threads = static_cast<uint16_t>(kernel.shape().threads());
  }
  if (operation.kind == OperationKind::event_record || operation.kind == OperationKind::event_wait)
    command.name = recorder_.subject();
  const bool has_semaphores = operation.kind == OperationKind::semaphore_signal ||
                              operation.kind == OperationKind::semaphore_wait;
  if (has_semaphores) [[unlikely]]
    if (const auto semaphores = operation.semaphores(); !semaphores.empty())
      command.name = semaphores.front()->semaphore().recorded().name();
  operation.recorded = recorder_.number_of(recorder_.add(command));
  if (has_semaphores) [[unlikely]]
    add_semaphores(stream, number, operation);
  if (operation.has_edges()) add_edges(stream, number, operation);
  add_touches(stream, number, 0, operation);
}

void CommandRecorder::add_edges(const Stream& stream, uint64_t number, const Operation& operation) {
  bool is_first = true;
  operation.each_edge([&](const exec::Edge& edge) {
    const auto* const from =
        edge.timeline ? dynamic_cast<const Stream*>(edge.timeline->queue()) : nullptr;
    if (from && edge.value != 0)
      recorder_.add(format::Edge{.why = why(operation, stream, *from, is_first),
                                 .from_stream = number_of(*from),
                                 .to_stream = number_of(stream),
                                 .from_number = edge.value,
                                 .to_number = number});
    is_first = false;
  });
}

void CommandRecorder::add_semaphores(const Stream& stream, uint64_t number,
                                     const Operation& operation) {
  for (const auto& action : operation.semaphores())
    semaphores_.submitted(*action, {number_of(stream), number},
                          [&](const CommandName& signal, const CommandName& wait) {
                            recorder_.add(format::Edge{.why = format::EdgeWhy::semaphore,
                                                       .from_stream = signal.stream,
                                                       .to_stream = wait.stream,
                                                       .from_number = signal.number,
                                                       .to_number = wait.number});
                          });
}

void CommandRecorder::add_touches(const Stream& stream, uint64_t number, uint32_t step,
                                  const Operation& operation) {
  const device::Footprint& footprint = operation.footprint();
  const auto add = [&](const memory::Region& region, const memory::Use& use, bool writes) {
    if (region.empty()) return;
    const auto& allocation = use.allocation();
    recorder_.add(format::Touch{.writes = writes,
                                .stream = number_of(stream),
                                .number = number,
                                .step = step,
                                .address = region.address,
                                .size = region.extent(),
                                .memory = allocation ? allocation->buffer_id : 0});
  };
  add(footprint.reads, footprint.reads_in, false);
  add(footprint.writes, footprint.writes_in, true);
}

// Returns the time at which a command begins. To read the counter once more would be a good part of
// its cost, so times that are known already serve: a command that comes right after another begins
// when that ends, and an event that is run by the call that records it happens when the call
// begins. A command that waits for other streams, or for a schedule, begins later than these. No
// command has the time of an event before it: viewers would draw it inside the event.
uint64_t CommandRecorder::begin_of(const Stream& stream, const Operation& operation,
                                   const format::Command& command) const {
  if (operation.has_edges() || stream.lane()) return recorder_.now();
  const Kept& before = *kept(stream);
  if (!takes_no_time(operation))
    return stream.goes_on() && before.last_end != before.last_event
               ? std::max(command.submitted, before.last_end)
               : recorder_.now();
  const format::Call* const call = recorder_.inner_call();
  const bool is_own = call && call->began == command.submitted;
  return is_own && recorder_.last_time() > before.last_end ? recorder_.last_time()
                                                           : recorder_.now();
}

void CommandRecorder::started(const Stream& stream, uint64_t, const Operation& operation) {
  auto* const command = recorder_.at<format::Command>(operation.recorded);
  if (!command) return;
  const uint64_t time = begin_of(stream, operation, *command);
  set_time(command->began, time);
  if (!takes_no_time(operation)) return;
  set_time(command->ended, time);
  kept(stream)->last_end = kept(stream)->last_event = time;
}

void CommandRecorder::completed(const Stream& stream, uint64_t, const Operation& operation) {
  auto* const command = recorder_.at<format::Command>(operation.recorded);
  if (!command || takes_no_time(operation)) return;
  kept(stream)->last_end = recorder_.now();
  set_time(command->ended, kept(stream)->last_end);
}

// The step of a graph that an operation is; 0: it is a command.
uint32_t CommandRecorder::step_of(const Operation& operation) const {
  const auto* const step = recorder_.at<format::Step>(operation.recorded);
  return step && step->kind == format::Kind::step ? step->step : 0;
}

void CommandRecorder::kernel_touched(const Stream& stream, uint64_t number,
                                     const Operation& operation, const device::KernelCall&,
                                     const watch::Footprint& footprint) {
  const uint32_t step = step_of(operation);
  for (const watch::Touched& touched : footprint.touched()) {
    const Ref<memory::Allocation> memory = device::address_space().find_recorded(touched.begin);
    for (const bool writes : {false, true})
      if (writes ? touched.writes : touched.reads)
        recorder_.add(format::Touch{.writes = writes,
                                    .stream = number_of(stream),
                                    .number = number,
                                    .step = step,
                                    .address = touched.begin,
                                    .size = touched.end - touched.begin,
                                    .memory = memory ? memory->buffer_id : 0});
  }
}

void CommandRecorder::waited_for(const Stream& stream, uint64_t number) {
  if (number == 0) return;
  recorder_.add(format::Wait{.stream = number_of(stream),
                             .number = number,
                             .call = recorder_.outer_call(),
                             .time = os::ticks()});
}

void CommandRecorder::synchronising(const Context& context, device::Streams which) {
  waits_for = recorder_.add(format::WaitAll{.blocking_only = which == device::Streams::blocking,
                                            .call = recorder_.outer_call(),
                                            .context = context.generation(),
                                            .began = os::ticks()});
}

void CommandRecorder::synchronised(const Context&, device::Streams) {
  record::Recorder::end(std::exchange(waits_for, nullptr));
}

void CommandRecorder::ended(const Stream& stream) {
  const std::unique_ptr<Kept> last(
      static_cast<Kept*>(stream.recorded.exchange(nullptr, std::memory_order_acq_rel)));
  if (last) record::Recorder::end(last->life);
}

}  // namespace cuvette::check::log
