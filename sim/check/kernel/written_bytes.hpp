// SPDX-License-Identifier: Apache-2.0
// WrittenBytes: which bytes of some memory have been written.
//
// Memory is cut into pages. A page that is written as a whole, or not at all, takes a few bytes,
// any other a bit for each byte.
//
// Threads: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuvette::watch {

class WrittenBytes {
 public:
  // Nothing has been written.
  void clear() { pages_.clear(); }
  void set(uint64_t begin, uint64_t end, bool written);
  // Returns a mask of the unwritten bytes of [at, at + bytes), at most 32.
  uint32_t unwritten(uint64_t at, uint32_t bytes) const;
  bool all_written(uint64_t begin, uint64_t end) const;
  bool any_written(uint64_t begin, uint64_t end) const;
  // Makes [at, at + bytes) what [from, from + bytes) of `other` is; both may be the same memory.
  void copy(uint64_t at, const WrittenBytes& other, uint64_t from, uint64_t bytes);

 private:
  static constexpr uint64_t page_bytes = 16384, word_bits = 64;
  using Bits = std::array<uint64_t, page_bytes / word_bits>;
  struct Page {
    bool all = false;            // written; where there are no bits
    std::unique_ptr<Bits> bits;  // null: all of it is alike
  };
  uint64_t word(uint64_t number) const;
  Page& page(uint64_t number);
  // Whether all bytes in between are what `written` says.
  bool are(uint64_t begin, uint64_t end, bool written) const;

  std::vector<Page> pages_;
};

}  // namespace cuvette::watch
