// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/shadow.hpp"

#include <algorithm>

namespace cuvette::watch {

void Shadow::find_page(uint64_t number) {
  std::unique_ptr<Page>& page = pages_[number];
  if (!page) page = std::make_unique<Page>();
  recent_[number % recent] = {number, page.get()};
}

void Shadow::close(uint64_t address, LineNote& note, Line& line) {
  if (notes_.is_open(note) && !note.untouched()) note.put_into(line);
  note.quiet_at = 0;
  notes_.close(note);
  if (reopens_) closed_lines_.push_back(address / Line::bytes * Line::bytes);
}

void Shadow::clear() {
  if (pages_.empty()) return;
  pages_.clear();
  std::ranges::fill(recent_, Recent{});
  others_.resize(1);
  free_others_.clear();
  closed_lines_.clear();
}

void Shadow::reopen() {
  for (const uint64_t address : closed_lines_) {
    Line& line = this->line(address);
    // There may be a race that waits for a thread to compare what it has read.
    if (line.is_cut()) continue;
    line = {};
    notes_.open(*notes_.find(address));
  }
  closed_lines_.clear();
}

Line* Shadow::known_line(uint64_t address) const {
  const auto known = pages_.find(address / page_bytes);
  return known == pages_.end() ? nullptr
                               : &known->second->lines[address % page_bytes / Line::bytes];
}

uint32_t Shadow::words_like(const Line& line, uint32_t word) {
  uint32_t alike = UINT32_MAX;
  const auto narrow = [&](uint32_t words) {
    alike &= words >> word & 1 ? words : ~words;
    return words >> word & 1;
  };
  if (narrow(line.written)) {
    for (const Row& row : line.writes) narrow(row.words);
    narrow(line.read);
    return alike;
  }
  narrow(line.read);
  for (size_t n = 0; n < std::size(line.reads); ++n) {
    const Row& row = line.reads[n];
    if (!narrow(row.words)) continue;
    if (row.mixed)
      for (uint32_t other = 0; other < Line::words; ++other)
        if (line.more->places[n][other] != line.more->places[n][word]) alike &= ~(1u << other);
    break;
  }
  return alike;
}

// The latest write, and a read since.
Cell Shadow::word_of(const Line& line, uint32_t word) {
  Cell cell;
  const uint32_t bit = 1u << word;
  if (line.written & bit) cell.more |= Cell::weak_write;
  if (line.read & bit) cell.more |= Cell::weak_read;
  for (const Row& row : line.writes)
    if (row.words & bit) cell.write = row.mark_of(word);
  for (size_t n = 0; n < std::size(line.reads); ++n)
    if (line.reads[n].words & bit && !cell.read) cell.read = line.read_of(n, word);
  return cell;
}

// Of several reads two are kept: an older one goes first that its thread, its warp or its block has
// followed by another, because that may come after it.
void Shadow::cut(Line& line) {
  line.quiet = Line::never;
  if (!line.more) line.more = std::make_unique<Line::More>();
  line.more->cells.resize(Line::words);
  std::vector<Mark> reads;
  for (uint32_t word = 0; word < Line::words; ++word) {
    Cell& cell = line.more->cells[word] = word_of(line, word);
    reads.clear();
    for (size_t n = 0; n < std::size(line.reads); ++n) {
      const Row& row = line.reads[n];
      if (!(row.words >> word & 1)) continue;
      reads.push_back(line.read_of(n, word));
      if (row.together && row.first != static_cast<int32_t>(row.mark.thread()))
        reads.push_back(row.mark.by_thread(static_cast<uint32_t>(row.first)));
    }
    while (reads.size() > 2)
      reads.erase(reads.begin() + static_cast<ptrdiff_t>(dispensable(reads)));
    if (!reads.empty()) cell.read = reads[0];
    if (reads.size() > 1) others(cell).read = reads[1];
  }
}

size_t Shadow::dispensable(const std::vector<Mark>& reads) {
  size_t result = 1;
  uint32_t nearest = 0;
  for (size_t n = 0; n < reads.size(); ++n)
    for (size_t later = 0; later < reads.size(); ++later) {
      const Mark &one = reads[n], &other = reads[later];
      if (n == later || one.block != other.block || one.time > other.time) continue;
      const uint32_t near = one.same_thread(other) ? 3 : one.warp() == other.warp() ? 2 : 1;
      if (near > nearest || (near == nearest && one.time < reads[result].time)) {
        nearest = near;
        result = n;
      }
    }
  return result;
}

std::span<Cell> Shadow::cells(uint64_t address, uint32_t bytes) {
  Line& line = this->line(address);
  if (!line.is_cut()) cut(line);
  cell_bytes_ = line.cell_bytes();
  const uint64_t offset = address % Line::bytes;
  if (cell_bytes_ == Line::word && (bytes % Line::word != 0 || offset % Line::word != 0)) {
    std::vector<Cell> fine;
    fine.reserve(Line::bytes);
    for (const Cell& cell : line.more->cells) {
      // Each byte has its own place for another access.
      for (uint32_t n = 0; n < Line::word; ++n) {
        fine.push_back(cell);
        if (n == 0 || !(cell.more & Cell::another)) continue;
        const Others copy = others_[cell.more & Cell::another];
        fine.back().more &= ~Cell::another;
        others(fine.back()) = copy;
      }
    }
    line.more->cells = std::move(fine);
    cell_bytes_ = 1;
  }
  return {line.more->cells.data() + offset / cell_bytes_, bytes / cell_bytes_};
}

Cell Shadow::find(uint64_t address) const {
  const LineNote* const note = open_note(address);
  const Line* const known = note ? nullptr : known_line(address);
  Line of_note;
  if (note) note->put_into(of_note);
  if (!note && !known) return {};
  const Line& line = note ? of_note : *known;
  const auto offset = static_cast<uint32_t>(address % Line::bytes);
  return line.is_cut() ? line.more->cells[offset / line.cell_bytes()]
                       : word_of(line, offset / Line::word);
}

void Shadow::uncut(Line& line) {
  for (Row& row : line.writes) row = {};
  for (Row& row : line.reads) row = {};
  line.written = line.read = 0;
  const uint32_t each = line.cell_bytes();
  for (uint32_t n = 0; n < line.more->cells.size(); ++n) {
    const Cell& cell = line.more->cells[n];
    const uint32_t bit = 1u << (n * each / Line::word);
    if (cell.written()) line.written |= bit;
    if (cell.more & (Cell::weak_read | Cell::strong_read)) line.read |= bit;
    if (cell.more & Cell::another) free_others_.push_back(cell.more & Cell::another);
  }
  line.more = nullptr;
}

Shadow::Others& Shadow::others(Cell& cell) {
  if (!(cell.more & Cell::another)) {
    uint32_t place = static_cast<uint32_t>(others_.size());
    if (free_others_.empty()) {
      others_.emplace_back();
    } else {
      place = free_others_.back();
      free_others_.pop_back();
      others_[place] = {};
    }
    cell.more |= place & Cell::another;
  }
  return others_[cell.more & Cell::another];
}

void Shadow::forget(uint64_t begin, uint64_t end) {
  for (uint64_t number = begin / Line::bytes; number * Line::bytes < end; ++number) {
    const uint64_t address = number * Line::bytes;
    if (LineNote* const note = notes_.find(address)) note->quiet_at = 0;
    if (!open_note(address) && !known_line(address)) continue;
    Line& line = this->line(address);
    if (!line.is_cut()) cut(line);
    const uint32_t each = line.cell_bytes();
    for (uint32_t n = 0; n < line.more->cells.size(); ++n) {
      const uint64_t at = number * Line::bytes + n * each;
      if (at >= begin && at < end) line.more->cells[n] = {};
    }
  }
}

void Shadow::close(uint64_t begin, uint64_t end) {
  for (uint64_t at = begin / Line::bytes * Line::bytes; at < end; at += Line::bytes)
    if (open_note(at)) line(at);
}

std::vector<uint64_t> Shadow::numbers() const {
  std::vector<uint64_t> numbers;
  numbers.reserve(pages_.size() + open_pages_.size());
  for (const auto& [number, page] : pages_) numbers.push_back(number);
  numbers.insert(numbers.end(), open_pages_.begin(), open_pages_.end());
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace cuvette::watch
