// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/line_note.hpp"

#include <algorithm>
#include <bit>

namespace cuvette::watch {

bool LineNote::go_on_to(size_t n, uint32_t fresh, uint16_t place) {
  Lanes& reads = reads_[n];
  if (is_mixed(n) || read_places_[n] != place) {
    // Words that the other one has, too, are as it says.
    const uint32_t held = is_mixed(1 - n) ? reads_[1 - n].words : 0;
    const auto put = [&](uint32_t some, uint16_t by) {
      const int distance = by - read_places_[n];
      if (distance != static_cast<int8_t>(distance)) return false;
      for (; some != 0; some &= some - 1) {
        const auto word = static_cast<uint32_t>(std::countr_zero(some));
        if (!(held >> word & 1)) places_[word] = static_cast<int8_t>(distance);
        if (places_[word] != distance) return false;
      }
      return true;
    };
    if (!is_mixed(n) && !put(reads.words, read_places_[n])) return false;
    if (!put(fresh, place)) return false;
    mixed_ |= static_cast<uint8_t>(1u << n);
  }
  reads.words |= fresh;
  return true;
}

Row LineNote::row_of(const Lanes& lanes, uint16_t place) {
  Row row;
  row.words = lanes.words;
  row.first = first_of(lanes);
  row.shift = lanes.who & shift_bits;
  row.together = lanes.who & together_bit;
  const int word = lanes.words ? std::countr_zero(lanes.words) : 0;
  row.mark = mark_of(lanes, place, static_cast<uint32_t>(word));
  return row;
}

void LineNote::put_read_into(Line& line, size_t n, const Row& row, size_t& count) const {
  if (row.words == 0) return;
  Row& to = line.reads[count];
  to = row;
  if (is_mixed(n)) {
    if (!line.more) line.more = std::make_unique<Line::More>();
    to.mixed = true;
    for (uint32_t word = 0; word < Line::words; ++word)
      line.more->places[count][word] = static_cast<uint16_t>(read_places_[n] + places_[word]);
  }
  line.read |= row.words;
  ++count;
}

// A row for each half of the warp and each half of the line. Content that the other one has, too,
// is kept once: the same threads' later reads, or one half of each of two warps. So a line has at
// most four rows of halves, and at most five in all.
void LineNote::put_halves_into(Line& line, size_t n, size_t& count) const {
  const Lanes &reads = reads_[n], &other = reads_[1 - n];
  const uint32_t both = is_of_halves(1 - n) ? reads.words & other.words : 0;
  const bool is_earlier = other.who == reads.who && reads.time < other.time;
  const bool by_two = other.who != reads.who;
  for (const uint32_t lane : {0u, half})
    for (const uint32_t part : {half_words, ~half_words}) {
      Row row;
      row.words = reads.words & part;
      if (is_earlier || (by_two && lane != 0)) row.words &= ~both;
      if (row.words == 0) continue;
      const auto word = static_cast<uint32_t>(std::countr_zero(row.words));
      const Mark mark = mark_of(reads, read_places_[n], word);
      row.mark = mark.by_thread(mark.thread() + lane);
      row.first = static_cast<int16_t>(static_cast<int>(row.mark.thread() - word));
      put_read_into(line, n, row, count);
    }
}

void LineNote::put_into(Line& line) const {
  line.writes[0] = row_of(writes_, write_place_);
  line.written = writes_.words;
  line.read = read_words();
  size_t count = 0;
  for (size_t n = 0; n < std::size(reads_); ++n) {
    if (is_of_halves(n))
      put_halves_into(line, n, count);
    else
      put_read_into(line, n, row_of(reads_[n], read_places_[n]), count);
  }
}

}  // namespace cuvette::watch
