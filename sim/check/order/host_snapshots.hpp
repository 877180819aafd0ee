// SPDX-License-Identifier: Apache-2.0
// HostSnapshots: host memory that commands read, in pages that cannot be held: parts of pages, and
// pageable memory, also stacks.
//
// The bytes are kept as they are when the command is submitted, and compared when the program knows
// that it is over. If they are different, and no command has written to them, a host thread has. It
// is not known which, or when exactly.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "sim/check/order/access_history.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::check {

class HostSnapshots {
 public:
  // Bytes that have changed under a command.
  struct Change {
    Ref<const Access> command;
    Ref<const memory::Allocation> allocation;  // none: pageable memory
    memory::DevicePtr address;
  };

  // Keeps what `command` reads. Nothing that is pending may write there.
  void take(const Ref<const Access>& command, const Ref<const memory::Allocation>& allocation,
            uint64_t begin, uint64_t end);
  // A command writes there, so what is kept says nothing any more.
  void written(uint64_t begin, uint64_t end);
  void clear();

  using Known = std::function<bool(const Point&)>;
  // Ends what is kept for commands that are known to be over; returns what has changed.
  std::vector<Change> release(const Known& known);

 private:
  struct Snapshot {
    Ref<const Access> command;
    Ref<const memory::Allocation> allocation;
    uint64_t begin;
    std::vector<std::byte> bytes;
    uint64_t end() const { return begin + bytes.size(); }
  };
  void drop(const Snapshot& snapshot) { kept_ -= snapshot.bytes.size(); }

  // Of each stream, by the position of the command.
  std::unordered_map<uint64_t, std::deque<Snapshot>> snapshots_;
  size_t kept_ = 0;  // bytes
  size_t count_ = 0;
};

}  // namespace cuvette::check
