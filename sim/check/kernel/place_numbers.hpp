// SPDX-License-Identifier: Apache-2.0
// PlaceNumbers: a short number for each instruction of a launch that accesses memory, which marks
// hold. Compiled code has numbered most of them; others get the next numbers as they come.
//
// Threads: the one that runs the grid; afterwards any, one at a time. Invariants: a number is of
// one place for as long as this lives; 0 is of none.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/check/kernel/mark.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::watch {

class PlaceNumbers {
 public:
  // `given`: the places that numbers in compiled code mean, from 1 on; it outlives this.
  explicit PlaceNumbers(std::span<const ptx::NumberedAccess> given) : given_(given) {}

  // `number`: what compiled code says, or 0. Returns 0 if there are too many.
  uint16_t number_of(const Place& place, uint32_t number) {
    if (number != 0) return static_cast<uint16_t>(number);
    // Most are the lines of one text, and a line of the source has several instructions.
    Recent& recent = recent_[(place.location ^ place.location >> 24) % std::size(recent_)];
    if (recent.number == 0 || recent.place != place) recent = {place, find_or_add(place)};
    return recent.number;
  }
  // Returns an empty place for a number that nothing has.
  Place place(uint16_t number) const {
    if (number == 0) return {};
    const size_t at = number - size_t{1};
    if (at < given_.size()) return {given_[at].location, given_[at].access};
    return at - given_.size() < more_.size() ? more_[at - given_.size()] : Place{};
  }

 private:
  uint16_t find_or_add(const Place& place);

  const std::span<const ptx::NumberedAccess> given_;
  std::vector<Place> more_;
  std::map<std::pair<uint64_t, uint32_t>, uint16_t> numbers_;
  struct Recent {
    Place place;
    uint16_t number = 0;
  };
  Recent recent_[256];  // of numbers_
};

}  // namespace cuvette::watch
