// SPDX-License-Identifier: Apache-2.0
// AliasWatch: accesses of a launch to memory that has several addresses.
//
// A processor may keep what it knows of memory by address, so what is written by one address need
// not be seen by another until the kernel ends, not even by the same thread, unless both accesses
// are volatile or atomic (the contract of cuExternalMemoryGetMappedBuffer), or fence.proxy.alias
// stands between them (PTX ISA, "Proxies").
//
// The adversary makes that true: a read by one address of what was written by another gives the
// bytes from before the write.
//
// Threads: the one that runs the grid; afterwards any.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/base/range_map.hpp"
#include "sim/check/kernel/accessor.hpp"
#include "sim/exec/block.hpp"
#include "sim/exec/grid_watch.hpp"

namespace cuvette::watch {

// Addresses of bytes that have other addresses as well.
struct AliasedRange {
  uint64_t begin = 0, end = 0;
  uint64_t place = 0;  // of the first byte: the same number for all addresses of one byte
};

// How a launch has used the bytes of a range that have another address as well.
struct AliasUse {
  bool plain = false;
  bool strong = false;  // volatile or atomic, or a fence was between accesses by several addresses
};

// Bytes that were written by one address and are accessed by another.
struct AliasMistake {
  Accessor earlier, later;
  uint64_t earlier_address = 0, address = 0;
  uint32_t bytes = 0;  // of the later access
};

class AliasWatch {
 public:
  // `ranges` do not overlap. Usually there are none, and then nothing is kept.
  AliasWatch(std::vector<AliasedRange> ranges, bool adversary);
  ~AliasWatch() { restore(); }
  AliasWatch(const AliasWatch&) = delete;
  AliasWatch& operator=(const AliasWatch&) = delete;

  void accesses(const exec::Block& block, const exec::WarpAccess& access) {
    if (!ranges_.empty()) [[unlikely]]
      look(block, access);
  }
  // Whether any memory has several addresses.
  bool any() const { return !ranges_.empty(); }
  // fence.proxy.alias
  void fence();
  // Puts back what the adversary has hidden from the access before.
  void restore();

  const std::vector<AliasMistake>& mistakes() const { return mistakes_; }
  // In the order of addresses, and how each was used.
  const std::vector<AliasedRange>& ranges() const { return ranges_; }
  const std::vector<AliasUse>& uses() const { return uses_; }

 private:
  struct Written {
    const AliasedRange* by = nullptr;
    bool strong = false;
    uint8_t before = 0;
    Accessor accessor;
  };
  struct Hidden {
    uint8_t* at;
    uint8_t value;
  };

  const AliasedRange* range_of(uint64_t address) const;
  bool is_shared(uint64_t place) const;
  void look(const exec::Block& block, const exec::WarpAccess& access);
  void look_at_byte(const AliasedRange& range, uint64_t address, const exec::WarpAccess& access,
                    const Accessor& by, uint64_t first);

  const std::vector<AliasedRange> ranges_;  // in the order of addresses
  const bool adversary_;
  const RangeMap<uint32_t> addresses_;  // how many a place has
  std::vector<AliasUse> uses_;
  std::unordered_map<uint64_t, Written> written_;  // by place
  std::vector<Hidden> hidden_;
  std::vector<AliasMistake> mistakes_;
  std::set<std::pair<uint64_t, uint64_t>> known_;  // by locations
};

}  // namespace cuvette::watch
