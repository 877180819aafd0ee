// SPDX-License-Identifier: Apache-2.0
// Machine: the simulated machine of this process: its devices and its address space.
//
// It comes up with the first cuInit and lives as long as the process.
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/needs.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/memory/address_space.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::processes {
class OwnEntry;
}

namespace cuvette::device {

class Machine {
 public:
  struct Options {
    Needs needs;  // what checks will want to know of the machine's work
  };
  // Brings the machine up, or does nothing if it is up. Errors: no_device if no device is visible,
  // invalid_value for a knob that makes no sense (said on stderr), out_of_memory.
  static Result<> start(const Options& options = {});
  static Machine& get() { return *instance_.load(std::memory_order_acquire); }

  enum class State { not_started, running, forked, exiting };
  // `forked`: this process is a child of one that had started the machine; nothing works here.
  static State state() { return state_.load(std::memory_order_acquire); }

  std::vector<std::unique_ptr<Device>>& devices() { return devices_; }
  memory::AddressSpace& memory() { return *memory_; }
  Needs needs() const { return needs_; }

  // This process's entry in the register of processes; null if there is none.
  processes::OwnEntry* entry() { return entry_.get(); }

  // Numbers for contexts, graphs and the like, unique in this process, from 1.
  uint64_t next_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  // Numbers for streams, from 0, so that reports and schedules can count them in the same way.
  uint64_t next_stream_id() { return next_stream_id_.fetch_add(1, std::memory_order_relaxed); }

  // Sets the function that decides about memory faults; the room above calls this.
  void set_fault_hook(os::FaultHook hook);
  os::FaultHook fault_hook() const { return fault_hook_.load(std::memory_order_acquire); }

 private:
  explicit Machine(const Options& options);
  ~Machine();
  Result<> set_up();
  void enter_register(const std::string& knob, bool shares);

  static std::atomic<Machine*> instance_;
  static std::atomic<State> state_;

  const Needs needs_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<memory::AddressSpace> memory_;
  std::unique_ptr<processes::OwnEntry> entry_;
  std::atomic<uint64_t> next_id_{1}, next_stream_id_{0};
  std::atomic<os::FaultHook> fault_hook_;
};

inline memory::AddressSpace& address_space() { return Machine::get().memory(); }

}  // namespace cuvette::device
