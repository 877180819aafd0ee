// SPDX-License-Identifier: Apache-2.0
#include "sim/watch/line_note.hpp"

#include <algorithm>
#include <bit>

namespace cuvette::watch {

// As Line::go_on(): who has read a word first stays.
bool LineNote::go_on(size_t n, const Row& row) {
  Lanes& reads = reads_[n];
  const uint32_t fresh = row.words & ~reads.words;
  if (fresh == 0) return true;
  if (is_mixed(n) || read_places_[n] != row.mark.place) {
    const size_t other = 1 - n;
    if (is_mixed(other) && reads_[other].words & (reads.words | fresh)) return false;
    const auto put = [&](uint32_t words, uint16_t place) {
      for (; words != 0; words &= words - 1) places_[std::countr_zero(words)] = place;
    };
    if (!is_mixed(n)) put(reads.words, read_places_[n]);
    put(fresh, row.mark.place);
    mixed_ |= static_cast<uint8_t>(1u << n);
  }
  reads.words |= fresh;
  return true;
}

Row LineNote::row_of(const Lanes& lanes, uint16_t place) {
  Row row;
  row.words = lanes.words;
  row.first = static_cast<int16_t>(static_cast<uint16_t>(lanes.who >> 16));
  row.shift = lanes.who & shift_bits;
  row.together = lanes.who & together_bit;
  const int word = lanes.words ? std::countr_zero(lanes.words) : 0;
  row.mark = mark_of(lanes, place, static_cast<uint32_t>(word));
  return row;
}

void LineNote::put_into(Line& line) const {
  line.writes[0] = row_of(writes_, write_place_);
  line.written = writes_.words;
  for (size_t n = 0; n < std::size(reads_); ++n) {
    line.reads[n] = row_of(reads_[n], read_places_[n]);
    line.read |= reads_[n].words;
    if (reads_[n].words == 0 || !is_mixed(n)) continue;
    if (!line.more) line.more = std::make_unique<Line::More>();
    line.reads[n].mixed = true;
    std::ranges::copy(places_, line.more->places[n]);
  }
}

}  // namespace cuvette::watch
