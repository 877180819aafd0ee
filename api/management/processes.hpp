// SPDX-License-Identifier: Apache-2.0
// The processes that use a device: this one, as its own driver reports it, and those of the
// register.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <vector>

#include "api/management/library.hpp"

namespace cuvette::management {

struct DeviceProcess {
  unsigned pid;  // 0: it has a PID namespace of its own, in which its number means something
  size_t used;   // bytes of the device, with what its contexts take
  bool in_context;
};

// Returns them, the calling one first if it has loaded the driver.
std::vector<DeviceProcess> processes_on(const Device& device);

}  // namespace cuvette::management
