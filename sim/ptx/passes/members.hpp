// SPDX-License-Identifier: Apache-2.0
// The lanes that meet at an instruction with its member mask in a register.
//
// Threads: plain functions.
#pragma once

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Replaces a member mask in a register by its number where the register holds the same number in
// the whole kernel, as compilers do for the full mask.
void name_members(Body& body);

}  // namespace cuvette::ptx
