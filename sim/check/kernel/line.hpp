// SPDX-License-Identifier: Apache-2.0
// Line: what has been done to 128 bytes of memory: as a few rows, each an access of one warp, or by
// words or bytes.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/check/kernel/mark.hpp"

namespace cuvette::watch {

// The accesses to some bytes.
struct Cell {
  Mark write, read;  // the latest, or one of several that nothing orders: see RaceWatch::touch
  // What has ever been done, and where another write and another read are kept (0: nowhere).
  static constexpr uint32_t weak_read = 1u << 31, weak_write = 1u << 30, strong_read = 1u << 29,
                            strong_write = 1u << 28, another = (1u << 28) - 1;
  uint32_t more = 0;

  bool untouched() const { return more == 0; }
  bool written() const { return more & (weak_write | strong_write); }
  bool is_read() const { return more & (weak_read | strong_read) || write.is(Mark::atomic); }
  // Whether all accesses may take place at the same time as another kernel's.
  bool only_strong() const { return !(more & (weak_read | weak_write)); }
};

// A weak access of one warp to words of a line: by lanes side by side, the word k by the thread
// first + (k >> shift); or of all its lanes to the same words.
struct Row {
  Mark mark;           // of one of the lanes
  uint32_t words = 0;  // a mask
  int16_t first = 0;   // of lanes that are together: the last thread
  uint8_t shift = 0;
  bool together : 1 = false;
  bool mixed : 1 = false;  // of reads: by several instructions, in Line::More

  // Whether both are accesses of each word by the same thread.
  bool same_threads(const Row& other) const {
    return mark.block == other.mark.block && !together && !other.together && first == other.first &&
           shift == other.shift;
  }
  // Whether `next` is an access of the same lanes, with nothing in between that orders anything.
  bool continues_as(const Row& next) const {
    return words != 0 && mark.block == next.mark.block && mark.time == next.mark.time &&
           mark.how == next.mark.how && first == next.first && shift == next.shift &&
           together == next.together;
  }
  Mark mark_of(uint32_t word) const;
};

// A stencil's rows need five reads, because their neighbours begin one word earlier and later.
struct Line {
  static constexpr uint32_t bytes = 128, word = 4, words = bytes / word;
  static constexpr size_t most_reads = 5;
  Row writes[2], reads[most_reads];
  uint32_t written = 0, read = 0;  // words that ever were
  // When further plain reads say nothing new: at a time of RaceWatch's; never; at any.
  static constexpr uint64_t never = 0, always = UINT64_MAX;
  uint64_t quiet = never;
  struct More {
    std::vector<Cell> cells;               // empty: the rows say everything
    uint16_t places[most_reads][words]{};  // of reads that are mixed, which instruction read a word
  };
  std::unique_ptr<More> more;

  // A mask of `count` words, from `first` on.
  static uint32_t words_between(uint32_t first, uint32_t count) {
    return static_cast<uint32_t>(((uint64_t{1} << count) - 1) << first);
  }

  bool is_cut() const { return more && !more->cells.empty(); }
  uint32_t cell_bytes() const { return bytes / static_cast<uint32_t>(more->cells.size()); }
  Mark read_of(size_t n, uint32_t of_word) const;
  // Adds to reads[n] what continues it.
  void go_on(size_t n, const Row& row);
};

}  // namespace cuvette::watch
