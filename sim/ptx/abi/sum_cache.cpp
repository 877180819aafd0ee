// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/abi/sum_cache.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace cuvette::ptx {

// A word has one place, by its address. An entry that is settled keeps its word, with a sum of 0.
struct SumCache {
  static constexpr uint32_t places = 1024;
  struct Entry {
    uint64_t address, sum;
  };
  Entry entries[places]{};
  uint16_t taken[places]{};  // the numbers of the first `count` entries that hold a word
  uint32_t count = 0;
  uint32_t bytes = 4;  // of each word
  // So many calls go to memory directly: the words are too many to be kept.
  uint32_t direct = 0;
  uint32_t calls = 0;  // since all was settled
  // One page of memory has a place for each of its words: calls that keep to it look nothing up.
  static constexpr uint64_t page_bytes = 4096, no_page = UINT64_MAX;
  uint64_t page = no_page;  // where it begins
  alignas(64) uint64_t page_sums[page_bytes / sizeof(uint64_t)]{};
};

namespace {

constexpr uint32_t crowded = 8;  // lanes of a call that found another word at their place
constexpr uint32_t direct_calls = 128;
// The number of calls within which others see the sums of a kernel that goes on adding.
constexpr uint32_t most_calls = 4096;
constexpr uint64_t longest_search = 1024;  // bytes
// The number of calls from which a page pays off, since settling scans all of it.
constexpr uint32_t calls_before_page = 64;

template <typename T>
void add_to_memory(uint64_t address, uint64_t value) {
  std::atomic_ref<T>(*reinterpret_cast<T*>(address))
      .fetch_add(static_cast<T>(value), std::memory_order_seq_cst);
}

void settle(const SumCache& sums, SumCache::Entry& entry) {
  if (entry.sum == 0) return;
  if (sums.bytes == 4)
    add_to_memory<uint32_t>(entry.address, entry.sum);
  else
    add_to_memory<uint64_t>(entry.address, entry.sum);
  entry.sum = 0;
}

template <typename T>
T& page_sum(SumCache& sums, uint64_t address) {
  return reinterpret_cast<T*>(sums.page_sums)[address % SumCache::page_bytes / sizeof(T)];
}

template <typename T>
void settle_in_page(SumCache& sums, uint64_t address) {
  T& sum = page_sum<T>(sums, address);
  if (sum == 0) return;
  add_to_memory<T>(address, sum);
  sum = 0;
}

void settle_in_page(SumCache& sums, uint64_t address) {
  if (sums.bytes == 4)
    settle_in_page<uint32_t>(sums, address);
  else
    settle_in_page<uint64_t>(sums, address);
}

bool is_in_page(const SumCache& sums, uint64_t address) {
  return (address ^ sums.page) < SumCache::page_bytes;
}

void settle_page(SumCache& sums) {
  if (sums.page == SumCache::no_page) return;
  for (uint64_t n = 0; n < std::size(sums.page_sums); ++n) {
    if (sums.page_sums[n] == 0) continue;
    for (uint64_t byte = 0; byte < sizeof(uint64_t); byte += sums.bytes)
      settle_in_page(sums, sums.page + n * sizeof(uint64_t) + byte);
  }
  sums.page = SumCache::no_page;
}

SumCache& sums_of(BlockContext& block, uint32_t bytes) {
  if (!block.sums) block.sums = new SumCache;
  if (block.sums->bytes != bytes) {
    settle_all_sums(&block);
    block.sums->bytes = bytes;
  }
  return *block.sums;
}

template <typename T>
SumCache::Entry& entry_of(SumCache& sums, uint64_t address) {
  return sums.entries[address / sizeof(T) % SumCache::places];
}

void keep_in_range(BlockContext& block, uint64_t begin, uint64_t bytes) {
  block.sums_begin = block.sums_end ? std::min(block.sums_begin, begin) : begin;
  block.sums_end = std::max(block.sums_end, begin + bytes);
}

// A word that has no entry; false: another one had its place.
template <typename T>
bool enter(BlockContext& block, SumCache& sums, uint64_t address, T value) {
  SumCache::Entry& entry = entry_of<T>(sums, address);
  if (entry.address == address) {
    entry.sum += value;
    return true;
  }
  const bool was_free = entry.address == 0;
  if (was_free) {
    sums.taken[sums.count++] = static_cast<uint16_t>(&entry - sums.entries);
  } else {
    settle(sums, entry);
  }
  entry = {address, value};
  keep_in_range(block, address, sizeof(T));
  return was_free;
}

// The values that lanes add: each its own, or one common to all.
template <typename T>
struct Lanes {
  const void* values;
  T operator()(uint32_t lane) const { return static_cast<const T*>(values)[lane]; }
};
template <typename T>
struct AllLanes {
  uint64_t value;
  T operator()(uint32_t) const { return static_cast<T>(value); }
};

template <typename F>
void each_lane(uint32_t mask, const F& f) {
  if (mask == UINT32_MAX)
#pragma GCC unroll 8
    for (uint32_t lane = 0; lane < warp_size; ++lane) f(lane);
  else
    for (; mask != 0; mask &= mask - 1) f(static_cast<uint32_t>(std::countr_zero(mask)));
}

// Returns false if some lane's word is outside the page.
template <typename T, typename F>
bool add_in_page(SumCache& sums, const uint64_t* addresses, F value_of, uint32_t mask) {
  uint64_t apart = 0;
  each_lane(mask, [&](uint32_t lane) { apart |= addresses[lane] ^ sums.page; });
  if (apart >= SumCache::page_bytes) return false;
  each_lane(mask, [&](uint32_t lane) { page_sum<T>(sums, addresses[lane]) += value_of(lane); });
  return true;
}

template <typename T, typename F>
void add(BlockContext& block, const uint64_t* addresses, F value_of, uint32_t mask) {
  SumCache& sums = sums_of(block, sizeof(T));
  if (++sums.calls > most_calls) settle_all_sums(&block);
  if (sums.direct > 0) {
    --sums.direct;
    // A locked instruction waits for its line alone: all are asked for first.
    each_lane(mask, [&](uint32_t lane) {
      __builtin_prefetch(reinterpret_cast<const void*>(addresses[lane]), 1);
    });
    each_lane(mask, [&](uint32_t lane) { add_to_memory<T>(addresses[lane], value_of(lane)); });
    return;
  }
  if (add_in_page<T>(sums, addresses, value_of, mask)) return;
  if (sums.page == SumCache::no_page && sums.calls >= calls_before_page) {
    sums.page = addresses[std::countr_zero(mask)] & ~(SumCache::page_bytes - 1);
    keep_in_range(block, sums.page, SumCache::page_bytes);
  }
  uint32_t missed = 0;
  each_lane(mask, [&](uint32_t lane) {
    SumCache::Entry& entry = entry_of<T>(sums, addresses[lane]);
    if (entry.address == addresses[lane]) [[likely]]
      entry.sum += value_of(lane);
    else
      missed |= 1u << lane;
  });
  if (missed == 0) return;
  uint32_t crowding = 0;
  each_lane(missed, [&](uint32_t lane) {
    crowding += !enter<T>(block, sums, addresses[lane], value_of(lane));
  });
  if (crowding > crowded) sums.direct = direct_calls;
}

}  // namespace

void add_sums(BlockContext* block, const uint64_t* addresses, const void* values, uint32_t mask,
              uint32_t bytes) {
  if (bytes == 4)
    add<uint32_t>(*block, addresses, Lanes<uint32_t>{values}, mask);
  else
    add<uint64_t>(*block, addresses, Lanes<uint64_t>{values}, mask);
}

void add_to_each(BlockContext* block, const uint64_t* addresses, uint64_t value, uint32_t mask,
                 uint32_t bytes) {
  if (bytes == 4)
    add<uint32_t>(*block, addresses, AllLanes<uint32_t>{value}, mask);
  else
    add<uint64_t>(*block, addresses, AllLanes<uint64_t>{value}, mask);
}

void add_sum(BlockContext* block, uint64_t address, uint64_t value, uint32_t bytes) {
  SumCache& sums = sums_of(*block, bytes);
  if (++sums.calls > most_calls) settle_all_sums(block);
  if (bytes == 4)
    enter(*block, sums, address, static_cast<uint32_t>(value));
  else
    enter(*block, sums, address, value);
}

void settle_sums(BlockContext* block, uint64_t begin, uint64_t end) {
  if (!block->sums || begin >= block->sums_end || end <= block->sums_begin) return;
  SumCache& sums = *block->sums;
  if (end - begin > longest_search) return settle_all_sums(block);
  for (uint64_t at = begin / sums.bytes * sums.bytes; at < end; at += sums.bytes) {
    SumCache::Entry& entry = sums.entries[at / sums.bytes % SumCache::places];
    if (entry.address == at) settle(sums, entry);
    if (is_in_page(sums, at)) settle_in_page(sums, at);
  }
}

void settle_all_sums(BlockContext* block) {
  if (block->sums_end == 0) return;
  SumCache& sums = *block->sums;
  for (uint32_t n = 0; n < sums.count; ++n) {
    SumCache::Entry& entry = sums.entries[sums.taken[n]];
    settle(sums, entry);
    entry.address = 0;
  }
  settle_page(sums);
  sums.count = sums.calls = 0;
  block->sums_begin = block->sums_end = 0;
}

void free_sums(BlockContext* block) {
  delete block->sums;
  block->sums = nullptr;
}

}  // namespace cuvette::ptx
