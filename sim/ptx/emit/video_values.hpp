// SPDX-License-Identifier: Apache-2.0
// The common part of video instructions on one number and on several.
#pragma once

#include <vector>

#include "sim/ptx/emit/warp_builder.hpp"
#include "sim/ptx/syntax/video.hpp"

namespace cuvette::ptx {

// Returns the number at bit `at` of `words`, lowest word first, in 32 bits, or in 64 if `wide`.
V* video_number(WarpBuilder& w, const std::vector<V*>& words, unsigned at, unsigned bits,
                bool with_sign, bool wide);
// Computes the operation on two numbers, in more bits than they have.
V* video_result(WarpBuilder& w, const Instruction& i, VideoOperation operation, V* a, V* b);

}  // namespace cuvette::ptx
