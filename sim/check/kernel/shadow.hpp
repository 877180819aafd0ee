// SPDX-License-Identifier: Apache-2.0
// Shadow: for each byte that a launch touches, the accesses that later ones may conflict with.
//
// Memory is cut into lines. Most lines are touched by warps with their lanes side by side, so a
// line is kept as a few rows, each an access of one warp, as long as that says everything. Then it
// is cut into cells: word by word until an access is smaller than a word, then byte by byte. Its
// size grows with the bytes that are touched.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/base/recycled.hpp"
#include "sim/base/rounding.hpp"
#include "sim/check/kernel/line.hpp"
#include "sim/check/kernel/line_notes.hpp"

namespace cuvette::watch {

class Shadow {
 public:
  struct Others {
    Mark write, read;
  };

  Shadow() = default;
  // `reopens`: lines that are closed may be opened again.
  Shadow(LineNotes notes, bool reopens) : notes_(notes), reopens_(reopens) {}

  // Notes of lines, which Shadow reports like others. A line that is asked for is closed.
  const LineNotes& notes() const { return notes_; }
  // Opens those in the page around `address` that are new and lie in [begin, end). `is_written`
  // is asked whether so many bytes are written; where they are, lines get this time of it.
  template <typename IsWritten>
  void open(uint64_t address, uint64_t begin, uint64_t end, uint64_t written_at,
            const IsWritten& is_written);
  size_t opened_pages() const { return open_pages_.size(); }
  // Forgets all that is in lines that were closed and have not been cut, and opens them again.
  void reopen();
  // Forgets everything but the notes.
  void clear();

  Line& line(uint64_t address) {
    const uint64_t number = address / page_bytes;
    const Recent& place = recent_[number % recent];
    if (place.number != number) [[unlikely]]
      find_page(number);
    Line& line = place.page->lines[address % page_bytes / Line::bytes];
    if (LineNote* const note = notes_.find(address); note && !notes_.is_closed(*note))
      close(address, *note, line);
    return line;
  }
  // Returns the cells of [address, address + bytes), which is aligned and of at most 16 bytes.
  std::span<Cell> cells(uint64_t address, uint32_t bytes);
  // Returns what is known of a byte.
  Cell find(uint64_t address) const;
  // How many bytes each of the cells that cells() returned last stands for.
  uint32_t bytes_of_cell() const { return cell_bytes_; }
  Others& others(Cell& cell);
  void forget(uint64_t begin, uint64_t end);
  // Closes the notes of all lines in which some of it lies.
  void close(uint64_t begin, uint64_t end);
  // Puts a line that was cut together again, as one that was not touched lately.
  void uncut(Line& line);

  // Calls `visit` with the address and the size of bytes that were touched in one way, and the cell
  // of the first, in order.
  template <typename Visit>
  void each(const Visit& visit) const;

 private:
  static constexpr uint32_t lines_of_page = 32, page_bytes = lines_of_page * Line::bytes;
  struct Page : Recycled<Page> {
    std::array<Line, lines_of_page> lines;
  };

  // The notes of so many lines, which are alike.
  template <typename Visit>
  static void visit_notes(const LineNote& note, uint32_t count, uint64_t address,
                          const Visit& visit);
  // How many lines from this one on, at most `most`, were touched by one instruction in one way.
  uint32_t notes_like(const LineNote& note, uint64_t address, uint32_t most) const;
  template <typename Visit>
  static void visit_line(const Line& line, uint64_t address, const Visit& visit) {
    if (line.is_cut()) {
      const uint32_t each = line.cell_bytes();
      for (uint32_t n = 0; n < line.more->cells.size(); ++n)
        if (const Cell& cell = line.more->cells[n]; !cell.untouched())
          visit(address + n * each, each, cell);
      return;
    }
    // Adjacent words that are described by the same rows are one.
    for (uint32_t left = line.written | line.read; left != 0;) {
      const auto word = static_cast<uint32_t>(std::countr_zero(left));
      const uint32_t alike = words_like(line, word) >> word;
      const auto count = static_cast<uint32_t>(std::countr_one(alike));
      visit(address + word * Line::word, count * Line::word, word_of(line, word));
      left &= count == Line::words ? 0 : ~(((1u << count) - 1) << word);
    }
  }
  // The words with the same rows as this one: the same writer, or the same first reader if there is
  // none.
  static uint32_t words_like(const Line& line, uint32_t word);
  static Cell word_of(const Line& line, uint32_t word);
  void cut(Line& line);
  static size_t dispensable(const std::vector<Mark>& reads);
  std::vector<uint64_t> numbers() const;  // of pages of which anything may be known

  // Returns null if nothing is known of it, or a note describes all of it.
  Line* known_line(uint64_t address) const;
  const LineNote* open_note(uint64_t address) const {
    const LineNote* const note = notes_.find(address);
    return note && notes_.is_open(*note) ? note : nullptr;
  }
  void close(uint64_t address, LineNote& note, Line& line);
  void find_page(uint64_t number);  // makes it `recent`

  LineNotes notes_;
  bool reopens_ = false;
  std::vector<uint64_t> open_pages_;    // perhaps more than once
  std::vector<uint64_t> closed_lines_;  // addresses
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

template <typename IsWritten>
void Shadow::open(uint64_t address, uint64_t begin, uint64_t end, uint64_t written_at,
                  const IsWritten& is_written) {
  const uint64_t number = address / page_bytes;
  begin = std::max(round_up(begin, Line::bytes), number * page_bytes);
  end = round_down(std::min(end, (number + 1) * page_bytes), Line::bytes);
  if (begin >= end) return;
  const bool all = is_written(begin, end - begin);
  for (LineNote* note = notes_.find(begin); begin < end; begin += Line::bytes, ++note) {
    if (!notes_.is_new(*note)) continue;
    notes_.open(*note);
    if (all || is_written(begin, Line::bytes)) note->written_at = written_at;
  }
  open_pages_.push_back(number);
}

inline uint32_t Shadow::notes_like(const LineNote& note, uint64_t address, uint32_t most) const {
  for (uint32_t count = 1; count < most; ++count) {
    const LineNote* const next = open_note(address + count * Line::bytes);
    if (!next || !next->is_touched_like(note)) return count;
  }
  return most;
}

template <typename Visit>
void Shadow::visit_notes(const LineNote& note, uint32_t count, uint64_t address,
                         const Visit& visit) {
  if (note.untouched()) return;
  const uint32_t bytes = count * Line::bytes;
  const uint32_t read = note.read_words();
  if (note.is_written_as_whole() && (read == 0 || read == UINT32_MAX))
    return visit(address, bytes,
                 Cell{note.whole_write(), {}, Cell::weak_write | (read ? Cell::weak_read : 0)});
  if (note.is_read_as_whole())
    return visit(address, bytes, Cell{{}, note.whole_read(), Cell::weak_read});
  Line line;
  note.put_into(line);
  visit_line(line, address, visit);
}

template <typename Visit>
void Shadow::each(const Visit& visit) const {
  for (const uint64_t number : numbers()) {
    const auto known = pages_.find(number);
    uint32_t count = 1;
    for (uint32_t n = 0; n < lines_of_page; n += count) {
      const uint64_t address = number * page_bytes + n * Line::bytes;
      const LineNote* const note = open_note(address);
      count = note ? notes_like(*note, address, lines_of_page - n) : 1;
      if (note)
        visit_notes(*note, count, address, visit);
      else if (known != pages_.end())
        visit_line(known->second->lines[n], address, visit);
    }
  }
}

}  // namespace cuvette::watch
