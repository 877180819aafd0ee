// SPDX-License-Identifier: Apache-2.0
// JSON in one line: an object, or a list, made member by member.
//
// Threads: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuvette::profile {

// Returns the text as JSON has it. What is not UTF-8 becomes question marks.
std::string quoted(std::string_view text);

class JsonLine {
 public:
  // Adds a member whose value is JSON already.
  void add_raw(std::string_view name, std::string_view value) {
    text_ += text_.empty() ? "{" : ",";
    text_ += quoted(name);
    text_ += ':';
    text_ += value;
  }
  void add(std::string_view name, uint64_t number) { add_raw(name, std::to_string(number)); }
  void add(std::string_view name, std::string_view text) { add_raw(name, quoted(text)); }
  std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

class JsonList {
 public:
  void add(std::string_view value) {
    text_ += text_.empty() ? "[" : ",";
    text_ += value;
  }
  std::string text() const { return text_.empty() ? "[]" : text_ + "]"; }

 private:
  std::string text_;
};

}  // namespace cuvette::profile
