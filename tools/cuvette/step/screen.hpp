// SPDX-License-Identifier: Apache-2.0
// What `cuvette step` draws on a terminal: a pure function of the state, what is selected, and the
// size.
//
// Threads: any; a pure function.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/cuvette/step/step_state.hpp"

namespace cuvette::tools {

struct ScreenView {
  std::string program;  // its name, for the title
  std::optional<WorkName> selected;
  std::string message;            // the answer to the last key
  std::vector<std::string> page;  // text over the whole screen, from line `page_top` on
  size_t page_top = 0;
  bool is_page = false;
  bool ascii = false;  // no other characters in what is drawn
};

// Returns `height` lines of at most `width` columns.
std::vector<std::string> drawn(const StepState& state, const ScreenView& view, size_t width,
                               size_t height);

// The columns that a text takes, and its beginning that fits into so many.
size_t columns_of(const std::string& text);
std::string cut(const std::string& text, size_t width, bool ascii);
// Breaks lines that are too long, at blanks where there are any.
std::vector<std::string> folded(const std::vector<std::string>& lines, size_t width);

}  // namespace cuvette::tools
