// SPDX-License-Identifier: Apache-2.0
// Variables that a body declares and the module has: .global and .const in a function.
#pragma once

#include <string>
#include <string_view>

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// What the module calls a variable of a function's body, whose declaration begins at `directive`, a
// place in that body: two variables of one name are two.
std::string name_in_body(const Function& function, const char* directive, std::string_view name);

}  // namespace cuvette::ptx
