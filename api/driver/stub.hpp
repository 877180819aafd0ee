// SPDX-License-Identifier: Apache-2.0
// What an exported function without a body answers: it refuses and names itself. Any thread may
// call it.
#pragma once

#include "api/driver/stub_needs.hpp"

namespace cuvette::driver {

// Answers as the function's neighbours do if something that it needs is missing. Otherwise says on
// stderr, once for each name in a process, what is not supported and why, and returns
// CUDA_ERROR_NOT_SUPPORTED. `name` is an exported name of the table.
int refuse(const char* name, StubNeeds needs) noexcept;

}  // namespace cuvette::driver
