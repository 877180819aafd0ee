// SPDX-License-Identifier: Apache-2.0
// Who meets at an instruction, where the body says so by way of a register.
//
// Threads: plain functions.
#pragma once

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// Writes down who meets where a register says so that is the same number in all the kernel, as
// compilers have it for all.
void name_members(Body& body);

}  // namespace cuvette::ptx
