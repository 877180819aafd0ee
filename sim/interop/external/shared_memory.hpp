// SPDX-License-Identifier: Apache-2.0
// SharedMemory: uses device memory of one process in another (cuIpc*MemHandle).
//
// 64 bytes name an allocation and the process that has it. A process that opens them asks that
// process for the segment, so that a stale name is refused by the process that knows; after that
// the two no longer need each other.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/interop/external/exchange.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::interop {

// CUipcMemHandle's bytes.
using MemoryName = std::array<char, 64>;

namespace shared_memory {

// Returns the name of a living allocation. Errors: invalid_value if it is not memory of cuMemAlloc,
// not_supported if a descriptor of a part of it is open, out_of_memory, operating_system.
Result<MemoryName> name_of(const Ref<memory::Allocation>& allocation);

// Maps the memory that `name` names, for a context. A context that has it open already gets the
// same address and owes one more close(). Errors: invalid_value for bytes that name nothing,
// invalid_handle for memory that is freed (measured on an H200), invalid_context in the process
// that exported it, invalid_device if its device is not visible here, map_failed if the exporter is
// gone, out_of_memory.
Result<memory::DevicePtr> open(const MemoryName& name, const memory::Requester& requester);

// Undoes one open(). Errors: invalid_value if open() has not given the address, or not as often.
Result<> close(memory::DevicePtr address);

}  // namespace shared_memory
}  // namespace cuvette::interop
