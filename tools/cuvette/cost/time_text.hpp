// SPDX-License-Identifier: Apache-2.0
// Times for people.
//
// Threads: any; a pure function.
#pragma once

#include <string>

namespace cuvette::tools {

// "1.25 ms": three digits and a unit.
std::string time_text(double ns);

}  // namespace cuvette::tools
