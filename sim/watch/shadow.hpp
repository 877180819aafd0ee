// SPDX-License-Identifier: Apache-2.0
// Shadow: for each byte that a launch touches, the accesses that later ones may conflict with.
//
// Bytes are kept in chunks, and in a chunk word by word until an access is smaller than a word. What
// it takes grows with the bytes that are touched.
//
// Threads: one at a time.
#pragma once

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

class Shadow {
 public:
  struct Others {
    Mark write, read;
  };

  // Returns the cells of [address, address + bytes), which is aligned and of at most 16 bytes.
  std::span<Cell> cells(uint64_t address, uint32_t bytes);
  // Returns the cell of a byte; null: nobody has touched its neighbourhood.
  const Cell* find(uint64_t address) const;
  // How many bytes each of the cells that cells() returned last stands for.
  uint32_t bytes_of_cell() const { return cell_bytes_; }
  Others& others(Cell& cell);
  const Others& others(const Cell& cell) const { return others_[cell.more & Cell::another]; }
  void forget(uint64_t begin, uint64_t end);

  // Calls `visit` with the address and the size of each cell that is touched, in order.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const uint64_t number : numbers()) {
      const Chunk& chunk = *chunks_.find(number)->second;
      for (uint32_t n = 0; n < chunk.cells.size(); ++n)
        if (!chunk.cells[n].untouched())
          visit(number * chunk_bytes + n * chunk.cell_bytes(), chunk.cell_bytes(), chunk.cells[n]);
    }
  }

 private:
  static constexpr uint32_t chunk_bytes = 256, word = 4;
  struct Chunk {
    std::vector<Cell> cells = std::vector<Cell>(chunk_bytes / word);
    uint32_t cell_bytes() const { return chunk_bytes / static_cast<uint32_t>(cells.size()); }
    void refine();
  };
  std::vector<uint64_t> numbers() const;

  std::unordered_map<uint64_t, std::unique_ptr<Chunk>> chunks_;
  static constexpr size_t recent = 64;
  struct Recent {
    uint64_t number = UINT64_MAX;
    Chunk* chunk = nullptr;
  };
  Recent recent_[recent];
  std::vector<Others> others_{1};
  uint32_t cell_bytes_ = word;
};

}  // namespace cuvette::watch
