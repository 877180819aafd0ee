// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/line.hpp"

#include <algorithm>
#include <bit>

namespace cuvette::watch {

Mark Line::read_of(size_t n, uint32_t of_word) const {
  Mark mark = reads[n].mark_of(of_word);
  if (reads[n].mixed) mark.place = more->places[n][of_word];
  return mark;
}

void Line::go_on(size_t n, const Row& row) {
  Row& known = reads[n];
  if (!known.mixed && known.mark.place != row.mark.place) {
    if (!more) more = std::make_unique<More>();
    std::ranges::fill(more->places[n], known.mark.place);
    known.mixed = true;
  }
  if (known.mixed)
    for (uint32_t left = row.words & ~known.words; left != 0; left &= left - 1)
      more->places[n][std::countr_zero(left)] = row.mark.place;
  known.words |= row.words;
  read |= row.words;
}

Mark Row::mark_of(uint32_t word) const {
  if (together) return mark;
  return mark.by_thread(static_cast<uint32_t>(first + static_cast<int>(word >> shift)));
}

}  // namespace cuvette::watch
