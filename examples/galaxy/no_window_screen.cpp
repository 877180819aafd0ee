// SPDX-License-Identifier: Apache-2.0
// Built where GLFW is missing.
#include <cstdio>
#include <cstdlib>

#include "examples/galaxy/screen.hpp"

namespace galaxy {

std::unique_ptr<Screen> open_window(int, int) {
  std::fprintf(stderr, "This program was built without GLFW, so it cannot open windows.\n");
  std::exit(1);
}

}  // namespace galaxy
