// SPDX-License-Identifier: Apache-2.0
// Report: a mistake of the program, in words and as data: a stable identifier, a sentence, and
// facts as key and value.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/hex.hpp"
#include "sim/check/report/report_kinds.hpp"

namespace cuvette::check {

struct Fact {
  const char* key;
  std::variant<std::string, uint64_t> value;
};

struct Report {
  ReportId id;
  std::string sentence;
  std::vector<Fact> facts;
  std::string advice = {};   // empty: the advice for its kind
  std::string program = {};  // the file of the program that it is about; empty: this process's

  // Returns lines for people: identifier and sentence, the facts, what to do, and the line that
  // suppresses it.
  std::string text() const;
  // Returns one line of JSON with its newline. Other formats: report_format.hpp.
  std::string json() const;
};

// Returns the text of a fact, or nothing if it is a number.
std::string_view text_of(const Fact& fact);

}  // namespace cuvette::check
