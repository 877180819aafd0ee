// SPDX-License-Identifier: Apache-2.0
// The addresses of the exported functions, in the order of support_table.hpp.
#pragma once

#include <array>

#include "api/driver/support_table.hpp"

namespace cuvette::driver {

// An exported function of any signature; null means an exported object.
using AnyFunction = int (*)();

extern const std::array<AnyFunction, functions.size()> function_addresses;

}  // namespace cuvette::driver
