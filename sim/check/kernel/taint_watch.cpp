// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/taint_watch.hpp"
#include "sim/base/rounding.hpp"

#include <algorithm>
#include <bit>

namespace cuvette::watch {
namespace {

constexpr size_t most_found = 64;
constexpr uint32_t most_reads = UINT32_MAX >> ptx::taint_read_shift;
// Lanes that lie in as many bytes are looked at together.
constexpr uint64_t most_together = 4096;
constexpr uint64_t page_bytes = 4096;

}  // namespace

TaintWatch::Spot TaintWatch::spot(const exec::Block& block, const exec::WarpAccess& access,
                                  uint32_t lane, uint64_t offset) {
  const ptx::BlockContext& context = block.context;
  uint64_t address = access.addresses[lane] + offset;
  if (access.access & ptx::access_local)
    return {Memory::local, address + (access.warp * ptx::warp_size + lane) * context.local_stride};
  const Memory memory = memory_of(context, access.access, address);
  return {memory, address};
}

TaintWatch::Recent& TaintWatch::recent(uint64_t address) {
  for (Recent& known : recent_)
    if (known.range.contains(address)) return known;
  Recent& place = recent_[next_recent_++ % std::size(recent_)];
  place = {global_.find(address)};
  return place;
}

void TaintWatch::set(BlockState& own, const Spot& at, uint64_t bytes, bool written) {
  if (at.memory != Memory::global) {
    BlockState::Space& memory = space(own, at.memory);
    memory.written.set(at.address, at.address + bytes, written);
    if (!memory.computed.empty())
      for (uint64_t n = 0; n < bytes; ++n) memory.computed.erase(at.address + n);
    return;
  }
  Recent& where = recent(at.address);
  if (!where.range.bytes) return;
  const uint64_t end = at.address + bytes;
  if (!written)
    for (Recent& any : recent_) any.written_begin = any.written_end = 0;  // it has other addresses
  else if (at.address >= where.written_begin && end <= where.written_end)
    return;
  const uint64_t place = where.range.place(at.address);
  MutexLock lock(where.range.bytes->mutex);
  where.range.bytes->bytes.set(place, place + bytes, written);
}

uint32_t TaintWatch::unwritten(BlockState& own, const Spot& at, uint32_t bytes) {
  if (at.memory != Memory::global)
    return space(own, at.memory).written.unwritten(at.address, bytes);
  settle();
  const WrittenMemory::Range& where = recent(at.address).range;
  if (!where.bytes || where.end - at.address < bytes) return 0;
  MutexLock lock(where.bytes->mutex);
  return where.bytes->bytes.unwritten(where.place(at.address), bytes);
}

// Of global memory. Where it is, the page around it is asked for as well: the next warps come
// there.
bool TaintWatch::all_written(uint64_t begin, uint64_t end) {
  settle();
  Recent& where = recent(begin);
  if (begin >= where.written_begin && end <= where.written_end) return true;
  const WrittenMemory::Range& range = where.range;
  if (end > range.end) return false;
  if (!range.bytes) return true;
  const uint64_t page_begin = std::max(range.begin, begin - begin % page_bytes);
  const uint64_t page_end = std::min(range.end, round_up(end, page_bytes));
  MutexLock lock(range.bytes->mutex);
  if (!range.bytes->bytes.all_written(range.place(begin), range.place(end))) return false;
  if (range.bytes->bytes.all_written(range.place(page_begin), range.place(page_end))) {
    const bool goes_on = page_begin <= where.written_end && page_end >= where.written_begin;
    where.written_begin = goes_on ? std::min(where.written_begin, page_begin) : page_begin;
    where.written_end = goes_on ? std::max(where.written_end, page_end) : page_end;
  }
  return true;
}

bool TaintWatch::all_written(BlockState& own, const exec::Block& block,
                             const exec::WarpRows& rows) {
  if (rows.access & ptx::access_local) return false;
  const uint64_t bytes = ptx::access_bytes(rows.access);
  for (const exec::WarpRows::Row& row : rows.all()) {
    uint64_t begin = row.begin;
    const Memory memory = memory_of(block.context, rows.access, begin);
    if (!is_written(own, memory, begin, row.together ? bytes : bytes * row.lanes)) return false;
  }
  return true;
}

// Whether all lanes read global memory in one place where everything is written; most do.
bool TaintWatch::lie_in_written_memory(const exec::WarpAccess& access, uint32_t bytes) {
  if (access.access & (ptx::access_shared | ptx::access_local | ptx::access_generic)) return false;
  uint64_t least = UINT64_MAX, most = 0;
  each_lane(access.mask, [&](uint32_t l) {
    least = std::min(least, access.addresses[l]);
    most = std::max(most, access.addresses[l]);
  });
  return most - least <= most_together && all_written(least, most + bytes);
}

uint32_t TaintWatch::number_of(const exec::WarpAccess& access) {
  const auto [known, fresh] =
      numbers_.try_emplace({access.location, access.access}, static_cast<uint32_t>(reads_.size()));
  if (fresh) reads_.push_back({access.location, access.access});
  return std::min(known->second, most_reads);
}

void TaintWatch::writes(BlockState& own, const exec::Block& block, const exec::WarpAccess& access) {
  const uint32_t bytes = ptx::access_bytes(access.access);
  // Lanes side by side are one range.
  Spot first{};
  uint64_t size = 0;
  const auto put = [&] {
    set(own, first, size, true);
    cover(first, size);
  };
  each_lane(access.mask, [&](uint32_t l) {
    const Spot at = spot(block, access, l, 0);
    if (size > 0 && at.memory == first.memory && at.address == first.address + size) {
      size += bytes;
      return;
    }
    if (size > 0) put();
    first = at;
    size = bytes;
  });
  if (size > 0) put();
}

bool TaintWatch::writes(BlockState& own, const exec::Block& block, const exec::WarpRows& rows) {
  if (rows.access & ptx::access_local) return false;
  const uint64_t bytes = ptx::access_bytes(rows.access);
  for (const exec::WarpRows::Row& row : rows.all()) {
    Spot at{Memory::global, row.begin};
    at.memory = memory_of(block.context, rows.access, at.address);
    if (at.memory == Memory::local) return false;
    set(own, at, row.together ? bytes : bytes * row.lanes, true);
    cover(at, bytes * row.lanes);
  }
  return true;
}

void TaintWatch::writes_part(BlockState& own, bool shared, uint64_t address, uint64_t bytes,
                             bool known) {
  const Spot at{shared ? Memory::shared : Memory::global, address};
  if (!known) set(own, at, bytes, true);
  cover(at, bytes);
}

void TaintWatch::renewed(uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  settle();
  BlockState nobody;
  set(nobody, {Memory::global, address}, bytes, false);
}

void TaintWatch::settle() {
  if (written_lines_.empty()) return;
  constexpr uint64_t line = ptx::QuietLine::bytes;
  BlockState nobody;
  for (size_t n = 0; n < written_lines_.size();) {
    const Spot first{Memory::global, written_lines_[n]};
    const uint64_t end = recent(first.address).range.end;
    uint64_t bytes = 0;
    // Lines that follow each other, in one allocation.
    while (n < written_lines_.size() && written_lines_[n] == first.address + bytes &&
           (bytes == 0 || first.address + bytes < end)) {
      bytes += line;
      ++n;
    }
    set(nobody, first, bytes, true);
    cover(first, bytes);
  }
  written_lines_.clear();
}

void TaintWatch::cover(const Spot& at, uint64_t bytes) {
  if (at.memory != Memory::global) return;
  const WrittenMemory::Range& where = recent(at.address).range;
  if (!where.bytes) return;
  Cover& cover = covers_[where.bytes.get()];
  if (!cover.bytes) cover.bytes = where.bytes;
  const uint64_t place = where.place(at.address);
  cover.begin = std::min(cover.begin, place);
  cover.end = std::max(cover.end, place + bytes);
  cover.written += bytes;
}

void TaintWatch::end(uint64_t threads) {
  settle();
  for (const auto& [memory, cover] : covers_) {
    const uint64_t size = cover.end - cover.begin, each = size / threads;
    if (cover.written != size || size % threads != 0 || each > 16 || !std::has_single_bit(each))
      continue;
    MutexLock lock(memory->mutex);
    memory->covered_begin = cover.begin;
    memory->covered_end = cover.end;
  }
}

void TaintWatch::written(BlockState& own, const exec::Block& block, uint64_t address,
                         uint64_t bytes) {
  const Memory memory = memory_of(block.context, ptx::access_generic, address);
  set(own, {memory, address}, bytes, true);
}

bool TaintWatch::load(BlockState& own, const exec::Block& block, const exec::WarpAccess& access,
                      uint32_t* taints, uint32_t count) {
  const uint32_t bytes = ptx::access_bytes(access.access), each = bytes / count;
  if (access.mask == 0 || lie_in_written_memory(access, bytes)) return false;
  uint32_t number = 0;
  each_lane(access.mask, [&](uint32_t l) {
    const Spot at = spot(block, access, l, 0);
    const uint32_t missing = unwritten(own, at, bytes);
    if (missing == 0) return;
    if (number == 0) {
      number = number_of(access);
      std::fill_n(taints, ptx::warp_size * count, 0);
    }
    BlockState::Lanes& lanes = own.last[{number, access.warp}];
    const uint64_t first = at.address + static_cast<uint32_t>(std::countr_zero(missing));
    lanes.address[l] = first;
    lanes.memory[l] = at.memory;
    if (at.memory == Memory::local)
      lanes.address[l] -= (access.warp * ptx::warp_size + l) * block.context.local_stride;
    uint32_t by = number << ptx::taint_read_shift;
    if (at.memory != Memory::global) {
      const auto& computed = space(own, at.memory).computed;
      if (!computed.empty())
        each_lane(missing, [&](uint32_t byte) {
          if (const auto known = computed.find(at.address + byte); known != computed.end())
            by = known->second << ptx::taint_read_shift | ptx::taint_computed;
        });
    }
    for (uint32_t n = 0; n < count; ++n)
      if (const uint32_t part = missing >> (n * each) & ((1u << each) - 1))
        taints[n * ptx::warp_size + l] = part | by;
  });
  return number != 0;
}

void TaintWatch::store(BlockState& own, const exec::Block& block, const exec::WarpAccess& access,
                       const uint32_t* taints, uint32_t count) {
  settle();
  if (count == 0)
    return each_lane(access.mask,
                     [&](uint32_t l) { set(own, spot(block, access, l, 0), taints[l], true); });
  const uint32_t each = ptx::access_bytes(access.access) / count;
  for (uint32_t n = 0; n < count; ++n) {
    const uint32_t* const row = taints + n * ptx::warp_size;
    uint32_t leaving = 0;  // lanes that give away what they have computed
    each_lane(access.mask, [&](uint32_t l) {
      const uint32_t taint = row[l], missing = taint & ((1u << each) - 1);
      if (missing == 0) return;
      const Spot at = spot(block, access, l, n * each);
      const bool computed = taint & ptx::taint_computed;
      if (computed && at.memory == Memory::global) {
        leaving |= 1u << l;
        return;
      }
      for (uint32_t b = 0; b < each; ++b) {
        if (!(missing >> b & 1)) continue;
        set(own, {at.memory, at.address + b}, 1, false);
        if (computed)
          space(own, at.memory).computed[at.address + b] = taint >> ptx::taint_read_shift;
      }
    });
    if (leaving == 0) continue;
    exec::WarpAccess by = access;
    by.mask = leaving;
    use(own, block, ptx::TaintUse::store, row, by);
  }
}

void TaintWatch::use(BlockState& own, const exec::Block& block, ptx::TaintUse use,
                     const uint32_t* taints, const exec::WarpAccess& by) {
  each_lane(by.mask, [&](uint32_t l) {
    const uint32_t number = taints[l] >> ptx::taint_read_shift;
    if (number == 0 || number >= reads_.size() || found_.size() == most_found ||
        !reported_.insert(number).second)
      return;
    UnwrittenRead read;
    read.by = {block.index(), by.warp * ptx::warp_size + l, reads_[number]};
    read.bytes = ptx::access_bytes(reads_[number].access);
    read.use = use;
    read.used_at = by.location;
    // Another lane may have read it, and handed it on by a shuffle.
    if (const auto lanes = own.last.find({number, by.warp}); lanes != own.last.end()) {
      read.address = lanes->second.address[l];
      read.memory = lanes->second.memory[l];
    }
    found_.push_back(read);
  });
}

}  // namespace cuvette::watch
