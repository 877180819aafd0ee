// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/surroundings.hpp"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace cuvette::tools {

void forget_own_knobs() {
  constexpr std::array<std::string_view, 5> kept = {"CUVETTE_CACHE", "CUVETTE_CACHE_SIZE",
                                                    "CUVETTE_REGISTER", "CUVETTE_VECTORS",
                                                    "CUVETTE_WORKERS"};
  std::vector<std::string> names;
  for (char** one = environ; *one; ++one) {
    const std::string_view text = *one;
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_knob = name.starts_with("CUVETTE_") || name == "CUDA_VISIBLE_DEVICES";
    if (is_knob && std::ranges::find(kept, name) == kept.end()) names.emplace_back(name);
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

bool has_utf8() {
  for (const char* const variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = getenv(variable);
    if (!value || !*value) continue;
    std::string text = value;
    std::ranges::transform(text, text.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace cuvette::tools
