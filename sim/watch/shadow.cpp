// SPDX-License-Identifier: Apache-2.0
#include "sim/watch/shadow.hpp"

#include <algorithm>

namespace cuvette::watch {

void Shadow::Chunk::refine() {
  std::vector<Cell> fine;
  fine.reserve(chunk_bytes);
  for (const Cell& cell : cells) fine.insert(fine.end(), word, cell);
  cells = std::move(fine);
}

std::span<Cell> Shadow::cells(uint64_t address, uint32_t bytes) {
  const uint64_t number = address / chunk_bytes;
  Recent& place = recent_[number % recent];
  if (place.number != number) [[unlikely]] {
    std::unique_ptr<Chunk>& chunk = chunks_[number];
    if (!chunk) chunk = std::make_unique<Chunk>();
    place = {number, chunk.get()};
  }
  Chunk& chunk = *place.chunk;
  cell_bytes_ = chunk.cell_bytes();
  const uint64_t offset = address % chunk_bytes;
  if (cell_bytes_ == word && (bytes % word != 0 || offset % word != 0)) {
    chunk.refine();
    cell_bytes_ = 1;
  }
  return {chunk.cells.data() + offset / cell_bytes_, bytes / cell_bytes_};
}

const Cell* Shadow::find(uint64_t address) const {
  const auto chunk = chunks_.find(address / chunk_bytes);
  if (chunk == chunks_.end()) return nullptr;
  return &chunk->second->cells[address % chunk_bytes / chunk->second->cell_bytes()];
}

Shadow::Others& Shadow::others(Cell& cell) {
  if (!(cell.more & Cell::another)) {
    cell.more |= static_cast<uint32_t>(others_.size()) & Cell::another;
    others_.emplace_back();
  }
  return others_[cell.more & Cell::another];
}

void Shadow::forget(uint64_t begin, uint64_t end) {
  for (uint64_t number = begin / chunk_bytes; number * chunk_bytes < end; ++number) {
    const auto chunk = chunks_.find(number);
    if (chunk == chunks_.end()) continue;
    const uint32_t each = chunk->second->cell_bytes();
    for (uint32_t n = 0; n < chunk->second->cells.size(); ++n) {
      const uint64_t at = number * chunk_bytes + n * each;
      if (at >= begin && at < end) chunk->second->cells[n] = {};
    }
  }
}

std::vector<uint64_t> Shadow::numbers() const {
  std::vector<uint64_t> numbers;
  numbers.reserve(chunks_.size());
  for (const auto& [number, chunk] : chunks_) numbers.push_back(number);
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace cuvette::watch
