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

// A command that a report is about, or a step of it.
struct ReportedCommand {
  uint64_t stream = 0;      // its id
  uint64_t number = 0;      // in the stream
  uint32_t step_place = 0;  // of a step of the graph that it launches, from 1
};

struct Report {
  ReportId id;
  std::string sentence;
  std::vector<Fact> facts;
  std::string advice = {};   // empty: the advice for its kind
  std::string program = {};  // the file of the program that it is about; empty: this process's
  std::vector<ReportedCommand> commands = {};
  uint64_t address = 0, size = 0;  // the bytes that it is about

  // Returns lines for people: identifier and sentence, the facts, what to do, and the line that
  // suppresses it.
  std::string text() const;
  // Returns one line of JSON with its newline. Other formats: report_format.hpp.
  std::string json() const;
};

// Returns the text of a fact, or nothing if it is a number.
std::string_view text_of(const Fact& fact);

}  // namespace cuvette::check
