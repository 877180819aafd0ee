// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/order_log.hpp"

#include <cstdio>

#include "sim/exec/scheduler.hpp"
#include "sim/os/output.hpp"
#include "sim/os/symbol.hpp"
#include "sim/stream/stream.hpp"

namespace cuvette::trace {
namespace {

uint64_t lane_of(const device::Stream& stream) {
  return stream.lane() ? *stream.lane() : stream.id();
}

std::string command_name(const device::Stream& stream, uint64_t number) {
  return std::to_string(lane_of(stream)) + "." + std::to_string(number);
}

std::string step_name(const exec::Step& step) {
  return std::to_string(step.lane) + "." + std::to_string(step.number) + "." +
         std::to_string(step.step);
}

const char* describe(const device::Stream& stream) {
  switch (stream.kind()) {
    case device::StreamKind::legacy:
      return "legacy";
    case device::StreamKind::per_thread:
      return "per-thread";
    case device::StreamKind::blocking:
      return "blocking";
    case device::StreamKind::non_blocking:
      return "non-blocking";
  }
  return "?";
}

}  // namespace

void OrderLog::submitted(const device::Stream& stream, uint64_t number,
                         const device::Operation& operation) {
  write("queued\t" + command_name(stream, number) + "\t" + name(operation.kind) + "\t" +
        describe(stream) + "\t" + os::describe_caller(operation.call_site));
  exec::Scheduler* const scheduler = exec::Scheduler::get();
  if (!scheduler || !stream.lane()) return;
  const exec::Delay delay = scheduler->delay(*stream.lane(), number);
  if (delay == exec::Delay{}) return;
  exec::Decisions decisions;
  decisions.held.push_back({*stream.lane(), number, number, delay});
  write("held\t" + decisions.print());
}

void OrderLog::started(const device::Stream& stream, uint64_t number, const device::Operation&) {
  write("began\t" + command_name(stream, number));
}

void OrderLog::step_submitted(const device::Stream& stream, const exec::Step& step,
                              const char* what, const void* call_site) {
  write("queued\t" + step_name(step) + "\t" + what + "\t" + describe(stream) + "\t" +
        os::describe_caller(call_site) + "\t" + std::to_string(step.branch) + "\t" +
        std::to_string(step.place));
}

void OrderLog::step_held(const device::Stream&, const exec::Step& step, const exec::Delay& delay) {
  exec::Decisions decisions;
  decisions.held.push_back({step.lane, step.number, step.number, delay, step.step, step.step});
  write("held\t" + decisions.print());
}

void OrderLog::step_started(const device::Stream&, const exec::Step& step) {
  write("began\t" + step_name(step));
}

void OrderLog::chose(uint64_t question, bool yes) {
  if (yes) write("yes\t" + std::to_string(question));
}

void OrderLog::write(const std::string& line) {
  // Said once on stderr: the log may be the only purpose of this run.
  if (!os::append_to_file(file_, line + "\n")) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true)) os::write_to_stderr("cuvette: cannot write to '" + file_ + "'.\n");
  }
}

}  // namespace cuvette::trace
