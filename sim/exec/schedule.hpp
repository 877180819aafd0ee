// SPDX-License-Identifier: Apache-2.0
// Schedule: when each piece of work takes place, as CUVETTE_SCHEDULE says it.
//
// A schedule is a function from a piece of work, named by its lane (a stream, in the order of
// creation, from 0) and its number there (from 1), to how long it is held back. Time is counted in
// the program's own steps: what it submits and what it asks. Work that is held back to the end
// takes place only when the program waits for it, or for something that is held back longer.
//
// Any order that is legal is some schedule's: between two waits of the program, work of any lanes
// can be put in any order by holding it back, and holding back never breaks a rule.
//
// Threads: a Schedule is used by one at a time; parsing and printing are for any.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuvette::exec {

// How long a piece of work is held back: for so many steps of the program, or, if `level` is not 0,
// until it is needed; a lower level takes place before a higher one.
struct Delay {
  uint32_t steps = 0;
  uint32_t level = 0;

  bool operator==(const Delay&) const = default;
};

class Schedule {
 public:
  // Nothing is known of the order beyond the rules: the work runs on all workers.
  static constexpr std::string_view concurrent = "concurrent";

  // `eager`, `lazy`, `starve:LANE`, `switch:A:B:NUMBER`, `random:SEED`, `pct:SEED:DEPTH` or
  // `replay:DECISIONS`. Nothing if it is none of them.
  static std::optional<Schedule> parse(std::string_view text);
  // What parse() takes, in words.
  static std::string_view wanted();

  // For the next piece of work that is submitted: `number` of `lane`.
  Delay delay(uint32_t lane, uint64_t number);
  // Whether something happens that CUDA's documentation says may happen, for the next such
  // question. Where all are answered with no, the device does what the hardware does.
  bool may();
  // How often that was asked.
  uint64_t asked() const { return asked_; }

 private:
  enum class Kind { eager, lazy, starve, change, random, pct, replay };
  using Key = std::pair<uint32_t, uint64_t>;

  Delay random_delay(uint32_t lane, uint64_t number) const;
  Delay pct_delay(uint32_t lane);

  Kind kind_ = Kind::eager;
  uint32_t lane_ = 0, other_ = 0;  // starve, change
  uint64_t number_ = 0;            // change: the last of `other_` before it is held back
  uint64_t seed_ = 0;
  std::vector<uint64_t> changes_;        // pct: after how many submissions
  std::map<uint32_t, uint32_t> levels_;  // pct: of the lanes that have lost their priority
  uint64_t submitted_ = 0, asked_ = 0;
  std::map<Key, Delay> decisions_;    // replay: what is not at once
  std::map<uint64_t, bool> answers_;  // replay: what is not no
};

// A decision: how long the numbers `first` to `last` of a lane are held back.
struct Decision {
  uint32_t lane = 0;
  uint64_t first = 1, last = 1;
  Delay delay;

  bool operator==(const Decision&) const = default;
};

// Decisions as a word to paste: `1.3` (number 3 of lane 1 is held back until it is needed),
// `1.3-9`, `1.3+4` (for four steps), `1.3*2` (level 2), `?7` (the seventh question is answered
// with yes), separated by commas.
struct Decisions {
  std::vector<Decision> held;
  std::vector<uint64_t> yes;

  static std::optional<Decisions> parse(std::string_view text);
  std::string print() const;
};

}  // namespace cuvette::exec
