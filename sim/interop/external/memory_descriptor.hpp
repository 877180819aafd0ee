// SPDX-License-Identifier: Apache-2.0
// Descriptors of ranges of device memory for other drivers and processes
// (cuMemGetHandleForAddressRange).
//
// A GPU's driver gives a dma-buf, which another driver reads from the board. Here it is a file in
// memory that is the range: what maps it sees what commands write, and the other way round.
//
// Threads: any.
#pragma once

#include <cstddef>

#include "sim/base/error.hpp"
#include "sim/memory/address.hpp"

namespace cuvette::interop {

// Returns a new descriptor of [address, address + size): whole pages of device memory. Errors:
// invalid_value if they are none, not_supported for memory that lies in its own file already
// and for pages of which another range's descriptor is open; out_of_memory, operating_system.
Result<int> descriptor_of_memory(memory::DevicePtr address, size_t size);

}  // namespace cuvette::interop
