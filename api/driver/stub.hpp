// SPDX-License-Identifier: Apache-2.0
// The answer of exported functions without a body: it refuses and names the function. Any thread
// may call it.
#pragma once

#include "api/driver/stub_needs.hpp"

namespace cuvette::driver {

// If something that the function needs is missing, returns the usual error. Otherwise says on
// stderr, once for each name in a process, what is not supported and why, and returns
// CUDA_ERROR_NOT_SUPPORTED. `name` is an exported name of the table.
int refuse(const char* name, StubNeeds needs) noexcept;

}  // namespace cuvette::driver
