// SPDX-License-Identifier: Apache-2.0
// LaunchObserver: supplies the watch of each launch, or its tracks, as checks need it, and tells
// what they have seen when the launch has ended.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/check/kernel/footprint.hpp"
#include "sim/check/kernel/kernel_watch.hpp"
#include "sim/device/kernel/kernel_call.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::exec {
struct Counts;
}

namespace cuvette::watch {

// Learns what kernels have done. Each call is made by the runner of the launch.
class KernelObserver {
 public:
  // A watched kernel has run to its end, or to a fault. Its command is not completed yet.
  virtual void kernel_watched(const device::Stream& stream, uint64_t number,
                              const device::Operation& operation, const device::KernelCall& call,
                              const KernelWatch& watch) {}
  // The memory that such a kernel has touched, or one that leaves tracks; after kernel_watched().
  // Only with Needs::footprints.
  virtual void kernel_touched(const device::Stream& stream, uint64_t number,
                              const device::Operation& operation, const device::KernelCall& call,
                              const Footprint& footprint) {}
  // A watched kernel waits for something outside of it, and has done so for `ns` nanoseconds.
  virtual void kernel_waits(const device::Stream& stream, uint64_t number,
                            const device::Operation& operation, const device::KernelCall& call,
                            const KernelWatch& watch, int64_t ns) {}
  // A kernel that is counted has run to its end, or to a fault. Only with Needs::counts.
  virtual void kernel_counted(const device::Stream& stream, uint64_t number,
                              const device::Operation& operation, const device::KernelCall& call,
                              const exec::Counts& counts) {}
  // Returns true if kernels that are watched, and begin from now on, note which bytes they touch.
  virtual bool wants_touched() const { return false; }

 protected:
  ~KernelObserver() = default;
};

class LaunchObserver final : public device::Observer {
 public:
  // The process's, never destroyed.
  static LaunchObserver& get();

  device::ObserverList<KernelObserver>& kernel_observers() { return observers_; }

  std::unique_ptr<device::LaunchWatch> watch_launch(const device::Stream& stream, uint64_t number,
                                                    const device::Operation& operation) override;

 private:
  class Watch;

  device::ObserverList<KernelObserver> observers_;
};

}  // namespace cuvette::watch
