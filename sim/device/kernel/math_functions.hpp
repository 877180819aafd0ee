// SPDX-License-Identifier: Apache-2.0
// Computes a kernel's calls of mathematical functions.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::device {

bool is_math_function(ptx::SystemCall function);

// Returns the function of its parameters; both are the bits of doubles. A NaN is positive.
uint64_t math_function(ptx::SystemCall function, const uint64_t* parameters);

}  // namespace cuvette::device
