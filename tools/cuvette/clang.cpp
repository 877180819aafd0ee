// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/clang.hpp"

#include "tools/cuvette/program_path.hpp"

namespace cuvette::tools {

std::string first_clang() {
  constexpr int newest = 24, oldest = 14;
  std::string clang = path_of_program("clang++");
  for (int version = newest; clang.empty() && version >= oldest; --version)
    clang = path_of_program("clang++-" + std::to_string(version));
  return clang;
}

}  // namespace cuvette::tools
