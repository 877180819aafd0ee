// SPDX-License-Identifier: Apache-2.0
// Shadow: for each byte that a launch touches, the accesses that later ones may conflict with.
//
// Memory is cut into lines. Most lines are touched by warps whose lanes lie side by side, so a line
// is kept as a few rows, each an access of one warp, as long as that says everything. Then it is
// cut into cells: word by word until an access is smaller than a word, then byte by byte. What it
// takes grows with the bytes that are touched.
//
// Threads: one at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/recycled.hpp"
#include "sim/watch/mark.hpp"

namespace cuvette::watch {

// What has been done to some bytes.
struct Cell {
  Mark write, read;  // the latest, or one of several that nothing orders: see KernelWatch::touch
  // What has ever been done, and where another write and another read are kept (0: nowhere).
  static constexpr uint32_t weak_read = 1u << 31, weak_write = 1u << 30, strong_read = 1u << 29,
                            strong_write = 1u << 28, another = (1u << 28) - 1;
  uint32_t more = 0;

  bool untouched() const { return more == 0; }
  bool written() const { return more & (weak_write | strong_write); }
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

// Five reads are what a stencil's rows need, whose neighbours begin one word earlier and later.
struct Line {
  static constexpr uint32_t bytes = 128, word = 4, words = bytes / word;
  static constexpr size_t most_reads = 5;
  Row writes[2], reads[most_reads];
  uint32_t written = 0, read = 0;  // words that ever were
  // When further plain reads say nothing new: at a time of KernelWatch's; never; at any.
  static constexpr uint64_t never = 0, always = UINT64_MAX;
  uint64_t quiet = never;
  struct More {
    std::vector<Cell> cells;               // empty: the rows say everything
    uint16_t places[most_reads][words]{};  // of reads that are mixed, which instruction read a word
  };
  std::unique_ptr<More> more;

  bool is_cut() const { return more && !more->cells.empty(); }
  uint32_t cell_bytes() const { return bytes / static_cast<uint32_t>(more->cells.size()); }
  Mark read_of(size_t n, uint32_t of_word) const;
  // Adds to reads[n] what continues it.
  void go_on(size_t n, const Row& row);
};

class Shadow {
 public:
  struct Others {
    Mark write, read;
  };

  Line& line(uint64_t address) {
    const uint64_t number = address / page_bytes;
    const Recent& place = recent_[number % recent];
    if (place.number != number) [[unlikely]]
      find_page(number);
    return place.page->lines[address % page_bytes / Line::bytes];
  }
  // Returns the cells of [address, address + bytes), which is aligned and of at most 16 bytes.
  std::span<Cell> cells(uint64_t address, uint32_t bytes);
  // Returns what is known of a byte.
  Cell find(uint64_t address) const;
  // How many bytes each of the cells that cells() returned last stands for.
  uint32_t bytes_of_cell() const { return cell_bytes_; }
  Others& others(Cell& cell);
  void forget(uint64_t begin, uint64_t end);
  // Puts a line that was cut together again, as one that nobody has touched lately.
  void heal(Line& line);

  // Calls `visit` with the address and the size of bytes that were touched in one way, and the cell
  // of the first, in order.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const uint64_t number : numbers()) {
      const Page& page = *pages_.find(number)->second;
      for (uint32_t n = 0; n < lines_of_page; ++n)
        visit_line(page.lines[n], number * page_bytes + n * Line::bytes, visit);
    }
  }

 private:
  static constexpr uint32_t lines_of_page = 32, page_bytes = lines_of_page * Line::bytes;
  struct Page : Recycled<Page> {
    std::array<Line, lines_of_page> lines;
  };

  template <typename Visit>
  static void visit_line(const Line& line, uint64_t address, const Visit& visit) {
    if (line.is_cut()) {
      const uint32_t each = line.cell_bytes();
      for (uint32_t n = 0; n < line.more->cells.size(); ++n)
        if (const Cell& cell = line.more->cells[n]; !cell.untouched())
          visit(address + n * each, each, cell);
      return;
    }
    // Words that follow each other and are told by the same rows are one.
    for (uint32_t left = line.written | line.read; left != 0;) {
      const auto word = static_cast<uint32_t>(std::countr_zero(left));
      const uint32_t alike = words_like(line, word) >> word;
      const auto count = static_cast<uint32_t>(std::countr_one(alike));
      visit(address + word * Line::word, count * Line::word, word_of(line, word));
      left &= count == Line::words ? 0 : ~(((1u << count) - 1) << word);
    }
  }
  // The words of which the rows say the same as of this one: by whom they were written, or read
  // first where nobody has written.
  static uint32_t words_like(const Line& line, uint32_t word);
  static Cell word_of(const Line& line, uint32_t word);
  void cut(Line& line);
  static size_t dispensable(const std::vector<Mark>& reads);
  std::vector<uint64_t> numbers() const;

  Line* known_line(uint64_t address) const;
  void find_page(uint64_t number);  // makes it `recent`

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  static constexpr size_t recent = 64;
  struct Recent {
    uint64_t number = UINT64_MAX;
    Page* page = nullptr;
  };
  Recent recent_[recent];
  std::vector<Others> others_{1};
  std::vector<uint32_t> free_others_;
  uint32_t cell_bytes_ = Line::word;
};

}  // namespace cuvette::watch
