// SPDX-License-Identifier: Apache-2.0
#include "sim/check/log/trace.hpp"

#include <mutex>

#include "sim/base/config.hpp"
#include "sim/check/log/command_recorder.hpp"
#include "sim/check/log/dependency_log.hpp"
#include "sim/check/log/digests.hpp"
#include "sim/check/log/memory_log.hpp"
#include "sim/check/log/order_log.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/os/output.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::check::log {

void attach() {
  static constinit std::once_flag once;
  std::call_once(once, [] {
    if (record::Recorder* const recorder = record::start()) {
      auto& commands = *new CommandRecorder(*recorder);
      device::observers().attach(commands);
      watch::LaunchObserver::get().kernel_observers().attach(commands);
      recorder->add_clock();  // milliseconds after the first one, so that their rate is known
    }
    if (config().order_log.empty()) return;
    // Never destroyed: a command may run while the process exits.
    const auto& file = *new LogFile(os::with_process_id(config().order_log));
    device::Machine& machine = device::Machine::get();
    device::Observers& observers = device::observers();
    // What the program changes between two commands is said before the second begins.
    if (config().order_log_bytes > 0 && exec::Scheduler::get())
      observers.attach(*new MemoryLog(file, config().order_log_bytes));
    observers.attach(*new OrderLog(file));
    auto& dependencies = *new DependencyLog(file, machine.needs().has(Needs::footprints));
    observers.attach(dependencies);
    watch::LaunchObserver::get().kernel_observers().attach(dependencies);
    if (config().digests) observers.attach(*new Digests(file));
  });
}

}  // namespace cuvette::check::log
