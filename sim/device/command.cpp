// SPDX-License-Identifier: Apache-2.0
#include "sim/device/command.hpp"

namespace cuvette::device {

const char* name(CommandKind kind) {
  switch (kind) {
    case CommandKind::copy:
      return "copy";
    case CommandKind::fill:
      return "fill";
    case CommandKind::host_function:
      return "host function";
    case CommandKind::callback:
      return "callback";
    case CommandKind::event_record:
      return "event record";
    case CommandKind::event_wait:
      return "event wait";
    case CommandKind::graph:
      return "graph";
    case CommandKind::graphics_unmap:
      return "unmapping of graphics resources";
    case CommandKind::allocate:
      return "allocation";
    case CommandKind::free:
      return "free";
    case CommandKind::value_write:
      return "write of a value";
    case CommandKind::value_wait:
      return "wait for a value";
    case CommandKind::value_batch:
      return "batch of memory operations";
    case CommandKind::semaphore_signal:
      return "signal of a semaphore";
    case CommandKind::semaphore_wait:
      return "wait for a semaphore";
    case CommandKind::discard:
      return "discarding of memory";
    case CommandKind::kernel:
      return "kernel";
  }
  return "?";
}

void Command::wait_for(exec::Edge edge) {
  if (!after.timeline) {
    after = std::move(edge);
    return;
  }
  if (!also_after) also_after = std::make_unique<std::vector<exec::Edge>>();
  also_after->push_back(std::move(edge));
}

}  // namespace cuvette::device
