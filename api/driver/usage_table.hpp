// SPDX-License-Identifier: Apache-2.0
// The table by which libnvidia-ml.so.1 asks how much of a device is used.
//
// Threads: any.
#pragma once

#include "sim/device/machine/device.hpp"
#include "sim/device/machine/usage_protocol.hpp"

namespace cuvette::driver {

device::Usage usage_of_this_process(const device::Device& device);

extern const device::UsageTable usage_table;

}  // namespace cuvette::driver
