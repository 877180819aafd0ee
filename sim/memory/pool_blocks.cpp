// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/pool_blocks.hpp"

#include <algorithm>
#include <iterator>

namespace cuvette::memory {

void PoolBlocks::unbin(Blocks::iterator block) {
  const auto found = bins_.find(block->second.freed.stream);
  spare_entry_ = found->second.extract({block->second.end - block->first, block->first});
  // Keeps some empty bins, or a stream's bin would come and go with each call.
  constexpr size_t kept_empty = 8;
  if (found->second.empty() && bins_.size() > kept_empty) bins_.erase(found);
}

void PoolBlocks::bin(uint64_t begin, const Block& block) {
  Bin& bin = bins_[block.freed.stream];
  if (!spare_entry_) {
    bin.emplace(block.end - begin, begin);
    return;
  }
  spare_entry_.value() = {block.end - begin, begin};
  bin.insert(std::move(spare_entry_));
}

std::pair<uint64_t, uint64_t> PoolBlocks::reserve_of(uint64_t at) const {
  return *std::prev(reserves_.upper_bound(at));
}

void PoolBlocks::add(uint64_t begin, size_t size) {
  reserves_.emplace(begin, begin + size);
  reserved_ += size;
  give(begin, size, {});
}

std::optional<PoolBlocks::Taken> PoolBlocks::take(size_t size, uint64_t stream,
                                                  const Permit& permit) {
  std::optional<std::pair<uint64_t, uint64_t>> best;  // size, begin
  const auto consider = [&](const Bin& bin, bool ask) {
    for (auto at = bin.lower_bound({size, 0}); at != bin.end(); ++at) {
      if (best && at->first >= best->first) return;
      if (ask && !permit(blocks_.find(at->second)->second.freed)) continue;
      best = *at;
      return;
    }
  };
  const auto own = bins_.find(stream);
  if (own != bins_.end()) consider(own->second, false);
  for (const auto& [freer, bin] : bins_)
    if (freer != stream) consider(bin, freer != 0);
  if (!best) return std::nullopt;

  const auto block = blocks_.find(best->second);
  const Taken taken{block->first, block->second.freed};
  unbin(block);
  const Block rest = block->second;
  const uint64_t left = block->first + size;
  if (left == rest.end) {
    spare_block_ = blocks_.extract(block);
  } else {
    const auto hint = std::next(block);
    auto node = blocks_.extract(block);
    node.key() = left;
    blocks_.insert(hint, std::move(node));
    bin(left, rest);
  }
  return taken;
}

void PoolBlocks::give(uint64_t at, size_t size, FreedAt freed) {
  const auto [first, last] = reserve_of(at);
  uint64_t begin = at, end = at + size;
  auto next = blocks_.lower_bound(at);
  const auto joins = [&](Blocks::iterator block) {
    return block->second.freed.stream == freed.stream;
  };
  if (next != blocks_.end() && next->first == end && end != last && joins(next)) {
    freed.value = std::max(freed.value, next->second.freed.value);
    end = next->second.end;
    unbin(next);
    next = blocks_.erase(next);
  }
  if (next != blocks_.begin() && begin != first) {
    const auto previous = std::prev(next);
    if (previous->second.end == begin && joins(previous)) {
      freed.value = std::max(freed.value, previous->second.freed.value);
      unbin(previous);
      previous->second = {end, freed};
      bin(previous->first, previous->second);
      return;
    }
  }
  if (spare_block_) {
    spare_block_.key() = begin;
    spare_block_.mapped() = {end, freed};
    blocks_.insert(next, std::move(spare_block_));
  } else {
    blocks_.emplace_hint(next, begin, Block{end, freed});
  }
  bin(begin, {end, freed});
}

void PoolBlocks::settle(const Permit& known) {
  std::vector<std::pair<uint64_t, uint64_t>> settled;  // begin, end
  for (const auto& [stream, bin] : bins_) {
    if (stream == 0) continue;
    for (const auto& [size, begin] : bin)
      if (known(blocks_.find(begin)->second.freed)) settled.emplace_back(begin, begin + size);
  }
  for (const auto& [begin, end] : settled) {
    const auto block = blocks_.find(begin);
    unbin(block);
    blocks_.erase(block);
    give(begin, end - begin, {});
  }
}

std::vector<uint64_t> PoolBlocks::remove_unused(const Permit& known,
                                                const std::function<bool(size_t)>& more) {
  std::vector<std::pair<uint64_t, uint64_t>> unused;  // size, begin
  for (const auto& [begin, end] : reserves_) {
    uint64_t at = begin;
    for (auto block = blocks_.find(at); at != end && block != blocks_.end() && block->first == at;
         ++block) {
      if (!block->second.freed.settled() && !known(block->second.freed)) break;
      at = block->second.end;
    }
    if (at == end) unused.emplace_back(end - begin, begin);
  }
  std::sort(unused.rbegin(), unused.rend());
  std::vector<uint64_t> removed;
  for (const auto& [size, begin] : unused) {
    if (!more(size)) continue;
    for (auto block = blocks_.find(begin); block != blocks_.end() && block->first < begin + size;) {
      unbin(block);
      block = blocks_.erase(block);
    }
    reserves_.erase(begin);
    reserved_ -= size;
    removed.push_back(begin);
  }
  return removed;
}

}  // namespace cuvette::memory
