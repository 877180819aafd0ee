// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>

#include "sim/base/hash.hpp"

namespace cuvette::exec {
namespace {

// Return a pseudo-random number that depends only on the arguments: split_mix(), once for each.
uint64_t mix(uint64_t a, uint64_t b) { return split_mix(split_mix(a) ^ b); }
uint64_t mix(uint64_t a, uint64_t b, uint64_t c) { return split_mix(mix(a, b) ^ c); }

// How many submissions pct spreads its changes over. Programs under test are short; in a longer
// one, later mistakes are left to chance and other seeds.
constexpr uint64_t pct_span = 96;

// Reads a number off the front of `text`.
template <std::unsigned_integral Number>
bool take(std::string_view& text, Number& number) {
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) return false;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// A replay keeps an entry for each number of a range.
constexpr uint64_t most_in_range = 1'000'000;

std::optional<KernelDecision> parse_kernel(std::string_view& text) {
  KernelDecision one;
  if (!take(text, one.lane) || !take(text, '.') || !take(text, one.first)) return std::nullopt;
  one.last = one.first;
  if (take(text, '-') && !take(text, one.last)) return std::nullopt;
  if (take(text, ':') && (!take(text, one.order) || one.order == 0)) return std::nullopt;
  if (one.first == 0 || one.last < one.first || one.last - one.first >= most_in_range)
    return std::nullopt;
  return one;
}

std::optional<Decision> parse_decision(std::string_view& text) {
  Decision one;
  one.delay.level = 1;
  if (!take(text, one.lane) || !take(text, '.') || !take(text, one.first)) return std::nullopt;
  one.last = one.first;
  if (take(text, '.')) {
    if (!take(text, one.step) || one.step == 0) return std::nullopt;
    one.last_step = one.step;
    if (take(text, '-') && !take(text, one.last_step)) return std::nullopt;
  } else if (take(text, '-') && !take(text, one.last)) {
    return std::nullopt;
  }
  if (take(text, '*')) {
    if (!take(text, one.delay.level) || one.delay.level == 0) return std::nullopt;
    if (take(text, '+') && !take(text, one.delay.steps)) return std::nullopt;
  } else if (take(text, '+')) {
    one.delay.level = 0;
    if (!take(text, one.delay.steps)) return std::nullopt;
  }
  if (one.first == 0 || one.last < one.first || one.last - one.first >= most_in_range)
    return std::nullopt;
  if (one.last_step < one.step || one.last_step - one.step >= most_in_range) return std::nullopt;
  return one;
}

}  // namespace

std::optional<Decisions> Decisions::parse(std::string_view text) {
  Decisions all;
  while (!text.empty()) {
    if (take(text, '?')) {
      if (!take(text, all.yes.emplace_back())) return std::nullopt;
    } else if (take(text, '^')) {
      const auto one = parse_kernel(text);
      if (!one) return std::nullopt;
      all.kernels.push_back(*one);
    } else {
      const auto one = parse_decision(text);
      if (!one) return std::nullopt;
      all.held.push_back(*one);
    }
    if (!text.empty() && (!take(text, ',') || text.empty())) return std::nullopt;
  }
  return all;
}

std::string Decisions::print() const {
  std::string text;
  const auto next = [&text] {
    if (!text.empty()) text += ',';
  };
  for (const Decision& one : held) {
    next();
    text += std::to_string(one.lane) + "." + std::to_string(one.first);
    if (one.last != one.first) text += "-" + std::to_string(one.last);
    if (one.step != 0) text += "." + std::to_string(one.step);
    if (one.last_step != one.step) text += "-" + std::to_string(one.last_step);
    const Delay& delay = one.delay;
    if (delay.level > 1 || (delay.level == 1 && delay.steps > 0))
      text += "*" + std::to_string(delay.level);
    if (delay.level == 0 || delay.steps > 0) text += "+" + std::to_string(delay.steps);
  }
  for (const uint64_t question : yes) {
    next();
    text += "?" + std::to_string(question);
  }
  for (const KernelDecision& one : kernels) {
    next();
    text += "^" + std::to_string(one.lane) + "." + std::to_string(one.first);
    if (one.last != one.first) text += "-" + std::to_string(one.last);
    if (one.order != 1) text += ":" + std::to_string(one.order);
  }
  return text;
}

std::string_view Schedule::wanted() {
  return "'concurrent', 'eager', 'turned', 'shuffled:SEED', 'lazy', 'starve:LANE', "
         "'switch:LANE:LANE:NUMBER', 'random:SEED', 'pct:SEED:DEPTH' or 'replay:DECISIONS'";
}

bool Schedule::take_place(std::string_view& text, LaneOrBranch& place) {
  if (!take(text, place.lane)) return false;
  return !take(text, '/') || (take(text, place.branch) && place.branch > 0);
}

std::optional<Schedule> Schedule::parse(std::string_view text) {
  Schedule schedule;
  bool good = true;
  if (take(text, "eager")) {
    schedule.kind_ = Kind::eager;
  } else if (take(text, "turned")) {
    schedule.kind_ = Kind::turned;
  } else if (take(text, "shuffled:")) {
    schedule.kind_ = Kind::shuffled;
    good = take(text, schedule.seed_);
  } else if (take(text, "lazy")) {
    schedule.kind_ = Kind::lazy;
  } else if (take(text, "starve:")) {
    schedule.kind_ = Kind::starve;
    good = take_place(text, schedule.held_);
  } else if (take(text, "switch:")) {
    schedule.kind_ = Kind::change;
    good = take_place(text, schedule.held_) && take(text, ':') &&
           take_place(text, schedule.other_) && take(text, ':') && take(text, schedule.number_);
  } else if (take(text, "random:")) {
    schedule.kind_ = Kind::random;
    good = take(text, schedule.seed_);
  } else if (take(text, "pct:")) {
    schedule.kind_ = Kind::pct;
    uint32_t depth = 1;
    good = take(text, schedule.seed_) && take(text, ':') && take(text, depth) && depth >= 1 &&
           depth <= pct_span;
    for (uint64_t i = 1; i < depth; ++i)
      schedule.changes_.push_back(mix(schedule.seed_, i) % pct_span + 1);
    std::sort(schedule.changes_.begin(), schedule.changes_.end());
  } else if (take(text, "replay:")) {
    schedule.kind_ = Kind::replay;
    const auto decisions = Decisions::parse(text);
    if (!decisions) return std::nullopt;
    text = {};
    // Counts distances, because `last` may be the largest number that there is.
    for (const Decision& one : decisions->held)
      for (uint64_t i = 0; i <= one.last - one.first; ++i)
        for (uint32_t j = 0; j <= one.last_step - one.step; ++j)
          schedule.decisions_[{one.lane, one.first + i, one.step + j}] = one.delay;
    for (const uint64_t question : decisions->yes) schedule.answers_[question] = true;
    for (const KernelDecision& one : decisions->kernels)
      for (uint64_t i = 0; i <= one.last - one.first; ++i)
        schedule.kernels_[{one.lane, one.first + i, 0}] = one.order;
  } else {
    return std::nullopt;
  }
  if (!good || !text.empty()) return std::nullopt;
  return schedule;
}

Delay Schedule::delay(uint32_t lane, uint64_t number) {
  ++submitted_;
  switch (kind_) {
    case Kind::eager:
    case Kind::turned:
    case Kind::shuffled:
      return {};
    case Kind::lazy:
      return {0, 1};
    case Kind::starve:
      return {0, held_ == LaneOrBranch{lane} ? 1u : 0u};
    case Kind::change:
      if (held_ == LaneOrBranch{lane}) return {0, 1};
      return {0, other_ == LaneOrBranch{lane} && number > number_ ? 2u : 0u};
    case Kind::random:
      return random_delay(lane, number);
    case Kind::pct:
      return pct_delay({lane});
    case Kind::replay:
      return replayed({lane, number, 0});
  }
  return {};
}

Delay Schedule::delay(const Step& step) {
  ++submitted_;
  const LaneOrBranch place{step.lane, step.branch};
  switch (kind_) {
    case Kind::eager:
    case Kind::turned:
    case Kind::shuffled:
      return {};
    case Kind::lazy:
      // The launch is needed by the time its first step begins. Of the steps that are possible, the
      // last comes first.
      return {step.steps - step.step, 1};
    case Kind::starve:
      return {0, held_.has(step) ? 1u : 0u};
    case Kind::change: {
      if (held_.has(step)) return {0, 1};
      const uint64_t number = other_.branch == 0 ? step.number : step.place;
      return {0, other_.has(step) && number > number_ ? 2u : 0u};
    }
    case Kind::random:
      return random_delay(mix(step.lane, step.branch), mix(step.number, step.place));
    case Kind::pct:
      return pct_delay(place);
    case Kind::replay:
      return replayed({step.lane, step.number, step.step});
  }
  return {};
}

Delay Schedule::replayed(const Key& key) const {
  const auto found = decisions_.find(key);
  return found == decisions_.end() ? Delay{} : found->second;
}

// Each lane has a temper: if every piece had the same chance of being held back, every long lane
// would soon be stuck waiting for one that is held back to the end.
Delay Schedule::random_delay(uint64_t place, uint64_t number) const {
  const uint64_t temper = mix(seed_, place) % 4, die = mix(seed_, place, number);
  const auto steps = static_cast<uint32_t>((die >> 8) % 12 + 1);
  const auto level = static_cast<uint32_t>((die >> 16) % 3 + 1);
  switch (temper) {
    case 0:  // hasty
      return die % 16 == 0 ? Delay{steps, 0} : Delay{};
    case 1:  // lazy
      return die % 4 == 0 ? Delay{steps, 0} : Delay{0, level};
    default:  // moody
      if (die % 2 == 0) return {};
      return die % 8 == 1 ? Delay{0, level} : Delay{steps, 0};
  }
}

// Probabilistic concurrency testing (Burckhardt et al., 2010): every lane has a priority, and so
// has the program itself. The lane that submits at a point of change falls below all others. Lanes
// above the program work at once, the others when they are needed, in their order.
Delay Schedule::pct_delay(const LaneOrBranch& place) {
  while (!changes_.empty() && submitted_ >= changes_.front()) {
    levels_[place] = 1000 + static_cast<uint32_t>(levels_.size());
    changes_.erase(changes_.begin());
  }
  if (const auto fallen = levels_.find(place); fallen != levels_.end()) return {0, fallen->second};
  const uint64_t lane = place.branch == 0 ? place.lane : mix(place.lane, place.branch);
  const uint64_t priority = mix(seed_, lane) % 64;
  return {0, priority < 32 ? 0u : static_cast<uint32_t>(priority - 31)};
}

KernelOrder Schedule::kernel_order(uint32_t lane, uint64_t number) const {
  // 0 and 1 shuffle nothing.
  const auto shuffled = [&] {
    return static_cast<KernelOrder>(mix(seed_, ~uint64_t{lane}, number) % 9998 + 2);
  };
  switch (kind_) {
    case Kind::turned:
    case Kind::lazy:
      return 1;
    case Kind::shuffled:
      return shuffled();
    case Kind::random:
    case Kind::pct:
      return shuffled() % 2 == 0 ? shuffled() : 0;
    case Kind::replay: {
      const auto found = kernels_.find({lane, number, 0});
      return found == kernels_.end() ? 0 : found->second;
    }
    case Kind::eager:
    case Kind::starve:
    case Kind::change:
      break;
  }
  return 0;
}

bool Schedule::may() {
  ++asked_;
  switch (kind_) {
    case Kind::eager:
    case Kind::turned:
    case Kind::shuffled:
      return false;
    case Kind::lazy:
    case Kind::starve:
    case Kind::change:
      return true;
    case Kind::random:
    case Kind::pct:
      return mix(seed_, ~uint64_t{0}, asked_) % 2 == 0;
    case Kind::replay:
      return answers_.contains(asked_);
  }
  return false;
}

}  // namespace cuvette::exec
