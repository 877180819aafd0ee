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
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

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
  int32_t first = 0;   // of lanes that are together: the last thread
  uint8_t shift = 0;
  bool together = false;

  // Whether both are accesses of each word by the same thread.
  bool same_threads(const Row& other) const {
    return mark.block == other.mark.block && !together && !other.together && first == other.first &&
           shift == other.shift;
  }
  Mark mark_of(uint32_t word) const;
};

struct Line {
  static constexpr uint32_t bytes = 128, word = 4;
  Row writes[2], reads[3];
  uint32_t written = 0, read = 0;  // words that ever were
  std::vector<Cell> cells;         // empty: the rows say everything

  uint32_t cell_bytes() const { return bytes / static_cast<uint32_t>(cells.size()); }
};

class Shadow {
 public:
  struct Others {
    Mark write, read;
  };

  Line& line(uint64_t address);
  // Returns the cells of [address, address + bytes), which is aligned and of at most 16 bytes.
  std::span<Cell> cells(uint64_t address, uint32_t bytes);
  // Returns what is known of a byte.
  Cell find(uint64_t address) const;
  // How many bytes each of the cells that cells() returned last stands for.
  uint32_t bytes_of_cell() const { return cell_bytes_; }
  Others& others(Cell& cell);
  void forget(uint64_t begin, uint64_t end);

  // Calls `visit` with the address and the size of bytes that were touched in one way, and the cell
  // of the first, in order.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const uint64_t number : numbers()) {
      const Page& page = *pages_.find(number)->second;
      for (uint32_t n = 0; n < lines_of_page; ++n)
        visit_line(page[n], number * page_bytes + n * Line::bytes, visit);
    }
  }

 private:
  static constexpr uint32_t lines_of_page = 32, page_bytes = lines_of_page * Line::bytes;
  using Page = std::array<Line, lines_of_page>;

  template <typename Visit>
  static void visit_line(const Line& line, uint64_t address, const Visit& visit) {
    if (!line.cells.empty()) {
      const uint32_t each = line.cell_bytes();
      for (uint32_t n = 0; n < line.cells.size(); ++n)
        if (!line.cells[n].untouched()) visit(address + n * each, each, line.cells[n]);
      return;
    }
    if (!(line.written | line.read)) return;
    if (is_one(line)) return visit(address, Line::bytes, word_of(line, 0));
    for (uint32_t n = 0; n < Line::bytes / Line::word; ++n)
      if (const Cell cell = word_of(line, n); !cell.untouched())
        visit(address + n * Line::word, Line::word, cell);
  }
  // Whether one row is the latest write of all words, or the first read of all where none is
  // written.
  static bool is_one(const Line& line);
  static Cell word_of(const Line& line, uint32_t word);
  void cut(Line& line);
  static size_t dispensable(const std::vector<Mark>& reads);
  std::vector<uint64_t> numbers() const;

  Line* known_line(uint64_t address) const;

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  static constexpr size_t recent = 64;
  struct Recent {
    uint64_t number = UINT64_MAX;
    Page* page = nullptr;
  };
  Recent recent_[recent];
  std::vector<Others> others_{1};
  uint32_t cell_bytes_ = Line::word;
};

}  // namespace cuvette::watch
