// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/operation.hpp"

#include "sim/device/machine/value.hpp"

namespace cuvette::device {

ValueOperation Operation::value() const { return {}; }

const char* name(OperationKind kind) {
  switch (kind) {
    case OperationKind::copy:
      return "copy";
    case OperationKind::fill:
      return "fill";
    case OperationKind::host_function:
      return "host function";
    case OperationKind::callback:
      return "callback";
    case OperationKind::event_record:
      return "event record";
    case OperationKind::event_wait:
      return "event wait";
    case OperationKind::graph:
      return "graph";
    case OperationKind::graphics_unmap:
      return "unmapping of graphics resources";
    case OperationKind::allocate:
      return "allocation";
    case OperationKind::free:
      return "free";
    case OperationKind::value_write:
      return "write of a value";
    case OperationKind::value_wait:
      return "wait for a value";
    case OperationKind::value_batch:
      return "batch of memory operations";
    case OperationKind::semaphore_signal:
      return "signal of a semaphore";
    case OperationKind::semaphore_wait:
      return "wait for a semaphore";
    case OperationKind::discard:
      return "discarding of memory";
    case OperationKind::kernel:
      return "kernel";
  }
  return "?";
}

const Footprint& Footprint::none() {
  static const Footprint* const nothing = new Footprint;
  return *nothing;
}

void Operation::wait_for(exec::Edge edge) {
  if (!has_edges()) {
    first_edge_ = std::move(edge);
    return;
  }
  if (!more_edges_) more_edges_ = std::make_unique<std::vector<exec::Edge>>();
  more_edges_->push_back(std::move(edge));
}

exec::Edge Operation::unreached() const {
  if (!first_edge_.reached()) return first_edge_;
  if (more_edges_)
    for (const exec::Edge& edge : *more_edges_)
      if (!edge.reached()) return edge;
  return {};
}

}  // namespace cuvette::device
