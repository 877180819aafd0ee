// SPDX-License-Identifier: Apache-2.0
// All living contexts of the process at once, for those who watch the program and not for its
// calls.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/base/error.hpp"

namespace cuvette::device {

class Device;

// Returns when everything that was submitted to any context is complete. Observers are not
// notified: the program has not waited for it.
void wait_for_all_submitted();

// Returns the error of a living context that a command has broken, if there is one. Calls of the
// program are refused no earlier by that.
std::optional<Error> error_of_a_context();

// What the living contexts of a device have and do.
struct DeviceLoad {
  uint64_t streams = 0;
  uint64_t pending = 0;          // commands that are not completed
  const char* kernel = nullptr;  // one that runs now, by its name in PTX; null if none does
};
DeviceLoad load_of(const Device& device);

}  // namespace cuvette::device
