// SPDX-License-Identifier: Apache-2.0
// Functions that clang may call without a word in the source: our headers have them for every
// program, and most programs need none.
#ifndef CUVETTE_TOOLS_UNUSED_FUNCTIONS_HPP
#define CUVETTE_TOOLS_UNUSED_FUNCTIONS_HPP

#include <string>

namespace cuvette::tools {

// Takes those that nothing calls out of a text of PTX.
std::string without_unused_functions(const std::string& ptx);

}  // namespace cuvette::tools

#endif
