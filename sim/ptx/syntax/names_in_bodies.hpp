// SPDX-License-Identifier: Apache-2.0
// Variables that a body declares but the module owns: .global and .const in a function.
#pragma once

#include <string>
#include <string_view>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Returns the module's name for a variable declared in a function's body at position `directive`;
// the position keeps variables of the same name apart.
std::string name_in_body(const Function& function, const char* directive, std::string_view name);

}  // namespace cuvette::ptx
