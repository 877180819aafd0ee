// SPDX-License-Identifier: Apache-2.0
#include "sim/watch/taint_watch.hpp"

#include <algorithm>
#include <bit>

namespace cuvette::watch {
namespace {

constexpr size_t most_found = 64;
constexpr uint32_t most_reads = UINT32_MAX >> ptx::taint_read_shift;
// Lanes that lie in as many bytes are looked at together.
constexpr uint64_t most_together = 4096;

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

const WrittenMemory::Range& TaintWatch::range(uint64_t address) {
  for (const WrittenMemory::Range& known : recent_)
    if (known.contains(address)) return known;
  WrittenMemory::Range& place = recent_[next_recent_++ % recent];
  place = global_.find(address);
  return place;
}

void TaintWatch::set(OfBlock& own, const Spot& at, uint64_t bytes, bool written) {
  if (at.memory != Memory::global) {
    OfBlock::Space& memory = space(own, at.memory);
    memory.written.set(at.address, at.address + bytes, written);
    if (!memory.computed.empty())
      for (uint64_t n = 0; n < bytes; ++n) memory.computed.erase(at.address + n);
    return;
  }
  const WrittenMemory::Range& where = range(at.address);
  if (!where.bytes) return;
  MutexLock lock(where.bytes->mutex);
  const uint64_t place = where.place(at.address);
  where.bytes->bytes.set(place, place + bytes, written);
}

uint32_t TaintWatch::unwritten(OfBlock& own, const Spot& at, uint32_t bytes) {
  if (at.memory != Memory::global)
    return space(own, at.memory).written.unwritten(at.address, bytes);
  const WrittenMemory::Range& where = range(at.address);
  if (!where.bytes || where.end - at.address < bytes) return 0;
  MutexLock lock(where.bytes->mutex);
  return where.bytes->bytes.unwritten(where.place(at.address), bytes);
}

// Whether all lanes read global memory in one place where everything is written; most do.
bool TaintWatch::all_written(const exec::WarpAccess& access, uint32_t bytes) {
  if (access.access & (ptx::access_shared | ptx::access_local | ptx::access_generic)) return false;
  uint64_t least = UINT64_MAX, most = 0;
  each_lane(access.mask, [&](uint32_t l) {
    least = std::min(least, access.addresses[l]);
    most = std::max(most, access.addresses[l]);
  });
  if (most - least > most_together) return false;
  const WrittenMemory::Range& where = range(least);
  if (!where.contains(most)) return false;
  if (!where.bytes) return true;
  MutexLock lock(where.bytes->mutex);
  return where.bytes->bytes.all_written(where.place(least), where.place(most) + bytes);
}

uint32_t TaintWatch::number_of(const exec::WarpAccess& access) {
  const auto [known, fresh] =
      numbers_.try_emplace({access.location, access.access}, static_cast<uint32_t>(reads_.size()));
  if (fresh) reads_.push_back({access.location, access.access});
  return std::min(known->second, most_reads);
}

void TaintWatch::writes(OfBlock& own, const exec::Block& block, const exec::WarpAccess& access) {
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

void TaintWatch::cover(const Spot& at, uint64_t bytes) {
  if (at.memory != Memory::global) return;
  const WrittenMemory::Range& where = range(at.address);
  if (!where.bytes) return;
  Cover& cover = covers_[where.bytes.get()];
  if (!cover.bytes) cover.bytes = where.bytes;
  const uint64_t place = where.place(at.address);
  cover.begin = std::min(cover.begin, place);
  cover.end = std::max(cover.end, place + bytes);
  cover.written += bytes;
}

void TaintWatch::end(uint64_t threads) {
  for (const auto& [memory, cover] : covers_) {
    const uint64_t size = cover.end - cover.begin, each = size / threads;
    if (cover.written != size || size % threads != 0 || each > 16 || !std::has_single_bit(each))
      continue;
    MutexLock lock(memory->mutex);
    memory->covered_begin = cover.begin;
    memory->covered_end = cover.end;
  }
}

void TaintWatch::written(OfBlock& own, const exec::Block& block, uint64_t address, uint64_t bytes) {
  const Memory memory = memory_of(block.context, ptx::access_generic, address);
  set(own, {memory, address}, bytes, true);
}

void TaintWatch::load(OfBlock& own, const exec::Block& block, const exec::WarpAccess& access,
                      uint32_t* taints, uint32_t count) {
  const uint32_t bytes = ptx::access_bytes(access.access), each = bytes / count;
  if (access.mask == 0 || all_written(access, bytes)) return;
  uint32_t number = 0;
  each_lane(access.mask, [&](uint32_t l) {
    const Spot at = spot(block, access, l, 0);
    const uint32_t missing = unwritten(own, at, bytes);
    if (missing == 0) return;
    if (number == 0) number = number_of(access);
    OfBlock::Lanes& lanes = own.last[{number, access.warp}];
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
}

void TaintWatch::store(OfBlock& own, const exec::Block& block, const exec::WarpAccess& access,
                       const uint32_t* taints, uint32_t count) {
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

void TaintWatch::use(OfBlock& own, const exec::Block& block, ptx::TaintUse use,
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
