// SPDX-License-Identifier: Apache-2.0
// RunLog: what the order log of one run says, line by line, with the bytes that each command
// changed (CUVETTE_ORDER_LOG_BYTES). A line number is a moment of the run.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/exec/schedule.hpp"
#include "tools/cuvette/order.hpp"

namespace cuvette::tools {

using WorkName = Order::Name;  // of a command, or of a step of a launched graph

// "1.3", "1.3.2".
std::string text_of(const WorkName& name);
std::optional<WorkName> work_name_of(std::string_view text);

struct RunLog {
  static constexpr size_t never = SIZE_MAX;

  // A command, or a step.
  struct Work {
    WorkName name;
    std::string kind;    // "copy", "kernel add(int*)"
    std::string stream;  // "non-blocking"
    std::string call_site;
    uint32_t branch = 0;  // of a step, from 1
    uint32_t place = 0;   // in its branch, from 1
    size_t queued = 0;
    size_t possible = never;  // a step: nothing before it is left
    size_t began = never, ended = never;
  };
  struct Memory {
    uint64_t number = 0;  // from 1, in the order of allocation
    std::string kind, name;
    uint64_t address = 0, size = 0;
    std::string call_site;
    std::string bytes;  // the first, when it was first seen
    size_t made = 0, freed = never;
  };
  struct Change {
    size_t line = 0;
    std::optional<WorkName> by;  // nothing: the program
    uint64_t memory = 0;         // its number
    uint64_t offset = 0;
    std::string bytes;
  };
  // A copy to memory that no device knows.
  struct Gift {
    size_t line = 0;
    WorkName by;
    uint64_t address = 0, size = 0;
    std::string bytes;  // the first
  };
  struct Printed {
    size_t line = 0;
    uint64_t bytes = 0;
  };
  // How the program and the order of its work went on, without names of places: two runs with the
  // same steps are the same.
  std::vector<std::string> course;

  std::vector<Work> works;    // in the order of submission
  std::vector<size_t> began;  // places in `works`, in the order in which they began
  std::vector<Memory> memories;
  std::vector<Change> changes;
  std::vector<Gift> gifts;
  std::vector<Printed> printed;
  exec::Decisions decisions;  // that this run obeyed
  size_t lines = 0;

  static RunLog parse(const std::string& text);

  const Work* find(const WorkName& name) const;
  const Memory* memory(uint64_t number) const;

 private:
  friend class RunLogReader;
  std::map<WorkName, size_t> places_;
};

}  // namespace cuvette::tools
