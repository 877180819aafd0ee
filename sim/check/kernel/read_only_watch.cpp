// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/read_only_watch.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "sim/check/kernel/mark.hpp"

namespace cuvette::watch {
namespace {

constexpr uint32_t write = ptx::access_write | ptx::access_atomic;

bool reads_so(std::span<const ptx::NumberedAccess> accesses) {
  return std::ranges::any_of(
      accesses, [](const ptx::NumberedAccess& one) { return one.access & ptx::access_read_only; });
}

// Bits `from` to `from + count` of a word.
uint64_t bits_of(uint64_t from, uint64_t count) {
  return (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << from;
}

}  // namespace

ReadOnlyWatch::ReadOnlyWatch(bool wanted, bool adversary,
                             std::span<const ptx::NumberedAccess> accesses)
    : wanted_(wanted), hides_(adversary && reads_so(accesses)), accesses_(accesses) {}

// --- What is read --------------------------------------------------------------------------------

void ReadOnlyWatch::add(uint64_t begin, uint64_t bytes, const Accessor& by) {
  const uint64_t end = begin + bytes;
  for (uint64_t at = begin; at < end;) {
    const uint64_t part = std::min(end - at, 64 - at % 64);
    const uint64_t number = at / page_bytes;
    if (number != latest_number_) {
      latest_ = &pages_[number];
      latest_number_ = number;
    }
    ReadLine& line = (*latest_)[at % page_bytes / Line::bytes];
    if (line.by.place.location == 0) line.by = by;
    line.bytes[at % Line::bytes / 64] |= bits_of(at % 64, part);
    at += part;
  }
}

void ReadOnlyWatch::add(const exec::Block& block, const exec::WarpAccess& warp) {
  each_lane(warp.mask, [&](uint32_t lane) {
    uint64_t address = warp.addresses[lane];
    if (memory_of(block.context, warp.access, address) == Memory::global)
      add(address, ptx::access_bytes(warp.access),
          {block.index(), warp.warp * ptx::warp_size + lane, {warp.location, warp.access}});
  });
}

void ReadOnlyWatch::add(const exec::Block& block, const exec::WarpRows& warp) {
  const uint64_t bytes = ptx::access_bytes(warp.access);
  for (const exec::WarpRows::Row& row : warp.all()) {
    uint64_t address = row.begin;
    if (memory_of(block.context, warp.access, address) == Memory::global)
      add(address, row.together ? bytes : bytes * row.lanes,
          {block.index(), warp.warp * ptx::warp_size + row.lane, {warp.location, warp.access}});
  }
}

// All lanes take part, and the stride is the size of an element, or 0.
void ReadOnlyWatch::add(const exec::Block& block, const exec::WarpLine& warp) {
  constexpr uint32_t half = ptx::warp_size / 2;
  const ptx::NumberedAccess& access = accesses_[warp.number - 1];
  const uint64_t bytes = ptx::access_bytes(warp.access);
  const uint64_t reach = warp.stride == 0 ? bytes : bytes * half;
  Accessor by{block.index(), warp.warp * ptx::warp_size, {access.location, access.access}};
  add(warp.begin, reach, by);
  by.thread += half;
  add(warp.middle, reach, by);
}

std::vector<ReadOnlyMistake> ReadOnlyWatch::found(const Footprint& footprint) const {
  std::vector<ReadOnlyMistake> all;
  if (pages_.empty()) return all;
  std::set<std::pair<uint64_t, uint64_t>> known;
  for (const Touched& touched : footprint.touched()) {
    if (!touched.writes) continue;
    for (uint64_t at = touched.begin; at < touched.end;) {
      const auto page = pages_.find(at / page_bytes);
      if (page == pages_.end()) {
        at = (at / page_bytes + 1) * page_bytes;
        continue;
      }
      const uint64_t part = std::min(touched.end - at, 64 - at % 64);
      const ReadLine& line = page->second[at % page_bytes / Line::bytes];
      const uint64_t both = line.bytes[at % Line::bytes / 64] & bits_of(at % 64, part);
      if (both != 0) {
        const uint64_t address = at - at % 64 + static_cast<uint64_t>(std::countr_zero(both));
        const Accessor writer = footprint.toucher(address);
        if (known.emplace(line.by.place.location, writer.place.location).second)
          all.push_back({line.by, writer, address});
      }
      at += part;
    }
  }
  return all;
}

// --- The adversary -------------------------------------------------------------------------------

void ReadOnlyWatch::restore() {
  // Backwards: a byte that was hidden twice gets its first value back.
  for (size_t i = hidden_.size(); i-- > 0;) *hidden_[i].at = hidden_[i].value;
  hidden_.clear();
}

void ReadOnlyWatch::hide(const exec::Block& block, const exec::WarpAccess& warp) {
  restore();
  const bool writes = warp.access & write;
  if (!writes && !(warp.access & ptx::access_read_only)) return;
  each_lane(warp.mask, [&](uint32_t lane) {
    uint64_t address = warp.addresses[lane];
    if (memory_of(block.context, warp.access, address) != Memory::global) return;
    for (uint64_t at = address; at < address + ptx::access_bytes(warp.access); ++at) {
      auto* const byte = reinterpret_cast<uint8_t*>(at);
      if (writes) {
        before_.emplace(at, *byte);
      } else if (const auto known = before_.find(at); known != before_.end()) {
        hidden_.push_back({byte, *byte});
        *byte = known->second;
      }
    }
  });
}

}  // namespace cuvette::watch
