// SPDX-License-Identifier: Apache-2.0
// Puts the bodies of called functions where they are called, and keeps what a call passes in
// registers: behind it a kernel is one body, in which lanes go their ways as everywhere.
//
// A call by address becomes a comparison with each function that may be meant. What stays are calls
// of functions that the module only declares. A function that calls itself is refused; by address
// it traps.
#pragma once

#include "sim/ptx/diagnostic.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// False, with the reason in `diagnostic`, if a function cannot be put in place.
bool inline_calls(const Module& module, const Function& function, Body& body,
                  Diagnostic& diagnostic);

// Makes registers of the .param variables of a body that are only ever loaded and stored, always in
// the same pieces.
void promote_parameters(Body& body);

}  // namespace cuvette::ptx
