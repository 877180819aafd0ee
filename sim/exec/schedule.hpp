// SPDX-License-Identifier: Apache-2.0
// Schedule: when each piece of work takes place, as CUVETTE_SCHEDULE says.
//
// A schedule is a function from a piece of work, named by its lane (a stream, in the order of
// creation, from 0) and its number there (from 1), to how long it is held back. Time is counted in
// the program's own steps: what it submits and what it asks. Work that is held back to the end
// takes place only when the program waits for it, or for something that is held back longer.
//
// The steps of a launched graph are pieces of work, too. They lie in branches, chains in which each
// comes after the one before it; a branch is to a launch what a lane is to the program.
//
// Every legal order belongs to some schedule: between two waits of the program, work of any lanes
// can be put in any order by holding it back, and holding back never breaks a rule.
//
// Threads: a Schedule is used by one thread at a time; parsing and printing by any.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cuvette::exec {

// How long a piece of work is held back: for so many steps of the program, or, if `level` is not 0,
// until it is needed. A lower level takes place before a higher one, and within a level fewer steps
// before more.
struct Delay {
  uint32_t steps = 0;
  uint32_t level = 0;

  bool operator==(const Delay&) const = default;
};

// In which order a kernel's blocks begin, and the warps of a block take turns: in the order of
// their numbers (0), the last first (1), or as any other number shuffles them.
using KernelOrder = uint32_t;

// One step of a launched graph.
struct Step {
  uint32_t lane = 0;
  uint64_t number = 0;  // of the launch, in its lane
  uint32_t step = 0;    // from 1, in a topological order
  uint32_t steps = 0;   // how many the launch has
  uint32_t branch = 0;  // from 1
  uint32_t place = 0;   // in its branch, from 1
};

// When a piece of work takes place: the least first; among equals in the order of submission. Work
// without its own delay is part of something that has begun and takes place at once.
struct Due {
  uint64_t time = 0, order = 0;
  uint32_t step = 0;  // orders the steps of one launch
  auto operator<=>(const Due&) const = default;
};

class Schedule {
 public:
  // No schedule: the work runs on all workers, in any legal order.
  static constexpr std::string_view concurrent = "concurrent";

  // Parses `eager`, `turned`, `shuffled:SEED`, `lazy`, `starve:LANE`, `switch:A:B:NUMBER`,
  // `random:SEED`, `pct:SEED:DEPTH` or `replay:DECISIONS`, where LANE/BRANCH may replace a LANE.
  // Nothing for any other text.
  static std::optional<Schedule> parse(std::string_view text);
  // Returns what parse() accepts, in words.
  static std::string_view wanted();

  // Returns the delay of the next piece of work that is submitted: `number` of `lane`.
  Delay delay(uint32_t lane, uint64_t number);
  // Returns the delay of a step that has become possible.
  Delay delay(const Step& step);
  // Returns in which order the kernels of a command begin their blocks and run their warps.
  KernelOrder kernel_order(uint32_t lane, uint64_t number) const;
  // Answers the next question whether something happens that CUDA's documentation says may happen.
  // Where every answer is no, the device does what the hardware does.
  bool may();
  // Returns how many such questions were asked.
  uint64_t asked() const { return asked_; }

 private:
  enum class Kind { eager, turned, shuffled, lazy, starve, change, random, pct, replay };
  // A place where work is done in order: a lane, or one branch of the graphs that are launched in
  // it.
  struct LaneOrBranch {
    uint32_t lane = 0, branch = 0;
    auto operator<=>(const LaneOrBranch&) const = default;
    bool has(const Step& step) const {
      return lane == step.lane && (branch == 0 || branch == step.branch);
    }
  };
  static bool take_place(std::string_view& text, LaneOrBranch& place);
  using Key = std::tuple<uint32_t, uint64_t, uint32_t>;  // lane, number, step

  Delay random_delay(uint64_t place, uint64_t number) const;
  Delay pct_delay(const LaneOrBranch& place);
  Delay replayed(const Key& key) const;

  Kind kind_ = Kind::eager;
  LaneOrBranch held_, other_;  // starve, change
  uint64_t number_ = 0;        // change: the last work of `other_` before it is held back
  uint64_t seed_ = 0;
  std::vector<uint64_t> changes_;            // pct: after how many submissions
  std::map<LaneOrBranch, uint32_t> levels_;  // pct: the places that have lost their priority
  uint64_t submitted_ = 0, asked_ = 0;
  std::map<Key, Delay> decisions_;      // replay: what is held back
  std::map<Key, KernelOrder> kernels_;  // replay: kernels, with step 0
  std::map<uint64_t, bool> answers_;    // replay: questions answered with yes
};

// A decision: how long the numbers `first` to `last` of a lane are held back, or, if `step` is not
// 0, the steps from `step` to `last_step` of its launch `first`.
struct Decision {
  uint32_t lane = 0;
  uint64_t first = 1, last = 1;
  Delay delay;
  uint32_t step = 0, last_step = 0;

  bool operator==(const Decision&) const = default;
};

// A decision about the kernels of the commands `first` to `last` of a lane.
struct KernelDecision {
  uint32_t lane = 0;
  uint64_t first = 1, last = 1;
  KernelOrder order = 1;

  bool operator==(const KernelDecision&) const = default;
};

// Decisions as a word to paste: `1.3` (number 3 of lane 1 is held back until it is needed),
// `1.3-9`, `1.3.2` (step 2 of the graph that 1.3 launches), `1.3.2-5`, `1.3+4` (for four steps of
// the program), `1.3*2` (level 2), `1.3*2+4`, `?7` (the seventh question is answered with yes),
// `^1.3` (the blocks and warps of the kernel 1.3 run the last first), `^1.3-9:5` (shuffled by the
// number 5), separated by commas.
struct Decisions {
  std::vector<Decision> held;
  std::vector<uint64_t> yes;
  std::vector<KernelDecision> kernels;

  static std::optional<Decisions> parse(std::string_view text);
  std::string print() const;
};

}  // namespace cuvette::exec
