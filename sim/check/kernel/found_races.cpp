// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/found_races.hpp"

#include <algorithm>

namespace cuvette::watch {
namespace {

constexpr size_t most_races = 64;

}  // namespace

bool FoundRaces::admit(uint16_t one, uint16_t other, bool shared) {
  const auto [least, most] = std::minmax(one, other);
  return races_.size() < most_races && known_.emplace(least, most, shared).second;
}

void FoundRaces::note_compared(uint16_t read) {
  if (compared_.size() <= read) compared_.resize(read + size_t{1});
  compared_[read] = true;
}

std::vector<ThreadRace> FoundRaces::all() const {
  std::vector<ThreadRace> all;
  for (const Found& one : races_)
    if (one.read >= compared_.size() || !compared_[one.read]) all.push_back(one.race);
  return all;
}

}  // namespace cuvette::watch
