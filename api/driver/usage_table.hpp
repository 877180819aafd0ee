// SPDX-License-Identifier: Apache-2.0
// The table by which libnvidia-ml.so.1 asks how much of a device is used.
//
// Threads: any.
#pragma once

#include "sim/device/machine/usage_protocol.hpp"

namespace cuvette::driver {

extern const device::UsageTable usage_table;

}  // namespace cuvette::driver
