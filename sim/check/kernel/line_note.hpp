// SPDX-License-Identifier: Apache-2.0
// LineNote: what has been done to a line of memory, as long as the last reads of two warps, or of
// the halves of one, and the last write of one warp say it all.
//
// Most of what kernels do is of that kind: a warp has lines of its own, or gets them by a barrier.
// A note lies where the line's address says, so it is neither looked up nor made. A line with a
// more complex history is closed, and a Line describes it.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "sim/check/kernel/line.hpp"
#include "sim/ptx/abi/abi.hpp"

namespace cuvette::watch {

class alignas(64) LineNote : public ptx::QuietLine {
 public:
  // Whether accesses are noted here is a number of the launch's: see LineNotes.
  uint64_t state = 0;

  // Adds an access that comes after all that the note says of its words, by barriers of the block
  // until `barrier` or because the same threads did that. Returns false if nothing was changed, and
  // only a Line can express it. `is_shared`: it is shared memory, which is not part of the
  // footprint.
  bool add_read(const Row& row, uint32_t barrier, bool is_shared) {
    return add_read(who(row), row.mark, row.words, barrier, is_shared);
  }
  bool add_write(const Row& row, uint32_t barrier);
  // The same for lanes 0 to 31 of a warp with a word each. `by` is made by who(), of lane 0.
  bool add_whole(uint64_t by, uint32_t time, uint16_t place, uint32_t barrier, bool writes);
  // The thread `first` and those after it, side by side; of `how` the thread is left out.
  static uint64_t who(uint64_t block, uint16_t how, uint32_t first) {
    return block << 32 | uint64_t{static_cast<uint16_t>(first)} << 16 |
           uint64_t{static_cast<uint16_t>(how & ~Mark::thread_bits)};
  }
  // The same for a read of half the line, by lanes 0 and 16 of a warp of its first word, and so on;
  // `mark` is lane 0's.
  bool add_read_of_halves(const Mark& mark, bool upper, uint32_t barrier, bool is_shared) {
    return add_read(who(mark, mark.thread(), halves_bit), mark, upper ? ~half_words : half_words,
                    barrier, is_shared);
  }
  // Adds a read of one word by `who`, if it continues the earlier ones; returns false if not, when
  // add_read() may still add it.
  bool go_on_with(uint64_t who, const Mark& mark, uint32_t word, uint32_t barrier);
  // Lanes of a warp, from the mark's to thread `last`, that access the same words.
  static uint64_t who_together(const Mark& mark, uint32_t last) {
    return who(mark, last, mark.thread() % ptx::warp_size << lane_shift | together_bit);
  }
  // Nothing has been done to the line.
  void clear() {
    writes_.words = reads_[0].words = 0;
    if (has_second_) reads_[1].words = 0;
    counted_ = has_second_ = has_before_ = false;
  }
  // The line is a new one.
  void forget() {
    clear();
    quiet_at = written_at = state = 0;
  }
  // Returns whether it is called for the first time since clear().
  bool count() {
    const bool before = counted_;
    counted_ = true;
    return !before;
  }

  bool untouched() const {
    return (writes_.words | reads_[0].words) == 0 && (!has_second_ || reads_[1].words == 0);
  }
  // Whether one write or one read says the same of all words, and which.
  bool is_written_as_whole() const { return writes_.words == UINT32_MAX; }
  bool is_read_as_whole() const {
    return reads_[0].words == UINT32_MAX && writes_.words == 0 && !is_mixed(0);
  }
  // Whether one instruction touched all of both lines, in one way.
  bool is_touched_like(const LineNote& other) const {
    if (is_written_as_whole())
      return other.is_written_as_whole() && write_place_ == other.write_place_ &&
             read_words() == other.read_words();
    return is_read_as_whole() && other.is_read_as_whole() &&
           read_places_[0] == other.read_places_[0];
  }
  // Whether each of two reads is of all words.
  bool is_read_twice() const {
    return has_second_ && (reads_[0].words & reads_[1].words) == UINT32_MAX;
  }
  bool is_written() const { return writes_.words != 0; }
  // Words that were ever read.
  uint32_t read_words() const { return last_read_words() | (has_before_ ? read_before_ : 0); }
  // Of word 0.
  Mark whole_write() const { return mark_of(writes_, write_place_, 0); }
  Mark whole_read(size_t n = 0) const { return mark_of(reads_[n], read_places_[n], 0); }
  void put_into(Line& line) const;  // of which nothing was known

 private:
  // A Row in few bytes. Of its mark the block, and `how`, where other bits than the thread's are.
  struct Lanes {
    uint64_t who = 0;
    uint32_t time = 0, words = 0;  // no words: empty, regardless of the rest
  };
  // In place of the thread: how many words each lane has; whether lanes are together, and the first
  // of these; whether they are the halves of a warp, which have read a half of the line or both.
  static constexpr uint64_t shift_bits = 3, together_bit = 4, lane_shift = 3, lane_bits = 31,
                            halves_bit = 0x200;
  static constexpr uint32_t half = ptx::warp_size / 2, half_words = (1u << half) - 1;

  // `lanes`: what takes the place of the thread in `how`.
  static uint64_t who(const Mark& mark, uint32_t first, uint64_t lanes) {
    return who(mark.block, mark.how, first) | lanes;
  }
  static uint64_t who(const Row& row) {
    const auto first = static_cast<uint32_t>(row.first);
    return row.together ? who_together(row.mark, first) : who(row.mark, first, row.shift);
  }
  static int16_t first_of(const Lanes& lanes) {
    return static_cast<int16_t>(static_cast<uint16_t>(lanes.who >> 16));
  }
  static Row row_of(const Lanes& lanes, uint16_t place);
  // If several access the same words, the first lane's.
  static Mark mark_of(const Lanes& lanes, uint16_t place, uint32_t word) {
    const Mark mark{static_cast<uint32_t>(lanes.who >> 32), lanes.time,
                    static_cast<uint16_t>(lanes.who), place};
    const auto first = static_cast<uint16_t>(lanes.who >> 16);
    if (lanes.who & together_bit)
      return mark.by_thread(first / ptx::warp_size * ptx::warp_size +
                            static_cast<uint32_t>(lanes.who >> lane_shift & lane_bits));
    const uint32_t lane = word >> (lanes.who & shift_bits);
    return mark.by_thread(
        static_cast<uint16_t>(first + (lanes.who & halves_bit ? lane % half : lane)));
  }
  static bool comes_before(const Lanes& earlier, uint64_t who, uint32_t barrier) {
    constexpr uint64_t how = 0xffff & ~uint64_t{Mark::thread_bits};
    if (((earlier.who ^ who) & ~how) == 0 && !(who & together_bit)) return true;
    return earlier.who >> 32 == who >> 32 && earlier.time <= barrier;
  }
  static bool is_over(const Lanes& earlier, uint64_t who, uint32_t barrier) {
    return earlier.words == 0 || comes_before(earlier, who, barrier);
  }
  uint32_t last_read_words() const { return reads_[0].words | (has_second_ ? reads_[1].words : 0); }
  // Words are written whose last reads need not be known any more.
  void note_read_before(uint32_t words) {
    words &= last_read_words();
    if (words == 0) return;
    read_before_ = has_before_ ? read_before_ | words : words;
    has_before_ = true;
  }
  bool is_mixed(size_t n) const { return mixed_ >> n & 1; }
  bool is_of_halves(size_t n) const {
    return (reads_[n].who & (halves_bit | together_bit)) == halves_bit;
  }
  static bool is_of_whole_halves(uint32_t words) {
    return words == 0 || words == half_words || words == ~half_words || words == UINT32_MAX;
  }
  // A read by `by`; for adjacent lanes, the mark is the first lane's.
  bool add_read(uint64_t by, const Mark& mark, uint32_t words, uint32_t barrier, bool is_shared);
  // As Line::go_on(): who has read a word first stays.
  bool go_on(size_t n, uint32_t words, uint16_t place) {
    const uint32_t fresh = words & ~reads_[n].words;
    return fresh == 0 || go_on_to(n, fresh, place);
  }
  bool go_on_to(size_t n, uint32_t fresh, uint16_t place);
  bool replace(size_t n, uint64_t by, const Mark& mark, uint32_t words, uint32_t barrier,
               bool is_shared);
  void put_halves_into(Line& line, size_t n, size_t& count) const;
  void put_read_into(Line& line, size_t n, const Row& row, size_t& count) const;

  // Accesses of whole lines need what is in one line of a cache, up to the first reads.
  uint16_t write_place_ = 0, read_places_[2]{};
  uint8_t mixed_ = 0;  // bits, of reads by several instructions: see places_
  bool counted_ : 1 = false;
  bool has_second_ : 1 = false;  // else reads_[1] says nothing
  bool has_before_ : 1 = false;  // else read_before_ says nothing
  Lanes writes_, reads_[2];
  // Of words of reads that are mixed: which instruction it was, as a distance from read_places_.
  int8_t places_[Line::words];
  uint32_t read_before_;  // words that were read before they were written last
};
static_assert(sizeof(LineNote) == ptx::QuietLine::stride);

inline bool LineNote::replace(size_t n, uint64_t by, const Mark& mark, uint32_t words,
                              uint32_t barrier, bool is_shared) {
  Lanes& reads = reads_[n];
  if (!is_over(reads, by, barrier) && reads.who != by) return false;
  // Words that this one has not: other threads than their own may come to them, until a barrier.
  const bool by_barrier = reads.who >> 32 == by >> 32 && reads.time <= barrier;
  if (reads.words & ~words && !(is_shared && by_barrier)) return false;
  reads = {by, mark.time, words};
  read_places_[n] = mark.place;
  mixed_ &= static_cast<uint8_t>(~(1u << n));
  if (n == 1) has_second_ = true;
  return true;
}

inline bool LineNote::add_read(uint64_t by, const Mark& mark, uint32_t words, uint32_t barrier,
                               bool is_shared) {
  if (writes_.words & words && !comes_before(writes_, by, barrier)) return false;
  // Halves of a warp have one each.
  const size_t first = mark.thread() % ptx::warp_size / half;
  for (const size_t n : {first, 1 - first})
    if (reads_[n].words != 0 && reads_[n].who == by && reads_[n].time == mark.time)
      return go_on(n, words, mark.place);
  return replace(first, by, mark, words, barrier, is_shared) ||
         replace(1 - first, by, mark, words, barrier, is_shared);
}

inline bool LineNote::go_on_with(uint64_t who, const Mark& mark, uint32_t word, uint32_t barrier) {
  const size_t n = mark.thread() % ptx::warp_size / half;
  Lanes& reads = reads_[n];
  const uint32_t bit = 1u << word;
  if (reads.words == 0 || reads.who != who || reads.time != mark.time ||
      (writes_.words & bit && !comes_before(writes_, who, barrier)))
    return false;
  if (reads.words & bit) return true;
  if (!is_mixed(n) || (is_mixed(1 - n) && reads_[1 - n].words & bit)) return false;
  const int distance = mark.place - read_places_[n];
  if (distance != static_cast<int8_t>(distance)) return false;
  places_[word] = static_cast<int8_t>(distance);
  reads.words |= bit;
  return true;
}

inline bool LineNote::add_whole(uint64_t by, uint32_t time, uint16_t place, uint32_t barrier,
                                bool writes) {
  if (!is_over(writes_, by, barrier) || !is_over(reads_[0], by, barrier)) return false;
  if (!writes) {
    reads_[0] = {by, time, UINT32_MAX};
    read_places_[0] = place;
    mixed_ &= 2;
    return true;
  }
  if (has_second_ && !is_over(reads_[1], by, barrier)) return false;
  note_read_before(UINT32_MAX);
  if (has_second_) reads_[1].words = 0;
  writes_ = {by, time, UINT32_MAX};
  write_place_ = place;
  reads_[0].words = 0;
  quiet_at = 0;
  return true;
}

inline bool LineNote::add_write(const Row& row, uint32_t barrier) {
  const uint64_t by = who(row);
  if (row.together) return false;
  for (const Lanes* const earlier : {&writes_, &reads_[0], &reads_[1]})
    if (earlier->words & row.words && !comes_before(*earlier, by, barrier)) return false;
  for (size_t n = 0; n < std::size(reads_); ++n)
    if (is_of_halves(n) && !is_of_whole_halves(reads_[n].words & ~row.words)) return false;
  if (writes_.words & ~row.words) {
    // Goes on with it.
    if (writes_.who != by || writes_.time != row.mark.time || write_place_ != row.mark.place)
      return false;
    writes_.words |= row.words;
  } else {
    writes_ = {by, row.mark.time, row.words};
    write_place_ = row.mark.place;
  }
  note_read_before(row.words);
  for (Lanes& reads : reads_) reads.words &= ~row.words;
  quiet_at = 0;
  return true;
}

}  // namespace cuvette::watch
