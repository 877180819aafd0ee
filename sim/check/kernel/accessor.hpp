// SPDX-License-Identifier: Apache-2.0
// Accessor: who accesses memory, for reports; and which memory an access goes to.
#pragma once

#include <cstdint>

#include "sim/check/kernel/mark.hpp"
#include "sim/ptx/abi/abi.hpp"

namespace cuvette::watch {

struct Accessor {
  // Of a footprint that knows instructions and not threads.
  static constexpr uint32_t some_thread = UINT32_MAX;

  uint64_t block = 0;   // its number in the grid
  uint32_t thread = 0;  // its number in the block
  Place place;
};

enum class Memory : uint8_t { global, shared, local };

// Which memory an access goes to. A generic address in shared memory becomes an offset, as for an
// instruction that names the space; one in local memory counts from thread 0's memory.
inline Memory memory_of(const ptx::BlockContext& context, uint32_t access, uint64_t& address) {
  if (access & ptx::access_shared) return Memory::shared;
  if (!(access & ptx::access_generic)) return Memory::global;
  const uint64_t local_bytes = context.local_stride * context.warps * ptx::warp_size;
  const uint64_t in_local = address - reinterpret_cast<uint64_t>(context.local);
  if (in_local < local_bytes) {
    address = in_local;
    return Memory::local;
  }
  const uint64_t offset = address - reinterpret_cast<uint64_t>(context.shared);
  if (offset >= context.shared_bytes) return Memory::global;
  address = offset;
  return Memory::shared;
}

// The offset of a barrier in shared memory, which may be named by its offset or its address.
inline uint64_t barrier_place(const ptx::BlockContext& context, uint64_t operand) {
  const uint64_t offset = operand - reinterpret_cast<uint64_t>(context.shared);
  return offset < context.shared_bytes ? offset : operand;
}

}  // namespace cuvette::watch
