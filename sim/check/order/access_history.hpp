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
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/range_map.hpp"
#include "sim/check/order/happens_before.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/identity.hpp"

namespace cuvette::check {

// Of a kernel's access: an instruction, and one of the threads that came to it.
struct InKernel {
  std::string name;       // the kernel's
  std::string source;     // "file:line", or empty
  uint64_t ptx_line = 0;  // 0: unknown
  bool has_thread = true;
  uint32_t block[3] = {}, thread[3] = {};
};

// A command, a step of a graph, or a mapping for a graphics API.
struct Source {
  Point point;
  Clock clock;                 // what comes before it
  const char* what = nullptr;  // "copy"
  bool hands_over = false;     // maps or unmaps it for a graphics API, which is not a command
  uint64_t number = 0;         // the command's, in its stream
  uint32_t step = 0;           // in the graph that the command launches
  bool in_graph = false;
  bool begins_life = false, ends_life = false;  // cuMemAllocAsync, cuMemFreeAsync, nodes
  device::StreamKind stream_kind{};
  uintptr_t stream_handle = 0;
  const void* call_site = nullptr;
};

// An access to memory.
struct Access final : Counted, Source {
  Access() = default;
  explicit Access(const Source& source) : Source(source) {}

  bool atomic = false;     // by atomic operations alone, which may meet others of their kind
  bool meets_host = true;  // compared with accesses by host threads
  std::unique_ptr<const InKernel> kernel;  // null: not a kernel
};

struct Conflict {
  Ref<const Access> earlier;  // the one that was known
  bool earlier_writes;
  memory::DevicePtr address;  // in the allocation that the later access names
  uint64_t size;
};

// How an access that is known already is ordered with one that is added.
enum class Order : uint8_t { before, after, unordered };

class AccessHistory {
 public:
  using OrderOf = std::function<Order(const Access& known)>;

  // Adds an access to `region`, which lies in `allocation` (none: pageable host memory). Appends to
  // `conflicts` the known accesses that are not ordered with it, if at least one of the two writes
  // and not both are atomic. A kernel's accesses are added when it has run, so some that come after
  // them may be known already.
  void add(const Ref<const memory::Allocation>& allocation, const memory::Region& region,
           bool writes, const Ref<const Access>& access, const OrderOf& order_of,
           std::vector<Conflict>& conflicts);
  // Appends the accesses that are not ordered with an access to one byte; that one is not added.
  void look_at(const memory::Allocation& allocation, memory::DevicePtr address, bool writes,
               const OrderOf& order_of, std::vector<Conflict>& conflicts) const;
  // While kernels run, accesses that others have replaced are kept: a kernel that ends may come
  // before the later one, and be in no order with the earlier one.
  void keep_replaced(bool keep) { keeps_replaced_ = keep; }
  // Forgets all accesses to `allocation` so far.
  void forget(const memory::Allocation& allocation);

  size_t memories() const { return memories_.size(); }

 private:
  // Of bytes that all accesses so far have treated alike.
  struct Cell {
    Ref<const Access> write;
    Ref<const Access> plain;  // the last write that is not atomic, if there was one since
    std::vector<Ref<const Access>> reads;
    // The accesses that were replaced while kernels ran, and whether they wrote.
    std::vector<std::pair<Ref<const Access>, bool>> replaced;
    size_t sift_at = 8;  // reads that no longer matter are removed at this count
  };
  using Cells = RangeMap<Cell>;  // by their offset in the memory
  struct Memory {
    Ref<const memory::Allocation> allocation;  // shows when it ends; none for memory of others
    Cells cells;
  };
  struct Adding {
    bool writes;
    const Ref<const Access>& access;
    const OrderOf& order_of;
    bool is_before(const Ref<const Access>& known) const {
      return order_of(*known) == Order::before;
    }
    memory::DevicePtr base;  // address of the memory's offset 0
    std::vector<Conflict>& conflicts;
    bool keeps_replaced;
  };

  static void add_range(Cells& cells, uint64_t begin, uint64_t end, const Adding& adding);
  static void look(const Cell& cell, uint64_t begin, uint64_t end, const Adding& adding);
  static void add_read(Cell& cell, const Adding& adding);
  static void add_write(Cell& cell, const Adding& adding);

  memory::MemoryMap<Memory> memories_;
  bool keeps_replaced_ = false;
};

}  // namespace cuvette::check
