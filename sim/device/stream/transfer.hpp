// SPDX-License-Identifier: Apache-2.0
// Copies and fills: finds the memory of an address, checks that the range lies inside it, and
// decides when the call may return.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/memory_operations.hpp"
#include "sim/device/texture/array.hpp"
#include "sim/memory/address.hpp"

namespace cuvette::device {

// The caller's declaration of an address (CUmemorytype).
enum class MemoryType {
  host,     // any host memory, or memory that a device can reach
  device,   // only memory that a device can reach
  unified,  // any of these; the address decides
  array,    // inside an array
};

// One end of a copy (CUmemcpy3DOperand).
struct CopyOperand {
  memory::Region region;
  MemoryType type;
  Ref<Array> array{};  // the region is a box of it
  // The device that a copy between peers names for this end: its rights to mappings count as well
  // as those of the device that copies.
  std::optional<unsigned> peer{};
};

struct Transfer {
  Context& context;
  Stream& stream;
  bool asynchronous;
  const void* call_site;
  // Contexts besides its own with which a synchronous copy is ordered.
  std::vector<Ref<Context>> others{};
};

// Copies `from` to `to`; both have the same width, height and depth.
//
// The call returns before the work wherever the driver does (measured on an H200): always for
// device memory, and for pinned memory if asynchronous. A pageable source is read during the call;
// a copy to pageable memory, or between two pieces of host memory, is waited for. A synchronous
// copy is ordered with the null streams of all contexts involved (measured): its own, the `others`,
// and the owners of another device's memory at either end. It starts after everything in their null
// and blocking streams, and before everything submitted there later. Errors: invalid_value if a
// range is not inside memory that its type allows, or in a mapping to which the devices have no
// right; out_of_memory; for an unusable array, the reason.
Result<> copy(const Transfer& transfer, const CopyOperand& to, const CopyOperand& from);

// Fills `to` with `element`-byte (1, 2, 4) elements of `value`. The call waits if it is synchronous
// and the host can reach the memory. Errors: invalid_value, also for another device's memory that
// the context has no right to reach; out_of_memory.
Result<> fill(const Transfer& transfer, const memory::Region& to, uint32_t value, unsigned element);

// Make operations of a graph launch that do the same, with the same errors. They read and write
// pageable memory when they run. `context`: its device does the work; null if that is not known
// yet.
Result<Copy> make_copy(const Context* context, const CopyOperand& to, const CopyOperand& from,
                       const void* call_site);
Result<Fill> make_fill(const Context& context, const memory::Region& to, uint32_t value,
                       unsigned element, const void* call_site);

struct BatchedCopy {
  CopyOperand to, from;
  bool take_now = false;  // the source is read before the call returns, and not in stream order
};

// Checks all copies, reads the sources to be taken now, then submits the copies in order. The call
// returns before that work, which reads the other sources and writes pageable memory. Errors: as
// make_copy(), with `failed` set to that copy's index; illegal_address if a source that is taken
// now faults, which fails the context and leaves `failed` as it was. Nothing is submitted on an
// error.
Result<> copy_batch(Stream& stream, std::span<const BatchedCopy> copies, const void* call_site,
                    size_t& failed);

// The access that an operation of another kind needs to read or write memory that a device can
// reach.
struct Access {
  Footprint footprint;
  bool may_lose_pages = false;  // another process can shrink the memory's file
};
// Errors: as copy(). `context`: as for make_copy().
Result<Access> find_access(const Context* context, const memory::Region& region, bool write,
                           const void* call_site);

}  // namespace cuvette::device
