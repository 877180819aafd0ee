// SPDX-License-Identifier: Apache-2.0
// Follows uninitialised memory through the registers of a body.
//
// Each register that may hold such bytes gets another one for its taint (taint_bytes in abi.hpp).
// Moves carry the taint along byte by byte. Arithmetic makes a computed value of it. Nothing is
// said until the value decides something: a branch, an address, an atomic operation, or a store of
// what was computed. So copying the padding of structs is not a mistake, nor is a load that a
// compiler has moved in front of the branch that it belongs to.
//
// Where a value's taint is not known, there is none: calls, votes, matrices, textures.
//
// Threads: plain functions.
#pragma once

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Call it when all calls are in place: it does not look into functions.
void follow_taint(Body& body);

}  // namespace cuvette::ptx
