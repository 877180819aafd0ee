// SPDX-License-Identifier: Apache-2.0
// AccessHistory: for each byte of memory, the last access that wrote it and the reads since then,
// as far as a later access can still conflict with them.
//
// Two mappings of the same external memory are the same bytes. Memory allocated in the place of
// freed memory begins without a history.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "sim/check/happens_before.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/stream/stream.hpp"

namespace cuvette::check {

// What touched memory: a command, or a mapping for a graphics API.
struct Access final : Counted {
  Point point;
  const char* what = nullptr;  // "copy"
  bool hands_over = false;     // maps or unmaps it for a graphics API, which is not a command
  uint64_t number = 0;         // the command's, in its stream
  uint32_t step = 0;           // in the graph that the command launches
  bool in_graph = false;
  device::StreamKind stream_kind{};
  uintptr_t stream_handle = 0;
  const void* call_site = nullptr;
};

struct Conflict {
  Ref<const Access> earlier;
  bool earlier_writes;
  memory::DevicePtr address;  // in the allocation that the later access names
  uint64_t size;
};

class AccessHistory {
 public:
  using Ordered = std::function<bool(const Access& earlier)>;

  // Adds an access to `region`, which lies in `allocation` (none: pageable host memory). Appends to
  // `conflicts` the earlier accesses that `ordered` does not put before it, if at least one of the
  // two writes.
  void add(const Ref<const memory::Allocation>& allocation, const memory::Region& region,
           bool writes, const Ref<const Access>& access, const Ordered& ordered,
           std::vector<Conflict>& conflicts);
  // Forgets all accesses to `allocation` so far.
  void forget(const memory::Allocation& allocation);

  size_t memories() const { return memories_.size(); }

 private:
  // Bytes that all accesses so far have treated alike; the key is their offset in the memory.
  struct Cell {
    uint64_t end;
    Ref<const Access> write;
    std::vector<Ref<const Access>> reads;
    size_t sift_at = 8;  // reads that no longer matter are removed at this count
  };
  using Cells = std::map<uint64_t, Cell>;
  struct Memory {
    Ref<const memory::Allocation> allocation;  // tells when it ends; none for memory of others
    Cells cells;
  };
  // A segment's device and inode, or 0 and an allocation's number; 0 and 0 for pageable memory.
  using Key = std::pair<uint64_t, uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const { return key.first * 31 + key.second; }
  };
  struct Adding {
    bool writes;
    const Ref<const Access>& access;
    const Ordered& ordered;
    memory::DevicePtr base;  // address of the memory's offset 0
    std::vector<Conflict>& conflicts;
  };

  static Key key_of(const memory::Allocation* allocation);
  static void add_range(Cells& cells, uint64_t begin, uint64_t end, const Adding& adding);
  static void look(const Cell& cell, uint64_t begin, uint64_t end, const Adding& adding);
  static void add_read(Cell& cell, const Adding& adding);
  static void cut(Cells& cells, uint64_t at);
  void sweep();

  std::unordered_map<Key, Memory, KeyHash> memories_;
  size_t sweep_at_ = 64;
};

}  // namespace cuvette::check
