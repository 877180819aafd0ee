// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/operation_fault.hpp"

#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::device {

void report_fault(OperationRunner& runner, const Operation& operation,
                  const os::MemoryFault& fault) {
  Stream& stream = runner.stream();
  observers().notify(&Observer::faulted, stream, runner.number(), operation, fault);
  stream.context().fail(Error::illegal_address);
}

void watch_lost_pages() { os::watch_faults(Machine::get().fault_hook()); }

}  // namespace cuvette::device
