// SPDX-License-Identifier: Apache-2.0
#include "sim/device/machine/machine.hpp"

#include "sim/base/config.hpp"
#include "sim/device/model/device_list.hpp"
#include "sim/device/model/visible_devices.hpp"
#include "sim/exec/exit_gate.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/workers.hpp"
#include "sim/os/output.hpp"
#include "sim/os/process.hpp"
#include "sim/os/thread_limit.hpp"
#include "sim/processes/own_entry.hpp"
#include "sim/processes/register.hpp"

namespace cuvette::device {

std::atomic<Machine*> Machine::instance_{nullptr};
std::atomic<Machine::State> Machine::state_{State::not_started};

namespace {

// Says on stderr that a knob makes no sense.
Error bad_knob(const char* variable, const std::string& value, std::string_view wanted) {
  os::say("%s is '%s'; it should be %s.", variable, value.c_str(), std::string(wanted).c_str());
  return Error::invalid_value;
}

// Without a hook of a higher room a fault is the host program's own.
os::FaultAction no_hook(const os::MemoryFault&) { return os::FaultAction::chain; }

}  // namespace

Result<> Machine::start(const Options& options) {
  static Mutex* const mutex = new Mutex;
  MutexLock lock(*mutex);
  switch (state()) {
    case State::running:
      return {};
    case State::forked:
      return Error::not_initialized;
    case State::exiting:
      return Error::deinitialized;
    case State::not_started:
      break;
  }
  auto* machine = new Machine(options);
  machine->fault_hook_.store(no_hook, std::memory_order_relaxed);
  if (auto result = machine->set_up(); !result.ok()) {
    delete machine;
    return result.error();
  }
  instance_.store(machine, std::memory_order_release);
  state_.store(State::running, std::memory_order_release);
  os::on_fork([] { get().memory().keep_from_children(); },
              [] { state_.store(State::forked, std::memory_order_release); });
  os::on_exit([] {
    if (state() != State::running) return;
    state_.store(State::exiting, std::memory_order_release);
    // The program's static objects are destroyed next, so no command may still touch their memory.
    // A command inside a host function may never end, so the wait is limited.
    exec::ExitGate::get().close(1000);
  });
  return {};
}

Result<> Machine::set_up() {
  const Config& knobs = config();
  const std::vector<ListedDevice> listed = device_list(knobs);
  if (listed.empty()) return bad_knob("CUVETTE_DEVICE", knobs.device, wanted_devices);

  std::optional<exec::Schedule> schedule;
  if (knobs.schedule != exec::Schedule::concurrent) {
    schedule = exec::Schedule::parse(knobs.schedule);
    if (!schedule) return bad_knob("CUVETTE_SCHEDULE", knobs.schedule, exec::Schedule::wanted());
  }

  std::vector<Identity> identities;
  for (const ListedDevice& device : listed) identities.push_back(device.identity);
  std::optional<std::string_view> list;
  if (knobs.visible_devices) list = *knobs.visible_devices;
  const std::vector<int> visible = TRY(visible_devices(list, knobs.device_order, identities));
  if (visible.empty()) return Error::no_device;
  std::vector<size_t> capacities;
  for (const int index : visible) {
    const ListedDevice& device = listed[static_cast<size_t>(index)];
    devices_.push_back(std::make_unique<Device>(*device.profile, device.identity,
                                                static_cast<unsigned>(index),
                                                static_cast<unsigned>(devices_.size())));
    capacities.push_back(device.memory);
  }

  memory_ = TRY(memory::AddressSpace::create(
      {std::move(capacities), knobs.fill, needs_.gap(), needs_.has(Needs::host_threads)}));
  enter_register(knobs.process_register, knobs.shared_memory);
  if (os::threads_that_fit() == 0)
    return refuse(Error::out_of_memory, "`ulimit -v` leaves no room for a thread.");
  if (!exec::Workers::started())
    exec::Workers::start(knobs.workers.value_or(os::number_of_cores()));
  if (schedule && !exec::Scheduler::get()) exec::Scheduler::start(*std::move(schedule));
  return {};
}

Machine::Machine(const Options& options) : needs_(options.needs) {}
Machine::~Machine() = default;

void Machine::enter_register(const std::string& knob, bool shares) {
  std::string trouble;
  entry_ = processes::OwnEntry::take(processes::register_name(knob), shares, trouble);
  if (!shares) return;
  if (!entry_) {
    os::say("CUVETTE_SHARED_MEMORY: this process has its devices' memory for itself. %s",
            trouble.c_str());
    return;
  }
  for (const auto& device : devices_)
    memory_->share(device->ordinal(), entry_->ledger(device->index(), device->identity().uuid));
}

void Machine::set_fault_hook(os::FaultHook hook) {
  fault_hook_.store(hook, std::memory_order_release);
  os::watch_faults(hook);
}

}  // namespace cuvette::device
