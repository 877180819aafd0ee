// SPDX-License-Identifier: Apache-2.0
#include "api/driver/published_use.hpp"

#include <thread>
#include <utility>
#include <vector>

#include "api/driver/usage_table.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/living_contexts.hpp"
#include "sim/exec/exit_gate.hpp"
#include "sim/os/process.hpp"
#include "sim/os/thread_limit.hpp"
#include "sim/processes/own_entry.hpp"

namespace cuvette::driver {
namespace {

using device::Machine;

processes::DeviceUse use_of(const device::Device& device) {
  processes::DeviceUse use;
  const device::Usage usage = usage_of_this_process(device);
  const device::DeviceLoad load = load_of(device);
  use.uuid = device.identity().uuid;
  use.model = device.profile().name;
  use.index = device.index();
  use.in_context = usage.in_context;
  use.total = usage.total;
  use.used = usage.used;
  use.streams = load.streams;
  use.pending = load.pending;
  if (load.kernel) use.kernel = callsite::readable_name(load.kernel);
  return use;
}

bool publish(processes::OwnEntry& entry, bool answers) {
  std::vector<processes::DeviceUse> use;
  for (const auto& device : Machine::get().devices()) use.push_back(use_of(*device));
  return entry.publish(use, answers);
}

// The body of the thread.
void answer_readers(processes::OwnEntry& entry) {
  while (entry.wait_until_asked()) {
    if (!exec::ExitGate::get().begin()) return;  // the process exits
    const bool published = publish(entry, true);
    exec::ExitGate::get().end();
    if (!published) return;
  }
}

// Called when the first context comes up: before that there is nothing to tell, and the program may
// never start a thread.
void begin_to_answer() {
  processes::OwnEntry& entry = *Machine::get().entry();
  // Where threads are scarce, the program and its devices need them.
  const bool may_answer = os::threads_that_fit() > 4 && os::threads_fit(2);
  if (!publish(entry, may_answer) || !may_answer) return;
  std::thread thread = os::start_thread("cuvette-entry", [&entry] { answer_readers(entry); });
  if (thread.joinable()) {
    thread.detach();
  } else {
    publish(entry, false);
  }
}

}  // namespace

void publish_use() {
  static const bool entered = [] {
    processes::OwnEntry* const entry = Machine::get().entry();
    if (entry && publish(*entry, false)) device::Context::on_first(begin_to_answer);
    return true;
  }();
  static_cast<void>(entered);
}

}  // namespace cuvette::driver
