// SPDX-License-Identifier: Apache-2.0
// The part of CUDA's device runtime that the machine provides: queries about the device,
// allocation, and decisions about the graph that the kernel belongs to. Kernels cannot launch
// kernels.
//
// Threads: any that run blocks.
#pragma once

#include <cstdint>

#include "sim/device/machine/device_heap.hpp"
#include "sim/exec/grid.hpp"
#include "sim/ptx/abi/abi.hpp"

namespace cuvette::device {

class Context;
class GraphConditions;

// Allocates from the heap of kernels (CU_LIMIT_MALLOC_HEAP_SIZE); 0 if nothing is left.
uint64_t allocate_for_kernel(Context& context, exec::Block& block, uint64_t bytes,
                             const DeviceHeap::Caller& by);
// Frees it, or nothing where it is null; false: nothing is allocated there.
bool free_for_kernel(Context& context, exec::Block& block, uint64_t address,
                     const DeviceHeap::Caller& by);

// Whether `function` is one of these.
bool is_device_runtime(ptx::SystemCall function);

// Does what one thread asks for. `parameters` are its own, one after the other; `result` becomes a
// cudaError_t. If the thread must be stopped, returns a sentence that says why and sets `address`
// to the address it did not find; else returns null.
const char* device_runtime_call(Context& context, GraphConditions* conditions, exec::Block& block,
                                ptx::SystemCall function, const uint64_t* parameters,
                                const DeviceHeap::Caller& by, uint64_t& result, uint64_t& address);

}  // namespace cuvette::device
