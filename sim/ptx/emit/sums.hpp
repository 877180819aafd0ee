// SPDX-License-Identifier: Apache-2.0
// Which kernels have sums that nobody asks for.
#pragma once

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// Whether something of the body goes to the sum cache (sum_cache.hpp). All bodies of a kernel have
// to settle what one of them keeps.
bool keeps_sums(const Body& body);

}  // namespace cuvette::ptx
