// SPDX-License-Identifier: Apache-2.0
// StepState: everything that `cuvette step` shows at one position of a run; a pure function of the
// run and the position.
//
// Threads: any; values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/cuvette/step/history.hpp"
#include "tools/cuvette/step/watches.hpp"

namespace cuvette::tools {

enum class WorkState : uint8_t { done, running, ready, waiting, not_submitted };
const char* word_for(WorkState state);

struct StepState {
  struct Item {
    WorkName name;
    std::string what;       // "copy", "kernel add(int*)"
    std::string call_site;  // "main (/src/add.cpp:12)"
    WorkState state = WorkState::ready;
    std::string waits_for;  // of a waiting one: "1.2 (same stream)"
  };
  // A stream, or a branch of a launch that is not over.
  struct Row {
    std::string title;   // "stream 1"
    std::string detail;  // "non-blocking"
    std::vector<Item> items;
  };
  struct Shown {
    std::string title;   // "1 numbers"
    std::string detail;  // "device memory, 4096 B, allocated at main (/src/add.cpp:9)"
    std::string type;    // "int"
    std::vector<std::string> values;
    std::vector<bool> changed;     // by the last step
    std::vector<std::string> was;  // before it, of those
  };
  size_t position = 0, steps = 0;
  std::string last;                  // "1.2 (copy)"; empty at the beginning
  std::optional<WorkName> next;      // what takes place next, unless another one is chosen
  std::vector<std::string> program;  // what each of its threads does
  std::vector<Row> rows;
  std::vector<Shown> memory;
  std::vector<std::pair<std::string, std::string>> reports;  // identifier, sentence
  std::string output;                                        // that has been printed by now
  std::string errors;  // the end of what it printed as errors; empty before it has ended
  std::string end;     // how the program ended; empty before
  std::vector<std::string> notes;

  const Item* find(const WorkName& name) const;
};

// `watches`: what to show of memory; without any, the beginnings of the first allocations.
StepState state_at(const History& history, size_t position, const std::vector<Watch>& watches);

// "1.2 (copy)".
std::string title_of(const RunLog::Work& work);
// "the same stream", "an event", ...: why the one waits for the other.
const char* word_for(History::Reason::Why why);
// Where a work of this run is at a position.
WorkState work_state(const History& history, size_t position, size_t work);

}  // namespace cuvette::tools
