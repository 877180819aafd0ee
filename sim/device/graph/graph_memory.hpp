// SPDX-License-Identifier: Apache-2.0
// GraphMemory: the memory of an allocation node of a graph. Its address is fixed when the node is
// made; it may be used from a launch that allocates it until a launch that frees it. Its graph may
// end in between.
//
// There are two answers to whether it is allocated. Calls ask in the order of the calls: in_use().
// Commands find what is true when they run, Allocation::graph_life, which the steps and commands of
// class GraphMemoryChange set.
//
// Threads: any. Lock order: the accounts' lock is a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/stream/memory_operations.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::device {

class Stream;

class GraphMemory final : public Counted {
 public:
  // `managed`: the host can use it, too. Errors: out_of_memory.
  static Result<Ref<GraphMemory>> create(size_t size, bool managed,
                                         const memory::Requester& requester);

  memory::DevicePtr address() const { return allocation_->address; }
  size_t size() const { return allocation_->size; }
  unsigned device() const { return allocation_->device; }
  const Ref<memory::Allocation>& allocation() const { return allocation_; }

  // --- By address, since a call that frees the memory knows nothing else ---
  // Whether such memory begins there.
  static bool known(memory::DevicePtr address);
  // The memory that begins there, or none.
  static Ref<memory::Allocation> allocation_at(memory::DevicePtr address);
  // Whether a launch has allocated it and none has freed it since.
  static bool in_use(memory::DevicePtr address);
  // Checks that it is in use, if `address` is inside such memory. Errors: invalid_value.
  static Result<> check_in_use(memory::DevicePtr address, const void* call_site);
  // How a launch uses it: it has nodes that allocate it, `frees` that free it, and leaves it in use
  // or not.
  struct Launch {
    bool in_use = false, allocates = false;
    unsigned frees = 0;
  };
  // Such a launch is submitted. No effect if the memory is unknown.
  static void launched(memory::DevicePtr address, const Launch& launch, const void* call_site);
  // Whether it is not in use and was before, and which call has freed it.
  struct Freed {
    bool was_in_use = false;
    const void* at = nullptr;
  };
  static Freed freed(memory::DevicePtr address);
  // Frees it without a graph: when all work that may use it has completed, or in the order of a
  // stream. Errors: invalid_value if no launch has allocated it.
  static Result<> free(memory::DevicePtr address, const void* call_site);
  static Result<> free(memory::DevicePtr address, Stream& stream, const void* call_site);

  // --- Its pages ---
  // Backs all of these, which are one graph's, with pages: at its first launch or upload.
  static void back(const std::vector<Ref<GraphMemory>>& memories);

  // --- A device's accounts, in bytes. Measured on an H200: memory counts as used from then on
  // until all memory of one graph is free and trimmed; the pages come in blocks of 32 MiB, and
  // what is reserved is a power of two of those. ---
  struct Account {
    uint64_t used = 0, used_high = 0;
    uint64_t reserved = 0, reserved_high = 0;
  };
  static Account account(unsigned device);
  static void reset_used_high(unsigned device);
  static void reset_reserved_high(unsigned device);
  // Gives back the pages of each graph that has no memory in use, until its next launch.
  static void trim(unsigned device);

 private:
  friend class GraphMemoryChange;
  static Result<> begin_free(memory::DevicePtr address, const void* call_site);
  // It is there from now on, or one of its frees is done. After the last of them it ends if its
  // graph is gone. `own_uses`: how many of its users are the caller's.
  static void begin_life(memory::Allocation& allocation);
  static void end_life(const Ref<memory::Allocation>& allocation, const void* freed_at,
                       uint32_t own_uses);

  explicit GraphMemory(Ref<memory::Allocation> allocation) : allocation_(std::move(allocation)) {}
  ~GraphMemory() override;

  const Ref<memory::Allocation> allocation_;
};

// The step of a launch, or the command, that begins or ends the life of a graph's memory.
class GraphMemoryChange final : public MemoryOperation<GraphMemoryChange> {
 public:
  // `kind`: allocate or free.
  GraphMemoryChange(OperationKind kind, Ref<memory::Allocation> allocation, const void* call_site);
  Progress step(OperationRunner& runner) override;
};

}  // namespace cuvette::device
