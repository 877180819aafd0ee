// SPDX-License-Identifier: Apache-2.0
// Puts the bodies of called functions where they are called, and keeps what a call passes in
// registers: behind it a kernel is one body, in which lanes go their ways as everywhere. Where that
// would become too large, functions that can be are compiled by themselves (separate.hpp); a call
// of one passes everything in the threads' own memory. Others stand in place once, where copies
// would be too much (once.hpp).
//
// A call by address becomes a comparison with each function that may be meant. What stays are calls
// of functions that the module only declares. Functions that may come back to themselves are put in
// place together once: calls among them are jumps, and what a call must find again afterwards lies
// on the thread's stack (recursion.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "sim/ptx/diagnostic.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// The variable behind all others of a thread, for functions that call themselves: the launch says
// how large it is.
constexpr std::string_view stack_name = "%stack";

// What runs of a kernel: its body, then those of the functions that are called by name. They number
// their variables in common, so that each has one place in memory.
struct OwnBody {
  const Function* function;
  Body body;
  // Kernels that the first body holds, in the order of their numbers (together.hpp).
  std::vector<const Function*> kernels = {};
};
using Bodies = std::vector<OwnBody>;

// How much may be put in place: see CompileRequest, which has the same.
struct Placing {
  size_t most_in_place, most_copied;
  bool together;
};

// `body` is the kernel's. False, with the reason in `diagnostic`, if a function cannot be put in
// place.
bool inline_calls(const Module& module, const Function& function, Body body, const Placing& placing,
                  Bodies& result, Diagnostic& diagnostic);

// Makes registers of the .param variables of a body that are only ever loaded and stored, always in
// the same pieces.
void promote_parameters(Body& body);

}  // namespace cuvette::ptx
