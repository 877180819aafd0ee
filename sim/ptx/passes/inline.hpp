// SPDX-License-Identifier: Apache-2.0
// Inlines called functions and keeps what a call passes in registers. Afterwards a kernel is one
// body, in which lanes diverge as they do anywhere else. If that body became too large, functions
// that can be compiled separately are (separate.hpp), and a call passes everything in the threads'
// local memory. Others are placed in the kernel once instead of being copied to each call
// (once.hpp).
//
// An indirect call becomes a comparison with each possible target. Only calls of functions that the
// module merely declares remain. Mutually recursive functions are placed once, together: calls
// among them are jumps, and what must survive a call lies on the thread's stack (recursion.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "sim/ptx/syntax/diagnostic.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// The variable after all others of a thread: the stack of recursive functions. The launch sets its
// size.
constexpr std::string_view stack_name = "%stack";

// The limit for calls in functions in each other that are put in place: each takes a piece of the
// compiler's stack. No program written by hand comes near it.
constexpr size_t most_nested_calls = 1000;

// The code of a kernel: its body, then the bodies of the separate functions that it calls. They
// share one numbering of variables, so that each variable has one place in memory.
struct OwnBody {
  const Function* function;
  Body body;
  // Kernels that the first body holds, in the order of their numbers (together.hpp).
  std::vector<const Function*> kernels = {};
};
using Bodies = std::vector<OwnBody>;

// Limits on inlining: the same as CompileRequest's.
struct Placing {
  size_t most_in_place, most_copied;
  bool together;
};

// `body` is the kernel's. False, with the reason in `diagnostic`, if a function cannot be put in
// place.
bool inline_calls(const Module& module, const Function& function, Body body, const Placing& placing,
                  Bodies& result, Diagnostic& diagnostic);

// Turns .param variables of a body into registers if they are only ever loaded and stored, always
// in the same pieces.
void promote_parameters(Body& body);

}  // namespace cuvette::ptx
