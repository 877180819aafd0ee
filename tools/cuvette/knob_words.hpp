// SPDX-License-Identifier: Apache-2.0
// The words that a knob takes, for completion.
//
// Threads: any; a pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cuvette::tools {

struct KnobWords {
  std::vector<std::string> words;  // empty: the knob takes other texts
  bool several = false;            // separated by commas
};
KnobWords words_of_knob(std::string_view variable);

}  // namespace cuvette::tools
