// SPDX-License-Identifier: Apache-2.0
// BitSet: a sparse set of registers or blocks.
//
// Threads: plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuvette::ptx {

// A set of small numbers. It costs what is in it, not what could be: a large kernel has tens of
// thousands of registers and blocks, and few registers are live in any one of them.
class BitSet {
 public:
  bool contains(size_t i) const {
    const auto found = std::ranges::lower_bound(words_, i / 64, {}, &Word::place);
    return found != words_.end() && found->place == i / 64 && (found->bits >> (i % 64) & 1);
  }
  void insert(size_t i) { word_of(i).bits |= uint64_t{1} << (i % 64); }
  void erase(size_t i) {
    const auto found = std::ranges::lower_bound(words_, i / 64, {}, &Word::place);
    if (found != words_.end() && found->place == i / 64) found->bits &= ~(uint64_t{1} << (i % 64));
  }
  void insert_all(const BitSet& other) {
    if (words_.empty()) {
      words_ = other.words_;
      return;
    }
    size_t at = 0;
    for (const Word& word : other.words_) {
      while (at < words_.size() && words_[at].place < word.place) ++at;
      if (at == words_.size() || words_[at].place != word.place) return merge(other);
      words_[at].bits |= word.bits;
    }
  }
  // In order.
  template <typename F>
  void each(const F& f) const {
    for (const Word& word : words_)
      for (uint64_t bits = word.bits; bits; bits &= bits - 1)
        f(static_cast<uint32_t>(64 * word.place + static_cast<size_t>(__builtin_ctzll(bits))));
  }

 private:
  struct Word {
    uint32_t place;
    uint64_t bits;
  };

  Word& word_of(size_t i) {
    const auto place = static_cast<uint32_t>(i / 64);
    if (words_.empty() || words_.back().place < place) return words_.emplace_back(Word{place, 0});
    const auto found = std::ranges::lower_bound(words_, place, {}, &Word::place);
    return found->place == place ? *found : *words_.insert(found, Word{place, 0});
  }
  void merge(const BitSet& other) {
    std::vector<Word> both;
    both.reserve(words_.size() + other.words_.size());
    size_t a = 0, b = 0;
    while (a < words_.size() || b < other.words_.size()) {
      const uint64_t mine = a < words_.size() ? words_[a].place : UINT64_MAX;
      const uint64_t its = b < other.words_.size() ? other.words_[b].place : UINT64_MAX;
      Word& word = both.emplace_back(Word{static_cast<uint32_t>(std::min(mine, its)), 0});
      if (mine <= its) word.bits |= words_[a++].bits;
      if (its <= mine) word.bits |= other.words_[b++].bits;
    }
    words_ = std::move(both);
  }

  std::vector<Word> words_;  // by place
};

}  // namespace cuvette::ptx
