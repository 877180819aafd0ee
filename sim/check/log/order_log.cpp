// SPDX-License-Identifier: Apache-2.0
#include "sim/check/log/order_log.hpp"

#include "sim/callsite/symbol.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/exec/scheduler.hpp"

namespace cuvette::check::log {
namespace {

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
  file_.write("queued\t" + command_name(stream, number) + "\t" + device::describe(operation) +
              "\t" + describe(stream) + "\t" + callsite::describe_caller(operation.call_site) +
              "\t" + std::to_string(stream.context().generation()) + "\t" + thread_name());
  exec::Scheduler* const scheduler = exec::Scheduler::get();
  if (!scheduler || !stream.lane()) return;
  const exec::Delay delay = scheduler->delay(*stream.lane(), number);
  if (delay == exec::Delay{}) return;
  exec::Decisions decisions;
  decisions.held.push_back({*stream.lane(), number, number, delay});
  file_.write("held\t" + decisions.print());
}

void OrderLog::started(const device::Stream& stream, uint64_t number, const device::Operation&) {
  file_.write("began\t" + command_name(stream, number));
}

void OrderLog::step_submitted(const device::Stream& stream, const exec::Step& step,
                              const char* what, const void* call_site) {
  file_.write("queued\t" + step_name(step) + "\t" + what + "\t" + describe(stream) + "\t" +
              callsite::describe_caller(call_site) + "\t" + std::to_string(step.branch) + "\t" +
              std::to_string(step.place));
}

void OrderLog::step_held(const device::Stream&, const exec::Step& step, const exec::Delay& delay) {
  exec::Decisions decisions;
  decisions.held.push_back({step.lane, step.number, step.number, delay, step.step, step.step});
  file_.write("held\t" + decisions.print());
}

void OrderLog::step_started(const device::Stream&, const exec::Step& step) {
  file_.write("began\t" + step_name(step));
}

void OrderLog::grid_started(const device::Stream& stream, uint64_t number, uint64_t blocks,
                            uint64_t warps, exec::KernelOrder order) {
  std::string line = "grid\t" + command_name(stream, number) + "\t" + std::to_string(blocks) +
                     "\t" + std::to_string(warps);
  if (order != 0 && stream.lane()) {
    exec::Decisions decisions;
    decisions.kernels.push_back({*stream.lane(), number, number, order});
    line += "\t" + decisions.print();
  }
  file_.write(line);
}

void OrderLog::chose(uint64_t question, bool yes) {
  file_.write((yes ? "yes\t" : "no\t") + std::to_string(question));
}

}  // namespace cuvette::check::log
