// SPDX-License-Identifier: Apache-2.0
// LineNote: what has been done to a line of memory, as long as the last reads of two warps, or of
// the halves of one, and the last write of one warp say it all.
//
// Most of what kernels do is of that kind: a warp has lines of its own, or gets them by a barrier.
// A note lies where the line's address says, so it is neither looked up nor made. A line of which
// there is more to say is closed, and a Line tells it.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <utility>

#include "sim/ptx/abi.hpp"
#include "sim/watch/line.hpp"

namespace cuvette::watch {

class LineNote : public ptx::QuietLine {
 public:
  // Whether accesses are noted here is a number of the launch's: see LineNotes.
  uint64_t state = 0;

  // Adds an access that comes after all that the note says of its words, by barriers of the block
  // until `barrier` or because the same threads did that. False: nothing is changed, and only a
  // Line can tell it. `is_shared`: it is shared memory, of which nobody asks at the end who has
  // touched it.
  bool add_read(const Row& row, uint32_t barrier, bool is_shared);
  bool add_write(const Row& row, uint32_t barrier);
  // The same for lanes 0 to 31 of a warp with a word each, of which `mark` is that of lane 0.
  bool add_whole(const Mark& mark, uint32_t barrier, bool writes);
  // Adds a read of one word by whoever `who` is, if that goes on with those before; false: it may
  // be added by add_read() nevertheless.
  bool go_on_with(uint64_t who, const Mark& mark, uint32_t word, uint32_t barrier);
  // Lanes of a warp, from that of the mark to thread `last`, that access the same words.
  static uint64_t who_together(const Mark& mark, uint32_t last) {
    return who(mark, last, mark.thread() % ptx::warp_size << lane_shift | together_bit);
  }
  // Nothing has been done to the line.
  void clear() {
    writes_ = reads_[0] = reads_[1] = {};
    counted_ = false;
  }
  // The line is a new one.
  void forget() {
    clear();
    quiet_at = written_at = state = 0;
  }
  // Returns whether it is called for the first time since clear().
  bool count() { return !std::exchange(counted_, true); }

  bool untouched() const { return (writes_.words | reads_[0].words | reads_[1].words) == 0; }
  // Whether one write or one read says the same of all words, and which.
  bool is_written_as_whole() const { return writes_.words == UINT32_MAX; }
  bool is_read_as_whole() const {
    return reads_[0].words == UINT32_MAX && writes_.words == 0 && !is_mixed(0);
  }
  // Of word 0.
  Mark whole_write() const { return mark_of(writes_, write_place_, 0); }
  Mark whole_read() const { return mark_of(reads_[0], read_places_[0], 0); }
  void put_into(Line& line) const;  // of which nothing was known

 private:
  // A Row in few bytes. Of its mark the block, and `how`, where other bits than the thread's are.
  struct Lanes {
    uint64_t who = 0;
    uint32_t time = 0, words = 0;  // nobody: no words
  };
  static constexpr uint64_t shift_bits = 3, together_bit = 4, lane_shift = 3;

  // `lanes`: what takes the place of the thread in `how`.
  static uint64_t who(const Mark& mark, uint32_t first, uint64_t lanes) {
    return uint64_t{mark.block} << 32 | uint64_t{static_cast<uint16_t>(first)} << 16 |
           uint64_t{static_cast<uint16_t>(mark.how & ~Mark::thread_bits)} | lanes;
  }
  static uint64_t who(const Row& row) {
    const auto first = static_cast<uint32_t>(row.first);
    return row.together ? who_together(row.mark, first) : who(row.mark, first, row.shift);
  }
  static Row row_of(const Lanes& lanes, uint16_t place);
  // Of those that access the same words, that of the first lane.
  static Mark mark_of(const Lanes& lanes, uint16_t place, uint32_t word) {
    const Mark mark{static_cast<uint32_t>(lanes.who >> 32), lanes.time,
                    static_cast<uint16_t>(lanes.who), place};
    const auto first = static_cast<uint16_t>(lanes.who >> 16);
    const auto lane = static_cast<uint32_t>((lanes.who & Mark::thread_bits) >> lane_shift);
    const bool together = lanes.who & together_bit;
    return mark.by_thread(static_cast<uint16_t>(together
                                                    ? first / ptx::warp_size * ptx::warp_size + lane
                                                    : first + (word >> (lanes.who & shift_bits))));
  }
  static bool comes_before(const Lanes& earlier, uint64_t who, uint32_t barrier) {
    constexpr uint64_t how = 0xffff & ~uint64_t{Mark::thread_bits};
    if (((earlier.who ^ who) & ~how) == 0 && !(who & together_bit)) return true;
    return earlier.who >> 32 == who >> 32 && earlier.time <= barrier;
  }
  static bool is_over(const Lanes& earlier, uint64_t who, uint32_t barrier) {
    return earlier.words == 0 || comes_before(earlier, who, barrier);
  }
  bool is_mixed(size_t n) const { return mixed_ >> n & 1; }
  bool go_on(size_t n, const Row& row);
  bool replace(size_t n, const Row& row, uint64_t by, uint32_t barrier, bool is_shared);

  Lanes writes_, reads_[2];
  uint16_t write_place_ = 0, read_places_[2]{};
  bool counted_ = false;
  uint8_t mixed_ = 0;  // bits, of reads by several instructions: those of each word are in places_
  uint16_t places_[Line::words];
};
static_assert(sizeof(LineNote) == ptx::QuietLine::stride);

inline bool LineNote::replace(size_t n, const Row& row, uint64_t by, uint32_t barrier,
                              bool is_shared) {
  Lanes& reads = reads_[n];
  if (!is_over(reads, by, barrier) && reads.who != by) return false;
  // Words that this row has not: other threads than their own may come to them, until a barrier.
  const bool by_barrier = reads.who >> 32 == by >> 32 && reads.time <= barrier;
  if (reads.words & ~row.words && !(is_shared && by_barrier)) return false;
  reads = {by, row.mark.time, row.words};
  read_places_[n] = row.mark.place;
  mixed_ &= static_cast<uint8_t>(~(1u << n));
  return true;
}

inline bool LineNote::add_read(const Row& row, uint32_t barrier, bool is_shared) {
  const uint64_t by = who(row);
  if (writes_.words & row.words && !comes_before(writes_, by, barrier)) return false;
  // Halves of a warp have one each.
  const size_t half = row.mark.thread() % ptx::warp_size / (ptx::warp_size / 2);
  for (const size_t n : {half, 1 - half})
    if (reads_[n].words != 0 && reads_[n].who == by && reads_[n].time == row.mark.time)
      return go_on(n, row);
  return replace(half, row, by, barrier, is_shared) ||
         replace(1 - half, row, by, barrier, is_shared);
}

inline bool LineNote::go_on_with(uint64_t who, const Mark& mark, uint32_t word, uint32_t barrier) {
  const size_t n = mark.thread() % ptx::warp_size / (ptx::warp_size / 2);
  Lanes& reads = reads_[n];
  const uint32_t bit = 1u << word;
  if (reads.words == 0 || reads.who != who || reads.time != mark.time ||
      (writes_.words & bit && !comes_before(writes_, who, barrier)))
    return false;
  if (reads.words & bit) return true;
  if (!is_mixed(n) || (is_mixed(1 - n) && reads_[1 - n].words & bit)) return false;
  places_[word] = mark.place;
  reads.words |= bit;
  return true;
}

inline bool LineNote::add_whole(const Mark& mark, uint32_t barrier, bool writes) {
  const uint64_t by = who(mark, mark.thread(), 0);
  if (!is_over(writes_, by, barrier) || !is_over(reads_[0], by, barrier)) return false;
  if (!writes) {
    reads_[0] = {by, mark.time, UINT32_MAX};
    read_places_[0] = mark.place;
    mixed_ &= 2;
    return true;
  }
  if (!is_over(reads_[1], by, barrier)) return false;
  writes_ = {by, mark.time, UINT32_MAX};
  write_place_ = mark.place;
  reads_[0].words = reads_[1].words = 0;
  quiet_at = 0;
  return true;
}

inline bool LineNote::add_write(const Row& row, uint32_t barrier) {
  const uint64_t by = who(row);
  if (row.together) return false;
  for (const Lanes* const earlier : {&writes_, &reads_[0], &reads_[1]})
    if (earlier->words & row.words && !comes_before(*earlier, by, barrier)) return false;
  if (writes_.words & ~row.words) {
    // Goes on with it.
    if (writes_.who != by || writes_.time != row.mark.time || write_place_ != row.mark.place)
      return false;
    writes_.words |= row.words;
  } else {
    writes_ = {by, row.mark.time, row.words};
    write_place_ = row.mark.place;
  }
  for (Lanes& reads : reads_) reads.words &= ~row.words;
  quiet_at = 0;
  return true;
}

}  // namespace cuvette::watch
