// SPDX-License-Identifier: Apache-2.0
// Keeps accesses inside the variables that they name.
//
// An address in shared or local memory belongs to one variable if only numbers that do not come
// from a name are ever added to the variable's name. Such an access is tested against the
// variable's own bounds, because the next variable begins right after it. Dynamic arrays end with
// the block's memory, which is tested anyway.
//
// Threads: plain functions.
#pragma once

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Adds a test in front of each access that may leave its variable.
void keep_inside_variables(Body& body, const Module& module);

}  // namespace cuvette::ptx
