// SPDX-License-Identifier: Apache-2.0
// UnwrittenReadObserver: reports kernels whose results depend on uninitialised memory.
//
// Threads: any.
#pragma once

#include "sim/device/machine/observer.hpp"

namespace cuvette::check {

class UnwrittenReadObserver final : public device::Observer {
 public:
  void kernel_watched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::KernelWatch& watch) override;
};

}  // namespace cuvette::check
