// SPDX-License-Identifier: Apache-2.0
// The machine's services for kernels: printing, allocating, failed assertions.
//
// Threads: those that run blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/exec/grid.hpp"

namespace cuvette::device {

class Context;
class GraphConditions;

// Implements the helper system_call of a kernel of this name and returns its status. `conditions`:
// what the kernel may decide about its graph, or null.
uint32_t kernel_system_call(Context& context, std::string_view kernel, GraphConditions* conditions,
                            exec::Block& block, ptx::SystemCall function, uint64_t* results,
                            const uint64_t* parameters, uint32_t mask, uint32_t warp,
                            uint64_t location);

// Formats what printf prints for a format and a device's buffer of arguments. `text_at` reads the
// string at a device address, `argument` the next `bytes` of the buffer. `count` becomes the number
// of arguments taken. False if something cannot be read.
class PrintSource {
 public:
  virtual bool text_at(uint64_t address, std::string& text) = 0;
  virtual bool argument(uint32_t bytes, uint64_t& value) = 0;

 protected:
  ~PrintSource() = default;
};
bool format_print(const std::string& format, PrintSource& source, std::string& result,
                  uint32_t& count);

}  // namespace cuvette::device
