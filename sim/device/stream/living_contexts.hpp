// SPDX-License-Identifier: Apache-2.0
// All living contexts of the process at once, for those who watch the program and not for its
// calls.
//
// Threads: any.
#pragma once

#include <optional>

#include "sim/base/error.hpp"

namespace cuvette::device {

// Returns when everything that was submitted to any context is complete. Observers are not
// notified: the program has not waited for it.
void wait_for_all_submitted();

// Returns the error of a living context that a command has broken, if there is one. Calls of the
// program are refused no earlier by that.
std::optional<Error> error_of_a_context();

}  // namespace cuvette::device
