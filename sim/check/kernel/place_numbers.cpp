// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/place_numbers.hpp"

namespace cuvette::watch {

uint16_t PlaceNumbers::find_or_add(const Place& place) {
  const auto [known, fresh] = numbers_.try_emplace({place.location, place.access}, 0);
  if (fresh) {
    const size_t count = given_.size() + more_.size();
    if (count >= UINT16_MAX) return 0;
    more_.push_back(place);
    known->second = static_cast<uint16_t>(count + 1);
  }
  return known->second;
}

}  // namespace cuvette::watch
