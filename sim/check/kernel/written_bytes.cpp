// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/written_bytes.hpp"

#include <algorithm>

namespace cuvette::watch {
namespace {

// A mask of `count` bits, at most 64, from bit `first` on.
uint64_t bits(uint64_t first, uint64_t count) {
  return (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
}

}  // namespace

WrittenBytes::Page& WrittenBytes::page(uint64_t number) {
  if (number >= pages_.size()) pages_.resize(number + 1);
  return pages_[number];
}

uint64_t WrittenBytes::word(uint64_t number) const {
  const uint64_t of_page = number * word_bits / page_bytes;
  if (of_page >= pages_.size()) return 0;
  const Page& page = pages_[of_page];
  if (!page.bits) return page.all ? ~uint64_t{0} : 0;
  return (*page.bits)[number % (page_bytes / word_bits)];
}

void WrittenBytes::set(uint64_t begin, uint64_t end, bool written) {
  while (begin < end) {
    Page& one = page(begin / page_bytes);
    const uint64_t offset = begin % page_bytes;
    const uint64_t count = std::min(end - begin, page_bytes - offset);
    begin += count;
    if (count == page_bytes) {
      one.bits = nullptr;
      one.all = written;
      continue;
    }
    if (!one.bits) {
      if (one.all == written) continue;
      one.bits = std::make_unique<Bits>();
      one.bits->fill(one.all ? ~uint64_t{0} : 0);
    }
    for (uint64_t at = offset; at < offset + count;) {
      const uint64_t first = at % word_bits;
      const uint64_t part = std::min(offset + count - at, word_bits - first);
      uint64_t& word = (*one.bits)[at / word_bits];
      word = written ? word | bits(first, part) : word & ~bits(first, part);
      at += part;
    }
  }
}

uint32_t WrittenBytes::unwritten(uint64_t at, uint32_t bytes) const {
  const uint64_t first = at % word_bits;
  uint64_t found = word(at / word_bits) >> first;
  if (first + bytes > word_bits) found |= word(at / word_bits + 1) << (word_bits - first);
  return static_cast<uint32_t>(~found & bits(0, bytes));
}

bool WrittenBytes::are(uint64_t begin, uint64_t end, bool written) const {
  while (begin < end) {
    const uint64_t number = begin / page_bytes;
    const uint64_t page_end = std::min(end, (number + 1) * page_bytes);
    const Page* const page = number < pages_.size() ? &pages_[number] : nullptr;
    if (!page || !page->bits) {
      if ((page && page->all) != written) return false;
      begin = page_end;
      continue;
    }
    while (begin < page_end) {
      const uint64_t first = begin % word_bits,
                     part = std::min(page_end - begin, word_bits - first);
      const uint64_t wanted = bits(first, part);
      const uint64_t word = (*page->bits)[begin % page_bytes / word_bits];
      if ((word & wanted) != (written ? wanted : 0)) return false;
      begin += part;
    }
  }
  return true;
}

bool WrittenBytes::all_written(uint64_t begin, uint64_t end) const { return are(begin, end, true); }

bool WrittenBytes::any_written(uint64_t begin, uint64_t end) const {
  return !are(begin, end, false);
}

void WrittenBytes::copy(uint64_t at, const WrittenBytes& other, uint64_t from, uint64_t bytes) {
  if (this == &other && at > from && at < from + bytes) return;  // it copies over itself
  constexpr uint64_t step = 32;
  while (bytes > 0) {
    // Whole pages that are alike at once.
    const uint64_t page_left = page_bytes - from % page_bytes;
    const uint64_t piece = std::min(bytes, page_left);
    const uint64_t number = from / page_bytes;
    const bool alike = number >= other.pages_.size() || !other.pages_[number].bits;
    if (alike) {
      set(at, at + piece, number < other.pages_.size() && other.pages_[number].all);
    } else {
      for (uint64_t n = 0; n < piece; n += step) {
        const auto count = static_cast<uint32_t>(std::min(step, piece - n));
        const uint32_t missing = other.unwritten(from + n, count);
        if (missing == 0 || missing == static_cast<uint32_t>(bits(0, count))) {
          set(at + n, at + n + count, missing == 0);
          continue;
        }
        for (uint32_t b = 0; b < count; ++b) set(at + n + b, at + n + b + 1, !(missing >> b & 1));
      }
    }
    at += piece;
    from += piece;
    bytes -= piece;
  }
}

}  // namespace cuvette::watch
