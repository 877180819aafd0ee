// SPDX-License-Identifier: Apache-2.0
#include "sim/check/log/log_file.hpp"

#include <atomic>

#include "sim/os/output.hpp"

namespace cuvette::check::log {

void LogFile::write(const std::string& lines) const {
  // Said once on stderr: the log may be the only purpose of this run.
  if (os::append_to_file(name_, lines + "\n")) return;
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) os::say("cannot write to '%s'.", name_.c_str());
}

std::string command_name(const device::Stream& stream, uint64_t number) {
  return std::to_string(stream.id()) + "." + std::to_string(number);
}

std::string command_name(const exec::Edge& edge) {
  exec::SerialQueue* const queue = edge.timeline ? edge.timeline->queue() : nullptr;
  // Streams are the only queues with lanes.
  if (!queue || !queue->lane()) return "";
  return command_name(static_cast<const device::Stream&>(*queue), edge.value);
}

std::string thread_name() {
  static std::atomic<unsigned> threads{0};
  thread_local const unsigned own = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return std::to_string(own);
}

}  // namespace cuvette::check::log
