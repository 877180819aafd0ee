// SPDX-License-Identifier: Apache-2.0
// The facts about a kernel, or a function that it calls, before any of its code is emitted.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "sim/ptx/abi/jit.hpp"
#include "sim/ptx/passes/flow.hpp"
#include "sim/ptx/passes/shapes.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// The memory before a kernel's shared variables, as on a GPU, where it may be read and written (an
// H200): cooperative groups use it to exchange data between warps of a tile.
constexpr uint32_t reserved_shared_bytes = 1024;

// Where the variables of a kernel lie.
struct Layout {
  std::map<std::string_view, uint32_t> module_shared;  // offsets of the module's shared variables
  std::vector<uint32_t> body_offsets;                  // of each variable of the body in its space
  uint32_t shared_reserved = 0;                        // bytes before the shared variables
  uint32_t shared_bytes = 0;                           // of these, without the dynamic part
  uint32_t local_bytes = 0;
  uint32_t alignment = 16;  // the largest of a shared or local variable
  bool has_stack = false;   // behind the thread's variables, as large as the launch says
};

struct EmitInput {
  const Module& module;
  const Function& function;
  const Body& body;
  const Flow& flow;
  const Shapes& shapes;
  const Layout& layout;
  const CompileRequest& request;
  bool quickly = false;     // code that takes little to compile, rather than little to run
  bool keeps_sums = false;  // some sums of the kernel go to the sum cache
  size_t kernels = 1;       // that the body holds
};

}  // namespace cuvette::ptx
