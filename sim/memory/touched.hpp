// SPDX-License-Identifier: Apache-2.0
// Touched: which 2 MiB chunks of a device's memory may have been touched, one bit each.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace cuvette::memory {

class Touched {
 public:
  static constexpr unsigned chunk_shift = 21;
  static constexpr size_t chunk_size = size_t{1} << chunk_shift;

  // Chunks [first, last).
  struct Chunks {
    size_t first, last;
    bool empty() const { return first >= last; }
  };

  explicit Touched(size_t chunks) : words_(new std::atomic<uint64_t>[chunks / 64 + 1]()) {}

  bool all(Chunks chunks) const {
    bool all = true;
    for_each_word(chunks, [&](const std::atomic<uint64_t>& word, uint64_t mask) {
      return all = (word.load(std::memory_order_relaxed) & mask) == mask;
    });
    return all;
  }

  size_t count(Chunks chunks) const {
    size_t count = 0;
    for_each_word(chunks, [&](const std::atomic<uint64_t>& word, uint64_t mask) {
      count += static_cast<size_t>(std::popcount(word.load(std::memory_order_relaxed) & mask));
      return true;
    });
    return count;
  }

  // Unmarks chunks; returns how many were marked.
  size_t clear(Chunks chunks) {
    size_t count = 0;
    for_each_word(chunks, [&](std::atomic<uint64_t>& word, uint64_t mask) {
      const uint64_t before = word.fetch_and(~mask, std::memory_order_relaxed);
      count += static_cast<size_t>(std::popcount(before & mask));
      return true;
    });
    return count;
  }

  // Marks chunks. Where any are new, calls `promise(number of new ones)`; if that returns false,
  // unmarks these and stops. Returns whether all are marked.
  template <typename Promise>
  bool mark(Chunks chunks, Promise promise) {
    bool kept = true;
    for_each_word(chunks, [&](std::atomic<uint64_t>& word, uint64_t mask) {
      const uint64_t fresh = mask & ~word.fetch_or(mask, std::memory_order_relaxed);
      if (fresh != 0 && !promise(static_cast<size_t>(std::popcount(fresh)))) {
        word.fetch_and(~fresh, std::memory_order_relaxed);
        kept = false;
      }
      return kept;
    });
    return kept;
  }

 private:
  // Calls `visit(word, mask of the chunks in it)` until it returns false.
  template <typename Visit>
  void for_each_word(Chunks chunks, Visit visit) const {
    for (size_t at = chunks.first; at < chunks.last;) {
      const size_t count = std::min(chunks.last - at, 64 - at % 64);
      const uint64_t mask = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << at % 64;
      if (!visit(words_[at / 64], mask)) return;
      at += count;
    }
  }

  std::unique_ptr<std::atomic<uint64_t>[]> words_;
};

}  // namespace cuvette::memory
