// SPDX-License-Identifier: Apache-2.0
#include "sim/watch/shadow.hpp"

#include <algorithm>

namespace cuvette::watch {

Mark Row::mark_of(uint32_t word) const {
  if (together) return mark;
  return mark.by_thread(static_cast<uint32_t>(first + static_cast<int>(word >> shift)));
}

Line& Shadow::line(uint64_t address) {
  const uint64_t number = address / page_bytes;
  Recent& place = recent_[number % recent];
  if (place.number != number) [[unlikely]] {
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    place = {number, page.get()};
  }
  return (*place.page)[address % page_bytes / Line::bytes];
}

Line* Shadow::known_line(uint64_t address) const {
  const auto known = pages_.find(address / page_bytes);
  return known == pages_.end() ? nullptr : &(*known->second)[address % page_bytes / Line::bytes];
}

bool Shadow::is_one(const Line& line) {
  constexpr uint32_t all = UINT32_MAX;
  if (line.written == all) return line.writes[0].words == all || line.writes[1].words == all;
  if (line.written != 0) return false;
  for (const Row& row : line.reads)
    if (row.words != 0) return row.words == all;
  return false;
}

// The latest write, and a read since.
Cell Shadow::word_of(const Line& line, uint32_t word) {
  Cell cell;
  const uint32_t bit = 1u << word;
  if (line.written & bit) cell.more |= Cell::weak_write;
  if (line.read & bit) cell.more |= Cell::weak_read;
  for (const Row& row : line.writes)
    if (row.words & bit) cell.write = row.mark_of(word);
  for (const Row& row : line.reads)
    if (row.words & bit && !cell.read) cell.read = row.mark_of(word);
  return cell;
}

// Of several reads two are kept: an older one goes first that its thread, its warp or its block has
// followed by another, because that may come after it.
void Shadow::cut(Line& line) {
  line.cells.resize(Line::bytes / Line::word);
  std::vector<Mark> reads;
  for (uint32_t word = 0; word < line.cells.size(); ++word) {
    Cell& cell = line.cells[word] = word_of(line, word);
    reads.clear();
    for (const Row& row : line.reads) {
      if (!(row.words >> word & 1)) continue;
      reads.push_back(row.mark_of(word));
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
  if (line.cells.empty()) cut(line);
  cell_bytes_ = line.cell_bytes();
  const uint64_t offset = address % Line::bytes;
  if (cell_bytes_ == Line::word && (bytes % Line::word != 0 || offset % Line::word != 0)) {
    std::vector<Cell> fine;
    fine.reserve(Line::bytes);
    for (const Cell& cell : line.cells) {
      // Each byte has its own place for another access.
      for (uint32_t n = 0; n < Line::word; ++n) {
        fine.push_back(cell);
        if (n == 0 || !(cell.more & Cell::another)) continue;
        const Others copy = others_[cell.more & Cell::another];
        fine.back().more &= ~Cell::another;
        others(fine.back()) = copy;
      }
    }
    line.cells = std::move(fine);
    cell_bytes_ = 1;
  }
  return {line.cells.data() + offset / cell_bytes_, bytes / cell_bytes_};
}

Cell Shadow::find(uint64_t address) const {
  const Line* const known = known_line(address);
  if (!known) return {};
  const Line& line = *known;
  const auto offset = static_cast<uint32_t>(address % Line::bytes);
  return line.cells.empty() ? word_of(line, offset / Line::word)
                            : line.cells[offset / line.cell_bytes()];
}

Shadow::Others& Shadow::others(Cell& cell) {
  if (!(cell.more & Cell::another)) {
    cell.more |= static_cast<uint32_t>(others_.size()) & Cell::another;
    others_.emplace_back();
  }
  return others_[cell.more & Cell::another];
}

void Shadow::forget(uint64_t begin, uint64_t end) {
  for (uint64_t number = begin / Line::bytes; number * Line::bytes < end; ++number) {
    Line* const known = known_line(number * Line::bytes);
    if (!known) continue;
    Line& line = *known;
    if (line.cells.empty()) cut(line);
    const uint32_t each = line.cell_bytes();
    for (uint32_t n = 0; n < line.cells.size(); ++n) {
      const uint64_t at = number * Line::bytes + n * each;
      if (at >= begin && at < end) line.cells[n] = {};
    }
  }
}

std::vector<uint64_t> Shadow::numbers() const {
  std::vector<uint64_t> numbers;
  numbers.reserve(pages_.size());
  for (const auto& [number, page] : pages_) numbers.push_back(number);
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace cuvette::watch
