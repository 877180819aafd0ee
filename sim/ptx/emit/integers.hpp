// SPDX-License-Identifier: Apache-2.0
// Handles lines of whole numbers: sums and conversions keep them where they can.
#pragma once

#include <utility>

#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

// Whether, and from which lane on, a line of `count` lanes runs over the end of its type: what is
// to be subtracted there, or 0, and the lane.
std::pair<V*, V*> overrun(WarpBuilder& w, V* base, int64_t stride, unsigned count, bool is_signed);
void emit_resize(WarpBuilder& w, const Instruction& i, Type to, Type from);

}  // namespace cuvette::ptx
