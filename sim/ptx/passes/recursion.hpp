// SPDX-License-Identifier: Apache-2.0
// Recursive functions: which functions may reach themselves, and what each call of one keeps on the
// thread's stack.
//
// Functions that may come back to each other form a component. A component is put in place once; a
// call within it is a jump. An activation's frame on the stack holds, from its beginning: the
// number of the place to return to, the function's results and parameters, its variables, and while
// it calls the registers that it needs afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "sim/ptx/passes/flow.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

using CallGraph = std::map<const Function*, std::vector<const Function*>>;

// Returns the number of its component, from 1 on, for each recursive function.
std::map<const Function*, uint32_t> find_recursion(const CallGraph& graph);

// Returns `root` and the functions that it reaches, each after the functions that it calls. Of
// functions that reach each other, some come before others that they call.
std::vector<const Function*> callees_first(const CallGraph& graph, const Function& root);

struct Activation {
  static constexpr uint32_t elsewhere = UINT32_MAX;
  static constexpr uint32_t saved_bytes = 8;  // of a register
  static constexpr uint32_t head_bytes = 4;   // the number of the place to return to
  static constexpr uint32_t least_alignment = 16;

  std::map<std::string_view, uint32_t> formals;  // offsets of results and parameters
  std::vector<uint32_t> variables;               // of the body; `elsewhere`: not in the frame
  uint32_t saved = 0;                            // where the registers are kept
  uint32_t bytes = 0;                            // of the whole: a multiple of the alignment
  Flow flow;                                     // of the function's own body
};

// Where an activation's results and parameters lie, in this order.
std::vector<uint32_t> places_of_formals(const Function& function);

// Returns the alignment, in bytes, that the function's results, parameters and local variables need
// of a frame.
uint32_t frame_alignment(const Function& function, const Body& body);

// Lays out a frame in a stack of frames that are all aligned to `alignment`.
Activation lay_out_activation(const Function& function, const Body& body, uint32_t alignment);

// Returns the registers that are live after a call and that the call does not write.
std::vector<uint32_t> needed_behind(const Activation& activation, const Body& body, uint32_t call);

}  // namespace cuvette::ptx
