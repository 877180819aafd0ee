// SPDX-License-Identifier: Apache-2.0
// JSON in a file that a user names: a table of costs, or an answer to compare.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cuvette/cost/file_error.hpp"

namespace cuvette::tools {

// Returns the place of a byte, as editors count.
inline std::string place_in(const std::string& text, size_t byte) {
  const size_t line_begin = byte == 0 ? 0 : text.rfind('\n', byte - 1) + 1;  // npos + 1 is 0
  const auto lines =
      std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(line_begin), '\n');
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(byte - line_begin + 1);
}

// Parses the text of a file. Throws CostFileError, which says where it is no JSON; `name` is the
// file's.
inline nlohmann::ordered_json json_of_file(const std::string& text, const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) throw CostFileError(name + ": it is empty");
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    // The parser counts from 1, and names the byte after the text if it ends too early.
    const size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    throw CostFileError(name + ": it is no JSON" +
                        (byte < text.size() ? " from " + place_in(text, byte) + " on"
                                            : ": it ends before its first value does"));
  } catch (const nlohmann::json::out_of_range&) {
    throw CostFileError(name + ": it has a number that is too large");
  }
}

}  // namespace cuvette::tools
