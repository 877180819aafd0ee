// SPDX-License-Identifier: Apache-2.0
// UnwrittenReadObserver: reports kernels whose results depend on uninitialised memory, and copies
// to the host that continue past the bytes that the threads of a kernel have written.
//
// Threads: any.
#pragma once

#include "sim/check/kernel/launch_observer.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

class UnwrittenReadObserver final : public device::Observer, public watch::KernelObserver {
 public:
  // From now on it is followed which memory has been written. The machine is running.
  UnwrittenReadObserver();
  void kernel_watched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::KernelWatch& watch) override;
  void writing(const memory::Region& region) override;
  void renewing(const memory::Region& region) override;
  void copying(const device::Operation& copy) override;
};

}  // namespace cuvette::check
