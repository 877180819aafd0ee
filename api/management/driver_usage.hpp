// SPDX-License-Identifier: Apache-2.0
// The memory usage of a device, as the process's own libcuda.so.1 reports it.
//
// Threads: any.
#pragma once

#include "api/management/library.hpp"
#include "sim/device/machine/usage_protocol.hpp"

namespace cuvette::management {

// Returns what this process uses of the device. All of it is free while the process has not loaded
// the driver, or does not see the device: nothing is loaded or started here.
device::Usage usage_of(const Device& device) noexcept;

}  // namespace cuvette::management
