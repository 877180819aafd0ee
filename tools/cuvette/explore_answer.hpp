// SPDX-License-Identifier: Apache-2.0
// The result of `cuvette explore`, and its output.
//
// Threads: for a process with one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/cuvette/explore_runs.hpp"
#include "tools/cuvette/order.hpp"

namespace cuvette::tools {

// How exploring ended. The values are the command's exit statuses; a program that could not be
// started gives 126 or 127, and a signal that stopped exploring 128 and its number, unless a
// failure was found before.
enum class Verdict {
  passed = 0,
  failed = 1,
  not_reproducible = 2,
  unknown = 125,
  not_started = 127
};

struct Answer {
  Verdict verdict = Verdict::passed;
  int not_started = 0;                     // the exit status that says why
  size_t orders = 1;                       // that were to be run, `eager` among them
  size_t run = 1;                          // orders that this rank ran
  int signal = 0;                          // that stopped exploring
  std::string stopped;                     // what stopped exploring early; empty: nothing
  size_t same = 0;                         // orders that were left out because they are like others
  size_t lanes = 0;                        // in which the program submits work; 0: none
  bool one_order = false;                  // all orders of its commands are the same
  size_t place = 1;                        // of the schedule below among the orders
  std::string schedule;                    // that it fails in; empty: none
  RunResult failure;                       // a run in that schedule
  size_t more_runs = 0, failed_again = 0;  // of `eager`
  std::vector<std::string> notes;          // what limits the answer, a sentence each

  // Of runs that are compared: all schedules in which the program differs, and where first.
  std::vector<std::pair<std::string, std::string>> differing;

  // Of runs that passed and were not asked to be compared: a schedule in which the host got
  // something else than in `eager`, and what, a sentence for each.
  std::pair<std::string, std::vector<std::string>> unlike;

  // What the program prints, each once with a schedule, if that was asked for; and why there may be
  // more, a sentence; empty: there is none.
  std::vector<std::pair<std::string, std::string>> outputs;
  std::string outputs_missing;

  // The failure with as little held back as makes it happen.
  bool minimised = false;
  Order order;           // of that run
  exec::Decisions held;  // in it
  std::string shown;     // the schedule that is explained
  std::string repeat;    // the command that repeats it, or tries to
};

// `has_colour`: may use colours. mpirun gives its ranks a terminal even if its own output goes
// elsewhere.
void print_text(const Answer& answer, bool has_colour);
void print_json(const Answer& answer);

}  // namespace cuvette::tools
