// SPDX-License-Identifier: Apache-2.0
// Colours on a terminal. NO_COLOR (no-color.org) and TERM=dumb turn them off.
//
// Threads: any.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace cuvette::tools {

enum class Colour { bold = 1, red = 31, green = 32, yellow = 33, grey = 90 };

// Whether output to `stream` may have colours; null: it goes elsewhere, and may not.
inline bool has_colours(FILE* stream) {
  if (!stream) return false;
  const char* const no_colour = getenv("NO_COLOR");
  const char* const terminal = getenv("TERM");
  return isatty(fileno(stream)) && !(no_colour && *no_colour) && terminal &&
         std::string_view(terminal) != "dumb";
}

// Returns the text, coloured if `stream` may have colours.
inline std::string coloured(FILE* stream, Colour colour, const std::string& text) {
  if (!has_colours(stream)) return text;
  const char* const weight = colour == Colour::bold || colour == Colour::grey ? "" : "1;";
  return "\033[" + (weight + std::to_string(static_cast<int>(colour))) + "m" + text + "\033[0m";
}

}  // namespace cuvette::tools
