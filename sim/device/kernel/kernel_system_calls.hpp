// SPDX-License-Identifier: Apache-2.0
// The machine's services for kernels: printing, allocating, failed assertions.
//
// Threads: any that run blocks.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/exec/grid.hpp"

namespace cuvette::device {

class Context;
class GraphConditions;
class Stream;

// The launch that calls.
struct SystemCaller {
  Context& context;
  std::string_view kernel;
  GraphConditions* conditions;  // what the kernel may decide about its graph, or null
  const Stream& stream;
  uint64_t number;  // in the stream
  const void* call_site;
};

// Implements the helper system_call and returns its status.
uint32_t kernel_system_call(const SystemCaller& caller, exec::Block& block,
                            ptx::SystemCall function, uint64_t* results, const uint64_t* parameters,
                            uint32_t mask, uint32_t warp, uint64_t location);

}  // namespace cuvette::device
