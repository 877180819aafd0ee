// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace.hpp"

#include <mutex>

#include "sim/config.hpp"
#include "sim/os/output.hpp"
#include "sim/stream/machine.hpp"
#include "sim/trace/order_log.hpp"

namespace cuvette::trace {

void attach() {
  static constinit std::once_flag once;
  std::call_once(once, [] {
    const std::string& file = config().order_log;
    // Never destroyed: a command may run while the process exits.
    if (!file.empty())
      device::Machine::get().observers().attach(*new OrderLog(os::with_process_id(file)));
  });
}

}  // namespace cuvette::trace
