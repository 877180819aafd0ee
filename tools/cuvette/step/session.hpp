// SPDX-License-Identifier: Apache-2.0
// StepSession: a position in a run, and what the user does with it. Choosing runs the program again
// with other decisions; going on and back does not.
//
// Threads: for a process with one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/cuvette/step/history.hpp"
#include "tools/cuvette/step/levels.hpp"
#include "tools/cuvette/step/step_runner.hpp"
#include "tools/cuvette/step/step_state.hpp"
#include "tools/cuvette/step/watches.hpp"

namespace cuvette::tools {

class StepSession {
 public:
  // Answers to the user: text, and whether the wish was refused.
  struct Answer {
    std::string text;
    bool refused = false;
  };

  StepSession(RunOptions program, double timeout);

  // Runs the program, first in the order of submission to see what it submits, and then so that
  // nothing runs before it is needed. Returns 0, or the exit status of the command.
  int begin(std::vector<Watch> watches);

  StepState state() const { return state_at(*history_, position_, watches_); }
  const History& history() const { return *history_; }
  const RunOptions& program() const { return runner_.program(); }

  Answer next(size_t count);
  Answer back(size_t count);
  // Goes to where the command has taken place.
  Answer go_to(const WorkName& name);
  // Has a ready command take place next.
  Answer choose(const WorkName& name);
  // Has a command, and what it waits for, take place as soon as they are submitted, before the
  // program goes on; later choices leave that as it is.
  Answer rush(const WorkName& name);
  // Takes the last choice back.
  Answer undo();
  Answer explain(const WorkName& name) const;
  // Adds a range; `none` forgets them all.
  Answer watch(const std::string& text);
  // Returns the line that runs the program in this order.
  Answer save();

  // Whether a run went on in another way than the same decisions had made it go before.
  bool has_diverged() const { return diverged_; }
  // A signal that stopped a run; 0: none.
  int stopped_by() const { return status_ > 128 ? status_ - 128 : 0; }

 private:
  std::vector<Ranked> order() const;
  // Returns the decisions for an order, without those about what is rushed.
  std::vector<exec::Decision> held_in(std::vector<Ranked> order) const;
  std::optional<History> run_in(const std::vector<Ranked>& order);
  void take(History history, size_t position);
  Answer failure_to_run() const;
  size_t bytes() const;

  StepRunner runner_;
  std::optional<History> history_;
  size_t position_ = 0;
  std::set<WorkName> rushed_;
  struct Before {
    History history;
    size_t position;
    std::set<WorkName> rushed;
  };
  std::vector<Before> before_;  // each choice: what was there
  std::vector<Watch> watches_;
  bool diverged_ = false;
  int status_ = 0;
};

}  // namespace cuvette::tools
