// SPDX-License-Identifier: Apache-2.0
// The part of CUDA's device runtime that the machine provides: what kernels ask about their device,
// allocate, and decide about the graph that they are a step of. Launching from kernels is not
// there.
//
// Threads: those that run blocks.
#pragma once

#include <cstdint>

#include "sim/exec/grid.hpp"
#include "sim/ptx/abi.hpp"

namespace cuvette::device {

class Context;
class GraphConditions;

// Memory of the heap that kernels allocate from (CU_LIMIT_MALLOC_HEAP_SIZE); 0 if there is no more.
uint64_t allocate_for_kernel(Context& context, uint64_t bytes);

// Whether `function` belongs here.
bool is_device_runtime(ptx::SystemCall function);

// Does what one thread asks for. `parameters` are its own, one after the other; `result` becomes a
// cudaError_t. Returns a sentence about why the thread must be stopped and sets `address` to what
// it did not find, or returns null.
const char* device_runtime_call(Context& context, GraphConditions* conditions, exec::Block& block,
                                ptx::SystemCall function, const uint64_t* parameters,
                                uint64_t& result, uint64_t& address);

}  // namespace cuvette::device
