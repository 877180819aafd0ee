// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/heap.hpp"
#include "sim/base/rounding.hpp"

#include <iterator>

namespace cuvette::memory {

Heap::Heap(uint64_t begin, size_t size) {
  by_address_.emplace(begin, begin + size);
  by_size_.emplace(size, begin);
}

Heap::BySize::const_iterator Heap::fitting(size_t size, size_t alignment) const {
  auto at = by_size_.lower_bound({size, 0});
  // Blocks that are just large enough may be badly aligned; one that is larger by the alignment
  // always fits.
  for (int tries = 0; tries < 8 && at != by_size_.end(); ++tries, ++at) {
    const uint64_t padding = align_up(at->second, alignment) - at->second;
    if (at->first - size >= padding) return at;
  }
  return at == by_size_.end() ? at : by_size_.lower_bound({size + alignment, 0});
}

std::optional<Heap::Taken> Heap::take(size_t size, size_t alignment) {
  const auto found = fitting(size, alignment);
  if (found == by_size_.end()) return std::nullopt;
  const Block from{found->second, found->second + found->first};
  const uint64_t at = align_up(from.begin, alignment);
  const Block before{from.begin, at}, behind{at + size, from.end};

  // The block's two nodes are reused for what is left of it, so the common case allocates none.
  auto sized = by_size_.extract(found);
  if (before.size() == 0 && behind.size() == 0) {
    by_address_.erase(from.begin);
  } else if (before.size() == 0) {
    const auto old = by_address_.find(from.begin);
    const auto hint = std::next(old);
    auto node = by_address_.extract(old);
    node.key() = behind.begin;
    by_address_.insert(hint, std::move(node));
    sized.value() = {behind.size(), behind.begin};
    by_size_.insert(std::move(sized));
  } else {
    by_address_.find(from.begin)->second = before.end;
    sized.value() = {before.size(), before.begin};
    by_size_.insert(std::move(sized));
    if (behind.size() != 0) {
      by_address_.emplace(behind.begin, behind.end);
      by_size_.emplace(behind.size(), behind.begin);
    }
  }
  return Taken{at, from};
}

bool Heap::take_at(uint64_t at, size_t size) {
  auto after = by_address_.upper_bound(at);
  if (after == by_address_.begin()) return false;
  const auto found = std::prev(after);
  const Block from{found->first, found->second};
  if (at < from.begin || at > from.end || size > from.end - at) return false;
  const Block before{from.begin, at}, behind{at + size, from.end};
  by_size_.erase({from.size(), from.begin});
  by_address_.erase(found);
  for (const Block& left : {before, behind}) {
    if (left.size() == 0) continue;
    by_address_.emplace(left.begin, left.end);
    by_size_.emplace(left.size(), left.begin);
  }
  return true;
}

Heap::Block Heap::give(uint64_t at, size_t size) {
  Block block{at, at + size};
  auto next = by_address_.lower_bound(at);
  const bool joins_next = next != by_address_.end() && next->first == block.end;
  if (next != by_address_.begin()) {
    const auto previous = std::prev(next);
    if (previous->second == at) {
      auto sized = by_size_.extract({previous->second - previous->first, previous->first});
      block.begin = previous->first;
      if (joins_next) {
        block.end = next->second;
        by_size_.erase({next->second - next->first, next->first});
        by_address_.erase(next);
      }
      previous->second = block.end;
      sized.value() = {block.size(), block.begin};
      by_size_.insert(std::move(sized));
      return block;
    }
  }
  if (joins_next) {
    auto sized = by_size_.extract({next->second - next->first, next->first});
    block.end = next->second;
    const auto hint = std::next(next);
    auto node = by_address_.extract(next);
    node.key() = block.begin;
    by_address_.insert(hint, std::move(node));
    sized.value() = {block.size(), block.begin};
    by_size_.insert(std::move(sized));
    return block;
  }
  by_address_.emplace_hint(next, block.begin, block.end);
  by_size_.emplace(block.size(), block.begin);
  return block;
}

}  // namespace cuvette::memory
